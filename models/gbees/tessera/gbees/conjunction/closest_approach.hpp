// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/conjunction/two_body.hpp"

/// The closest approach of two orbits within a window of time, in kernels.

namespace tessera::gbees::detail {

/// The window of time in which objects may meet, in s after the epoch of the states.
struct EncounterWindow {
  double begin = 0, end = 0;
  double guess = 0;   ///< the time of the closest approach of the mean orbits
  int intervals = 1;  ///< of which each has one closest approach at most
};

/// What a pair of orbits comes to in a window.
struct Approach {
  double least2;       ///< the square of the least distance
  double time;         ///< of that
  bool starts_inside;  ///< closer than the radius at the window's beginning
  bool enters;         ///< closer than the radius after it was not
};

/// The relative motion of a pair at one time.
struct RelativePoint {
  double r[3], v[3];
  double distance2;  ///< r r
  double speed2;     ///< v v
  double closing;    ///< r v: half the rate of change of the squared distance
  double turning;    ///< v v + r a: the rate of change of `closing`
  double bend;       ///< v v times a a
  double speeding;   ///< v a: half the rate of change of `speed2`
  double nearest;    ///< the lesser of both distances from the centre
};

KOKKOS_INLINE_FUNCTION RelativePoint relative_point(const TwoBodyOrbit& first,
                                                    const TwoBodyOrbit& second, double time) {
  const OrbitPoint a = first.at(time), b = second.at(time);
  RelativePoint p{};
  double pull = 0, pull2 = 0;
  for (int i = 0; i < 3; ++i) {
    const double r = b.r[i] - a.r[i], v = b.v[i] - a.v[i], acceleration = b.a[i] - a.a[i];
    p.r[i] = r;
    p.v[i] = v;
    p.distance2 += r * r;
    p.speed2 += v * v;
    p.closing += r * v;
    pull += r * acceleration;
    p.speeding += v * acceleration;
    pull2 += acceleration * acceleration;
  }
  p.turning = p.speed2 + pull;
  p.bend = p.speed2 * pull2;
  p.nearest = compat::min(a.radius, b.radius);
  return p;
}

/// Finds the closest approach of a pair.
class ClosestApproach {
 public:
  KOKKOS_INLINE_FUNCTION ClosestApproach(const TwoBodyOrbit& first, const TwoBodyOrbit& second,
                                         const EncounterWindow& window, double radius)
      : m_first(first), m_second(second), m_window(window), m_radius2(radius * radius) {}

  KOKKOS_INLINE_FUNCTION Approach find() const {
    Approach approach{0, 0, false, false};
    return m_window.intervals == 1 && find_single(approach) ? approach : search();
  }

  /// Finds that of an encounter with one closest approach, by Newton's method from the guess. False
  /// where it does not get there.
  KOKKOS_INLINE_FUNCTION bool find_single(Approach& approach) const {
    if (!step_to_single(approach)) return false;
    if (approach.least2 < m_radius2) {
      approach.starts_inside = at(m_window.begin).distance2 < m_radius2;
      approach.enters = !approach.starts_inside;
    }
    return true;
  }

 private:
  static constexpr double kTolerance = 1e-6;  ///< of times, of an interval
  static constexpr int kMostSteps = 30;

  KOKKOS_INLINE_FUNCTION RelativePoint at(double time) const {
    return relative_point(m_first, m_second, time);
  }

  /// The squared distance where it is least, by Newton's step from a point.
  KOKKOS_INLINE_FUNCTION static double predict(const RelativePoint& p) {
    return compat::max(p.distance2 - p.closing * p.closing / p.turning, 0.0);
  }

  /// Tells that a pair certainly misses: what the next terms of the distance can change over
  /// Newton's step is small beside the predicted distance.
  KOKKOS_INLINE_FUNCTION bool misses(const RelativePoint& p, double step) const {
    const double error = 2 * compat::math::fabs(step * step * step) * compat::math::sqrt(p.bend);
    return predict(p) - error > m_radius2;
  }

  /// Does that for the distance and the time alone.
  KOKKOS_INLINE_FUNCTION bool step_to_single(Approach& approach) const {
    const double length = m_window.end - m_window.begin;
    double time = m_window.guess;
    for (int n = 0; n < 8; ++n) {
      const RelativePoint p = at(time);
      if (!(p.turning > 0.5 * p.speed2)) return false;
      const double step = -p.closing / p.turning;
      const bool is_there = compat::math::fabs(step) < kTolerance * length;
      if (is_there || misses(p, step)) {
        const double end = time + step;
        if (end < m_window.begin || end > m_window.end) return false;
        approach.least2 = predict(p);
        approach.time = end;
        return true;
      }
      time += step;
      if (time < m_window.begin - length || time > m_window.end + length) return false;
    }
    return false;
  }

  /// An extremum of the squared distance.
  struct Extremum {
    double distance2, time;
  };

  KOKKOS_INLINE_FUNCTION static void take_less(const Extremum& other, Approach& approach) {
    if (!(other.distance2 < approach.least2)) return;
    approach.least2 = other.distance2;
    approach.time = other.time;
  }

  /// Looks at the ends of all intervals, and for the closest approach in those that have one.
  KOKKOS_INLINE_FUNCTION Approach search() const {
    const double length = (m_window.end - m_window.begin) / m_window.intervals;
    RelativePoint before = at(m_window.begin);
    Approach approach{before.distance2, m_window.begin, before.distance2 < m_radius2, false};
    bool was_outside = !approach.starts_inside;
    for (int n = 1; n <= m_window.intervals; ++n) {
      const double end = m_window.begin + n * length;
      const RelativePoint after = at(end);
      double least2 = compat::min(before.distance2, after.distance2);
      if (before.closing < 0 && after.closing > 0) {
        const Extremum found = find_between(end - length, end, before, after);
        take_less(found, approach);
        least2 = compat::min(least2, found.distance2);
      } else if (before.closing > 0 && after.closing < 0 && !was_outside) {
        was_outside = !(find_between(end - length, end, before, after).distance2 < m_radius2);
      }
      approach.enters = approach.enters || (was_outside && least2 < m_radius2);
      was_outside = was_outside || !(after.distance2 < m_radius2);
      take_less({after.distance2, end}, approach);
      before = after;
    }
    return approach;
  }

  /// The squared distance where it has an extremum between two times at which `closing` has
  /// different signs: Newton's method, and bisection where that leaves the interval.
  KOKKOS_INLINE_FUNCTION Extremum find_between(double low, double high, const RelativePoint& before,
                                               const RelativePoint& after) const {
    const double length = high - low, sign = after.closing > 0 ? 1 : -1;
    double time = low + length * (before.closing / (before.closing - after.closing));
    for (int n = 0; n < kMostSteps; ++n) {
      const RelativePoint p = at(time);
      (sign * p.closing < 0 ? low : high) = time;
      double step = -p.closing / p.turning;
      const bool is_newton = sign * p.turning > 0 && time + step >= low && time + step <= high;
      if (is_newton && (compat::math::fabs(step) < kTolerance * length ||
                        (sign > 0 && p.turning > 0.5 * p.speed2 && misses(p, step))))
        return {predict(p), time + step};
      if (high - low < kTolerance * length) return {p.distance2, time};
      time = is_newton ? time + step : 0.5 * (low + high);
    }
    return {at(time).distance2, time};
  }

  const TwoBodyOrbit& m_first;
  const TwoBodyOrbit& m_second;
  const EncounterWindow& m_window;
  double m_radius2;
};

}  // namespace tessera::gbees::detail
