// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/random.hpp"
#include "tessera/mpr/lattice/image_part.hpp"
#include "tessera/mpr/linear/precision_operator.hpp"
#include "tessera/mpr/linear/row_sums.hpp"

/// Kernels of the restricted likelihood and of draws from the Gaussian approximation.

namespace tessera::mpr::detail {

/// Returns whether a cell or a neighbour of it is missing.
template <class Operator>
KOKKOS_INLINE_FUNCTION bool is_near_missing(const Operator& op, int directions, std::int64_t i) {
  bool missing = op.level.is_missing(i);
  for (int a = 0; a < directions; ++a)
    missing = missing || op.level.is_missing(op.level.neighbour(i, a, -1)) ||
              op.level.is_missing(op.level.neighbour(i, a, 1));
  return missing;
}

/// Normal numbers for the draws: one for each pair of neighbours along each axis (that of a cell
/// with its higher neighbour), of variance 1, and one for each cell, of variance 1 / area; none
/// where PerturbedSide does not look. A functor over the cells.
template <class ExecSpace, class Real, int W, int D>
struct DrawNoise {
  using Numbers = Array<ExecSpace, Columns<Real, W>>;
  Philox random;
  std::uint64_t first_column;  ///< number of the first of these draws
  PrecisionOperator<ExecSpace, Real, W, D> op;
  Numbers along[D], bend;
  CellNumbers numbers = {};
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (!op.level.is_active(i) || !is_near_missing(op, D, i)) return;
    constexpr int kPairs = (D + 2) / 2;
    const std::uint64_t cell = static_cast<std::uint64_t>(numbers(i));
    for (int pair = 0; pair < kPairs; ++pair) {
      double u[W], v[W];
      for (int w = 0; w < W; ++w) {
        const std::uint64_t column = first_column + static_cast<std::uint64_t>(w);
        const Philox::Bits bits =
            random.bits(cell, column * kPairs + static_cast<std::uint64_t>(pair));
        u[w] = Philox::uniform(bits, 0);
        v[w] = Philox::uniform(bits, 1);
      }
      const int a = 2 * pair;
      Columns<Real, W> first, second;
      TESSERA_VECTORIZE
      for (int w = 0; w < W; ++w) {
        const NormalPair normal(u[w], v[w]);
        first.v[w] = static_cast<Real>(normal.first);
        second.v[w] = static_cast<Real>(normal.second);
      }
      (a < D ? along[a] : bend)(i) = first;
      if (a + 1 <= D) (a + 1 < D ? along[a + 1] : bend)(i) = second;
    }
    if (op.has_metric()) bend(i) *= compat::math::sqrt(op.inverse_area(i));
  }
};

/// Normal numbers for the draws where cells are blocks of the sites of an image, made of the
/// numbers that its sites have there: that of two neighbours is the sum over the pairs of sites
/// between their centres, that of a block the sum over its sites, both over the edge of a block. So
/// draws of blocks are, but for what blocks do not resolve, those of the image. A functor over the
/// cells of one image of blocks.
template <class ExecSpace, class Real, int W, int D>
struct DrawBlockNoise {
  using Numbers = Array<ExecSpace, Columns<Real, W>>;
  Philox random, outside;  ///< the second for sites that a block has beyond the image
  std::uint64_t first_column;
  PrecisionOperator<ExecSpace, Real, W, D> op;
  Numbers along[D], bend;
  BlocksOfImage blocks;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (!op.level.is_active(i) || !is_near_missing(op, D, i)) return;
    constexpr int kBorder = MultigridLevel<ExecSpace>::kBorder;
    const int c = blocks.edge, half = c / 2;
    const int x = (static_cast<int>(i % op.level.pitch) - kBorder) * c,
              y = (static_cast<int>(i / op.level.pitch) - kBorder) * c;
    along[0](i) = sum(0, x + half, y);
    along[1](i) = sum(1, x, y + half);
    if constexpr (D == 3)
      along[2](i) = sum(2, op.level.tilt > 0 ? x + half : x + half - c, y + half);
    bend(i) = sum(D, x, y);
    if (op.has_metric()) bend(i) *= compat::math::sqrt(op.inverse_area(i));
  }

 private:
  /// Sums numbers of a kind, a direction or D, over a square of sites.
  KOKKOS_INLINE_FUNCTION Columns<Real, W> sum(int kind, int x0, int y0) const {
    constexpr int kPairs = (D + 2) / 2, kBorder = MultigridLevel<ExecSpace>::kBorder;
    const int c = blocks.edge, nx = blocks.whole.nx, ny = blocks.whole.ny;
    double total[W] = {};
    for (int y = y0; y < y0 + c; ++y) {
      for (int x = x0; x < x0 + c; ++x) {
        const bool is_inside = x >= 0 && x < nx && y >= 0 && y < ny;
        const std::int64_t cell =
            is_inside ? static_cast<std::int64_t>(y + kBorder) * (nx + 2 * kBorder) + x + kBorder
                      : static_cast<std::int64_t>(y + c) * (nx + 4 * static_cast<std::int64_t>(c)) +
                            x + c;
        for (int w = 0; w < W; ++w) {
          const std::uint64_t counter = (first_column + static_cast<std::uint64_t>(w)) * kPairs +
                                        static_cast<std::uint64_t>(kind / 2);
          const NormalPair normal(
              (is_inside ? random : outside).bits(static_cast<std::uint64_t>(cell), counter));
          total[w] += kind % 2 == 0 ? normal.first : normal.second;
        }
      }
    }
    Columns<Real, W> out;
    for (int w = 0; w < W; ++w) out.v[w] = static_cast<Real>(total[w] / c);
    return out;
  }
};

