// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

namespace tessera::stable::detail {

/// The search for one end of a profile interval: where the root r of the deviance 2 (ln L_max - ln
/// L) is that of its critical value. r is nearly linear in the quantity, so the search goes along
/// chords of it, kept between the last value inside and the first outside.
class ProfileSearch {
 public:
  /// Searches from `estimate` towards `limit`, the end of the range; `step` (> 0) is about as far
  /// as the end of the interval.
  ProfileSearch(double estimate, double limit, double step, double critical)
      : m_estimate(estimate),
        m_limit(limit),
        m_root(std::sqrt(critical)),
        m_inside(estimate),
        m_outside(NAN) {
    const double direction = limit > estimate ? 1 : -1;
    m_next = within(estimate + direction * step);
    if (estimate == limit) finish(limit);
  }

  bool done() const { return m_done; }
  /// Returns the point at which the deviance is wanted.
  double next() const { return m_next; }
  /// The end of the interval; NaN when it was not found.
  double end() const { return m_end; }

  /// Takes the deviance there; NaN ends the search.
  void take(double deviance) {
    constexpr double kAccuracy = 1e-4;
    constexpr int kMost = 40;
    const double root = std::sqrt(std::max(deviance, 0.0));
    if (std::isnan(deviance) || ++m_count > kMost) return finish(NAN);
    if (std::fabs(root - m_root) <= kAccuracy * m_root || (root < m_root && m_next == m_limit))
      return finish(m_next);
    if (root < m_root) {
      m_inside = m_next;
      m_inside_root = root;
    } else {
      m_outside = m_next;
      m_outside_root = root;
    }
    if (std::isnan(m_outside)) {  // farther out, by what a straight line says
      const double factor = root > 0.3 * m_root ? 1.05 * m_root / root : 3;
      m_next = within(m_estimate + factor * (m_next - m_estimate));
      return;
    }
    const double share = (m_root - m_inside_root) / (m_outside_root - m_inside_root);
    m_next = m_inside + std::clamp(share, 0.05, 0.95) * (m_outside - m_inside);
    if (std::fabs(m_outside - m_inside) <= 1e-9 * std::fabs(m_outside - m_estimate)) finish(m_next);
  }

 private:
  double within(double value) const {
    return m_limit > m_estimate ? std::min(value, m_limit) : std::max(value, m_limit);
  }
  void finish(double end) {
    m_end = end;
    m_done = true;
  }

  double m_estimate, m_limit, m_root;
  double m_inside, m_outside, m_inside_root = 0, m_outside_root = NAN;
  double m_next, m_end = NAN;
  int m_count = 0;
  bool m_done = false;
};

}  // namespace tessera::stable::detail
