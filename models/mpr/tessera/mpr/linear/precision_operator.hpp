// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/mpr/lattice/couplings.hpp"
#include "tessera/mpr/lattice/metric.hpp"
#include "tessera/mpr/linear/multigrid_level.hpp"

/// The precision matrix Q = L + beta L M^-1 L of the Gaussian approximation (couplings.hpp,
/// metric.hpp) on one level, for W columns of numbers at a time. Given noisy samples it is Q + A:
/// each of them has one more neighbour of fixed value, its sample, with the coupling A_ii = T /
/// s^2, where s is the standard deviation of its error.

namespace tessera::mpr::detail {

/// Rows of Q. Arrays of numbers have W in a row for each cell of the level, and are 0 where nothing
/// acts: at inactive cells.
template <class ExecSpace, class Real, int W, int D>
struct PrecisionOperator {
  using Column = Columns<Real, W>;
  using Numbers = Array<ExecSpace, const Column>;

  MultigridLevel<ExecSpace> level;
  Couplings<Real> couplings;
  /// The weights of each row of the level, with its border; none: cells are all the same
  Array<ExecSpace, const RowWeights<Real>> rows;
  Array<ExecSpace, const Real> anchors;  ///< A of each cell; none: samples are exact

  KOKKOS_INLINE_FUNCTION bool has_metric() const { return rows.extent(0) != 0; }
  KOKKOS_INLINE_FUNCTION bool has_noise() const { return anchors.extent(0) != 0; }

  /// Returns whether cells are all the same, columns do not go round and samples are exact. Kernels
  /// that most of the time is spent in are compiled for that, too, by the template parameter
  /// `plain` of the functions below: what rows, seams and errors need costs registers even where
  /// there are none.
  bool is_plain() const { return !has_metric() && !level.periodic && !has_noise(); }

  /// Calls f(std::bool_constant) with whether it is plain.
  template <class F>
  auto with_plainness(const F& f) const {
    return is_plain() ? f(std::true_type()) : f(std::false_type());
  }

  /// A of a cell with its higher neighbour in a direction.
  template <bool plain = false>
  KOKKOS_INLINE_FUNCTION Real coupling(std::int64_t i, int a) const {
    if constexpr (plain) return couplings.axis[a];
    return has_metric() ? rows(i / level.pitch).axis[a] : couplings.axis[a];
  }
  template <bool plain = false>
  KOKKOS_INLINE_FUNCTION Real inverse_area(std::int64_t i) const {
    if constexpr (plain) return Real(1);
    return has_metric() ? rows(i / level.pitch).inverse_area : Real(1);
  }

  /// sum_j A_ij (v_i - v_j) over the active neighbours along one axis.
  template <bool plain = false>
  KOKKOS_INLINE_FUNCTION Column along(const Numbers& v, std::int64_t i, int a) const {
    const std::int64_t low = level.template neighbour<plain>(i, a, -1),
                       high = level.template neighbour<plain>(i, a, 1);
    Column sum;
    if (acts<plain>(low)) sum.add(coupling_of<plain>(low, low, a), v(i) - v(low));
    if (acts<plain>(high)) sum.add(coupling_of<plain>(high, i, a), v(i) - v(high));
    return sum;
  }

  /// (L v)_i of an active cell.
  template <bool plain = false>
  KOKKOS_INLINE_FUNCTION Column laplacian(const Numbers& v, std::int64_t i) const {
    Column sum;
    for (int a = 0; a < D; ++a) sum += along<plain>(v, i, a);
    return sum;
  }

  /// ((Q + A) v)_i of an active cell.
  template <bool plain = false>
  KOKKOS_INLINE_FUNCTION Column apply(const Numbers& v, std::int64_t i) const {
    if constexpr (plain) return apply_couplings<plain>(v, i);
    Column sum = apply_couplings<plain>(v, i);
    if (has_noise()) sum.add(anchors(i), v(i));
    return sum;
  }

