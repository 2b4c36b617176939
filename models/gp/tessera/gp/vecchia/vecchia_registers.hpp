// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/gp/covariance/fine_matern.hpp"
#include "tessera/gp/vecchia/vecchia_sweep.hpp"
#include "tessera/gp/vecchia/wide_launch.hpp"

/// The kernel of vecchia_sweep.hpp for few neighbours on a GPU: the same numbers, with the triangle
/// in registers. L lanes of a warp take a point; the rows of its neighbours, of the point and of
/// the columns are dealt out to them in turn, R a lane. The Matern table lies in shared memory,
/// whose bank conflicts bind.
///
/// S = L D L' by elimination, column by column: a lane keeps a_rk = L_rk D_k of its rows, and the
/// current column goes through shared memory. The row of the point holds L^-1 s then, those of the
/// columns L^-1 y, and what is left of them in column M are d and r.

namespace tessera::gp::detail {

/// Which derivatives a kernel makes, in this order. few: in the nugget, one range and nu. all: in
/// the nugget, the ranges of both axes of the plane, their angle, nu, and a factor of the known
/// variances of errors; those that a problem does not have are left out at the end.
enum class RegisterDerivatives { few, all };

/// SweepMode::gradient needs the factor no more once b and S^-1 y are known, so that more rows a
/// lane fit; it is for a fixed number of columns.
template <class ExecSpace, class Function, int D, int M, int L, int R, int Threads, SweepMode Mode,
          int Columns, RegisterDerivatives Which>
struct VecchiaRegisters {
  static constexpr bool kInformation = Mode == SweepMode::information,
                        kGradient = Mode == SweepMode::gradient;
  static constexpr bool kAll = Which == RegisterDerivatives::all;
  // derivatives that are sums over pairs of points; the last of them that in nu
  static constexpr int kPairs = kAll ? 4 : 2;
  static constexpr int kDerivatives = kInformation || kGradient ? 1 + kPairs + (kAll ? 1 : 0) : 0;
  static constexpr int kThreads = Threads, kGroups = Threads / L, kSize = L * R,
                       kPad = L == 4 ? 2 : 4, kPitch = kSize + kPad;
  static constexpr int kMostColumns = kSize - M - 1;
  static_assert(Columns <= kMostColumns && (!kGradient || Columns <= 2) && (!kAll || D == 2));

  SweepProblem<ExecSpace, Function> problem;
  const char* table;  // of the value and, with derivatives, of d/dnu
  const char* order_table;
  int first_exponent;  // of the table
  int m;
  // targets with neighbours closer to each other than the table reaches
  RedoList<ExecSpace> redo;
  // of each derivative, as SweepFields counts them; -1: it is not wanted
  int field[kDerivatives + 1];

  VecchiaRegisters(const SweepProblem<ExecSpace, Function>& of_problem, const char* value_table,
                   const char* slope_table, int first, int neighbours,
                   const RedoList<ExecSpace>& list)
      : problem(of_problem),
        table(value_table),
        order_table(slope_table),
        first_exponent(first),
        m(neighbours),
        redo(list) {
    for (int& f : field) f = -1;
    field[0] = 0;
    const SweepTerms& terms = problem.terms;
    for (int q = 0; q < terms.count && kDerivatives > 0; ++q) {
      const int term = terms.term[q];
      const int which = term == DerivativeSums::kShape     ? kPairs
                        : term == SweepTerms::kErrors      ? kPairs + 1
                        : term == DerivativeSums::kProduct ? 3
                                                           : 1 + term - DerivativeSums::kDistance;
      field[which] = 1 + q;
    }
  }

  static std::int64_t bytes(int columns) {
    return (kDerivatives > 0 ? 2 : 1) * FineMatern::kBytes +
           static_cast<std::int64_t>(kGroups) * group_doubles(columns) * 8;
  }

  KOKKOS_INLINE_FUNCTION void stage(char* memory, int thread) const {
    copy(memory, table, thread);
    if constexpr (kDerivatives > 0) copy(memory + FineMatern::kBytes, order_table, thread);
  }

