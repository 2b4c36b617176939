// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::gbees::detail {

/// A box within a cell, found by halving the cell along some axes again and again, and the way
/// back to the whole cell: adaptive subdivision without a stack of boxes. Places are in cells from
/// the centre; all of them are exact.
template <int D>
struct SubCell {
  static constexpr int kDeepest = 48;  ///< halvings
  int axes = 0;
  double low[D], width[D];
  int depth = 0;

  KOKKOS_INLINE_FUNCTION explicit SubCell(int axes_) : axes(axes_) {
    for (int a = 0; a < axes; ++a) {
      low[a] = -0.5;
      width[a] = 1;
    }
  }

  KOKKOS_INLINE_FUNCTION double centre(int a) const { return low[a] + 0.5 * width[a]; }

  KOKKOS_INLINE_FUNCTION double volume() const {
    double product = 1;
    for (int a = 0; a < axes; ++a) product *= width[a];
    return product;
  }

  /// Returns the axis along which the box is longest in cells; the first of several.
  KOKKOS_INLINE_FUNCTION int longest() const {
    int longest = 0;
    for (int a = 1; a < axes; ++a)
      if (width[a] > width[longest]) longest = a;
    return longest;
  }

  /// Goes on to the lower (0) or the upper half (1) along an axis. `other_follows`: the other half
  /// is wanted after this one (leave).
  KOKKOS_INLINE_FUNCTION void enter(int axis, int half, bool other_follows) {
    width[axis] *= 0.5;
    if (half == 1) low[axis] += width[axis];
    m_path[depth++] = static_cast<std::uint8_t>(axis << 2 | half << 1 | (other_follows ? 1 : 0));
  }

  /// Goes back to the box that this one is a half of, and returns whether its other half follows.
  KOKKOS_INLINE_FUNCTION bool back() {
    const int step = m_path[--depth], axis = step >> 2;
    if ((step >> 1 & 1) == 1) low[axis] -= width[axis];
    width[axis] *= 2;
    return (step & 1) == 1;
  }

  /// Leaves the box, for the next half that is wanted, and returns whether there is one. Else the
  /// box is the whole cell again.
  KOKKOS_INLINE_FUNCTION bool leave() {
    while (depth > 0) {
      const int step = m_path[depth - 1];
      if (!back()) continue;
      enter(step >> 2, 1 - (step >> 1 & 1), false);
      return true;
    }
    return false;
  }

 private:
  std::uint8_t m_path[kDeepest];
};

}  // namespace tessera::gbees::detail
