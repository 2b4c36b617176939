// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "tessera/gbees/dynamics/condition_program.hpp"
#include "tessera/gbees/grid/grid.hpp"

namespace tessera::gbees::detail {

/// A region as kernels see it.
template <int D>
struct RegionFunction {
  static constexpr std::uint16_t kWhole = 65535;  ///< the share of a cell that lies inside
  expression::Functions<D + 1> inside;
  int axis[D] = {};     ///< coordinates that it depends on
  int axes = 0;         ///< their number
  int divisions = 1;    ///< of a cut cell along each of them
  double step[D] = {};  ///< from one scattered point of a cell to the next, along each of them

  /// Returns whether a point is inside.
  KOKKOS_INLINE_FUNCTION bool holds(const Vector<D>& x, double t) const {
    return inside(0, [&](int j) { return j < D ? x[j] : t; }) != 0;
  }

  /// The share of a cell. `scattered`: points to look at where all places on the cell's edge say
  /// the same, which does not tell a region that is smaller than the cell; 0: that is not asked
  /// for.
  KOKKOS_INLINE_FUNCTION std::uint16_t share(const Grid<D>& grid, const Vector<D>& centre, double t,
                                             int scattered = 0) const {
    const bool is_inside = holds(centre, t);
    int differing = 0;
    const int looks = count_looks();
    for (int look = 0; look < looks && differing == look; ++look)
      differing += holds(on_edge(centre, grid, look), t) != is_inside ? 1 : 0;
    bool is_cut = differing > 0;
    for (int look = 1; look < looks && !is_cut; ++look)
      is_cut = holds(on_edge(centre, grid, look), t) != is_inside;
    if (scattered > 0 && axes > 0 && (!is_cut || differing == looks)) {
      int found = 0;
      for (int p = 0; p < scattered; ++p)
        found += holds(scattered_point(centre, grid, p), t) ? 1 : 0;
      return as_share(found, scattered);
    }
    if (!is_cut) return is_inside ? kWhole : 0;
    int points = 1, found = 0;
    for (int a = 0; a < axes; ++a) points *= divisions;
    for (int p = 0; p < points; ++p) found += holds(sub_point(centre, grid, p), t) ? 1 : 0;
    return as_share(found, points);
  }

  /// Returns whether a cell that the edge cuts has a neighbour that lies inside as a whole; else
  /// the region is narrower there than the cells.
  KOKKOS_INLINE_FUNCTION bool is_wide_beside(const Grid<D>& grid, const Vector<D>& centre,
                                             double t) const {
    if (axes > 3) {
      for (int look = 0; look < 2 * axes; ++look) {
        if (is_whole(grid, beside(centre, grid, look / 2, look % 2 == 0 ? -1 : 1), t)) return true;
      }
      return false;
    }
    const int around = axes == 3 ? 27 : axes == 2 ? 9 : 3;
    for (int n = 0; n < around; ++n) {
      Vector<D> x = centre;
      int rest = n;
      for (int a = 0; a < axes; ++a, rest /= 3) x = beside(x, grid, a, rest % 3 - 1);
      if (is_whole(grid, x, t)) return true;
    }
    return false;
  }

 private:
  KOKKOS_INLINE_FUNCTION int count_looks() const {
    return axes <= 3 ? (axes == 0 ? 0 : 1 << axes) : 2 * axes;
  }

  KOKKOS_INLINE_FUNCTION static std::uint16_t as_share(int found, int points) {
    return static_cast<std::uint16_t>(
        (static_cast<std::uint64_t>(found) * kWhole + static_cast<std::uint64_t>(points) / 2) /
        static_cast<std::uint64_t>(points));
  }

  KOKKOS_INLINE_FUNCTION bool is_whole(const Grid<D>& grid, const Vector<D>& centre,
                                       double t) const {
    if (!holds(centre, t)) return false;
    for (int look = 0; look < count_looks(); ++look) {
      if (!holds(on_edge(centre, grid, look), t)) return false;
    }
    return true;
  }

  /// The centre of the cell that lies `cells` away along one of the region's axes.
  KOKKOS_INLINE_FUNCTION Vector<D> beside(Vector<D> x, const Grid<D>& grid, int a,
                                          int cells) const {
    x[axis[a]] += cells * grid.spacing[axis[a]];
    return x;
  }

  /// Returns one of the points that fill a cell evenly along every direction, however many there
  /// are (Kronecker's sequence).
  KOKKOS_INLINE_FUNCTION Vector<D> scattered_point(Vector<D> x, const Grid<D>& grid,
                                                   int number) const {
    for (int a = 0; a < axes; ++a) {
      const double place = compat::fma(static_cast<double>(number + 1), step[a], 0.5);
      x[axis[a]] += (place - compat::math::floor(place) - 0.5) * grid.spacing[axis[a]];
    }
    return x;
  }

  /// A corner, or of more than three axes the middle of a face.
  KOKKOS_INLINE_FUNCTION Vector<D> on_edge(Vector<D> x, const Grid<D>& grid, int look) const {
    if (axes <= 3) {
      for (int a = 0; a < axes; ++a)
        x[axis[a]] += ((look >> a) % 2 == 0 ? -0.5 : 0.5) * grid.spacing[axis[a]];
    } else {
      x[axis[look / 2]] += (look % 2 == 0 ? -0.5 : 0.5) * grid.spacing[axis[look / 2]];
    }
    return x;
  }

  KOKKOS_INLINE_FUNCTION Vector<D> sub_point(Vector<D> x, const Grid<D>& grid, int number) const {
    for (int a = 0; a < axes; ++a, number /= divisions) {
      x[axis[a]] += ((number % divisions + 0.5) / divisions - 0.5) * grid.spacing[axis[a]];
    }
    return x;
  }
};

/// A region of coordinates that it depends on: `holds` is the program's function in memory that
/// kernels can read.
template <int D>
RegionFunction<D> make_region_function(const ConditionProgram& inside,
                                       const expression::Functions<D + 1>& holds) {
  constexpr std::array<int, 9> kDivisions{1, 64, 16, 8, 5, 4, 3, 3, 2};  // by the number of axes
  RegionFunction<D> function;
  function.inside = holds;
  for (int i = 0; i < D; ++i) {
    if (inside.depends.at(static_cast<std::size_t>(i))) function.axis[function.axes++] = i;
  }
  double ratio = 2;  // the root of x^(axes + 1) = x + 1
  for (int i = 0; i < 100; ++i) ratio = std::pow(1 + ratio, 1.0 / (function.axes + 1));
  for (int a = 0; a < function.axes; ++a) function.step[a] = std::pow(ratio, -(a + 1));
  function.divisions = kDivisions[static_cast<std::size_t>(function.axes)];
  return function;
}

}  // namespace tessera::gbees::detail