  KOKKOS_INLINE_FUNCTION void run(char* memory, int thread, int block, int blocks) const {
    const int group = thread / L;
    for (std::int64_t base = static_cast<std::int64_t>(block) * kGroups; base < problem.count;
         base += static_cast<std::int64_t>(blocks) * kGroups) {
      take(base + group, memory, thread);
    }
  }

 private:
  struct alignas(16) Pair {
    double a, b;
  };
  struct alignas(D == 2 ? 16 : 8) Place {
    double x[D];
  };

  KOKKOS_INLINE_FUNCTION static constexpr int group_doubles(int columns) {
    const int places = D * (kSize + 2), buffers = (columns > 2 ? columns : 2) * kPitch,
              weights = kInformation ? 2 * (M + 2)
                        : kGradient  ? M + 2
                                     : kSize;
    return (places + buffers + weights + 1) / 2 * 2;
  }

  KOKKOS_INLINE_FUNCTION static void copy(char* to, const char* from, int thread) {
    for (std::int64_t i = thread; i < FineMatern::kBytes / 16; i += kThreads)
      reinterpret_cast<Pair*>(to)[i] = reinterpret_cast<const Pair*>(from)[i];
  }

  KOKKOS_FORCEINLINE_FUNCTION double square(const Place& a, const Place& b) const {
    double sum = 0;
    TESSERA_UNROLL
    for (int k = 0; k < D; ++k) {
      const double difference = a.x[k] - b.x[k];
      sum = compat::multiply_add(difference, difference, sum);
    }
    return sum;
  }

  KOKKOS_FORCEINLINE_FUNCTION double correlation(const char* memory, double s,
                                                 std::uint32_t& below) const {
    const FineMatern::Position at(s, first_exponent);
    below |= at.below;
    return FineMatern::Polynomial(memory, at.interval).value(at.z);
  }

  /// Of a pair of points: u dM/du, or with all derivatives its parts by x^2, y^2 and x y; dM/dnu.
  /// What depends on the range is less by kRangeFactor.
  static constexpr double kRangeFactor = 4.0 * FineMatern::kPerBinade;  // u dM/du = 2 s dM/ds
  KOKKOS_FORCEINLINE_FUNCTION void differentiate_pair(const char* memory, const Place& a,
                                                      const Place& b, double (&by)[kPairs]) const {
    const double s = square(a, b);
    const FineMatern::Position at(s, first_exponent);
    const double slope = FineMatern::Polynomial(memory, at.interval).slope(at.z);
    if constexpr (kAll) {
      const double x = a.x[0] - b.x[0], y = a.x[1] - b.x[1], rate = slope * at.scale;
      by[0] = rate * (problem.terms.isotropic ? s : x * x);
      by[1] = rate * (y * y);
      by[2] = rate * (x * y);
    } else {
      by[0] = slope * at.mantissa;
    }
    by[kPairs - 1] = FineMatern::Polynomial(memory + FineMatern::kBytes, at.interval).value(at.z);
  }

  /// The neighbour in row l of target i; -1: none.
  KOKKOS_FORCEINLINE_FUNCTION std::int32_t neighbour(std::int64_t i, int l) const {
    return l < m && l < M ? problem.neighbours(i, l) : -1;
  }

