// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/arrays.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/random.hpp"
#include "tessera/core/seed.hpp"
#include "tessera/gp/latent/block_algebra.hpp"
#include "tessera/gp/latent/factor_products.hpp"
#include "tessera/gp/latent/incomplete_factor.hpp"
#include "tessera/gp/latent/lanczos.hpp"

/// Systems with the precision A = B' D^-1 B + W of the field given the observations, by conjugate
/// gradients for several right-hand sides at a time. The preconditioner is the incomplete factor
/// P = C' H C (incomplete_factor.hpp).

namespace tessera::gp::detail {

/// The stream of random numbers of the vectors.
enum class LatentStream : std::uint32_t { probes = 0x6770, field_samples, weight_samples, draws };

/// x(i, c) = scale(i)^1/2 times 1 or -1, or a standard normal number; or a sum with what x was.
template <class ExecSpace>
struct DrawRows {
  VectorBlock<ExecSpace> x;
  NumberView<ExecSpace> scale;
  Philox random;
  std::int64_t first;  // number of the first column
  bool normal, adds;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const auto columns = static_cast<std::int64_t>(x.extent(1));
    const std::int64_t i = k / columns, c = k % columns;
    const Philox::Bits bits =
        random.bits(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(first + c));
    const double number = normal ? NormalPair(bits).first : bits.word[0] % 2 == 0 ? 1 : -1;
    const double value = compat::math::sqrt(scale(i)) * number;
    x(i, c) = adds ? x(i, c) + value : value;
  }
};

template <class ExecSpace>
struct InvertRows {
  NumberView<ExecSpace> values, result;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { result(i) = 1 / values(i); }
};

template <class ExecSpace>
struct LogRows {
  NumberView<ExecSpace> values;
  VectorBlock<ExecSpace> result;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    result(i, 0) = compat::math::log(values(i));
  }
};

template <class ExecSpace>
class PosteriorSystem {
 public:
  using Block = VectorBlock<ExecSpace>;
  using Numbers = NumberView<ExecSpace>;
  using Factor = VecchiaFactor<ExecSpace>;
  using Weights = typename Factor::Weights;

  // right-hand sides at a time
  static constexpr std::int64_t kColumns = compat::is_gpu_v<ExecSpace> ? 32 : 8;

  PosteriorSystem(const ExecSpace& exec, std::int64_t n, int most_iterations)
      : m_exec(exec),
        m_n(n),
        m_most(most_iterations),
        m_algebra(exec, n, kColumns),
        m_total(allocate<Numbers>(exec, "tessera::gp::incomplete_pivots", n)),
        m_inverse(allocate<Numbers>(exec, "tessera::gp::conditional_precision", n)) {}

  const BlockAlgebra<ExecSpace>& algebra() const { return m_algebra; }
  /// 1 / d
  const Numbers& precision() const { return m_inverse; }
  std::int64_t iterations() const { return m_iterations; }
  void set_iterations(std::int64_t count) { m_iterations = count; }

