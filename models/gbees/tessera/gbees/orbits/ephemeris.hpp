// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/gbees/orbits/covariance.hpp"
#include "tessera/gbees/orbits/earth_orientation.hpp"
#include "tessera/gbees/orbits/epoch.hpp"
#include "tessera/gbees/orbits/frames.hpp"

namespace tessera::gbees {

/// A covariance of a file at an epoch.
struct EphemerisCovariance {
  Epoch epoch;
  MendedCovariance covariance;  ///< in EME2000, m^2, m^2/s, m^2/s^2
};

/// A segment of an orbit ephemeris message: one object in one frame, a table in time.
struct EphemerisSegment {
  enum class Interpolation { none, lagrange, hermite };
  std::string object_name, object_id;
  ReferenceFrame frame = ReferenceFrame::eme2000;
  TimeSystem time_system = TimeSystem::utc;
  Interpolation interpolation = Interpolation::none;
  int degree = 0;
  std::optional<Epoch> usable_begin, usable_end;  ///< between which the file lets one interpolate
  SharedOrientation orientation;                  ///< of the Earth, for ITRF; may be null
  std::vector<Epoch> epochs;                      ///< ascending
  std::vector<CartesianState> states;             ///< in `frame`, m and m/s
  std::vector<EphemerisCovariance> covariances;

  /// The state in EME2000 at an epoch, by the interpolation that the file names: Lagrange's
  /// polynomial of all six components, or Hermite's of positions and velocities, whose derivative
  /// is the velocity, through the nearest rows. Throws Error (input) for an epoch outside the
  /// table, or between its rows where the file names no interpolation, has fewer rows than its
  /// degree needs, or says that it cannot be used (USEABLE_START_TIME, USEABLE_STOP_TIME).
  CartesianState state_at(const Epoch& epoch) const;

  /// The covariance of an epoch, to a millisecond; none where the file has none for it.
  std::optional<MendedCovariance> covariance_at(const Epoch& epoch) const;
};

/// An orbit ephemeris message (OEM, CCSDS 502.0-B-3).
struct Ephemeris {
  std::string path;
  std::vector<EphemerisSegment> segments;
  std::vector<std::string> unknown, notes;  ///< as of ConjunctionMessage
};

/// Reads an OEM in key = value form. Throws Error (file) where it cannot be read. Throws Error
/// (input), with file and line, for what is missing or no number, epochs that do not ascend, other
/// frames and time systems, and a file that is cut off.
Ephemeris read_oem(const std::string& path, const SharedOrientation& orientation = {});

/// One row of an ephemeris that is written.
struct EphemerisRow {
  Epoch epoch;
  CartesianState state{};     ///< in EME2000, m and m/s
  linalg::Matrix covariance;  ///< in EME2000; may be empty
};

/// The text of an OEM in EME2000 and UTC with a covariance for each row, with all digits. Epochs
/// ascend.
std::string format_oem(const std::string& object_name, const std::vector<EphemerisRow>& rows,
                       const Epoch& created);

}  // namespace tessera::gbees
