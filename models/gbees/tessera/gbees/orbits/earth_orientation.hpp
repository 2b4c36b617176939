// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/gbees/orbits/epoch.hpp"
#include "tessera/gbees/orbits/frames.hpp"

namespace tessera::gbees {

/// UT1 - UTC and polar motion day by day, as the IERS publishes them.
struct EarthOrientationTable {
  std::string path;
  std::vector<Epoch> epochs;  ///< ascending
  std::vector<EarthOrientation> rows;

  /// The orientation at an epoch: the polar motion and UT1 - TAI, which has no leap seconds, on the
  /// line between two rows. Throws Error (input) for an epoch outside the table.
  EarthOrientation at(const Epoch& epoch) const;
};

using SharedOrientation = std::shared_ptr<const EarthOrientationTable>;

/// Reads a table of the IERS: finals2000A (columns of fixed width) or EOP C04 (columns between
/// spaces; with and without the hour). Rows without UT1 - UTC, at the end of finals2000A, are left
/// out. Throws Error (file) where it cannot be read, and Error (input) with file and line.
SharedOrientation read_earth_orientation(const std::string& path);

/// Turns a state of ITRF into EME2000 by a table, or without one by zeros.
CartesianState inertial_state(ReferenceFrame frame, const CartesianState& state, const Epoch& epoch,
                              const SharedOrientation& table);

/// What is ignored then, as of ignored_by(frame): nothing where there is a table.
std::string ignored_by(ReferenceFrame frame, const SharedOrientation& table);

}  // namespace tessera::gbees
