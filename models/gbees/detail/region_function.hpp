// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "tessera/gbees/condition.hpp"
#include "tessera/gbees/grid.hpp"

namespace tessera::gbees::detail {

/// A region as kernels see it.
template <int D>
struct RegionFunction {
  static constexpr std::uint16_t kWhole = 65535;  ///< the share of a cell that lies inside
  expression::Functions<D + 1> inside;
  int axis[D] = {};   ///< coordinates that it depends on
  int axes = 0;       ///< their number
  int divisions = 1;  ///< of a cut cell along each of them

  /// Whether a point is inside.
  KOKKOS_INLINE_FUNCTION bool holds(const Vector<D>& x, double t) const {
    return inside(0, [&](int j) { return j < D ? x[j] : t; }) != 0;
  }

  /// The share of a cell.
  KOKKOS_INLINE_FUNCTION std::uint16_t share(const Grid<D>& grid, const Vector<D>& centre, double t) const {
    const bool is_inside = holds(centre, t);
    bool is_cut = false;
    const int looks = axes <= 3 ? (axes == 0 ? 0 : 1 << axes) : 2 * axes;
    for (int look = 0; look < looks && !is_cut; ++look) is_cut = holds(on_edge(centre, grid, look), t) != is_inside;
    if (!is_cut) return is_inside ? kWhole : 0;
    int points = 1, found = 0;
    for (int a = 0; a < axes; ++a) points *= divisions;
    for (int p = 0; p < points; ++p) found += holds(sub_point(centre, grid, p), t) ? 1 : 0;
    return static_cast<std::uint16_t>((static_cast<std::uint64_t>(found) * kWhole + static_cast<std::uint64_t>(points) / 2) /
                                      static_cast<std::uint64_t>(points));
  }

 private:
  /// A corner, or of more than three axes the middle of a face.
  KOKKOS_INLINE_FUNCTION Vector<D> on_edge(Vector<D> x, const Grid<D>& grid, int look) const {
    if (axes <= 3) {
      for (int a = 0; a < axes; ++a) x[axis[a]] += ((look >> a) % 2 == 0 ? -0.5 : 0.5) * grid.spacing[axis[a]];
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

/// A region of coordinates that it depends on: `holds` is the program's function in memory that kernels can read.
template <int D>
RegionFunction<D> make_region_function(const ConditionProgram& inside, const expression::Functions<D + 1>& holds) {
  constexpr std::array<int, 9> kDivisions{1, 64, 16, 8, 5, 4, 3, 3, 2};  // by the number of axes
  RegionFunction<D> function;
  function.inside = holds;
  for (int i = 0; i < D; ++i) {
    if (inside.depends.at(static_cast<std::size_t>(i))) function.axis[function.axes++] = i;
  }
  function.divisions = kDivisions[static_cast<std::size_t>(function.axes)];
  return function;
}

}  // namespace tessera::gbees::detail
