// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/vecchia/vecchia_sweep.hpp"

/// Sums over the points of a sweep, of which likelihood, trend, gradient and Fisher information
/// consist:
///
///     log d,     r_a r_b / d,     dd_q / d,     (dr_qa r_b + r_a dr_qb) / d - r_a r_b dd_q / d^2,
///                dd_q dd_p / (2 d^2) + w_q'w_p / d
///
/// for pairs (a, b) of columns and derivatives q, p. They are made of blocks of 1024 points, each
/// summed in a fixed order, so that their bits depend neither on threads nor on how the points are
/// divided into sweeps.

namespace tessera::gp::detail {

/// The index of each sum.
struct SweepSums {
  int pairs = 0, derivatives = 0;
  bool products = true;  ///< with those of the information
  KOKKOS_INLINE_FUNCTION int pair(int k) const { return 1 + k; }
  KOKKOS_INLINE_FUNCTION int variance(int q) const { return 1 + pairs + q * (1 + pairs); }
  KOKKOS_INLINE_FUNCTION int d_pair(int q, int k) const { return variance(q) + 1 + k; }
  KOKKOS_INLINE_FUNCTION int information(int q, int p) const {
    return variance(derivatives) + q * (q + 1) / 2 + p;
  }
  KOKKOS_INLINE_FUNCTION int count() const { return information(products ? derivatives : 0, 0); }
};

/// Two columns.
struct ColumnPair {
  int a, b;
};

template <class ExecSpace>
struct SumBlocks {
  static constexpr int kBlock = 1024;
  static constexpr int kTeam = compat::is_gpu_v<ExecSpace> ? 8 : 1,
                       kLanes = compat::is_gpu_v<ExecSpace> ? 32 : 1;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  FieldView<ExecSpace> input;
  std::int64_t count, first_block;
  SweepFields fields;
  SweepSums sums;
  Kokkos::View<const ColumnPair*, ExecSpace> pairs;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> blocks;

  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const std::int64_t begin = team.league_rank() * kBlock;
    const int size = static_cast<int>(compat::min<std::int64_t>(kBlock, count - begin));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, sums.count()), [&](int which) {
      double total = 0;
      const Term term = find_term(which);
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, size),
          [&](int k, double& sum) { sum += value(term, begin + k); }, total);
      Kokkos::single(Kokkos::PerThread(team),
                     [&]() { blocks(first_block + team.league_rank(), which) = total; });
    });
  }

 private:
  struct Term {
    enum { kLog, kPair, kVariance, kDerivativeOfPair, kInformation } kind;
    int q, p;
    ColumnPair pair;
  };

  KOKKOS_INLINE_FUNCTION Term find_term(int which) const {
    if (which == 0) return {Term::kLog, 0, 0, {0, 0}};
    if (which < sums.variance(0)) return {Term::kPair, 0, 0, pairs(which - sums.pair(0))};
    if (which < sums.information(0, 0)) {
      const int q = (which - sums.variance(0)) / (1 + sums.pairs),
                k = (which - sums.variance(0)) % (1 + sums.pairs);
      if (k == 0) return {Term::kVariance, q, 0, {0, 0}};
      return {Term::kDerivativeOfPair, q, 0, pairs(k - 1)};
    }
    int q = 0;
    while (sums.information(q + 1, 0) <= which) ++q;
    return {Term::kInformation, q, which - sums.information(q, 0), {0, 0}};
  }

  KOKKOS_INLINE_FUNCTION double value(const Term& term, std::int64_t i) const {
    const double d = input(i, 0);
    switch (term.kind) {
      case Term::kLog:
        return compat::math::log(d);
      case Term::kPair:
        return input(i, fields.residual(term.pair.a)) * input(i, fields.residual(term.pair.b)) / d;
      case Term::kVariance:
        return input(i, fields.d_variance(term.q)) / d;
      case Term::kDerivativeOfPair: {
        const double a = input(i, fields.residual(term.pair.a)),
                     b = input(i, fields.residual(term.pair.b)), inverse = 1 / d;
        return (input(i, fields.d_residual(term.q, term.pair.a)) * b +
                a * input(i, fields.d_residual(term.q, term.pair.b))) *
                   inverse -
               a * b * input(i, fields.d_variance(term.q)) * inverse * inverse;
      }
      default: {
        const double inverse = 1 / d;
        return 0.5 * input(i, fields.d_variance(term.q)) * input(i, fields.d_variance(term.p)) *
                   inverse * inverse +
               input(i, fields.product(term.q, term.p)) * inverse;
      }
    }
  }
};

}  // namespace tessera::gp::detail
