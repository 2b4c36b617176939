// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "tessera/gbees/orbits/epoch.hpp"
#include "tessera/gbees/orbits/frames.hpp"
#include "tessera/gbees/orbits/sgp4_deep_space.hpp"

namespace tessera::gbees {

/// Mean elements of SGP4, as two-line elements and OMMs have them. Angles are in rad.
struct MeanElements {
  Epoch epoch;
  double mean_motion = 0;  ///< Kozai's, rad/min
  double eccentricity = 0;
  double inclination = 0;
  double node = 0;     ///< right ascension of the ascending node
  double perigee = 0;  ///< argument of perigee
  double anomaly = 0;  ///< mean anomaly
  double drag = 0;     ///< B*, 1/radius of the Earth
};

/// The theory SGP4 for periods below 225 minutes and SDP4 for longer ones, with the constants of
/// WGS-72: Hoots and Roehrich, Spacetrack Report 3 (1980), whose symbols the equations have, with
/// the corrections of Vallado, Crawford, Hujsak, Kelso, Revisiting Spacetrack Report 3, AIAA
/// 2006-6753. States agree with the published code of the latter to 1e-6 m and 1e-9 m/s in its
/// verification cases, within days of the epoch (tests/data/gbees/sgp4.csv).
class Sgp4 {
 public:
  /// Throws Error (input) where elements are none of an orbit about the Earth.
  explicit Sgp4(const MeanElements& elements);

  /// The state in TEME (true equator and mean equinox of the epoch), m and m/s, that many minutes
  /// after the epoch of the elements. Throws Error (input) where the theory has none: the mean or
  /// the perturbed eccentricity leaves 0 to 1, the mean motion is not positive, the semilatus
  /// rectum is negative, or the object has decayed.
  CartesianState state_after(double minutes) const;

 private:
  /// Mean elements at a time, with everything but the long and short periods of J2 and J3.
  struct Mean {
    OrbitAngles orbit;
    double semi_major_axis, mean_motion;
  };

  void set_drag();
  void set_secular_rates();
  Mean near_earth(double t) const;
  Mean deep_space(double t) const;
  void check_mean(Mean& mean, double t) const;
  CartesianState osculating(const Mean& mean, double t) const;

  MeanElements m_elements;
  double m_motion = 0;   // n0'' of the paper, Brouwer's mean motion
  double m_axis = 0;     // a0'', radii of the Earth
  double m_perigee = 0;  // height, km
  // What drag multiplies, as the paper names it.
  double m_c1 = 0, m_c4 = 0, m_c5 = 0, m_d2 = 0, m_d3 = 0, m_d4 = 0, m_eta = 0;
  double m_omega_drag = 0, m_anomaly_drag = 0, m_node_drag = 0;
  double m_anomaly_rate = 0, m_perigee_rate = 0, m_node_rate = 0;
  std::optional<DeepSpace> m_deep_space;
};

}  // namespace tessera::gbees
