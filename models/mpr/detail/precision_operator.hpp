// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/mpr/couplings.hpp"
#include "tessera/mpr/detail/multigrid_level.hpp"

/// The precision matrix Q = L + beta L^2 of the Gaussian approximation (couplings.hpp) on one level, for W columns of numbers at a time.

namespace tessera::mpr::detail {

/// Rows of Q. Arrays of numbers have W in a row for each cell of the level, and are 0 where nothing acts: at inactive cells.
template <class ExecSpace, class Real, int W, int D>
struct PrecisionOperator {
  using Column = Columns<Real, W>;
  using Numbers = Array<ExecSpace, const Column>;

  MultigridLevel<ExecSpace> level;
  Couplings<Real> couplings;

  /// sum_j A_ij (v_i - v_j) over the active neighbours along one axis.
  KOKKOS_INLINE_FUNCTION Column along(const Numbers& v, std::int64_t i, int a) const {
    const std::int64_t low = i - level.step(a), high = i + level.step(a);
    Column sum;
    if (level.is_active(low)) sum += v(i) - v(low);
    if (level.is_active(high)) sum += v(i) - v(high);
    sum *= couplings.axis[a];
    return sum;
  }

  /// (L v)_i of an active cell.
  KOKKOS_INLINE_FUNCTION Column laplacian(const Numbers& v, std::int64_t i) const {
    Column sum;
    for (int a = 0; a < D; ++a) sum += along(v, i, a);
    return sum;
  }

  /// (Q v)_i of an active cell.
  KOKKOS_INLINE_FUNCTION Column apply(const Numbers& v, std::int64_t i) const {
    if (level.is_regular(i)) return apply_inside(v, i);
    const Column own = laplacian(v, i);
    Column sum = own;
    if (couplings.beta == Real(0)) return sum;
    for (int a = 0; a < D; ++a) {
      for (int side = 0; side < 2; ++side) {
        const std::int64_t j = side == 0 ? i - level.step(a) : i + level.step(a);
        if (level.is_active(j)) sum.add(couplings.beta * couplings.axis[a], own - laplacian(v, j));
      }
    }
    return sum;
  }

  /// The diagonal of Q at an active cell.
  KOKKOS_INLINE_FUNCTION Real diagonal(std::int64_t i) const {
    Real degree = 0, squares = 0;
    for (int a = 0; a < D; ++a) {
      const auto neighbours = level.is_regular(i) ? 2 : level.is_active(i - level.step(a)) + level.is_active(i + level.step(a));
      degree += couplings.axis[a] * static_cast<Real>(neighbours);
      squares += couplings.axis[a] * couplings.axis[a] * static_cast<Real>(neighbours);
    }
    return degree + couplings.beta * (degree * degree + squares);
  }

  /// At least the largest eigenvalue of Q divided by its diagonal, but for cells at an edge.
  double largest_eigenvalue() const {
    double degree = 0, squares = 0;
    for (int a = 0; a < D; ++a) {
      const double strength = static_cast<double>(couplings.axis[a]);
      degree += 2 * strength;
      squares += 2 * strength * strength;
    }
    const double beta = static_cast<double>(couplings.beta), top = 2 * degree;
    return (top + beta * top * top) / (degree + beta * (degree * degree + squares));
  }

 private:
  KOKKOS_INLINE_FUNCTION Column apply_inside(const Numbers& v, std::int64_t i) const {
    if constexpr (D == 3) {
      if (level.tilt != 0) return apply_tilted(v, i);
    }
    Column sum;
    Real weights = 0;
    for (int a = 0; a < D; ++a) {
      const std::int64_t s = level.step(a);
      sum.add(-couplings.nearest[a], v(i - s) + v(i + s));
      weights += 2 * couplings.nearest[a];
      if (couplings.beta == Real(0)) continue;
      sum.add(-couplings.second[a], v(i - 2 * s) + v(i + 2 * s));
      weights += 2 * couplings.second[a];
      for (int b = 0; b < a; ++b) {
        const std::int64_t t = level.step(b);
        const Real corner = couplings.diagonal[a + b - 1];
        sum.add(-corner, (v(i - s - t) + v(i - s + t)) + (v(i + s - t) + v(i + s + t)));
        weights += 4 * corner;
      }
    }
    sum.add(weights, v(i));
    return sum;
  }

  /// The same in an image with a diagonal, whose neighbours some corners coincide with: 19 cells.
  KOKKOS_INLINE_FUNCTION Column apply_tilted(const Numbers& v, std::int64_t i) const {
    const std::int64_t x = level.step(0), y = level.step(1), d = level.step(2), t = level.tilt;
    const Real xy = couplings.diagonal[0], xd = couplings.diagonal[1], yd = couplings.diagonal[2];
    Column sum;
    Real weights = 0;
    const auto pair = [&](std::int64_t step, Real weight) {
      sum.add(-weight, v(i - step) + v(i + step));
      weights += 2 * weight;
    };
    // x + d and x - d are y and a corner, or the other way round; so are y + d and y - d.
    pair(x, couplings.nearest[0] + yd);
    pair(y, couplings.nearest[1] + xd);
    pair(d, couplings.nearest[2] + xy);
    if (couplings.beta != Real(0)) {
      pair(2 * x, couplings.second[0]);
      pair(2 * y, couplings.second[1]);
      pair(2 * d, couplings.second[2]);
      pair(y - t * x, xy);
      pair(d + t * x, xd);
      pair(d + y, yd);
    }
    sum.add(weights, v(i));
    return sum;
  }
};

}  // namespace tessera::mpr::detail
