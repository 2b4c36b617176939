// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::gbees::detail {

/// The share of a box in which a linear function is positive. It is `middle` in the middle of the
/// box and changes by `change[a]` from there to a face along axis a, not below zero. Changes below
/// a twentieth of the largest are left out: they move the share by 1e-4 at most.
template <int D>
class HalfSpaceShare {
 public:
  KOKKOS_INLINE_FUNCTION HalfSpaceShare(double middle, const double* change, int axes)
      : m_middle(middle) {
    for (int a = 0; a < axes; ++a) insert(change[a]);
    while (m_axes > 0 && m_change[m_axes - 1] < kSmall * m_change[0]) --m_axes;
  }

  KOKKOS_INLINE_FUNCTION double value() const {
    double reach = 0, volume = 1;
    for (int a = 0; a < m_axes; ++a) {
      reach += m_change[a];
      volume *= 2 * m_change[a] * (a + 1);
    }
    if (m_middle >= reach) return m_middle > 0 ? 1 : 0;
    if (m_middle <= -reach) return 0;
    // the volume of the corner that a plane cuts off a box, by inclusion and exclusion
    double sum = 0;
    for (int corner = 0; corner < 1 << m_axes; ++corner) {
      double beyond = m_middle + reach, sign = 1;
      for (int a = 0; a < m_axes; ++a) {
        if ((corner >> a & 1) == 0) continue;
        beyond -= 2 * m_change[a];
        sign = -sign;
      }
      if (!(beyond > 0)) continue;
      double power = sign;
      for (int a = 0; a < m_axes; ++a) power *= beyond;
      sum += power;
    }
    return compat::max(0.0, compat::min(1.0, sum / volume));
  }

 private:
  static constexpr int kMost = D;
  static constexpr double kSmall = 0.05;  // beside the largest

  /// Keeps the largest changes, in descending order.
  KOKKOS_INLINE_FUNCTION void insert(double change) {
    for (int a = 0; a < kMost; ++a) {
      if (a < m_axes && change <= m_change[a]) continue;
      const double next = a < m_axes ? m_change[a] : 0;
      m_change[a] = change;
      if (a >= m_axes) {
        ++m_axes;
        return;
      }
      change = next;
    }
  }

  double m_middle;
  double m_change[kMost] = {};
  int m_axes = 0;
};

}  // namespace tessera::gbees::detail
