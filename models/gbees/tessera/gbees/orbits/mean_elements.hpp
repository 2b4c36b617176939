// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/gbees/orbits/covariance.hpp"
#include "tessera/gbees/orbits/epoch.hpp"
#include "tessera/gbees/orbits/frames.hpp"
#include "tessera/gbees/orbits/sgp4.hpp"

namespace tessera::gbees {

/// Mean elements of SGP4 from an OMM or from two lines.
struct MeanElementSet {
  std::string path, object_name, object_id;
  int line = 0;  ///< of the file, with the epoch
  TimeSystem time_system = TimeSystem::utc;
  MeanElements elements;
  /// At the epoch, in EME2000, m^2, m^2/s, m^2/s^2.
  std::optional<MendedCovariance> covariance;
  std::vector<std::string> unknown, notes;  ///< as of ConjunctionMessage

  /// The state in EME2000 at an epoch, m and m/s. Throws Error (input), with file and line, where
  /// SGP4 has none.
  CartesianState state_at(const Epoch& epoch) const;

  /// The covariance of the state at an epoch, to first order: carried from that of the elements by
  /// the derivatives of SGP4 with respect to its elements, which are central differences.
  linalg::Matrix covariance_at(const Epoch& epoch) const;
};

/// Reads an orbit mean-elements message (OMM, CCSDS 502.0-B-3) of the theory SGP4, with a
/// covariance or without. Throws Error (file) where it cannot be read. Throws Error (input), with
/// file and line, for what is missing or no number, other theories, frames and centres, and
/// elements of no orbit.
MeanElementSet read_omm(const std::string& path);

/// Reads two-line elements, with a line for the name before them or without. Throws Error as
/// read_omm, also where a checksum is wrong and where there are several objects.
MeanElementSet read_tle(const std::string& path);

}  // namespace tessera::gbees
