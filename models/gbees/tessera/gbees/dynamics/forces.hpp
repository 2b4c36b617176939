// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/gbees/dynamics/equations.hpp"

namespace tessera::gbees {

/// Accelerations of a body, as names to compose equations of. The state is positions and then
/// velocities, (x, y, vx, vy) or (x, y, z, vx, vy, vz) under any names, in a frame that does not
/// turn. A force of the name F adds a definition for each position: F_x, F_y (and F_z). With r the
/// position, r its length and v the velocity:
///
///     const EquationText text = {{"x", "y", "vx", "vy"}, {}, {}, {"vx", "vy", "pull_x", "pull_y"}, {}};
///     add_two_body(text, "pull", 1.0);
///
/// Each adds its numbers as parameters F_mu and so on. All of them throw Error (input) when the
/// state is another.

/// Attraction by a point at the origin: -mu r / r^3.
void add_two_body(EquationText& text, const std::string& name, double mu);

/// The flattening of a body at the origin whose pole is the third axis (Vallado, Fundamentals of
/// Astrodynamics and Applications, 4th ed., section 8.6.1; a planar state lies in its equator):
///
///     a = -(3/2) J2 mu R^2 / r^5 (x (1 - 5 z^2/r^2), y (1 - 5 z^2/r^2), z (3 - 5 z^2/r^2))
void add_j2(EquationText& text, const std::string& name, double mu, double j2, double radius);

/// Attraction by a body at d, whose coordinates are the names `body`. In a frame whose origin it
/// attracts too, such as a planet's, that is the difference (Battin, An Introduction to the
/// Mathematics and Methods of Astrodynamics, section 8.4); `indirect`: whether it is.
///
///     a = mu ((d - r) / |d - r|^3 - d / d^3), or without the second term
void add_third_body(EquationText& text, const std::string& name,
                    const std::vector<std::string>& body, double mu, bool indirect);

/// The parameters of a drag.
struct Drag {
  double ballistic = 0;     ///< drag coefficient times area by mass
  double density = 0;       ///< of the air at `radius`
  double radius = 0;        ///< distance from the origin
  double scale_height = 1;  ///< over which the density falls by e
  double rotation = 0;      ///< of the air about the third axis, an angle a time
};

/// Drag in an exponential atmosphere that turns with its body (Vallado, section 8.6.2):
///
///     a = -(1/2) ballistic density exp((radius - r)/scale_height) |w| w,  w = v - rotation e_3 x r
void add_drag(EquationText& text, const std::string& name, const Drag& drag);

/// The parameters of a radiation pressure.
struct RadiationPressure {
  double pressure = 0;      ///< at `distance` from the Sun
  double distance = 1;      ///< such as an astronomical unit
  double area_to_mass = 0;  ///< reflectivity coefficient (1 to 2) times area by mass
  /// Radius of a body at the origin that casts a cylinder's shadow; below 0: none does
  double shadow_radius = -1;
};

/// The pressure of the light of a Sun at d on a sphere (Montenbruck and Gill, Satellite Orbits,
/// section 3.4), with s = r - d:
///
///     a = pressure distance^2 area_to_mass s / s^3, and none in the shadow: r.d < 0 and |r - (r.d/d^2) d| < shadow_radius
void add_radiation_pressure(EquationText& text, const std::string& name,
                            const std::vector<std::string>& sun, const RadiationPressure& light);

}  // namespace tessera::gbees
