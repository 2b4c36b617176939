// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tessera/gbees/orbits/covariance.hpp"
#include "tessera/gbees/orbits/earth_orientation.hpp"
#include "tessera/gbees/orbits/epoch.hpp"
#include "tessera/gbees/orbits/frames.hpp"

namespace tessera::gbees {

/// One of the two objects of a conjunction message.
struct ConjunctionObject {
  std::string name, designator;
  ReferenceFrame frame = ReferenceFrame::eme2000;
  CartesianState state{};       ///< in EME2000, m and m/s
  MendedCovariance covariance;  ///< in its radial, transverse and normal axes, m^2, m^2/s, m^2/s^2
  int line = 0;                 ///< where its part of the file begins

  /// The covariance in the axes of EME2000.
  linalg::Matrix inertial_covariance() const {
    return gbees::inertial_covariance(rtn_axes(state), covariance.matrix);
  }
};

/// A conjunction data message (CCSDS 508.0-B-1): two objects at their closest approach.
struct ConjunctionMessage {
  std::string path, id;
  Epoch closest_approach;                  ///< TCA, to the digits of the message
  std::optional<double> miss_distance;     ///< m, as the message says
  std::optional<double> hard_body_radius;  ///< m, of a line COMMENT HBR = 20 [m]
  std::array<ConjunctionObject, 2> objects;
  /// Keywords that CCSDS 508.0-B-1 does not have, as "KEYWORD (line 12)"
  std::vector<std::string> unknown;
  /// What was done to the numbers or ignored, one sentence each
  std::vector<std::string> notes;
};

/// Reads a message in key = value form. What it needs: TCA, and for each object REF_FRAME, X to
/// Z_DOT, and the 21 covariances CR_R to CNDOT_NDOT; the rest is checked by its keywords alone.
/// Throws Error (file) where the file cannot be read. Throws Error (input), with file and line,
/// where something of these is missing, given twice or no number, a unit or frame is another, the
/// file is cut off or has one object or three, or a variance is negative.
ConjunctionMessage read_cdm(const std::string& path, const SharedOrientation& orientation = {});

}  // namespace tessera::gbees
