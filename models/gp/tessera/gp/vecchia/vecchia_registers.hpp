// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/quotient.hpp"
#include "tessera/gp/covariance/fine_matern.hpp"
#include "tessera/gp/vecchia/vecchia_sweep.hpp"

/// The kernel of vecchia_sweep.hpp for few neighbours on a GPU: the same numbers, with the triangle
/// in registers. L lanes of a warp take a point; the rows of its neighbours, of the point and of
/// the columns are dealt out to them in turn, R a lane. The Matern table lies in shared memory,
/// whose bank conflicts set the speed. register_launcher.hpp chooses a kernel and launches it.
///
/// S = L D L' by elimination, column by column: a lane keeps a_rk = L_rk D_k of its rows, and the
/// current column goes through shared memory. The row of the point holds L^-1 s then, those of the
/// columns L^-1 y, and what is left of them in column M are d and r.

namespace tessera::gp::detail {

/// The derivatives that a kernel makes, in this order. few: in the nugget, one range and nu. all:
/// in the nugget, the ranges of both axes of the plane, their angle, nu, and a factor of the known
/// variances of errors; those that a problem does not have are left out at the end.
enum class RegisterDerivatives { few, all };

/// The parameters that a kernel is compiled for. SweepMode::gradient needs the factor no more once
/// b and S^-1 y are known, so that more rows a lane fit; it is for a fixed number of columns.
struct RegisterShape {
  int neighbours;     ///< the kernel takes at most so many
  int lanes;          ///< of a warp, for one point
  int rows;           ///< of each lane
  int threads = 256;  ///< of a block
  int columns = 0;    ///< of the data and the trend; 0: as many as the rows have room for
  int dimension = 2;  ///< of space
  SweepMode mode = SweepMode::value;
  RegisterDerivatives derivatives = RegisterDerivatives::few;
};

template <class ExecSpace, class Function, RegisterShape Shape>
struct VecchiaRegisters {
  static constexpr int D = Shape.dimension, M = Shape.neighbours, L = Shape.lanes, R = Shape.rows;
  static constexpr bool kInformation = Shape.mode == SweepMode::information,
                        kGradient = Shape.mode == SweepMode::gradient;
  static constexpr bool kAll = Shape.derivatives == RegisterDerivatives::all;
  // derivatives that are sums over pairs of points; the last of them is that in nu
  static constexpr int kPairs = kAll ? 4 : 2;
  static constexpr int kDerivatives = kInformation || kGradient ? 1 + kPairs + (kAll ? 1 : 0) : 0;
  static constexpr int kThreads = Shape.threads, kGroups = kThreads / L, kSize = L * R,
                       kPad = L == 4 ? 2 : 4, kPitch = kSize + kPad;
  static constexpr int kMostColumns = kSize - M - 1;
  static_assert(Shape.columns <= kMostColumns && (!kGradient || Shape.columns <= 2) &&
                (!kAll || D == 2));

  SweepProblem<ExecSpace, Function> problem;
  const char* table;  // of the value and, with derivatives, of d/dnu
  const char* order_table;
  int first_exponent;  // of the table
  int m;
  // targets with neighbours closer to each other than the table reaches
  RedoList<ExecSpace> redo;
  // the field of each derivative, as SweepFields counts them; -1: it is not wanted
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

  /// Computes derivatives of a pair of points: u dM/du, or with all derivatives its parts by x^2,
  /// y^2 and x y; dM/dnu. The derivatives in ranges are less by kRangeFactor.
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

  KOKKOS_FORCEINLINE_FUNCTION static double sum_of_group(double x) {
    TESSERA_UNROLL
    for (int mask = 1; mask < L; mask *= 2) x += compat::warp_shuffle_xor(x, mask);
    return x;
  }

  using Triangle = double[R][M + 1];
  // numbers of each derivative, in the rows of a lane
  using Vectors = double[kDerivatives > 0 ? kDerivatives : 1][R];
  // solutions: b and one of each column
  static constexpr int kSolutions = 1 + Shape.columns;
  using Solutions = double[kSolutions][R];
  using Slopes = double[kPairs][kSolutions][R];

