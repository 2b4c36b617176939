// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "tessera/boys/function/coefficients_rys.hpp"
#include "tessera/boys/function/octave_interval.hpp"

/// The recurrence coefficients b_k of Rys quadrature on a GPU: the tables of rys_quadrature.hpp
/// with the numbers of all intervals for one power of one b_k side by side. The threads of a warp,
/// each in an interval of its own, read few cache lines that way. All b_k of a thread are summed
/// together, and live in registers.
namespace tessera::boys::detail {

/// What each interval has: the first b_k with a polynomial; the powers below `doubles` in double
/// precision; in single precision `floats` numbers, the rest of the first one and the other powers.
struct RysShape {
  static constexpr int intervals = sizeof(RysTables::first) / sizeof(int);
  int first[intervals], doubles[intervals], floats[intervals];
};

constexpr RysShape rys_shape(const RysTables& tables) {
  RysShape shape{};
  for (int i = 0; i < RysShape::intervals; ++i) {
    shape.first[i] = tables.first[i];
    shape.doubles[i] = tables.split[i];
    shape.floats[i] = tables.degree[i] - tables.split[i] + 2;
  }
  return shape;
}

/// The numbers of the interval that has most.
constexpr int rys_most(const int (&count)[RysShape::intervals]) {
  int most = 0;
  for (int i = 0; i < RysShape::intervals; ++i) most = count[i] > most ? count[i] : most;
  return most;
}

/// Where the numbers are: power d of b_k of interval i at begin[d][k] + i. Intervals before and
/// behind those that have the power take no room, nor do those at the end that need no polynomial
/// for b_k.
template <int powers>
struct RysRows {
  std::int16_t begin[powers][RysTables::last_coefficient + 1];
  int size;
};

template <int powers>
constexpr RysRows<powers> rys_rows(const int (&first)[RysShape::intervals],
                                   const int (&count)[RysShape::intervals]) {
  RysRows<powers> rows{};
  for (int d = 0; d < powers; ++d) {
    int low = 0, high = RysShape::intervals;
    while (count[low] <= d) ++low;
    while (count[high - 1] <= d) --high;
    for (int k = 1; k <= RysTables::last_coefficient; ++k) {
      int end = 0;
      while (end < high && first[end] <= k) ++end;
      rows.begin[d][k] = static_cast<std::int16_t>(rows.size - low);
      if (end > low) rows.size += end - low;
    }
  }
  return rows;
}

inline constexpr RysShape kRysShape = rys_shape(RysTables{});
inline constexpr int kRysDoubles = rys_most(kRysShape.doubles),
                     kRysFloats = rys_most(kRysShape.floats);
inline constexpr RysRows<kRysDoubles> kRysRows =
    rys_rows<kRysDoubles>(kRysShape.first, kRysShape.doubles);
inline constexpr RysRows<kRysFloats> kRysFloatRows =
    rys_rows<kRysFloats>(kRysShape.first, kRysShape.floats);

/// RysTables, arranged that way. A thread whose interval has no polynomial for b_k may read behind
/// the row, for which there is room at the end.
struct RysTablesByPower {
  int border[RysTables::max_order];
  double limit_root[sizeof(RysTables::limit_root) / sizeof(double)];
  double limit_weight[sizeof(RysTables::limit_weight) / sizeof(double)];
  RysShape shape;
  double recurrence[kRysRows.size + RysShape::intervals];
  float recurrence_float[kRysFloatRows.size + RysShape::intervals];
  float guess[sizeof(RysTables::guess) / sizeof(float)];
};

template <class T, int size>
constexpr void rys_copy(const T (&from)[size], T (&to)[size]) {
  for (int i = 0; i < size; ++i) to[i] = from[i];
}

constexpr RysTablesByPower rys_tables_by_power(const RysTables& tables) {
  RysTablesByPower turned{};
  rys_copy(tables.border, turned.border);
  rys_copy(tables.limit_root, turned.limit_root);
  rys_copy(tables.limit_weight, turned.limit_weight);
  rys_copy(tables.guess, turned.guess);
  turned.shape = kRysShape;
  for (int i = 0; i < RysShape::intervals; ++i) {
    const int first = kRysShape.first[i], stride = RysTables::last_coefficient + 1 - first;
    for (int k = first; k <= RysTables::last_coefficient; ++k) {
      for (int d = 0; d < kRysShape.doubles[i]; ++d)
        turned.recurrence[kRysRows.begin[d][k] + i] =
            tables.recurrence[tables.offset[i] + d * stride + k - first];
      for (int d = 0; d < kRysShape.floats[i]; ++d)
        turned.recurrence_float[kRysFloatRows.begin[d][k] + i] =
            tables.recurrence_float[tables.offset_float[i] + d * stride + k - first];
    }
  }
  return turned;
}

#if defined(__CUDACC__) || defined(__HIPCC__)
template <class Tables>
__device__ const Tables rys_tables_on_device = rys_tables_by_power(RysTables{});
#endif

/// A step of Horner's rule with power d for b_1, b_2, ..., whose places the compiler knows.
template <const auto& rows, int d, class Real, int... k>
TESSERA_FUNCTION void rys_power(const Real* c, Real s, Real* sum,
                                std::integer_sequence<int, k...>) {
  ((sum[k + 1] =
        multiply_add(sum[k + 1], s, c[std::integral_constant<int, rows.begin[d][k + 1]>::value])),
   ...);
}

/// The powers from d down to 1, of which the interval has those below `count`.
template <int n, const auto& rows, int d, class Real>
TESSERA_FUNCTION void rys_powers(const Real* c, int count, Real s, Real* sum) {
  if constexpr (d > 0) {
    if (d < count) rys_power<rows, d>(c, s, sum, std::make_integer_sequence<int, 2 * n - 1>());
    rys_powers<n, rows, d - 1>(c, count, s, sum);
  }
}

/// The last step, in two parts: b = b_k, and low, what rounding took from it.
template <int k>
TESSERA_FUNCTION void rys_power_0(const double* c, const float* f, double s, double sum, double& b,
                                  double& low) {
  constexpr int place = kRysRows.begin[0][k], float_place = kRysFloatRows.begin[0][k];
  const double leading = c[place], rest = multiply_add(sum, s, static_cast<double>(f[float_place]));
  b = leading + rest;
  low = (leading - b) + rest;
}

template <int... k>
TESSERA_FUNCTION void rys_powers_0(const double* c, const float* f, double s, const double* sum,
                                   double* b, double* low, std::integer_sequence<int, k...>) {
  (rys_power_0<k + 1>(c, f, s, sum[k + 1], b[k + 1], low[k + 1]), ...);
}

/// b[k] = b_k for k = 1..2n-1, at 0 <= x < border[n - 1], and low[k], what rounding took from it.
template <int n>
TESSERA_FUNCTION void rys_recurrence_by_power(const RysTablesByPower& tables, double x, double* b,
                                              double* low) {
  const OctaveInterval at = octave_interval<RysTables::shift, RysTables::parts_of_octave>(x);
  const double* const c = tables.recurrence + at.index;
  const float* const f = tables.recurrence_float + at.index;
  float high[2 * n];
  TESSERA_UNROLL
  for (int k = 1; k < 2 * n; ++k) high[k] = 0;
  rys_powers<n, kRysFloatRows, kRysFloats - 1>(f, tables.shape.floats[at.index],
                                               static_cast<float>(at.s), high);
  double sum[2 * n];
  TESSERA_UNROLL
  for (int k = 1; k < 2 * n; ++k) sum[k] = static_cast<double>(high[k]);
  rys_powers<n, kRysRows, kRysDoubles - 1>(c, tables.shape.doubles[at.index], at.s, sum);
  rys_powers_0(c, f, at.s, sum, b, low, std::make_integer_sequence<int, 2 * n - 1>());
  const int first = tables.shape.first[at.index];
  const double half_inverse = 0.5 / x;
  TESSERA_UNROLL
  for (int k = 1; k < 2 * n; ++k) {
    b[k] = k < first ? k * half_inverse : b[k];
    low[k] = k < first ? 0 : low[k];
  }
}

}  // namespace tessera::boys::detail