  /// Takes another matrix, whose `factor` lives as long as it is used. The preconditioner stays
  /// that of the last one until refactor(), which must follow the first time.
  void set(const Factor& factor, const Numbers& variance, const Numbers& weight) {
    m_factor = &factor;
    m_weight = weight;
    m_variance = variance;
    Kokkos::parallel_for(
        "tessera::gp::invert_variances",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, m_n),
        InvertRows<ExecSpace>{variance, m_inverse});
    if (!m_incomplete ||
        m_incomplete->pattern().children.begin.data() != factor.pattern().children.begin.data()) {
      m_incomplete.emplace(m_exec, factor.pattern());
      m_rows = allocate<Weights>(m_exec, "tessera::gp::incomplete_weights",
                                 factor.weights().extent(0), factor.weights().extent(1));
    }
  }
  /// Takes another diagonal W.
  void set_weight(const Numbers& weight) { m_weight = weight; }

  /// Makes the preconditioner of the present matrix.
  void refactor() {
    factor_incompletely(m_factor->rows(), m_variance, m_rows, m_total);
    m_incomplete->set_weights(m_rows);
  }

  /// Makes the incomplete factor of other rows in the same pattern, with the present W.
  void factor_incompletely(const FactorRows<ExecSpace>& rows, const Numbers& variance,
                           const Weights& result, const Numbers& pivot) const {
    const FactorPattern<ExecSpace>& pattern = m_factor->pattern();
    const IncompleteFactor<ExecSpace> factor{rows, variance, m_weight, result, pivot};
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      take_by_levels_in_lanes(m_exec, pattern.levels, true,
                              FactorInLanesIncompletely<ExecSpace>{factor});
    } else {
      const typename RowMaker::Tokens tokens;
      reserve_slots(static_cast<std::int64_t>(tokens.size()),
                    static_cast<std::int64_t>(pattern.neighbours.extent(1)));
      const RowMaker body(factor, tokens, m_slots, m_sums);
      if (pattern.children_first.extent(0) > 0) {
        Kokkos::parallel_for("tessera::gp::take_children_first",
                             Kokkos::RangePolicy<ExecSpace>(m_exec, 0, 1),
                             TakeInOrder<ExecSpace, RowMaker>{body, pattern.children_first});
      } else {
        take_by_levels(m_exec, pattern.levels, true, m_n, 1, body);
      }
    }
  }

  /// y = Q x; y is another block than x.
  void multiply_prior(const Block& x, const Block& y) const {
    const Block work = workspace(kProduct, x);
    m_factor->multiply(x, work);
    m_algebra.multiply(work, work, m_inverse);
    m_factor->multiply_transposed(work, y);
  }

  /// Solves A x = b; x is set from zero. Converged where the residual of every column has fallen by
  /// `tolerance` in the norm of P^-1. Returns the coefficients of each column's steps. Throws Error
  /// (numerical) where it has not after the largest number of iterations.
  std::vector<ConjugateSteps> solve(const Block& b, const Block& x, double tolerance) {
    const auto columns = static_cast<std::size_t>(b.extent(1));
    std::vector<ConjugateSteps> steps(columns);
    const Block residual = workspace(kResidual, b), direction = workspace(kDirection, b),
                preconditioned = workspace(kPreconditioned, b), image = workspace(kImage, b);
    fill(m_exec, x, 0.0);
    m_algebra.copy_block(residual, b);
    precondition(residual, preconditioned);
    m_algebra.copy_block(direction, preconditioned);
    std::vector<double> square = m_algebra.sum(residual, preconditioned);
    const std::vector<double> first = square, ones(columns, 1.0);
    std::vector<char> active(columns);
    for (std::size_t c = 0; c < columns; ++c) {
      if (!(square[c] >= 0) || !std::isfinite(square[c])) throw_not_finite();
      active[c] = square[c] > 0;
    }
    std::vector<double> step(columns), minus(columns), ratio(columns);
    for (int k = 0; std::find(active.begin(), active.end(), 1) != active.end(); ++k) {
      if (k == m_most) throw_unconverged(first, square);
      stop_at_signal();
      ++m_iterations;
      multiply(direction, image);
      const std::vector<double> curvature = m_algebra.sum(direction, image);
      for (std::size_t c = 0; c < columns; ++c) {
        step[c] = active[c] ? square[c] / curvature[c] : 0;
        minus[c] = -step[c];
      }
      m_algebra.combine(x, ones, direction, step);
      m_algebra.combine(residual, ones, image, minus);
      precondition(residual, preconditioned);
      const std::vector<double> next = m_algebra.sum(residual, preconditioned);
      for (std::size_t c = 0; c < columns; ++c) {
        ratio[c] = 0;
        if (!active[c]) continue;
        ratio[c] = next[c] / square[c];
        steps[c].step.push_back(step[c]);
        steps[c].ratio.push_back(ratio[c]);
        if (!std::isfinite(next[c]) || !(curvature[c] > 0) || next[c] < 0) throw_not_finite();
        active[c] = next[c] > tolerance * tolerance * first[c];
      }
      m_algebra.combine(direction, ratio, preconditioned, ones);
      square = next;
    }
    return steps;
  }

  /// Returns log |P|.
  double log_determinant_of_preconditioner() const { return sum_of_logarithms(m_total); }
  double sum_of_logarithms(const Numbers& values) const {
    const Block work = workspace(kProduct, 1);
    Kokkos::parallel_for(
        "tessera::gp::log_rows",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, m_n),
        LogRows<ExecSpace>{values, work});
    return m_algebra.sum(work)[0];
  }

  /// Draws z with the covariance P, and P^-1 z.
  void draw_probes(std::uint64_t seed, std::int64_t first, const Block& z,
                   const Block& solved) const {
    draw(seed, LatentStream::probes, first, m_total, false, false, solved);
    m_incomplete->multiply_transposed(solved, z);
    m_algebra.divide(solved, solved, m_total);
    m_incomplete->solve(solved);
  }

  /// Draws z with the covariance A.
  void draw_samples(std::uint64_t seed, std::int64_t first, const Block& z) const {
    const Block work = workspace(kProduct, z);
    draw(seed, LatentStream::field_samples, first, m_inverse, true, false, work);
    m_factor->multiply_transposed(work, z);
    draw(seed, LatentStream::weight_samples, first, m_weight, true, true, z);
  }

  /// Draws independent standard normal numbers.
  void draw_normals(std::uint64_t seed, std::int64_t first, const Block& z) const {
    const Numbers ones = allocate<Numbers>(m_exec, "tessera::gp::ones", m_n);
    fill(m_exec, ones, 1.0);
    draw(seed, LatentStream::draws, first, ones, true, false, z);
  }

 private:
  using RowMaker = FactorRowsIncompletely<ExecSpace>;
  enum Use { kProduct, kResidual, kDirection, kPreconditioned, kImage, kUses };

  void draw(std::uint64_t seed, LatentStream stream, std::int64_t first, const Numbers& scale,
            bool normal, bool adds, const Block& x) const {
    m_algebra.for_each_number(
        "tessera::gp::draw_rows", x,
        DrawRows<ExecSpace>{x, scale, seeded_philox(seed, static_cast<std::uint32_t>(stream)),
                            first, normal, adds});
  }

  /// y = A x
  void multiply(const Block& x, const Block& y) const {
    multiply_prior(x, y);
    m_algebra.add(y, x, m_weight);
  }

  /// y = P^-1 x
  void precondition(const Block& x, const Block& y) const {
    m_algebra.copy_block(y, x);
    m_incomplete->solve_transposed(y);
    m_algebra.divide(y, y, m_total);
    m_incomplete->solve(y);
  }

  [[noreturn]] void throw_not_finite() const {
    throw Error(ErrorKind::numerical, "conjugate gradients for the field have no finite step",
                "give the covariance a nugget or a smaller range");
  }

  [[noreturn]] void throw_unconverged(const std::vector<double>& first,
                                      const std::vector<double>& square) const {
    double worst = 0;
    for (std::size_t c = 0; c < first.size(); ++c)
      if (first[c] > 0) worst = std::max(worst, std::sqrt(square[c] / first[c]));
    throw Error(ErrorKind::numerical,
                "conjugate gradients for the field have not converged in " +
                    std::to_string(m_most) + " iterations: the residual is " +
                    std::to_string(worst) + " of the first",
                "raise likelihood.cg_iterations, or give the covariance a nugget");
  }

  /// Has the workspace of incomplete factors on a CPU.
  void reserve_slots(std::int64_t threads, std::int64_t width) const {
    if (static_cast<std::int64_t>(m_slots.extent(0)) == threads &&
        static_cast<std::int64_t>(m_sums.extent(1)) == width + RowMaker::kSpare)
      return;
    m_slots =
        allocate<typename RowMaker::Slots>(m_exec, "tessera::gp::neighbour_slots", threads, m_n);
    m_sums = allocate<Weights>(m_exec, "tessera::gp::incomplete_sums", threads,
                               width + RowMaker::kSpare);
    fill(m_exec, m_sums, 0.0);
    Kokkos::parallel_for(
        "tessera::gp::clear_slots",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, m_n),
        ClearSlots<ExecSpace>{m_slots, width});
  }

  /// Returns a block of the workspace with as many columns as another.
  Block workspace(Use use, const Block& like) const { return workspace(use, like.extent(1)); }
  Block workspace(Use use, std::size_t columns) const {
    Numbers& numbers = m_workspace[use];
    const std::size_t size = static_cast<std::size_t>(m_n) * columns;
    if (numbers.extent(0) < size)
      numbers = allocate<Numbers>(m_exec, "tessera::gp::conjugate_gradients", size);
    return Block(numbers.data(), m_n, columns);
  }

  ExecSpace m_exec;
  std::int64_t m_n;
  int m_most;
  BlockAlgebra<ExecSpace> m_algebra;
  const Factor* m_factor = nullptr;
  std::optional<Factor> m_incomplete;
  Weights m_rows;  // of the incomplete factor
  Numbers m_variance, m_weight, m_total, m_inverse;
  // workspace of incomplete factors on a CPU
  mutable typename RowMaker::Slots m_slots;
  mutable Weights m_sums;
  mutable Numbers m_workspace[kUses];
  std::int64_t m_iterations = 0;
};

}  // namespace tessera::gp::detail
