// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "tessera/gbees/dynamics/condition_program.hpp"
#include "tessera/gbees/grid/grid.hpp"

namespace tessera::gbees::detail {

/// The side of a region's edge on which a box lies; `both`: it may be cut.
enum class Side { outside, inside, both };

/// A region as kernels see it.
template <int D>
struct RegionFunction {
  expression::Functions<D + 1> inside;
  int axis[D] = {};     ///< coordinates that it depends on
  int axes = 0;         ///< their number
  bool varies = false;  ///< with the time
  double step[D] = {};  ///< of places that fill a cell evenly (Kronecker's sequence)

  /// Returns whether a point is inside.
  KOKKOS_INLINE_FUNCTION bool holds(const Vector<D>& x, double t) const {
    return inside(0, [&](int j) { return j < D ? x[j] : t; }) != 0;
  }

  /// The side on which all points of a box lie, for sure, by interval arithmetic.
  KOKKOS_INLINE_FUNCTION Side side(const Vector<D>& low, const Vector<D>& high, double t) const {
    using expression::Interval;
    const Interval value = inside.range(0, [&](int j) {
      return j < D ? Interval{low[j], high[j], false} : Interval::point(t);
    });
    return value.low != 0 ? Side::inside : value.high == 0 ? Side::outside : Side::both;
  }

  /// The side of a box within a cell or about it, which begins at `low` and is `width` wide along
  /// each of the region's axes, in cells from the centre. An edge that is the cell's own to
  /// rounding does not cut the cell.
  KOKKOS_INLINE_FUNCTION Side side(const Grid<D>& grid, const Vector<D>& centre, const double* low,
                                   const double* width, double t) const {
    constexpr double kFace = 0.5 - 1e-10;
    Vector<D> from = centre, to = centre;
    for (int a = 0; a < axes; ++a) {
      const double spacing = grid.spacing[axis[a]], begin = low[a], end = low[a] + width[a];
      from[axis[a]] += spacing * (begin == -0.5 ? -kFace : begin);
      to[axis[a]] += spacing * (end == 0.5 ? kFace : end);
    }
    return side(from, to, t);
  }

  /// The side of the cell, with a margin on each side, in cells.
  KOKKOS_INLINE_FUNCTION Side side_of_cell(const Grid<D>& grid, const Vector<D>& centre, double t,
                                           double margin = 0) const {
    double low[D], width[D];
    for (int a = 0; a < axes; ++a) {
      low[a] = -0.5 - margin;
      width[a] = 1 + 2 * margin;
    }
    return side(grid, centre, low, width, t);
  }

  /// Returns whether no cell about a cell lies wholly in the region. Of more than three axes those
  /// beside its faces are looked at, and that across the corner to which the margin rises.
  KOKKOS_INLINE_FUNCTION bool is_narrow_at(const Grid<D>& grid, const Vector<D>& centre,
                                           double t) const {
    if (axes > 3) return is_narrow_beside(grid, centre, t);
    const int around = axes == 3 ? 27 : axes == 2 ? 9 : 3;
    for (int n = 0; n < around; ++n) {
      Vector<D> x = centre;
      int rest = n;
      for (int a = 0; a < axes; ++a, rest /= 3)
        x[axis[a]] += (rest % 3 - 1) * grid.spacing[axis[a]];
      if (side_of_cell(grid, x, t) == Side::inside) return false;
    }
    return true;
  }

  /// The place u within a cell, in cells from its centre along the region's axes.
  KOKKOS_INLINE_FUNCTION Vector<D> place(const Grid<D>& grid, Vector<D> x, const double* u) const {
    for (int a = 0; a < axes; ++a) x[axis[a]] += u[a] * grid.spacing[axis[a]];
    return x;
  }

  /// The margin of the condition, which is zero at the edge; where there is none, half a unit on
  /// either side.
  KOKKOS_INLINE_FUNCTION double margin(const Vector<D>& x, double t) const {
    if (inside.count < 2) return holds(x, t) ? 0.5 : -0.5;
    return inside(1, [&](int j) { return j < D ? x[j] : t; });
  }

 private:
  KOKKOS_INLINE_FUNCTION bool is_narrow_beside(const Grid<D>& grid, const Vector<D>& centre,
                                               double t) const {
    Vector<D> corner = centre;
    for (int a = 0; a < axes; ++a) {
      Vector<D> below = centre, above = centre;
      below[axis[a]] -= grid.spacing[axis[a]];
      above[axis[a]] += grid.spacing[axis[a]];
      if (side_of_cell(grid, below, t) == Side::inside ||
          side_of_cell(grid, above, t) == Side::inside)
        return false;
      const double rise = margin(above, t) - margin(below, t);
      corner[axis[a]] = rise > 0 ? above[axis[a]] : rise < 0 ? below[axis[a]] : centre[axis[a]];
    }
    return side_of_cell(grid, corner, t) != Side::inside;
  }
};

/// A region of coordinates that it depends on: `holds` is the program's function in memory that
/// kernels can read.
template <int D>
RegionFunction<D> make_region_function(const ConditionProgram& inside,
                                       const expression::Functions<D + 1>& holds) {
  RegionFunction<D> function;
  function.inside = holds;
  for (int i = 0; i < D; ++i) {
    if (inside.depends.at(static_cast<std::size_t>(i))) function.axis[function.axes++] = i;
  }
  function.varies = inside.depends.at(D);
  double ratio = 2;  // the root of x^(D + 1) = x + 1
  for (int i = 0; i < 100; ++i) ratio = std::pow(1 + ratio, 1.0 / (D + 1));
  for (int i = 0; i < D; ++i) function.step[i] = std::pow(ratio, -(i + 1));
  return function;
}

}  // namespace tessera::gbees::detail