  /// The known variance of the error in row l, whose neighbour is `id`.
  KOKKOS_FORCEINLINE_FUNCTION double error_variance(std::int64_t i, int l, std::int32_t id) const {
    if (id >= 0)
      return problem.errors >= 0 && id < problem.observed ? problem.points(id, problem.errors) : 0;
    return l == M && problem.own_errors >= 0 ? problem.targets(i, problem.own_errors) : 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION static double reciprocal(double x) {
    const double root = compat::approximate_reciprocal_sqrt(x), y = root * root,
                 e = compat::multiply_add(-x, y, 1.0);
    return compat::multiply_add(y, compat::multiply_add(e, e, e), y);
  }

  KOKKOS_FORCEINLINE_FUNCTION static double sum_of_group(double x) {
    TESSERA_UNROLL
    for (int mask = 1; mask < L; mask *= 2) x += compat::warp_shuffle_xor(x, mask);
    return x;
  }

  KOKKOS_INLINE_FUNCTION void take(std::int64_t target, char* memory, int thread) const {
    const int t = thread % L, group = thread / L, columns = problem.fields.columns;
    auto* const own =
        reinterpret_cast<double*>(memory + (kDerivatives > 0 ? 2 : 1) * FineMatern::kBytes) +
        group * group_doubles(columns);
    auto* const places = reinterpret_cast<Place*>(own);
    double* const buffers = own + D * (kSize + 2);
    double* const inverses = buffers + (columns > 2 ? columns : 2) * kPitch;
    double* const errors = inverses;  // until the factor is made
    const bool valid = target < problem.count;
    const std::int64_t i = problem.first + (valid ? target : problem.count - 1);
    const double sigma2 = problem.covariance.sigma2;

    const bool has_errors =
        (kDerivatives == 0 || kAll) && (problem.errors >= 0 || problem.own_errors >= 0);
    // Neighbours, the point and their columns. One that is missing lies so far away that it has no
    // covariance with any other.
    Place mine[R];
    unsigned observed = 0;
    compat::warp_sync();
    TESSERA_UNROLL
    for (int b = 0; b < R; ++b) {
      const int l = t + L * b;
      const std::int32_t id = neighbour(i, l);
      const bool there = id >= 0 || l == M;
      const double* const record = id >= 0 ? &problem.points(id, 0) : &problem.targets(i, 0);
      const Pair first = *reinterpret_cast<const Pair*>(record);  // records are aligned
      double place[3] = {first.a, first.b, 0};
      if constexpr (D == 3) place[2] = record[2];
      TESSERA_UNROLL
      for (int k = 0; k < D; ++k)
        mine[b].x[k] = there ? place[k] * problem.covariance.distance.inverse_range[k]
                             : (k == 0 ? 1e30 * (l + 1) : 0);
      places[l] = mine[b];
      for (int c = 0; c < columns; ++c)
        buffers[c * kPitch + l] = there ? record[(D == 2 ? 2 : 4) + c] : 0;
      if (id >= 0 && id < problem.observed) observed |= 1u << b;
      if (has_errors && l <= M) errors[l] = error_variance(i, l, id);
    }
    compat::warp_sync();

    double a[R][M + 1];
    std::uint32_t below = 0;
    TESSERA_UNROLL
    for (int j = 0; j <= M; ++j) {
      const Place other = places[j];
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (L * (b + 1) <= j) continue;
        const int row = t + L * b;
        double value = 0;
        // without branches, so that loads overlap
        if (L * b <= M) value = sigma2 * correlation(memory, square(mine[b], other), below);
        if (L * b <= j) {
          double nugget = j == M                      ? problem.own_nugget
                          : (observed >> b & 1u) != 0 ? problem.covariance.nugget
                                                      : problem.jitter;
          if (has_errors) nugget += errors[j];
          value = row < j ? 0 : row == j ? sigma2 + nugget : value;
        }
        if (L * (b + 1) > M + 1 && row > M)
          value = row - M - 1 < columns ? buffers[(row - M - 1) * kPitch + j] : 0;
        a[b][j] = value;
      }
    }
    compat::warp_sync();
    TESSERA_UNROLL
    for (int mask = 1; mask < L; mask *= 2) below |= compat::warp_shuffle_xor(below, mask);
    if (valid && below != 0 && t == 0) redo.add(target);

    TESSERA_UNROLL
    for (int k = 0; k < M; ++k) {
      double* const buffer = buffers + (k & 1) * kPitch;
      if constexpr (L > 1) {
        TESSERA_UNROLL
        for (int b = 0; b < R; ++b) {
          if (L * (b + 1) > k) buffer[t + L * b] = a[b][k];
        }
        compat::warp_sync();
      }
      const double inverse = reciprocal(L > 1 ? buffer[k] : a[k / L][k]);
      if constexpr (kDerivatives > 0) {
        if (t == 0) inverses[k] = inverse;
      }
      double l[R];
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (L * (b + 1) > k) l[b] = a[b][k] * inverse;
      }
      TESSERA_UNROLL
      for (int pair = (k + 1) / 2 * 2; pair <= M; pair += 2) {
        Pair both{0, 0};
        if constexpr (L > 1) both = *reinterpret_cast<const Pair*>(buffer + pair);
        TESSERA_UNROLL
        for (int j = pair; j < pair + 2; ++j) {
          if (j <= k || j > M) continue;
          const double value = L == 1 ? a[j / L][k] : j == pair ? both.a : both.b;
          TESSERA_UNROLL
          for (int b = 0; b < R; ++b) {
            if (L * (b + 1) > j) a[b][j] = compat::multiply_add(-l[b], value, a[b][j]);
          }
        }
      }
    }
    if (valid) {
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        const int row = t + L * b;
        if (row == M) {
          problem.output(target, 0) = a[b][M];
          if (below == 0 && !(a[b][M] > 0)) Kokkos::atomic_fetch_min(&problem.failed(), i);
        }
        if (row > M && row - M - 1 < columns)
          problem.output(target, problem.fields.residual(row - M - 1)) = a[b][M];
      }
    }
    if constexpr (kInformation)
      differentiate(target, i, valid, memory, t, thread, mine, places, inverses, a);
    if constexpr (kGradient)
      find_gradient(target, i, valid, memory, t, places, inverses, buffers, a);
  }

  KOKKOS_INLINE_FUNCTION void differentiate(std::int64_t target, std::int64_t i, bool valid,
                                            const char* memory, int t, int thread,
                                            const Place (&mine)[R], const Place* places,
                                            const double* inverses,
                                            const double (&a)[R][M + 1]) const {
    constexpr int Q = kDerivatives;
    const SweepFields& fields = problem.fields;
    auto* const weights = const_cast<double*>(inverses) + M + 2;
    compat::warp_sync();
    double v[Q][R];
    TESSERA_UNROLL
    for (int b = 0; b < R; ++b) {
      v[0][b] = t + L * b == M ? -1 : 0;
      TESSERA_UNROLL
      for (int q = 1; q < Q; ++q) v[q][b] = 0;
    }
    TESSERA_UNROLL
    for (int k = M - 1; k >= 0; --k) {  // b, continued by -1
      double part = 0;
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (L * (b + 1) <= k) continue;
        const int row = t + L * b;
        // 0 for the rows of columns
        part = compat::multiply_add(row > k ? a[b][k] : 0, v[0][b], part);
      }
      const double weight = -inverses[k] * sum_of_group(part);
      if (t == k % L) {
        v[0][k / L] = weight;
        weights[k] = weight;
      }
    }
    compat::warp_sync();
    TESSERA_UNROLL
    for (int j = 0; j < M; ++j) {
      const Place other = places[j];
      const double weight = weights[j];
      double column[kPairs];
      TESSERA_UNROLL
      for (int q = 0; q < kPairs; ++q) column[q] = 0;
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (L * (b + 1) <= j || L * b > M) continue;
        const int row = t + L * b;
        const bool counts = row > j && row <= M;
        const double of_column = counts ? weight : 0, of_row = counts ? v[0][b] : 0;
        double by[kPairs];
        differentiate_pair(memory, mine[b], other, by);
        TESSERA_UNROLL
        for (int q = 0; q < kPairs; ++q) {
          v[1 + q][b] = compat::multiply_add(by[q], of_column, v[1 + q][b]);
          column[q] = compat::multiply_add(by[q], of_row, column[q]);
        }
      }
      TESSERA_UNROLL
      for (int q = 0; q < kPairs; ++q) {
        column[q] = sum_of_group(column[q]);
        if (t == j % L) v[1 + q][j / L] += column[q];
      }
    }
    TESSERA_UNROLL
    for (int b = 0; b < R; ++b) {
      TESSERA_UNROLL
      for (int q = 1; q < kPairs; ++q) v[q][b] *= kRangeFactor;
      if constexpr (kAll)
        v[Q - 1][b] = v[0][b] * error_variance(i, t + L * b, neighbour(i, t + L * b));
    }
    TESSERA_UNROLL
    for (int q = 0; q < Q; ++q) {
      double sum = 0;
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (t + L * b <= M) sum = compat::multiply_add(v[0][b], v[q][b], sum);
      }
      sum = sum_of_group(sum);
      if (valid && t == 0 && field[q] >= 0)
        problem.output(target, fields.d_variance(field[q])) = sum;
    }
    // L^-1 v; the rows of the columns turn into - v' S^-1 y.
    const int first_lane = (thread & 31) - t;
    TESSERA_UNROLL
    for (int k = 0; k < M; ++k) {
      const double inverse = inverses[k];
      double scaled[Q];
      TESSERA_UNROLL
      for (int q = 0; q < Q; ++q)
        scaled[q] = compat::warp_shuffle(v[q][k / L], first_lane + k % L) * inverse;
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (L * (b + 1) <= k) continue;
        const double factor = t + L * b > k && t + L * b != M ? -a[b][k] : 0;
        TESSERA_UNROLL
        for (int q = 0; q < Q; ++q) {
          v[q][b] = compat::multiply_add(factor, scaled[q], v[q][b]);
        }
      }
    }
    TESSERA_UNROLL
    for (int q = 0; q < Q; ++q) {
      TESSERA_UNROLL
      for (int p = 0; p <= q; ++p) {
        if (!fields.products) continue;
        double sum = 0;
        TESSERA_UNROLL
        for (int b = 0; b < R; ++b) {
          const int row = t + L * b;
          if (row < M) sum = compat::multiply_add(v[q][b] * inverses[row], v[p][b], sum);
        }
        sum = sum_of_group(sum);
        if (valid && t == 0 && field[q] >= 0 && field[p] >= 0)
          problem.output(target, fields.product(field[q], field[p])) = sum;
      }
    }
    if (!valid) return;
    TESSERA_UNROLL
    for (int b = 0; b < R; ++b) {
      const int column = t + L * b - M - 1;
      if (column < 0 || column >= fields.columns) continue;
      TESSERA_UNROLL
      for (int q = 0; q < Q; ++q) {
        if (field[q] >= 0) problem.output(target, fields.d_residual(field[q], column)) = -v[q][b];
      }
    }
  }

  /// dd and dr as sums over pairs of neighbours, with x = b, continued by -1, and x_c = S^-1 y of
  /// column c, continued by 0:
  ///
  ///     dd = 2 sum_(r > s) D_rs x_r x_s,     dr_c = sum_(r > s) D_rs (x_r x_cs + x_cr x_s),
  ///                                          and with D = 1 for the nugget.
  KOKKOS_INLINE_FUNCTION void find_gradient(std::int64_t target, std::int64_t i, bool valid,
                                            const char* memory, int t, const Place* places,
                                            double* weights, double* column_weights,
                                            const double (&a)[R][M + 1]) const {
    constexpr int C = 1 + Columns;
    const SweepFields& fields = problem.fields;
    compat::warp_sync();
    double x[C][R];
    TESSERA_UNROLL
    for (int c = 0; c < C; ++c) {
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) x[c][b] = t + L * b == M + c ? -1 : 0;
    }
    TESSERA_UNROLL
    // from the rows of the point and of the columns, L^-1 s and L^-1 y
    for (int k = M - 1; k >= 0; --k) {
      double part[C];
      TESSERA_UNROLL
      for (int c = 0; c < C; ++c) part[c] = 0;
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (L * (b + 1) <= k) continue;
        const double value = t + L * b > k ? a[b][k] : 0;
        TESSERA_UNROLL
        for (int c = 0; c < C; ++c) part[c] = compat::multiply_add(value, x[c][b], part[c]);
      }
      const double inverse = weights[k];  // of D, until its place is taken
      TESSERA_UNROLL
      for (int c = 0; c < C; ++c) {
        const double weight = -inverse * sum_of_group(part[c]);
        if (t == k % L) {
          x[c][k / L] = weight;
          (c == 0 ? weights : column_weights + (c - 1) * kPitch)[k] = weight;
        }
      }
    }
    compat::warp_sync();
    double slope[kPairs][C][R];  // of each row: sums over the columns before it
    Place mine[R];
    double error[R];
    TESSERA_UNROLL
    for (int b = 0; b < R; ++b) {
      mine[b] = places[t + L * b];
      error[b] = kAll ? error_variance(i, t + L * b, neighbour(i, t + L * b)) : 0;
      TESSERA_UNROLL
      for (int c = 0; c < C; ++c) {
        TESSERA_UNROLL
        for (int q = 0; q < kPairs; ++q) slope[q][c][b] = 0;
      }
    }
    TESSERA_UNROLL
    for (int j = 0; j < M; ++j) {
      const Place other = places[j];
      double weight[C];
      TESSERA_UNROLL
      for (int c = 0; c < C; ++c)
        weight[c] = (c == 0 ? weights : column_weights + (c - 1) * kPitch)[j];
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (L * (b + 1) <= j || L * b > M) continue;
        const int row = t + L * b;
        const bool counts = row > j && row <= M;
        double by[kPairs];
        differentiate_pair(memory, mine[b], other, by);
        TESSERA_UNROLL
        for (int c = 0; c < C; ++c) {
          const double of_column = counts ? weight[c] : 0;
          TESSERA_UNROLL
          for (int q = 0; q < kPairs; ++q)
            slope[q][c][b] = compat::multiply_add(by[q], of_column, slope[q][c][b]);
        }
      }
    }
    TESSERA_UNROLL
    for (int c = 0; c < C; ++c) {
      double sums[kDerivatives];
      TESSERA_UNROLL
      for (int q = 0; q < kDerivatives; ++q) sums[q] = 0;
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (t + L * b > M) continue;
        const double of_column = c > 0 && t + L * b == M ? 0 : x[c][b];
        sums[0] = compat::multiply_add(x[0][b], of_column, sums[0]);
        TESSERA_UNROLL
        for (int q = 0; q < kPairs; ++q)
          sums[1 + q] =
              compat::multiply_add(x[0][b], slope[q][c][b],
                                   compat::multiply_add(of_column, slope[q][0][b], sums[1 + q]));
        if constexpr (kAll)
          sums[kDerivatives - 1] =
              compat::multiply_add(x[0][b] * error[b], of_column, sums[kDerivatives - 1]);
      }
      TESSERA_UNROLL
      for (int q = 0; q < kDerivatives; ++q) {
        const double sum = sum_of_group(q >= 1 && q < kPairs ? sums[q] * kRangeFactor : sums[q]);
        if (valid && t == 0 && field[q] >= 0)
          problem.output(target, c == 0 ? fields.d_variance(field[q])
                                        : fields.d_residual(field[q], c - 1)) = sum;
      }
    }
  }
};

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)

