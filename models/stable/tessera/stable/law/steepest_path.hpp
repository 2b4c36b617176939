// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/law/ray.hpp"

/// The path of steepest descent from a saddle tau* on the imaginary axis: t = tau* rho(theta) e^{-i
/// (pi/2 - theta)} with
///
///   rho^D = alpha sin theta / sin(alpha theta),  D = alpha - 1;   alpha = 1: ln rho = 1 - theta cot theta.
///
/// With R + i I the exponent at the saddle, it is on the path  E = R (alpha/D) rho sin(D
/// theta)/sin(alpha theta) + i I rho^alpha e^{i alpha theta}. The path carries the light tail of a
/// distribution with |beta| near 1, with e^R factored out.

namespace tessera::stable::detail {

/// ln(1 + w)/w for w > -1.
KOKKOS_FORCEINLINE_FUNCTION double log1p_ratio(double w) {
  const double s = w / (2 + w), s2 = s * s;
  double p = 1.0 / 21;
  p = math::detail::multiply_add(p, s2, 1.0 / 19);
  p = math::detail::multiply_add(p, s2, 1.0 / 17);
  p = math::detail::multiply_add(p, s2, 1.0 / 15);
  p = math::detail::multiply_add(p, s2, 1.0 / 13);
  p = math::detail::multiply_add(p, s2, 1.0 / 11);
  p = math::detail::multiply_add(p, s2, 1.0 / 9);
  p = math::detail::multiply_add(p, s2, 1.0 / 7);
  p = math::detail::multiply_add(p, s2, 1.0 / 5);
  p = math::detail::multiply_add(p, s2, 1.0 / 3);
  const double near_one = 2 / (2 + w) * math::detail::multiply_add(p, s2, 1.0);
  const double w_safe = w * w > 0.01 ? w : 1.0;
  return w * w > 0.08 ? math::logarithm(1 + w) / w_safe : near_one;
}

/// The numbers that all nodes of a path share.
struct Path {
  double end;    ///< the largest theta, where E = -infinity
  double scale;  ///< of the rule's variable: the width of the saddle by end
  double log_saddle, real, imag;
  double inverse_d, angle_factor;       ///< 1/D and 0; at alpha = 1: 0 and 1/2
  double half_sine_ratio, half_cosine;  ///< sin(h/2)/sin h and cos(h/2), h = pi D/2
};

KOKKOS_INLINE_FUNCTION Path make_path(const StableDistribution& distribution, double log_saddle,
                                      double real, double imag, double width) {
  Path path;
  path.end = distribution.alpha > 1 ? kPi / distribution.alpha : kPi;
  path.scale = width / path.end;
  path.log_saddle = log_saddle;
  path.real = real;
  path.imag = imag;
  path.inverse_d = distribution.at_one ? 0 : 1 / distribution.excess;
  path.angle_factor = distribution.at_one ? 0.5 : 0;
  path.half_cosine = ::sqrt(0.5 * (1 + distribution.cosine));
  path.half_sine_ratio = 0.5 / path.half_cosine;
  return path;
}

// e^-start
inline constexpr double kPathStep = 0.085, kPathStart = -3.6635616461296463, kFirstPathDecay = 39;
// the rule reaches theta = end to the last bit long before
inline constexpr int kMostPathNodes = 416;

/// Adds node k of the double-exponential rule in theta, `decayed` being e^-u; returns how far E has
/// fallen. In units of tau*.
template <Quantities quantities, bool near>
KOKKOS_FORCEINLINE_FUNCTION double add_path_node(const StableDistribution& distribution,
                                                 const Path& path, int k, double decayed,
                                                 Sums& sums) {
  const double u = kPathStart + kPathStep * k;
  const double g = path.scale * math::exponential(u - decayed), rest = 1 / (1 + g),
               theta = path.end * g * rest;
  double s, c, half_s, half_c;
  math::sine_cosine(theta, s, c);
  math::sine_cosine(0.5 * distribution.excess * theta, half_s, half_c);
  // sin(D theta/2)/D
  const double half_ratio = half_s * path.inverse_d + theta * path.angle_factor;
  const double sd_ratio = 2 * half_ratio * half_c;  // sin(D theta)/D
  const double sd = distribution.excess * sd_ratio, cd = 1 - 2 * half_s * half_s;
  const double sa = s * cd + c * sd, ca = c * cd - s * sd;  // of alpha theta
  const double inverse_sa = 1 / sa, cot = c / s;
  // sin(alpha theta)/sin(theta) = 1 + D y.
  const double y = cot * sd_ratio - 2 * half_s * half_ratio;
  const double z = (1 - y) / (1 + distribution.excess * y);
  const double ln_rho = log1p_ratio(distribution.excess * z) * z;
  const double derivative = sd_ratio / (s * sa) - ca * inverse_sa;  // d ln rho/d theta
  const double rho = math::exponential(ln_rho),
               rho_alpha = rho * distribution.alpha * s * inverse_sa;
  Exponent e;
  e.real =
      path.real * distribution.alpha * rho * sd_ratio * inverse_sa - path.imag * rho_alpha * sa;
  e.imag = path.imag * rho_alpha * ca;
  e.tr = rho * s;
  e.ti = -rho * c;
  const double fall = path.real - e.real;
  const bool counts = (fall < distribution.cut + 2) & (fall > -60);
  double sine, cosine;
  math::sine_cosine(counts ? e.imag : 0.0, sine, cosine);
  const double magnitude = math::exponential(-fall);
  const double wi = kPathStep * (1 + decayed) * theta * rest, wr = wi * derivative;
  const double zr = magnitude * cosine, zi = magnitude * sine;
  const double ur = multiply_add(zr, wr, -zi * wi), ui = multiply_add(zr, wi, zi * wr);
  const double gr = multiply_add(ur, e.tr, -ui * e.ti), gi = multiply_add(ur, e.ti, ui * e.tr);
  sums.f = counts ? gr : 0.0;
  if constexpr (quantities != Quantities::pdf) sums.sf = counts ? ui : 0.0;
  if constexpr (has_scores(quantities)) {
    Ray ray;
    ray.phi = kHalfPi - theta;
    ray.axis_share = 0;
    ray.cosine_d = distribution.cosine * cd + distribution.sine * sd;
    ray.sine_d = distribution.sine * cd - distribution.cosine * sd;
    ray.sine_d_ratio = cd - distribution.cosine * distribution.ratio * sd_ratio;
    // sin(D phi/2)/sin h
    const double sine_ratio =
        path.half_sine_ratio * half_c - path.half_cosine * distribution.ratio * half_ratio;
    ray.two_sine_sq = 2 * sine_ratio * sine_ratio * distribution.sine;
    const double ln_r = path.log_saddle + ln_rho;
    e.power = math::exponential(distribution.excess * ln_r, e.power_less_one);
    const Gradient d = gradient_at<near>(distribution, ray, e, ln_r);
    sums.x = counts ? gr * e.ti + gi * e.tr : 0.0;
    sums.alpha = counts ? gr * d.alpha_r - gi * d.alpha_i : 0.0;
    sums.beta = counts ? gr * d.beta_r - gi * d.beta_i : 0.0;
    if constexpr (quantities == Quantities::tail_scores) {
      sums.sf_alpha = counts ? ur * d.alpha_i + ui * d.alpha_r : 0.0;
      sums.sf_beta = counts ? ur * d.beta_i + ui * d.beta_r : 0.0;
    }
  }
  return fall;
}

/// Returns whether nodes from node k on do not count any more, where E has fallen by `fall`.
KOKKOS_FORCEINLINE_FUNCTION bool path_has_ended(const StableDistribution& distribution, double fall,
                                                int k) {
  return !(fall < distribution.cut + 2) && k > 32;
}

/// The integral over the path, relative to e^R and in units of tau*.
template <Quantities quantities, bool near>
KOKKOS_INLINE_FUNCTION Sums integrate_path(const StableDistribution& distribution_in,
                                           const Path& path_in) {
  const StableDistribution distribution = distribution_in;
  const Path path = path_in;
  Sums total;
#if TESSERA_ON_GPU
  double decayed = kFirstPathDecay;
  const double ratio = math::exponential(-kPathStep);
  TESSERA_NO_UNROLL
  for (int k = 0; k < kMostPathNodes; ++k, decayed *= ratio) {
    Sums one;
    const double fall = add_path_node<quantities, near>(distribution, path, k, decayed, one);
    if (path_has_ended(distribution, fall, k)) break;
    total += one;
  }
#else
  constexpr int kChunk = 32;
  for (int begin = 0; begin < kMostPathNodes; begin += kChunk) {
    TermBlock terms;
    double falls[kChunk];
    TESSERA_VECTORIZE
    for (int l = 0; l < kChunk; ++l) {
      Sums term;
      falls[l] = add_path_node<quantities, near>(
          distribution, path, begin + l, math::exponential(-(kPathStart + kPathStep * (begin + l))),
          term);
      terms.set<quantities>(l, term);
    }
    total += terms.total<quantities>(kChunk);
    if (begin > 0 && !(falls[kChunk - 1] < distribution.cut + 2)) break;
  }
#endif
  return total;
}

}  // namespace tessera::stable::detail