  /// The place of row l in units of the ranges. One that is missing lies so far away that it has no
  /// covariance with any other.
  KOKKOS_FORCEINLINE_FUNCTION void load_place(const double* record, bool there, int l,
                                              Place& place) const {
    const Pair first = *reinterpret_cast<const Pair*>(record);  // records are aligned
    double x[3] = {first.a, first.b, 0};
    if constexpr (D == 3) x[2] = record[2];
    TESSERA_UNROLL
    for (int k = 0; k < D; ++k)
      place.x[k] = there ? x[k] * problem.covariance.distance.inverse_range[k]
                         : (k == 0 ? 1e30 * (l + 1) : 0);
  }

  /// Returns what the diagonal of row j has besides sigma2.
  KOKKOS_FORCEINLINE_FUNCTION double nugget(int j, bool observed) const {
    return j == M ? problem.own_nugget : observed ? problem.covariance.nugget : problem.jitter;
  }

  /// Loads the rows of a target, factors, and finishes with the fields of the mode. Lane t of the
  /// group has the rows t + L b. A target beyond the last one is that again, and writes nothing.
  /// (The part that fills `a` stays here: in a function of its own it makes CUDA 13.0 spill up to
  /// 150 bytes a thread more.)
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
    Place mine[R];
    unsigned observed = 0;  // which of this lane's rows were
    compat::warp_sync();
    TESSERA_UNROLL
    for (int b = 0; b < R; ++b) {
      const int l = t + L * b;
      const std::int32_t id = neighbour(i, l);
      const bool there = id >= 0 || l == M;
      const double* const record = id >= 0 ? &problem.points(id, 0) : &problem.targets(i, 0);
      load_place(record, there, l, mine[b]);
      places[l] = mine[b];
      for (int c = 0; c < columns; ++c)
        buffers[c * kPitch + l] = there ? record[(D == 2 ? 2 : 4) + c] : 0;
      if (id >= 0 && id < problem.observed) observed |= 1u << b;
      if (has_errors && l <= M) errors[l] = error_variance(i, l, id);
    }
    compat::warp_sync();

    Triangle a;
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
          double nugget = this->nugget(j, (observed >> b & 1u) != 0);
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

    factor(t, buffers, inverses, a);
    finish(target, i, valid, t, columns, below, a);
    if constexpr (kInformation)
      differentiate(target, i, valid, memory, t, thread, mine, places, inverses, a);
    if constexpr (kGradient)
      find_gradient(target, i, valid, memory, t, places, inverses, buffers, a);
  }

  /// Eliminates column by column, and keeps the inverses of D where derivatives need them.
  KOKKOS_FORCEINLINE_FUNCTION void factor(int t, double* buffers, double* inverses,
                                          Triangle& a) const {
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
      const double inverse = compat::reciprocal_of_normal(L > 1 ? buffer[k] : a[k / L][k]);
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
  }