/// Launches the kernel of fewest registers that holds m neighbours and the columns; false when
/// there is none.
template <class Function, int D, SweepMode Mode>
class RegisterLauncher {
 public:
  RegisterLauncher(const Kokkos::Cuda& exec, const SweepProblem<Kokkos::Cuda, Function>& problem,
                   const char* table, const char* order_table, int first_exponent, int m,
                   const RedoList<Kokkos::Cuda>& redo)
      : m_exec(exec),
        m_problem(problem),
        m_table(table),
        m_order_table(order_table),
        m_first_exponent(first_exponent),
        m_m(m),
        m_redo(redo) {}

  bool launch() const;

 private:
  template <RegisterDerivatives Which>
  bool launch_derivatives() const {
    return (Mode == SweepMode::gradient && launch_gradient<Which>()) ||
           try_information<10, 8, 2, Which>() || try_information<20, 8, 3, Which>() ||
           try_information<20, 8, 4, Which>() || try_information<30, 16, 2, Which>() ||
           try_information<30, 16, 3, Which>() || try_information<60, 32, 2, Which>() ||
           try_information<60, 32, 3, Which>();
  }
  /// Without information: for the mean zero, and one column of the trend.
  template <RegisterDerivatives Which>
  bool launch_gradient() const {
    return try_gradient<10, 4, 3, 256, 1, Which>() || try_gradient<20, 8, 3, 256, 1, Which>() ||
           try_gradient<30, 8, 4, 256, 1, Which>() || try_gradient<60, 32, 2, 256, 1, Which>() ||
           try_gradient<10, 4, 4, 256, 2, Which>() || try_gradient<20, 8, 3, 256, 2, Which>() ||
           try_gradient<30, 8, 5, 224, 2, Which>() || try_gradient<60, 32, 2, 256, 2, Which>();
  }
  template <int M, int L, int R>
  bool try_value() const {
    return try_kernel<M, L, R, 256, SweepMode::value, 0, RegisterDerivatives::few>();
  }
  template <int M, int L, int R, RegisterDerivatives Which>
  bool try_information() const {
    return try_kernel<M, L, R, 256, SweepMode::information, 0, Which>();
  }
  template <int M, int L, int R, int Threads, int Columns, RegisterDerivatives Which>
  bool try_gradient() const {
    return try_kernel<M, L, R, Threads, SweepMode::gradient, Columns, Which>();
  }
  /// Columns: of the data and the trend, where the kernel is for so many.
  template <int M, int L, int R, int Threads, SweepMode KernelMode, int Columns,
            RegisterDerivatives Which>
  bool try_kernel() const {
    using Kernel =
        VecchiaRegisters<Kokkos::Cuda, Function, D, M, L, R, Threads, KernelMode, Columns, Which>;
    const int columns = m_problem.fields.columns;
    if (Columns > 0 && Columns != columns) return false;
    const std::int64_t bytes = Kernel::bytes(columns);
    if (m_m > M || columns > Kernel::kMostColumns || !has_fast_memory(m_exec, bytes)) return false;
    const std::int64_t blocks = (m_problem.count + Kernel::kGroups - 1) / Kernel::kGroups;
    launch_wide("tessera::gp::vecchia_registers", m_exec, blocks, bytes,
                Kernel{m_problem, m_table, m_order_table, m_first_exponent, m_m, m_redo});
    return true;
  }

