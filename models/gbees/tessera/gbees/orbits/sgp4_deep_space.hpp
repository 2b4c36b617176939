// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace tessera::gbees {

/// Eccentricity and angles (rad) of an orbit.
struct OrbitAngles {
  double eccentricity = 0, inclination = 0, node = 0, perigee = 0, anomaly = 0;
};

/// What Moon and Sun and resonances with the tesseral harmonics do to orbits of 225 minutes and
/// more: the part DEEP of Spacetrack Report 3 (Hujsak, A restricted four body solution for
/// resonating satellites with an oblate Earth, AIAA 79-136), as corrected in AIAA 2006-6753. Times
/// are minutes since the epoch of the elements.
class DeepSpace {
 public:
  /// The orbit at its epoch and its secular rates by J2 and J4.
  struct Start {
    OrbitAngles orbit;
    double mean_motion = 0, semi_major_axis = 0;  ///< rad/min, radii of the Earth
    double anomaly_rate = 0, perigee_rate = 0, node_rate = 0;
    double days_since_1900 = 0;  ///< of the epoch, from 1899-12-31T12:00 UT
    double sidereal_angle = 0;   ///< of Greenwich at the epoch, rad
  };

  explicit DeepSpace(const Start& start);

  /// Adds what grows with time to elements that have the rates of J2 and drag already; where the
  /// orbit is in resonance, replaces the mean anomaly and the mean motion.
  void add_secular(double minutes, OrbitAngles& orbit, double& mean_motion) const;

  /// Adds the periods of Moon and Sun, by Lyddane's way where the inclination is below 0.2 rad.
  void add_periodic(double minutes, OrbitAngles& orbit) const;

 private:
  /// The change of one quantity by a third body at its true anomaly f: a rate, and coefficients of
  /// sin^2 f / 2 - 1/4, -sin f cos f / 2, and sin f.
  struct Effect {
    double rate = 0, square = 0, product = 0, sine = 0;
  };

  /// Sun or Moon: its mean motion, eccentricity and mean anomaly at the epoch, and what it does to
  /// the eccentricity, the inclination, the mean anomaly, and to the perigee and the node in the
  /// equations' form: g + h cos i, and h sin i.
  struct ThirdBody {
    double mean_motion = 0, eccentricity = 0, anomaly = 0;
    Effect on_eccentricity, on_inclination, on_anomaly, on_perigee, on_node;
  };

  /// A term of a resonance: strength sin(j lambda + k omega - phase).
  struct Term {
    double strength = 0, lambda = 0, omega = 0, phase = 0;
  };

  /// Where Sun or Moon move: their perifocal axes p and q, seen from the satellite's node, its
  /// plane and its normal.
  struct Axes {
    std::array<double, 3> p, q;
  };

  static ThirdBody third_body(const OrbitAngles& orbit, double mean_motion, const Axes& axes,
                              double body_motion, double body_eccentricity, double body_anomaly,
                              double strength);
  void set_third_bodies();
  void set_rates();
  void set_half_day_resonance();
  void set_day_resonance();
  double resonance_angle(const OrbitAngles& orbit, double sidereal) const;
  void integrate(double minutes, double& lambda, double& mean_motion) const;

  enum class Resonance { none, day, half_day };

  Start m_start;
  ThirdBody m_sun, m_moon;
  OrbitAngles m_rates;  // by Sun and Moon, rad/min
  Resonance m_resonance = Resonance::none;
  std::array<Term, 10> m_terms{};
  double m_lambda = 0, m_lambda_rate = 0;  // of the resonance, without that of the mean motion
};

}  // namespace tessera::gbees
