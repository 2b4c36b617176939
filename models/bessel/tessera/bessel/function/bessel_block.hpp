// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/bessel/function/recurrence.hpp"

// The quadrature for many arguments on a CPU, one in each SIMD lane: the same steps as
// quadrature_pair and recur_upwards, with the arguments that need fewer nodes or steps waiting for
// the others.

namespace tessera::bessel::detail {

/// Arguments that a CPU takes at a time.
inline constexpr int kBesselBlock = 16;

/// Returns whether a block can take this argument: one for the quadrature, whose recurrence needs
/// no look at the exponent.
template <class Real>
inline bool fits_block(Real nu, Real x) {
  return x >= Real(kSmallArgument) && x <= Real(1e30) && nu >= 0 &&
         nu < (sizeof(Real) == 8 ? Real(kUniformOrder) : Real(kStepsPerLook<float>));
}

template <class Real>
struct BesselBlock {
  static constexpr int L = kBesselBlock;
  Real mu[L], x[L];
  int n[L];
  Real k0[L], k1[L], d0[L], d1[L];  ///< of the orders nu and nu + 1, scaled by e^x
};

/// Step and number of nodes of each argument; returns the largest number.
template <class Real>
inline int block_steps(const BesselBlock<Real>& b, Real* h, Real* nodes) {
  using Q = Quadrature<Real>;
  Real most = 0;
  for (int l = 0; l < kBesselBlock; ++l) {
    const float x = static_cast<float>(b.x[l]), growth = 1 + static_cast<float>(b.mu[l]);
    const float a = Q::cut / x, root = std::sqrt(a * (a + 2));
    float end = std::log1p(a + root);
    end += growth * end / (x * root - growth);
    const float step = Q::step / std::sqrt(x + 13.2F);
    h[l] = step;
    nodes[l] = static_cast<Real>(static_cast<int>(end / step) + 1);
    most = std::max(most, nodes[l]);
  }
  return static_cast<int>(most);
}

/// Fills k0 ... d1 from mu, x and n.
template <class Real, bool with_order>
inline void evaluate_block(BesselBlock<Real>& b) {
  constexpr int L = kBesselBlock;
  Real h[L], nodes[L], kappa[L], kappa_mu[L], v[L], dv[L], c[L], dc[L], s[L], ds[L], exponent[L],
      sum[L], sum_v[L], order[L], order_v[L];
  const int most = block_steps(b, h, nodes);
#pragma GCC ivdep
  for (int l = 0; l < L; ++l) {
    const Real theta = b.mu[l] * h[l];
    kappa[l] = second_difference(h[l] * h[l]);
    kappa_mu[l] = second_difference(theta * theta);
    exponent[l] = b.x[l] * Real(-1.44269504088896340735992468100189214);
    v[l] = 0;
    dv[l] = Real(0.5) * kappa[l];
    c[l] = 1;
    dc[l] = Real(0.5) * kappa_mu[l];
    s[l] = 0;
    ds[l] = theta * polynomial<SinhSeries<Real>>(theta * theta);
    sum[l] = Real(0.5);
    sum_v[l] = order[l] = order_v[l] = 0;
  }
  for (int i = 0; i < most; ++i) {
    const Real m = i + 1;
#pragma GCC ivdep
    for (int l = 0; l < L; ++l) {
      v[l] += dv[l];
      c[l] += dc[l];
      const Real all = power_of_two(exponent[l], v[l]), f = m <= nodes[l] ? all : Real(0),
                 fc = f * c[l];
      sum[l] += fc;
      sum_v[l] = multiply_add(fc, v[l], sum_v[l]);
      if constexpr (with_order) {
        s[l] += ds[l];
        const Real fs = f * (m * s[l]);
        order[l] += fs;
        order_v[l] = multiply_add(fs, v[l], order_v[l]);
        ds[l] = multiply_add(kappa_mu[l], s[l], ds[l]);
      }
      dv[l] = multiply_add(kappa[l], v[l], dv[l] + kappa[l]);
      dc[l] = multiply_add(kappa_mu[l], c[l], dc[l]);
    }
  }
  Real two_over_x[L], rest[L], steps[L], degree[L];
  int longest = 0;
  for (int l = 0; l < L; ++l) longest = std::max(longest, b.n[l]);
#pragma GCC ivdep
  for (int l = 0; l < L; ++l) {
    const Real beside = 1 + b.mu[l] / b.x[l], h2 = h[l] * h[l];
    b.k0[l] = h[l] * sum[l];
    b.k1[l] = multiply_add(b.k0[l], beside, h[l] * sum_v[l]);
    b.d0[l] = h2 * order[l];
    b.d1[l] = multiply_add(b.d0[l], beside, multiply_add(h2, order_v[l], b.k0[l] / b.x[l]));
    two_over_x[l] = 2 / b.x[l];
    rest[l] = multiply_add(-two_over_x[l], b.x[l], Real(2)) * Real(0.5) * two_over_x[l];
    steps[l] = static_cast<Real>(b.n[l]);
    degree[l] = b.mu[l];
  }
  for (int i = 0; i < longest; ++i) {
    const Real m = i + 1;
#pragma GCC ivdep
    for (int l = 0; l < L; ++l) {
      const bool more = m <= steps[l];
      degree[l] += 1;
      const Real factor = multiply_add(degree[l], two_over_x[l], degree[l] * rest[l]),
                 k2 = multiply_add(factor, b.k1[l], b.k0[l]);
      if constexpr (with_order) {
        const Real d2 =
            multiply_add(factor, b.d1[l], multiply_add(two_over_x[l], b.k1[l], b.d0[l]));
        b.d0[l] = more ? b.d1[l] : b.d0[l];
        b.d1[l] = more ? d2 : b.d1[l];
      }
      b.k0[l] = more ? b.k1[l] : b.k0[l];
      b.k1[l] = more ? k2 : b.k1[l];
    }
  }
}

}  // namespace tessera::bessel::detail