  Kokkos::Cuda m_exec;
  SweepProblem<Kokkos::Cuda, Function> m_problem;
  const char *m_table, *m_order_table;
  int m_first_exponent, m_m;
  RedoList<Kokkos::Cuda> m_redo;
};

/// Not inline, so that those declared below are not compiled wherever they are called.
template <class Function, int D, SweepMode Mode>
bool RegisterLauncher<Function, D, Mode>::launch() const {
  if constexpr (Mode == SweepMode::value) {
    return try_value<10, 1, 12>() || try_value<10, 4, 4>() || try_value<20, 4, 6>() ||
           try_value<20, 8, 4>() || try_value<30, 8, 4>() || try_value<30, 8, 5>() ||
           try_value<60, 32, 2>() || try_value<60, 32, 3>();
  } else {
    if (m_problem.terms.isotropic && m_problem.errors < 0)
      return launch_derivatives<RegisterDerivatives::few>();
    if constexpr (D == 2) return launch_derivatives<RegisterDerivatives::all>();
    return false;
  }
}

// Compiled in vecchia_registers.cpp.
extern template class RegisterLauncher<Covariance<Matern, EuclideanDistance<2>>, 2,
                                       SweepMode::gradient>;
extern template class RegisterLauncher<Covariance<Matern, EuclideanDistance<2>>, 2,
                                       SweepMode::information>;

#endif

}  // namespace tessera::gp::detail
