// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/math/elementary.hpp"

/// Two-body motion in closed form, in kernels.

namespace tessera::gbees::detail {

/// A point of an orbit: position, velocity and acceleration.
struct OrbitPoint {
  double r[3], v[3], a[3];
  double radius;
};

/// An orbit from its equinoctial elements nu, p1, p2, q1, q2, L at time 0, those of
/// dynamics/equinoctial.hpp without flattening. With K the eccentric longitude, L + nu t = K + p1
/// cos K - p2 sin K, the position is centre + cosine cos K + sine sin K (Broucke, Cefola, Celestial
/// Mechanics 5 (1972) 303). Domain: eccentricity <= 0.95, |L + nu t| <= 1e5.
class TwoBodyOrbit {
 public:
  KOKKOS_INLINE_FUNCTION TwoBodyOrbit(double mu, const double* elements)
      : m_nu(elements[0]), m_p1(elements[1]), m_p2(elements[2]), m_longitude(elements[5]) {
    const double q1 = elements[3], q2 = elements[4];
    const double g2 = m_p1 * m_p1 + m_p2 * m_p2;
    m_is_bound = m_nu > 0 && g2 < 1;
    m_is_round = g2 < kRound * kRound;
    const double axis = ::cbrt(mu / (m_nu * m_nu));
    m_axis = axis;
    const double beta = 1 / (1 + compat::math::sqrt(compat::max(1 - g2, 0.0)));
    const double w = 2 / (1 + q1 * q1 + q2 * q2);
    const double f[3] = {1 - w * q1 * q1, w * q1 * q2, -w * q1};
    const double g[3] = {w * q1 * q2, 1 - w * q2 * q2, w * q2};
    const double ff = axis * (1 - beta * m_p1 * m_p1), gg = axis * (1 - beta * m_p2 * m_p2);
    const double fg = axis * (beta * m_p1 * m_p2);
    for (int i = 0; i < 3; ++i) {
      m_centre[i] = -axis * (m_p2 * f[i] + m_p1 * g[i]);
      m_cosine[i] = ff * f[i] + fg * g[i];
      m_sine[i] = fg * f[i] + gg * g[i];
    }
  }

  /// Tells whether the elements are those of an ellipse; otherwise points are no numbers.
  KOKKOS_INLINE_FUNCTION bool is_bound() const { return m_is_bound; }

  KOKKOS_INLINE_FUNCTION double axis() const { return m_axis; }
  KOKKOS_INLINE_FUNCTION double pericentre() const { return m_axis * (1 - eccentricity()); }

  /// The greatest speed away from the centre.
  KOKKOS_INLINE_FUNCTION double greatest_climb() const {
    const double e = eccentricity();
    return e * m_axis * m_nu / compat::math::sqrt(1 - e * e);
  }

  KOKKOS_INLINE_FUNCTION OrbitPoint at(double time) const {
    double sine, cosine;
    double inverse = find_eccentric_longitude(m_longitude + m_nu * time, sine, cosine);
    const double rho = 1 - m_p2 * cosine - m_p1 * sine;  // the distance over the semi-major axis
    // Newton's steps to 1/rho
    inverse *= 2 - rho * inverse;
    inverse *= 2 - rho * inverse;
    const double rate = m_nu * inverse, pull = -rate * rate * inverse;
    OrbitPoint point;
    point.radius = m_axis * rho;
    for (int i = 0; i < 3; ++i) {
      point.r[i] = m_centre[i] + (m_cosine[i] * cosine + m_sine[i] * sine);
      point.v[i] = rate * (m_sine[i] * cosine - m_cosine[i] * sine);
      point.a[i] = pull * point.r[i];
    }
    return point;
  }

 private:
  KOKKOS_INLINE_FUNCTION double eccentricity() const {
    return compat::math::sqrt(m_p1 * m_p1 + m_p2 * m_p2);
  }

  /// Below this eccentricity short series solve Kepler's equation, to 1e-15 rad.
  static constexpr double kRound = 0.05;

