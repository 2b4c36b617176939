// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/function/arithmetic.hpp"
#include "tessera/boys/function/coefficients_rys.hpp"

/// Rys quadrature from the recurrence coefficients b_k of the polynomials p_k(t), orthogonal on
/// [-1, 1] for the weight e^(-x t^2): p_(k+1) = t p_k - b_k p_(k-1). In u = t^2 the step of two
/// orders is, with r = p_(2k-1) / t,
///
///     p_(2k) = u r - b_(2k-1) p_(2k-2),     r' = p_(2k) - b_(2k) r.
///
/// Roundings of a step act as roundings of b_k and of t, which move no root by more than a few
/// units in its own last place. That is why the tables have b_k, and not other coefficients.
namespace tessera::boys::detail {

inline constexpr RysTables rys_tables_on_host{};
#if defined(__CUDACC__)
template <class Tables>
__device__ const Tables rys_tables_on_device{};
#endif

TESSERA_FUNCTION const RysTables& rys_tables() {
#if TESSERA_ON_CUDA
  return rys_tables_on_device<RysTables>;
#else
  return rys_tables_on_host;
#endif
}

/// Numbers that are computed side by side. On CPUs they fill a vector register of 32 bytes.
#if TESSERA_ON_GPU
inline constexpr int kRysLanes = 1;
#else
inline constexpr int kRysLanes = 4;
#endif

/// The numbers of an array with room for whole groups of lanes.
TESSERA_FUNCTION constexpr int rys_padded(int count) {
  return (count + kRysLanes - 1) / kRysLanes * kRysLanes;
}

/// One polynomial for each lane, at s, by Horner's rule: c[d * stride + lane] is the coefficient of
/// s^d. Writes the sum of the terms from s^1 on.
template <class Coefficient>
TESSERA_FUNCTION void rys_polynomials(const Coefficient* c, int stride, int degree, double s,
                                      double* sum) {
  TESSERA_UNROLL
  for (int l = 0; l < kRysLanes; ++l) sum[l] = c[degree * stride + l];
  for (int d = degree - 1; d > 0; --d) {
    TESSERA_UNROLL
    for (int l = 0; l < kRysLanes; ++l) {
      sum[l] = multiply_add(sum[l], s, static_cast<double>(c[d * stride + l]));
    }
  }
  TESSERA_UNROLL
  for (int l = 0; l < kRysLanes; ++l) sum[l] *= s;
}

/// b[k] = b_k for k = 1..2n-1, at 0 <= x < border[n - 1], and low[k], what rounding took from it; b
/// and low have room for rys_padded(2n) + kRysLanes numbers.
template <int n>
TESSERA_FUNCTION void rys_recurrence(double x, double* b, double* low) {
  const RysTables& tables = rys_tables();
  const int interval = static_cast<int>(x * (1.0 / RysTables::width));
  const double s = multiply_add(x, 2.0 / RysTables::width, -(2.0 * interval + 1));
  const int first = tables.first[interval], stride = RysTables::last_coefficient + 1 - first;
  const int degree = tables.degree[interval];
  const double* c = tables.recurrence + tables.offset[interval];
  const double half_inverse = first > 1 ? 0.5 / x : 0;
  for (int k = 1; k < first && k < 2 * n; ++k) {
    b[k] = k * half_inverse;
    low[k] = 0;
  }
  for (int k = first; k < 2 * n; k += kRysLanes, c += kRysLanes) {
    double sum[kRysLanes];
    rys_polynomials(c, stride, degree, s, sum);
    TESSERA_UNROLL
    for (int l = 0; l < kRysLanes; ++l) {
      sum[l] += c[(degree + 1) * stride + l];
      b[k + l] = c[l] + sum[l];
      low[k + l] = (c[l] - b[k + l]) + sum[l];
    }
  }
}

/// Approximate roots u[i], i = 0..n-1, to 1e-5 of their distances; the rest of the last group
/// repeats the last.
template <int n>
TESSERA_FUNCTION void rys_guesses(double x, double* u) {
  const RysTables& tables = rys_tables();
  constexpr int parts = RysTables::parts, terms = RysTables::guess_degree + 1;
  const double at = x * parts / tables.border[n - 1];
  const int part = at < parts ? static_cast<int>(at) : parts - 1;
  const float* c = tables.guess + terms * n * (parts * (n - 1) / 2 + part);
  for (int i = 0; i < n; i += kRysLanes) {
    rys_polynomials(c + i, n, terms - 1, 2 * at - (2 * part + 1), u + i);
    for (int l = 0; l < kRysLanes; ++l) u[i + l] += c[i + l];
  }
  for (int i = n; i < rys_padded(n); ++i) u[i] = u[n - 1];
}

/// One step of Newton's method for the root of p_(2n) near each u.
template <int n>
TESSERA_FUNCTION void rys_improve(const double* b, double* u) {
  double p[kRysLanes], r[kRysLanes], dp[kRysLanes], dr[kRysLanes];
  TESSERA_UNROLL
  for (int l = 0; l < kRysLanes; ++l) {
    p[l] = u[l] - b[1];
    r[l] = p[l] - b[2];
    dp[l] = dr[l] = 1;
  }
  TESSERA_UNROLL
  for (int k = 2; k <= n; ++k) {
    const double odd = b[2 * k - 1], even = b[2 * k];
    TESSERA_UNROLL
    for (int l = 0; l < kRysLanes; ++l) {
      dp[l] = multiply_add(u[l], dr[l], multiply_add(-odd, dp[l], r[l]));
      p[l] = multiply_add(u[l], r[l], -odd * p[l]);
      dr[l] = multiply_add(-even, dr[l], dp[l]);
      r[l] = multiply_add(-even, r[l], p[l]);
    }
  }
  TESSERA_UNROLL
  for (int l = 0; l < kRysLanes; ++l) u[l] -= p[l] / dp[l];
}

/// The last step for each u, and the weights: 1/w = K(u) / mass at the root, with Christoffel's sum
/// K = sum over k < n of p_(2k)^2 / (b_1 ... b_(2k)), whose terms are positive. K is taken from
/// u to the root by its derivative, because near the largest roots it changes up to 130 times as
/// fast as u does, and the root is rounded. inverse_norm[k] = 1 / (b_1 ... b_(2k)).
template <int n>
TESSERA_FUNCTION void rys_finish(const double* b, const double* low, const double* inverse_norm,
                                 double mass, double* u, double* w) {
  double p[kRysLanes], r[kRysLanes], dp[kRysLanes], dr[kRysLanes], sum[kRysLanes], slope[kRysLanes];
  TESSERA_UNROLL
  for (int l = 0; l < kRysLanes; ++l) {
    p[l] = (u[l] - b[1]) - low[1];
    r[l] = (p[l] - b[2]) - low[2];
    dp[l] = dr[l] = 1;
    sum[l] = 1;
    slope[l] = 0;
  }
  TESSERA_UNROLL
  for (int k = 2; k <= n; ++k) {
    const double odd = b[2 * k - 1], even = b[2 * k], scale = inverse_norm[k - 1];
    TESSERA_UNROLL
    for (int l = 0; l < kRysLanes; ++l) {
      const double scaled = scale * p[l];
      sum[l] = multiply_add(scaled, p[l], sum[l]);
      slope[l] = multiply_add(scaled, dp[l], slope[l]);
      dp[l] = multiply_add(u[l], dr[l], multiply_add(-odd, dp[l], r[l]));
      p[l] = multiply_add(u[l], r[l], multiply_add(-low[2 * k - 1], p[l], -odd * p[l]));
      dr[l] = multiply_add(-even, dr[l], dp[l]);
      r[l] = multiply_add(-even, r[l], multiply_add(-low[2 * k], r[l], p[l]));
    }
  }
  TESSERA_UNROLL
  for (int l = 0; l < kRysLanes; ++l) {
    const double step = p[l] / dp[l];
    u[l] -= step;
    w[l] = mass / multiply_add(-2 * step, slope[l], sum[l]);
  }
}

/// Roots and weights at 0 <= x < border[n - 1], where mass = F_0(x). u and w have room for
/// rys_padded(n) numbers.
template <int n>
TESSERA_FUNCTION void rys_near(double x, double mass, double* u, double* w) {
  double b[rys_padded(2 * n) + kRysLanes], low[rys_padded(2 * n) + kRysLanes];
  rys_recurrence<n>(x, b, low);
  if constexpr (n == 1) {
    u[0] = b[1];
    w[0] = mass;
  } else {
    double inverse_norm[n];
    b[2 * n] = low[2 * n] = 0;  // multiply what is not used
    inverse_norm[0] = 1;
    for (int k = 1; k < n; ++k) inverse_norm[k] = 1 / (b[2 * k - 1] * b[2 * k]);
    for (int k = 1; k < n; ++k) inverse_norm[k] *= inverse_norm[k - 1];
    rys_guesses<n>(x, u);
    for (int i = 0; i < n; i += kRysLanes) rys_improve<n>(b, u + i);
    for (int i = 0; i < n; i += kRysLanes) {
      rys_finish<n>(b, low, inverse_norm, mass, u + i, w + i);
    }
  }
}

}  // namespace tessera::boys::detail