/// b = E' e + sqrt(beta) L f at the missing cells, with L = E' E and the numbers e (pairs) and f
/// (cells): a draw with covariance Q. Then Q^-1 b is a draw from the Gaussian approximation at
/// temperature 1, given samples of 0. Columns before `first` stay as they are.
template <class ExecSpace, class Real, int W, int D>
struct PerturbedSide {
  PrecisionOperator<ExecSpace, Real, W, D> op;
  Array<ExecSpace, const Columns<Real, W>> along[D], bend;
  Array<ExecSpace, Columns<Real, W>> b;
  int first;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (!op.level.is_missing(i)) return;
    Columns<Real, W> sum;
    for (int a = 0; a < D; ++a) {
      const std::int64_t low = op.level.neighbour(i, a, -1), high = op.level.neighbour(i, a, 1);
      if (op.level.is_active(low)) sum.add(compat::math::sqrt(op.coupling(low, a)), along[a](low));
      if (op.level.is_active(high)) sum.add(-compat::math::sqrt(op.coupling(i, a)), along[a](i));
    }
    if (op.couplings.beta > Real(0))
      sum.add(compat::math::sqrt(op.couplings.beta), op.laplacian(bend, i));
    Columns<Real, W> side = b(i);
    for (int w = first; w < W; ++w) side.v[w] = sum.v[w];
    b(i) = side;
  }
};

/// Adds numbers with the covariance A of the noisy samples to b, which then has the covariance Q +
/// A. Columns before `first` stay as they are. A functor over the cells.
template <class ExecSpace, class Real, int W>
struct PerturbNoisy {
  Philox random;
  std::uint64_t first_column;
  Array<ExecSpace, const Real> anchors;
  Array<ExecSpace, Columns<Real, W>> b;
  int first;
  CellNumbers numbers = {};
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const Real anchor = anchors(i);
    if (!(anchor > Real(0))) return;
    const Real root = compat::math::sqrt(anchor);
    for (int w = first; w < W; ++w) {
      const NormalPair normal(random.bits(static_cast<std::uint64_t>(numbers(i)),
                                          first_column + static_cast<std::uint64_t>(w)));
      b(i).v[w] += root * static_cast<Real>(normal.first);
    }
  }
};

/// x' A x of the draws, summed over them. A term of sum_rows.
template <class ExecSpace, class Real, int W>
struct SumAnchored {
  Array<ExecSpace, const Real> anchors;
  Array<ExecSpace, const Columns<Real, W>> field;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, Sums<1>& sum) const {
    const double anchor = static_cast<double>(anchors(i));
    for (int w = 1; w < W; ++w)
      sum.v[0] += anchor * static_cast<double>(field(i).v[w]) * static_cast<double>(field(i).v[w]);
  }
};

/// The forms that the restricted likelihood and its derivatives consist of, for a field v:
///
///   along[a] = sum over pairs along a of A_ij (v_i - v_j)^2,   mixed[a] = (L v)' M^-1 (L_a v),   bend = (L v)' M^-1 (L v)
///
/// once for column 0, the data, and once for the sum over the other columns, the draws.
template <int D>
struct Forms {
  static constexpr int kEach = 2 * D + 1;
  /// The number of sums: at least 2 kEach, and a power of two, since Columns is aligned
  static constexpr int kCount = 16;
  KOKKOS_INLINE_FUNCTION static constexpr int along(int group, int a) { return group * kEach + a; }
  KOKKOS_INLINE_FUNCTION static constexpr int mixed(int group, int a) {
    return group * kEach + D + a;
  }
  KOKKOS_INLINE_FUNCTION static constexpr int bend(int group) { return group * kEach + 2 * D; }
};

template <class ExecSpace, class Real, int W, int D>
struct SumForms {
  using F = Forms<D>;
  PrecisionOperator<ExecSpace, Real, W, D> op;
  Array<ExecSpace, const Columns<Real, W>> field;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, Sums<F::kCount>& sum) const {
    if (!op.level.is_active(i)) return;
    Columns<Real, W> part[D], whole;
    for (int a = 0; a < D; ++a) {
      part[a] = op.along(field, i, a);
      whole += part[a];
      const std::int64_t high = op.level.neighbour(i, a, 1);
      if (op.level.is_active(high))
        add(sum, op.coupling(i, a), field(high) - field(i), field(high) - field(i), F::along(0, a));
    }
    const Real over_area = op.inverse_area(i);
    add(sum, over_area, whole, whole, F::bend(0));
    for (int a = 0; a < D; ++a) add(sum, over_area, whole, part[a], F::mixed(0, a));
  }

 private:
  KOKKOS_INLINE_FUNCTION static void add(Sums<F::kCount>& sum, Real factor,
                                         const Columns<Real, W>& left,
                                         const Columns<Real, W>& right, int at) {
    Real draws = 0;
    for (int w = 1; w < W; ++w) draws += left.v[w] * right.v[w];
    sum.v[at] += static_cast<double>(factor * left.v[0] * right.v[0]);
    sum.v[F::kEach + at] += static_cast<double>(factor * draws);
  }
};

template <class ExecSpace, int N>
struct StoreSums {
  Kokkos::View<Sums<N>*, ExecSpace> sums;
  KOKKOS_INLINE_FUNCTION void operator()(int frame, const Sums<N>& sum) const { sums(frame) = sum; }
};

/// Joins the samples, in column 0, and the solutions. A functor over the cells.
template <class ExecSpace, class Real, int W>
struct JoinColumns {
  Array<ExecSpace, const Columns<Real, W>> samples, x;
  Array<ExecSpace, Columns<Real, W>> field;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { field(i) = samples(i) + x(i); }
};

}  // namespace tessera::mpr::detail
