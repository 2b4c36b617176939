// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/conjunction/closest_approach.hpp"

/// Whether a pair meets within a long window, in kernels.

namespace tessera::gbees::detail {

/// Bounds on the motion of a pair at any time.
struct PairBounds {
  double mu, inverse_mu;
  double pericentre;    ///< the lesser of both
  double inverse_axis;  ///< of the wider orbit
  double climb;         ///< a bound on the rate at which a body's distance from the centre changes

  KOKKOS_INLINE_FUNCTION PairBounds(double gravity, const TwoBodyOrbit& first,
                                    const TwoBodyOrbit& second)
      : mu(gravity),
        inverse_mu(1 / gravity),
        pericentre(compat::min(first.pericentre(), second.pericentre())),
        inverse_axis(1 / compat::max(first.axis(), second.axis())),
        climb(compat::max(first.greatest_climb(), second.greatest_climb())) {}
};

/// A stretch of time about one at which the relative motion r, v, a of a pair is known, in which
/// the pair does not meet. It follows from a bound B: after t the relative position is r + v t + a
/// t^2/2 to within B t^3, where 6 B bounds the rate of change of the relative acceleration.
class ClearStretch {
 public:
  KOKKOS_INLINE_FUNCTION ClearStretch(const PairBounds& bounds, double radius,
                                      const RelativePoint& point)
      : m_bounds(bounds),
        m_point(point),
        m_radius(radius),
        m_distance(compat::math::sqrt(point.distance2)),
        m_speed(compat::math::sqrt(point.speed2)) {}

  /// Returns how far towards `limit` the stretch is known to reach from `time`, that of the point:
  /// `limit` itself, an earlier time, or `time` where none is found.
  KOKKOS_INLINE_FUNCTION double reach(double time, double limit) const {
    if (!(m_point.distance2 > m_radius * m_radius) || limit == time) return time;
    const double most = compat::math::fabs(limit - time), sign = limit > time ? 1 : -1;
    const double nearest = m_point.nearest;
    const bool is_fast = m_point.speed2 * nearest > kFast * m_bounds.mu;
    double length = (is_fast ? kLongestOfFast : kLongest) *
                    compat::math::sqrt(nearest * nearest * nearest * m_bounds.inverse_mu);
    TESSERA_NO_UNROLL
    for (int n = 0; n < kTries; ++n, length *= kShorter) {
      const double tried = compat::min(most, length);
      if (contains(sign, tried)) return tried < most ? time + sign * tried : limit;
    }
    return time;
  }

  /// Tells whether the next `length` seconds (sign 1), or those before (-1), are certainly clear.
  /// The bodies are farther apart than the radius now.
  KOKKOS_INLINE_FUNCTION bool contains(double sign, double length) const {
    // |r + v t + a t^2/2| > R + B t^3 holds where
    //   A + 2 c t + T t^2 > rest(t) = (e + 2 R B) t^3 + B^2 t^6
    // with A = r^2 - R^2, c = r v, T = v^2 + r a, and e how fast v v/2 falls. Divided by t^2 it
    // gets harder with t as long as A and c are not negative: then it is enough to look at the end.
    const double h = length, bend = bound(length), T = m_point.turning;
    const double A = m_point.distance2 - m_radius * m_radius, c = sign * m_point.closing;
    const double slowing = compat::max(-sign * m_point.speeding, 0.0);
    const double rest = (slowing + 2 * m_radius * bend + bend * bend * h * h * h) * h * h * h;
    const double bent = T * h * h - rest;
    if (c >= 0) return A + 2 * c * h + bent > 0;
    // They come nearer. Either 2 c t is no less than at the end,
    const double least = A + 2 * c * h;
    if (least > 0 && least + bent > 0) return true;
    // or A + 2 c t + T t^2 >= A - c^2/(T s) + (1 - s) T t^2, for any share s.
    const double fall = c * c / T;
    if (!(fall > 0)) return false;
    const double share = compat::min(compat::max(2 * fall / A, 0.125), 0.5);
    const double lowest = A - fall / share;
    return lowest > 0 && lowest + bent > share * T * h * h;
  }

 private:
  // Lengths that are tried, in units of the time 1/n in which a body turns by one radian, the first
  // of bodies that pass fast (v^2 > kFast mu/distance) and of others.
  static constexpr double kLongestOfFast = 1.75, kLongest = 1.3, kShorter = 0.6, kFast = 0.0144;
  static constexpr int kTries = 6;

  /// The bound B for |t| <= h. Bodies stay at distances of rho or more, with speeds of V or less.
  /// The rate of change of either acceleration is at most 2 mu V/rho^3. Of bodies that stay close
  /// together (within rho/5) it is also G |v(t)| + J |r(t)| with G = 2 mu/rho^3 and J = 6 mu
  /// V/rho^4, since these bound the first and second derivative of the gravity; rho is 0.995 of
  /// that here, on the line between them. With k^2 = G, |a| <= G |r| bounds |r(t)| by |r| cosh(k t)
  /// +
  /// |v|/k sinh(k t), and |v(t)| by the derivative. The numbers are those functions at k h <= 1.5.
  KOKKOS_INLINE_FUNCTION double bound(double h) const {
    constexpr double kMargin = 1.025;  // 0.995^-4 and rounding
    const double rho = compat::max(m_bounds.pericentre, m_point.nearest - m_bounds.climb * h);
    const double inverse = 1 / rho;
    const double G = 2 * kMargin * m_bounds.mu * inverse * inverse * inverse;
    const double V = compat::math::sqrt(m_bounds.mu * (2 * inverse - m_bounds.inverse_axis));
    const double of_both = 2 * G * V;
    const double r = m_distance, v = m_speed;
    if (!(G * h * h < 1.5 * 1.5 && 2.36 * r + 1.42 * v * h < 0.2 * rho)) return of_both * (1.0 / 6);
    const double w = 3 * V * inverse;  // J/G
    const double relative = 1.12 * (v + w * r) + 0.27 * h * (G * r + w * v);
    return compat::min(of_both, G * relative) * (1.0 / 6);
  }