  /// (Q v)_i of an active cell.
  template <bool plain = false>
  KOKKOS_INLINE_FUNCTION Column apply_couplings(const Numbers& v, std::int64_t i) const {
    if (level.is_regular(i)) {
      if constexpr (plain) return apply_inside(v, i);
      return has_metric() ? apply_rows(v, i) : apply_inside(v, i);
    }
    const Column own = laplacian<plain>(v, i);
    Column sum = own;
    if (couplings.beta == Real(0)) return sum;
    const Column bend = inverse_area<plain>(i) * own;
    for (int a = 0; a < D; ++a) {
      for (int sign = -1; sign <= 1; sign += 2) {
        const std::int64_t j = level.template neighbour<plain>(i, a, sign);
        if (!acts<plain>(j)) continue;
        sum.add(couplings.beta * coupling_of<plain>(j, sign < 0 ? j : i, a),
                bend - inverse_area<plain>(j) * laplacian<plain>(v, j));
      }
    }
    return sum;
  }

  /// The diagonal of Q + A at an active cell; 1 + A where it has no active neighbours, so that
  /// equations without any can be divided by it.
  template <bool plain = false>
  KOKKOS_INLINE_FUNCTION Real diagonal(std::int64_t i) const {
    if constexpr (plain) return plain_diagonal(i, level.is_regular(i));
    const Real own = diagonal_of_couplings(i);
    return has_noise() ? own + anchors(i) : own;
  }

  /// Returns whether nothing is known of a cell: it has neither active neighbours nor a sample.
  KOKKOS_INLINE_FUNCTION bool is_isolated(std::int64_t i) const {
    for (int a = 0; a < D; ++a) {
      if (level.is_active(level.neighbour(i, a, -1)) || level.is_active(level.neighbour(i, a, 1)))
        return false;
    }
    return !(has_noise() && anchors(i) > Real(0));
  }

  /// Returns an upper bound of the largest eigenvalue of Q divided by its diagonal, but for cells
  /// at an edge; that of Q + A is no larger.
  double largest_eigenvalue() const {
    // Equal couplings have the largest eigenvalue.
    if (has_metric()) return couplings.beta > Real(0) ? 4 / (1 + 0.5 / D) : 2;
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
  /// Returns whether a neighbour j is looked at. Where cells are all the same inactive ones are
  /// too, with the coupling 0: a GPU then waits for all neighbours together. Two cells beyond the
  /// edge there are numbers.
  template <bool plain>
  KOKKOS_INLINE_FUNCTION bool acts(std::int64_t j) const {
    return plain || level.is_active(j);
  }
  /// A of the pair along `a` that has the lower cell `low` and a neighbour j, which acts.
  template <bool plain>
  KOKKOS_INLINE_FUNCTION Real coupling_of(std::int64_t j, std::int64_t low, int a) const {
    return plain && !level.is_active(j) ? Real(0) : coupling<plain>(low, a);
  }

  KOKKOS_INLINE_FUNCTION Real diagonal_of_couplings(std::int64_t i) const {
    const bool regular = level.is_regular(i);
    if (has_metric() && regular) return rows(i / level.pitch).diagonal;
    Real degree = 0, squares = 0;
    for (int a = 0; a < D; ++a) {
      for (int sign = -1; sign <= 1; sign += 2) {
        const std::int64_t j = regular ? i : level.neighbour(i, a, sign);
        if (!regular && !level.is_active(j)) continue;
        const Real strength = coupling(sign < 0 ? j : i, a);
        degree += strength;
        squares += strength * strength * inverse_area(j);
      }
    }
    return degree > Real(0)
               ? degree + couplings.beta * (degree * degree * inverse_area(i) + squares)
               : Real(1);
  }

  KOKKOS_INLINE_FUNCTION Real plain_diagonal(std::int64_t i, bool regular) const {
    Real degree = 0, squares = 0;
    for (int a = 0; a < D; ++a) {
      const auto neighbours =
          regular ? 2 : level.is_active(i - level.step(a)) + level.is_active(i + level.step(a));
      degree += couplings.axis[a] * static_cast<Real>(neighbours);
      squares += couplings.axis[a] * couplings.axis[a] * static_cast<Real>(neighbours);
    }
    return degree > Real(0) ? degree + couplings.beta * (degree * degree + squares) : Real(1);
  }

  /// A row of Q by pairs of cells on either side. On a CPU calls would pass its sum through memory.
  struct PairSum {
    const Numbers& v;
    std::int64_t i;
    Column sum;
    Real weights;  ///< of the pairs so far

    KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t step, Real weight) {
      sum.add(-weight, v(i - step) + v(i + step));
      weights += 2 * weight;
    }
    KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t step, Real up, Real down) {
      sum.add(-up, v(i + step));
      sum.add(-down, v(i - step));
    }
  };

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