  /// Solves Kepler's equation for d = K - longitude, f(d) = d - S cos d - C sin d = 0, and returns
  /// 1/f'(d), which is 1/rho, to 1e-6.
  KOKKOS_INLINE_FUNCTION double find_eccentric_longitude(double longitude, double& sine,
                                                         double& cosine) const {
    double sin_l, cos_l;
    math::sine_cosine(longitude, sin_l, cos_l);
    const double S = m_p2 * sin_l - m_p1 * cos_l, C = m_p2 * cos_l + m_p1 * sin_l;
    const KeplerStep last = m_is_round ? step_of_round(S, C) : step_of_any(S, C);
    const double step = last.step, step2 = step * step;  // below 1e-3
    const double sin_step = step * (1 - step2 * (1.0 / 6 - step2 * (1.0 / 120)));
    const double cos_step = 1 - step2 * (0.5 - step2 * (1.0 / 24 - step2 * (1.0 / 720)));
    const double sin_d = last.sine * cos_step + last.cosine * sin_step;
    const double cos_d = last.cosine * cos_step - last.sine * sin_step;
    sine = sin_l * cos_d + cos_l * sin_d;
    cosine = cos_l * cos_d - sin_l * sin_d;
    return last.inverse_slope;
  }

  /// The last step to the solution, from a point with that sine and cosine.
  struct KeplerStep {
    double sine, cosine;
    double step;
    double inverse_slope;  ///< 1/f'
  };

  /// Of a nearly round orbit: |S|, |C| and |d| are at most 0.053. Series in them give the point, to
  /// 1e-5, and its sine and cosine; the inverse of the series of f gives the step.
  KOKKOS_INLINE_FUNCTION static KeplerStep step_of_round(double S, double C) {
    const double x = S * (1 + C * (1 + C * (1 + C * (1 + C)))), x2 = x * x;
    const double d = x * (1 - x2 * (0.5 - 0.375 * x2)), d2 = d * d;
    const double s = d * (1 - d2 * (1.0 / 6 - d2 * (1.0 / 120 - d2 * (1.0 / 5040))));
    const double c = 1 - d2 * (0.5 - d2 * (1.0 / 24 - d2 * (1.0 / 720 - d2 * (1.0 / 40320))));
    const double second = S * c + C * s, third = C * c - S * s;
    const double inverse = 1 / (1 - third), u = (second - d) * inverse;
    const double b = 0.5 * second * inverse;
    return {s, c, u * (1 - u * (b - u * (2 * b * b - third * inverse * (1.0 / 6)))), inverse};
  }

  /// Of any orbit: two steps of fifth order (Danby, Fundamentals of Celestial Mechanics, 2nd ed.,
  /// section 6.6).
  KOKKOS_INLINE_FUNCTION static KeplerStep step_of_any(double S, double C) {
    double d = S / compat::math::sqrt((1 - C) * (1 - C) + S * S);
    double s, c;
    math::sine_cosine(d, s, c);
    d += kepler_step(S, C, d, s, c).step;
    math::sine_cosine(d, s, c);
    return kepler_step(S, C, d, s, c);
  }

  KOKKOS_INLINE_FUNCTION static KeplerStep kepler_step(double S, double C, double d, double s,
                                                       double c) {
    const double second = S * c + C * s, third = C * c - S * s;
    const double f = second - d, first = 1 - third, inverse = 1 / first;
    double step = f * inverse;
    const double half = 0.5 * second, sixth = third * (1.0 / 6);
    step = f / (first + step * half);
    step = f / (first + step * (half + step * sixth));
    step = f / (first + step * (half + step * (sixth - step * (half * (1.0 / 12)))));
    return {s, c, step, inverse};
  }

  double m_nu, m_p1, m_p2, m_longitude, m_axis;
  bool m_is_bound, m_is_round;
  double m_centre[3], m_cosine[3], m_sine[3];
};

}  // namespace tessera::gbees::detail
