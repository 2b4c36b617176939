// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/function/coefficients_gauss_legendre.hpp"
#include "tessera/boys/function/rys_quadrature.hpp"

/// Rys quadrature on a part of the interval, a <= t <= 1, for any order, without tables of its own.
///
/// With v = t^2 - a^2 the weight is e^(-x v), and dt, on 0 <= v <= 1 - a^2. The discretised
/// Stieltjes procedure (Gautschi, Orthogonal Polynomials: Computation and Approximation, 2004,
/// section 2.2) finds the recurrence coefficients b_k of the polynomials in sqrt(v): sums over the
/// points of a Gauss-Legendre rule in t take the place of the integrals. Every term is positive, so
/// that b_k are good to a few roundings. The eigenvalues of the Jacobi matrix are near the roots,
/// which the steps of rys_quadrature.hpp finish.
namespace tessera::boys::detail {

inline constexpr GaussLegendre gauss_legendre_on_host{};
#if defined(__CUDACC__)
template <class Rule>
__device__ const Rule gauss_legendre_on_device{};
#endif

TESSERA_FUNCTION const GaussLegendre& gauss_legendre() {
#if TESSERA_ON_CUDA
  return gauss_legendre_on_device<GaussLegendre>;
#else
  return gauss_legendre_on_host;
#endif
}

/// Square root and exponential of the language that the function is compiled for.
TESSERA_FUNCTION double rys_sqrt(double x) {
#if TESSERA_ON_GPU
  return ::sqrt(x);
#else
  return std::sqrt(x);
#endif
}
TESSERA_FUNCTION double rys_exp(double x) {
#if TESSERA_ON_GPU
  return ::exp(x);
#else
  return std::exp(x);
#endif
}

/// The measure e^(-x v) dt at the points of the rule: v in units of `reach`, and what it weighs.
struct RysMeasure {
  double v[GaussLegendre::points], weight[GaussLegendre::points], reach;
};

/// a^2 + rest = 1. The measure ends where what follows is below 1e-17 of all sums that quadratures
/// of order n take, in which x v has the power 2n - 1 at most.
TESSERA_FUNCTION void rys_measure(int n, double x, double a, double rest, RysMeasure& measure) {
  const GaussLegendre& rule = gauss_legendre();
  const double most = 6.0 * n + 40;
  measure.reach = x * rest > most ? most / x : rest;  // of v
  const double length = measure.reach / (rys_sqrt(a * a + measure.reach) + a),
               fall = x * measure.reach, part = length / measure.reach;
  for (int j = 0; j < GaussLegendre::points; ++j) {
    measure.v[j] = part * rule.point[j] * multiply_add(length, rule.point[j], 2 * a);
    const int mirrored = j < GaussLegendre::points / 2 ? j : GaussLegendre::points - 1 - j;
    measure.weight[j] = length * rule.weight[mirrored] * rys_exp(-fall * measure.v[j]);
  }
}

/// b[k] = b_k for k = 1..2n-1; returns the sum of the weights. The polynomials are kept as p_(2k)
/// and p_(2k+1) / sqrt(v).
TESSERA_FUNCTION double rys_stieltjes(int n, const RysMeasure& measure, double* b) {
  constexpr int points = GaussLegendre::points;
  double even[points], odd[points], mass = 0;
  for (int j = 0; j < points; ++j) {
    even[j] = 1;
    odd[j] = 0;
    mass += measure.weight[j];
  }
  double even_norm = mass, odd_norm = 0;
  for (int k = 0; k < n; ++k) {
    const double below = k > 0 ? even_norm / odd_norm : 0;
    double sum = 0;
    for (int j = 0; j < points; ++j) {
      odd[j] = multiply_add(-below, odd[j], even[j]);
      sum += measure.weight[j] * measure.v[j] * odd[j] * odd[j];
    }
    odd_norm = sum;
    const double above = odd_norm / even_norm;
    if (k > 0) b[2 * k] = below;
    b[2 * k + 1] = above;
    if (k + 1 == n) break;
    even_norm = 0;
    for (int j = 0; j < points; ++j) {
      even[j] = multiply_add(measure.v[j], odd[j], -above * even[j]);
      even_norm += measure.weight[j] * even[j] * even[j];
    }
  }
  return mass;
}

/// The sequence p_0, p_2, ..., p_(2n) at v: how many roots are below v (the signs that agree), and
/// the step of Newton's method.
struct RysPlace {
  int below;
  double step;
};
TESSERA_FUNCTION RysPlace rys_locate(int n, const double* b, double v) {
  double p = 1, r = 1, dp = 0, dr = 0;  // r = p_(2k+1) / sqrt(v)
  int below = n;
  for (int k = 1; k <= n; ++k) {
    const double next = multiply_add(v, r, -b[2 * k - 1] * p);
    dp = r + multiply_add(v, dr, -b[2 * k - 1] * dp);
    if ((next < 0) != (p < 0)) --below;
    p = next;
    if (k == n) break;
    dr = dp - b[2 * k] * dr;
    r = p - b[2 * k] * r;
  }
  return {below, p / dp};
}

/// The roots u[i] in (0, 1), ascending, so near that a step of Newton's method finishes them:
/// bisection until one root is between the ends, then Newton's method between them.
TESSERA_FUNCTION void rys_search(int n, const double* b, double* u) {
  for (int i = 0; i < n; ++i) {
    double low = i > 0 ? u[i - 1] : 0, high = 1;
    bool is_alone = false;
    double v = 0.5 * (low + high);
    for (int turn = 0; turn < 100; ++turn) {
      const RysPlace place = rys_locate(n, b, v);
      if (place.below > i) {
        high = v;
        is_alone = place.below == i + 1;
      } else {
        low = v;
      }
      const double next = v - place.step;
      if (is_alone && low <= next && next <= high) {
        const double way = next > v ? next - v : v - next;
        v = next;
        if (way < 1e-9 * (high - low) || way < 1e-12 * v) break;
      } else {
        v = 0.5 * (low + high);
      }
    }
    u[i] = v;
  }
}

/// The quadrature of e^(-x t^2) over a <= t <= 1, a^2 + rest = 1, 0 <= x < infinity: v[i] = u_i -
/// a^2, ascending, and e^(x a^2) w_i. v and w have room for rys_padded(n) numbers.
template <int n>
TESSERA_FUNCTION void rys_on_interval(double x, double a, double rest, double* v, double* w) {
  double b[2 * n + 2], inverse_norm[n];
  RysMeasure measure;
  rys_measure(n, x, a, rest, measure);
  const double mass = rys_stieltjes(n, measure, b);
  b[2 * n] = 0;
  inverse_norm[0] = 1;
  for (int k = 1; k < n; ++k) inverse_norm[k] = inverse_norm[k - 1] / (b[2 * k - 1] * b[2 * k]);
  rys_search(n, b, v);
  for (int i = n; i < rys_padded(n); ++i) v[i] = v[n - 1];
  for (int i = 0; i < n; i += kVectorLanes) rys_finish<n>(b, inverse_norm, mass, v + i, w + i);
  for (int i = 0; i < n; ++i) v[i] *= measure.reach;
}

}  // namespace tessera::boys::detail