  /// Applies Q where rows have weights of their own.
  KOKKOS_INLINE_FUNCTION Column apply_rows(const Numbers& v, std::int64_t i) const {
    const std::int64_t row = i / level.pitch, p = level.pitch, q = level.plane, below = row - 1;
    const RowWeights<Real>& here = rows(row);
    PairSum pairs{v, i, here.diagonal * v(i), 0};
    const bool curved = couplings.beta != Real(0);
    pairs.add(1, here.next[0], here.next[0]);
    pairs.add(p, here.next[1], rows(below).next[1]);
    if (curved) {
      pairs.add(2, here.second[0], here.second[0]);
      pairs.add(2 * p, here.second[1], rows(row - 2).second[1]);
    }
    if constexpr (D == 3) {
      if (level.tilt != 0) {
        const std::int64_t t = level.tilt;
        pairs.add(p + t, here.next[2], rows(below).next[2]);
        if (!curved) return pairs.sum;
        pairs.add(p - t, here.corner[0], rows(below).corner[0]);
        pairs.add(2 * (p + t), here.second[2], rows(row - 2).second[2]);
        pairs.add(p + 2 * t, here.corner[1], rows(below).corner[1]);
        pairs.add(2 * p + t, here.corner[2], rows(row - 2).corner[2]);
        return pairs.sum;
      }
      const std::int64_t deep = q / p;
      pairs.add(q, here.next[2], rows(row - deep).next[2]);
      if (curved) {
        pairs.add(2 * q, here.second[2], rows(row - 2 * deep).second[2]);
        pairs.add(q + 1, here.corner[1], rows(row - deep).corner[1]);
        pairs.add(q - 1, here.corner[1], rows(row - deep).corner[1]);
        pairs.add(q + p, here.corner[2], rows(below - deep).corner[2]);
        pairs.add(q - p, here.corner[3], rows(row - deep + 1).corner[3]);
      }
    }
    if (curved) {
      pairs.add(p + 1, here.corner[0], rows(below).corner[0]);
      pairs.add(p - 1, here.corner[0], rows(below).corner[0]);
    }
    return pairs.sum;
  }

  /// Applies Q in an image with a diagonal, where some corners coincide with neighbours along it:
  /// 19 cells.
  KOKKOS_INLINE_FUNCTION Column apply_tilted(const Numbers& v, std::int64_t i) const {
    const std::int64_t x = level.step(0), y = level.step(1), d = level.step(2), t = level.tilt;
    const Real xy = couplings.diagonal[0], xd = couplings.diagonal[1], yd = couplings.diagonal[2];
    PairSum pairs{v, i, {}, 0};
    // x + d and x - d are y and a corner, or the other way round; so are y + d and y - d.
    pairs.add(x, couplings.nearest[0] + yd);
    pairs.add(y, couplings.nearest[1] + xd);
    pairs.add(d, couplings.nearest[2] + xy);
    if (couplings.beta != Real(0)) {
      pairs.add(2 * x, couplings.second[0]);
      pairs.add(2 * y, couplings.second[1]);
      pairs.add(2 * d, couplings.second[2]);
      pairs.add(y - t * x, xy);
      pairs.add(d + t * x, xd);
      pairs.add(d + y, yd);
    }
    pairs.sum.add(pairs.weights, v(i));
    return pairs.sum;
  }
};

}  // namespace tessera::mpr::detail