  const PairBounds& m_bounds;
  const RelativePoint& m_point;
  double m_radius, m_distance, m_speed;
};

/// Decides whether a pair meets within a window that may hold many closest approaches. From the
/// time at which it is most likely to meet, it finds stretch after stretch in which it does not, up
/// to both ends of the window. Each takes one point of the orbits, of which ClosestApproach looks
/// at all within 0.2 rad.
///
/// The code has one place that finds points, and few that test stretches: a kernel with copies of
/// these does not fit the instruction cache of a GPU, whose multiprocessors then wait for code.
class MeetingSearch {
 public:
  KOKKOS_INLINE_FUNCTION MeetingSearch(double mu, const TwoBodyOrbit& first,
                                       const TwoBodyOrbit& second, const EncounterWindow& window,
                                       double radius)
      : m_first(first),
        m_second(second),
        m_window(window),
        m_radius(radius),
        m_bounds(mu, first, second) {}

  /// Finds what the pair comes to. `least2` and `time` are those of some point that is closer than
  /// the radius, if there is one. False where it gets no further, or the pair starts inside and may
  /// enter again: then ClosestApproach has the answer.
  KOKKOS_INLINE_FUNCTION bool find(Approach& approach) const {
    Sweep sweep;
    sweep.time = compat::min(compat::max(m_window.guess, m_window.begin), m_window.end);
    bool meets = false;
    while (sweep.steps < kMostSteps) {
      const RelativePoint p = relative_point(m_first, m_second, sweep.time);
      const bool is_inside = p.distance2 < m_radius * m_radius;
      if (meets) return !is_inside;  // at the window's beginning
      if (is_inside) {
        meets = true;
        approach = {p.distance2, sweep.time, false, true};
        sweep.time = m_window.begin;
        continue;
      }
      if (!grow(p, sweep) && !step_nearer(p, sweep)) return false;
      if (sweep.low <= m_window.begin && sweep.high >= m_window.end) {
        approach = {p.distance2, sweep.time, false, false};
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr int kMostSteps = 10;  ///< that do not let the stretch grow, one after another

  /// The stretch in which they do not meet, and the time at which to look next.
  struct Sweep {
    double low = 0, high = -1;  ///< empty at first
    double time = 0;
    int steps = 0;        ///< since it grew
    bool is_late = true;  ///< it grows at its end, else at its beginning

    KOKKOS_INLINE_FUNCTION bool is_empty() const { return high < low; }
  };

  /// Lets the stretch grow by what is known from a point at or beyond its edge; false where that
  /// calls for a point nearer to the closest approach.
  KOKKOS_INLINE_FUNCTION bool grow(const RelativePoint& p, Sweep& sweep) const {
    const ClearStretch clear(m_bounds, m_radius, p);
    const bool is_first = sweep.is_empty();
    double low = sweep.time, high = sweep.time;
    TESSERA_NO_UNROLL
    for (int side = is_first ? 0 : 1; side < 2; ++side) {
      const bool is_late = is_first ? side == 0 : sweep.is_late;
      const double reach = clear.reach(sweep.time, is_late ? m_window.end : m_window.begin);
      (is_late ? high : low) = reach;
    }
    if (low == high) return false;
    if (is_first) {
      sweep.high = high;
      sweep.low = low;
    } else {
      double& edge = sweep.is_late ? sweep.high : sweep.low;
      const double sign = sweep.is_late ? 1 : -1, gap = sign * (sweep.time - edge);
      if (gap > 0 && !clear.contains(-sign, gap)) {
        const bool is_off = p.closing * p.closing > 0.1 * p.turning * p.distance2;
        if (is_off) return false;
        sweep.time = 0.5 * (edge + sweep.time);
        ++sweep.steps;
        return true;
      }
      edge = sweep.is_late ? high : low;
    }
    sweep.steps = 0;
    sweep.is_late = sweep.high < m_window.end;
    sweep.time = sweep.is_late ? sweep.high : sweep.low;
    return true;
  }

  /// Takes Newton's step to the closest approach, unless it leads nowhere.
  KOKKOS_INLINE_FUNCTION bool step_nearer(const RelativePoint& p, Sweep& sweep) const {
    if (!(p.turning > 0.5 * p.speed2)) return false;
    sweep.time -= p.closing / p.turning;
    ++sweep.steps;
    const bool is_ahead = sweep.is_late ? sweep.time >= sweep.high : sweep.time <= sweep.low;
    return (sweep.is_empty() || is_ahead) && sweep.time >= m_window.begin &&
           sweep.time <= m_window.end;
  }

  const TwoBodyOrbit& m_first;
  const TwoBodyOrbit& m_second;
  const EncounterWindow& m_window;
  double m_radius;
  PairBounds m_bounds;
};

}  // namespace tessera::gbees::detail