  /// Writes d and r.
  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int64_t target, std::int64_t i, bool valid, int t,
                                          int columns, std::uint32_t below,
                                          const Triangle& a) const {
    if (!valid) return;
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

  /// The fields of SweepMode::information, by v = D b~ of every derivative.
  KOKKOS_INLINE_FUNCTION void differentiate(std::int64_t target, std::int64_t i, bool valid,
                                            const char* memory, int t, int thread,
                                            const Place (&mine)[R], const Place* places,
                                            const double* inverses, const Triangle& a) const {
    auto* const weights = const_cast<double*>(inverses) + M + 2;
    Vectors v;
    compat::warp_sync();
    solve_for_weights(t, inverses, weights, a, v);
    compat::warp_sync();
    multiply_pairs(memory, t, places, mine, weights, v);
    finish_products(target, i, valid, t, v);
    substitute(t, thread, inverses, a, v);
    write_products(target, valid, t, inverses, v);
    write_residuals(target, valid, t, v);
  }

  /// b, continued by -1, in v[0] and in `weights`; the other v become 0.
  KOKKOS_FORCEINLINE_FUNCTION void solve_for_weights(int t, const double* inverses, double* weights,
                                                     const Triangle& a, Vectors& v) const {
    TESSERA_UNROLL
    for (int b = 0; b < R; ++b) {
      v[0][b] = t + L * b == M ? -1 : 0;
      TESSERA_UNROLL
      for (int q = 1; q < kDerivatives; ++q) v[q][b] = 0;
    }
    TESSERA_UNROLL
    for (int k = M - 1; k >= 0; --k) {
      double part = 0;
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (L * (b + 1) <= k) continue;
        // v[0] is 0 for the rows of columns
        part = compat::multiply_add(t + L * b > k ? a[b][k] : 0, v[0][b], part);
      }
      const double weight = -inverses[k] * sum_of_group(part);
      if (t == k % L) {
        v[0][k / L] = weight;
        weights[k] = weight;
      }
    }
  }

  /// v = D b~ of the derivatives that are sums over pairs; those in ranges less by kRangeFactor.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_pairs(const char* memory, int t, const Place* places,
                                                  const Place (&mine)[R], const double* weights,
                                                  Vectors& v) const {
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
  }

  /// Makes v complete, and writes dd = b~' v.
  KOKKOS_FORCEINLINE_FUNCTION void finish_products(std::int64_t target, std::int64_t i, bool valid,
                                                   int t, Vectors& v) const {
    TESSERA_UNROLL
    for (int b = 0; b < R; ++b) {
      TESSERA_UNROLL
      for (int q = 1; q < kPairs; ++q) v[q][b] *= kRangeFactor;
      if constexpr (kAll)
        v[kDerivatives - 1][b] = v[0][b] * error_variance(i, t + L * b, neighbour(i, t + L * b));
    }
    TESSERA_UNROLL
    for (int q = 0; q < kDerivatives; ++q) {
      double sum = 0;
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (t + L * b <= M) sum = compat::multiply_add(v[0][b], v[q][b], sum);
      }
      sum = sum_of_group(sum);
      if (valid && t == 0 && field[q] >= 0)
        problem.output(target, problem.fields.d_variance(field[q])) = sum;
    }
  }

  /// v becomes L^-1 v; in the rows of the columns - v' S^-1 y.
  KOKKOS_FORCEINLINE_FUNCTION void substitute(int t, int thread, const double* inverses,
                                              const Triangle& a, Vectors& v) const {
    const int first_lane = (thread & 31) - t;
    TESSERA_UNROLL
    for (int k = 0; k < M; ++k) {
      const double inverse = inverses[k];
      double scaled[kDerivatives];
      TESSERA_UNROLL
      for (int q = 0; q < kDerivatives; ++q)
        scaled[q] = compat::warp_shuffle(v[q][k / L], first_lane + k % L) * inverse;
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (L * (b + 1) <= k) continue;
        const double factor = t + L * b > k && t + L * b != M ? -a[b][k] : 0;
        TESSERA_UNROLL
        for (int q = 0; q < kDerivatives; ++q) {
          v[q][b] = compat::multiply_add(factor, scaled[q], v[q][b]);
        }
      }
    }
  }

  /// Writes the products of the L^-1 v of every pair of derivatives.
  KOKKOS_FORCEINLINE_FUNCTION void write_products(std::int64_t target, bool valid, int t,
                                                  const double* inverses, const Vectors& v) const {
    const SweepFields& fields = problem.fields;
    TESSERA_UNROLL
    for (int q = 0; q < kDerivatives; ++q) {
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
  }

  /// Writes dr, which is in the rows of the columns.
  KOKKOS_FORCEINLINE_FUNCTION void write_residuals(std::int64_t target, bool valid, int t,
                                                   const Vectors& v) const {
    const SweepFields& fields = problem.fields;
    if (!valid) return;
    TESSERA_UNROLL
    for (int b = 0; b < R; ++b) {
      const int column = t + L * b - M - 1;
      if (column < 0 || column >= fields.columns) continue;
      TESSERA_UNROLL
      for (int q = 0; q < kDerivatives; ++q) {
        if (field[q] >= 0) problem.output(target, fields.d_residual(field[q], column)) = -v[q][b];
      }
    }
  }

  /// The fields of SweepMode::gradient: dd and dr as sums over pairs of neighbours, with x = b,
  /// continued by -1, and x_c = S^-1 y of column c, continued by 0:
  ///
  ///     dd = 2 sum_(r > s) D_rs x_r x_s,     dr_c = sum_(r > s) D_rs (x_r x_cs + x_cr x_s),
  ///                                          and with D = 1 for the nugget.
  KOKKOS_INLINE_FUNCTION void find_gradient(std::int64_t target, std::int64_t i, bool valid,
                                            const char* memory, int t, const Place* places,
                                            double* weights, double* column_weights,
                                            const Triangle& a) const {
    Solutions x;
    Slopes slope;
    double error[R];
    compat::warp_sync();
    solve(t, weights, column_weights, a, x);
    compat::warp_sync();
    sum_slopes(i, memory, t, places, weights, column_weights, error, slope);
    write_gradient(target, valid, t, x, error, slope);
  }

  /// x and every x_c, from the rows of the point and of the columns, L^-1 s and L^-1 y.
  KOKKOS_FORCEINLINE_FUNCTION void solve(int t, double* weights, double* column_weights,
                                         const Triangle& a, Solutions& x) const {
    TESSERA_UNROLL
    for (int c = 0; c < kSolutions; ++c) {
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) x[c][b] = t + L * b == M + c ? -1 : 0;
    }
    TESSERA_UNROLL
    for (int k = M - 1; k >= 0; --k) {
      double part[kSolutions];
      TESSERA_UNROLL
      for (int c = 0; c < kSolutions; ++c) part[c] = 0;
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (L * (b + 1) <= k) continue;
        const double value = t + L * b > k ? a[b][k] : 0;
        TESSERA_UNROLL
        for (int c = 0; c < kSolutions; ++c)
          part[c] = compat::multiply_add(value, x[c][b], part[c]);
      }
      const double inverse = weights[k];  // of D, until its place is taken
      TESSERA_UNROLL
      for (int c = 0; c < kSolutions; ++c) {
        const double weight = -inverse * sum_of_group(part[c]);
        if (t == k % L) {
          x[c][k / L] = weight;
          (c == 0 ? weights : column_weights + (c - 1) * kPitch)[k] = weight;
        }
      }
    }
  }

  /// Computes the sums over the rows before each of this lane's rows, and the variance of its
  /// error.
  KOKKOS_FORCEINLINE_FUNCTION void sum_slopes(std::int64_t i, const char* memory, int t,
                                              const Place* places, const double* weights,
                                              const double* column_weights, double (&error)[R],
                                              Slopes& slope) const {
    Place mine[R];
    TESSERA_UNROLL
    for (int b = 0; b < R; ++b) {
      const int row = t + L * b;
      mine[b] = places[row];
      error[b] = kAll ? error_variance(i, row, neighbour(i, row)) : 0;
      TESSERA_UNROLL
      for (int c = 0; c < kSolutions; ++c) {
        TESSERA_UNROLL
        for (int q = 0; q < kPairs; ++q) slope[q][c][b] = 0;
      }
    }
    TESSERA_UNROLL
    for (int j = 0; j < M; ++j) {
      const Place other = places[j];
      double weight[kSolutions];
      TESSERA_UNROLL
      for (int c = 0; c < kSolutions; ++c)
        weight[c] = (c == 0 ? weights : column_weights + (c - 1) * kPitch)[j];
      TESSERA_UNROLL
      for (int b = 0; b < R; ++b) {
        if (L * (b + 1) <= j || L * b > M) continue;
        const int row = t + L * b;
        const bool counts = row > j && row <= M;
        double by[kPairs];
        differentiate_pair(memory, mine[b], other, by);
        TESSERA_UNROLL
        for (int c = 0; c < kSolutions; ++c) {
          const double of_column = counts ? weight[c] : 0;
          TESSERA_UNROLL
          for (int q = 0; q < kPairs; ++q)
            slope[q][c][b] = compat::multiply_add(by[q], of_column, slope[q][c][b]);
        }
      }
    }
  }

  /// Sums over the rows of all lanes, and writes.
  KOKKOS_FORCEINLINE_FUNCTION void write_gradient(std::int64_t target, bool valid, int t,
                                                  const Solutions& x, const double (&error)[R],
                                                  const Slopes& slope) const {
    const SweepFields& fields = problem.fields;
    TESSERA_UNROLL
    for (int c = 0; c < kSolutions; ++c) {
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

}  // namespace tessera::gp::detail
