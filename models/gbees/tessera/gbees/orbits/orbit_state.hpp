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

/// The state of an object with its covariance, from a message.
struct OrbitState {
  Epoch epoch;
  CartesianState state{};       ///< in EME2000, m and m/s
  MendedCovariance covariance;  ///< in EME2000, m^2, m^2/s, m^2/s^2; empty: the message has none
  std::string object_name;
  std::vector<std::string> unknown, notes;  ///< as of ConjunctionMessage
};

/// Whether a state needs the covariance of its message, or has one from elsewhere.
enum class CovarianceOf { message, user };

/// Reads an orbit parameter message (OPM, CCSDS 502.0-B-3). Errors are as of read_oem. Where the
/// covariance is the user's, that of the message may be missing.
OrbitState read_opm(const std::string& path, const SharedOrientation& orientation = {},
                    CovarianceOf covariance = CovarianceOf::message);

/// The text of an OPM in EME2000 and UTC, to a nanosecond and with all digits: a state in m and
/// m/s, and a covariance in m^2, m^2/s and m^2/s^2, which may be empty.
std::string format_opm(const std::string& object_name, const std::string& object_id,
                       const Epoch& epoch, const CartesianState& state,
                       const linalg::Matrix& covariance, const Epoch& created);

/// Reads the state of an object from a CDM, an OPM, an OEM or an OMM, as the file's first line
/// says, or from two-line elements (.tle). `object`: of a CDM, 1 or 2. `time`: of an OEM, in its
/// time system; without it the first covariance's. Of mean elements, to which SGP4 carries state
/// and covariance; without it their epoch. Throws Error (input) where these are missing or do not
/// belong to the file, and where there is no covariance.
OrbitState read_orbit_state(const std::string& path, std::optional<int> object,
                            const std::string& time, const SharedOrientation& orientation = {},
                            CovarianceOf covariance = CovarianceOf::message);

/// Tells whether a file's name ends as those of messages do: .cdm, .opm, .oem, .omm, .tle or .xml.
bool is_orbit_file(const std::string& path);

}  // namespace tessera::gbees
