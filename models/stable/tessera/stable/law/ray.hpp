// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/hardware.hpp"
#include "tessera/stable/law/evaluation.hpp"
#include "tessera/stable/law/stable_distribution.hpp"

/// The integrand of the inversion formula on the ray t = r e^{-i phi}: E(t) = ln phi(t) - i x t and
/// its derivatives, and sums over nodes.
///
/// With D = alpha - 1 and h = pi D/2,  E = -t (P + i Q),
///   P = r^D [cos(D phi) + beta cos h sin(D phi)/sin h],
///   Q = x - r^D sin(D phi) + beta cos h [ (r^D - 1)/sin h cos(D phi) - 2 sin^2(D phi/2)/sin h ],
/// every factor of which is finite through alpha = 1.

namespace tessera::stable::detail {

using compat::multiply_add;

/// P = p1 r^D, Q = q0 + q1 r^D + q2 (r^D - 1) + q3 ln r, both times the length unit of the ray: its
/// nodes are counted in units of e^log_unit.
struct Ray {
  double phi, cosine, sine;          ///< of phi
  double cosine_d, sine_d;           ///< of D phi
  double sine_d_ratio, two_sine_sq;  ///< sin(D phi)/sin h and 2 sin^2(D phi/2)/sin h
  double p1, q0, q1, q2, q3;
  double axis_share;  ///< 1 on the imaginary axis, else 0
};

/// The direction alone: everything but p1 and the q.
KOKKOS_INLINE_FUNCTION Ray make_direction(const StableDistribution& distribution, double phi) {
  Ray ray;
  ray.phi = phi;
  ray.axis_share = 0;
  math::sine_cosine(phi, ray.sine, ray.cosine);
  double half_sine, half_cosine;
  math::sine_cosine(0.5 * distribution.excess * phi, half_sine, half_cosine);
  ray.sine_d = 2 * half_sine * half_cosine;
  ray.cosine_d = 1 - 2 * half_sine * half_sine;
  ray.two_sine_sq = 2 * half_sine * half_sine * distribution.inverse_sine;
  ray.sine_d_ratio = ray.sine_d * distribution.inverse_sine + phi * distribution.log_factor;
  return ray;
}

KOKKOS_INLINE_FUNCTION Ray make_axis_direction(const StableDistribution& distribution) {
  Ray ray;
  ray.phi = kHalfPi;
  ray.axis_share = 1;
  ray.cosine = 0;
  ray.sine = 1;
  ray.cosine_d = distribution.cosine;
  ray.sine_d = distribution.sine;
  // 2 sin^2(h/2)/sin h = tan(h/2)
  ray.two_sine_sq = distribution.at_one ? 0 : distribution.sine / (1 + distribution.cosine);
  ray.sine_d_ratio = 1;
  return ray;
}

/// The factors of P and Q at x, in units of `unit`. `distance` is x - zeta.
KOKKOS_INLINE_FUNCTION void set_point(const StableDistribution& distribution, double x,
                                      double distance, double unit, Ray& ray) {
  const double skew = distribution.beta * distribution.cosine;
  ray.p1 = unit *
           (ray.axis_share == 1 ? distribution.imag_rise : ray.cosine_d + skew * ray.sine_d_ratio);
  if (distribution.far) {
    ray.q0 = unit * distance;
    ray.q1 = unit * (distribution.zeta * ray.cosine_d - ray.sine_d);
    ray.q2 = 0;
    ray.q3 = 0;
  } else {
    ray.q0 = unit * (x - skew * ray.two_sine_sq);
    ray.q1 = -unit * ray.sine_d;
    ray.q2 = distribution.at_one ? 0 : unit * skew * ray.cosine_d / distribution.sine;
    ray.q3 = distribution.at_one ? unit * skew * (2 / kPi) : 0;
  }
}

/// E at one node; r in the ray's unit, ln_r in full.
struct Exponent {
  double real, imag, tr, ti, power, power_less_one;
};

KOKKOS_FORCEINLINE_FUNCTION Exponent exponent_at(const StableDistribution& distribution,
                                                 const Ray& ray, double ln_r, double r) {
  Exponent e;
  e.power = math::exponential(distribution.excess * ln_r, e.power_less_one);
  const double p = ray.p1 * e.power;
  const double q = multiply_add(
      ray.q3, ln_r, multiply_add(ray.q2, e.power_less_one, multiply_add(ray.q1, e.power, ray.q0)));
  e.tr = r * ray.cosine;
  e.ti = -r * ray.sine;
  e.real = multiply_add(e.ti, q, -e.tr * p);
  e.imag = -multiply_add(e.tr, q, e.ti * p);
  return e;
}

/// dE/dalpha and dE/dbeta at one node, in the ray's unit.
struct Gradient {
  double alpha_r, alpha_i, beta_r, beta_i;
};

/// sum_k d^k / ((k + 2) k!) for |d| < 0.011, and (d e^d - e^d + 1)/d^2 beyond: times L^2 (D/sin
/// h)^2, with d = D L. `near` says that D may be so small that the first is needed.
template <bool near>
KOKKOS_FORCEINLINE_FUNCTION Gradient gradient_at(const StableDistribution& distribution,
                                                 const Ray& ray, const Exponent& e, double ln_r) {
  Gradient g;
  const double inverse = distribution.inverse_sine;
  const double q = e.power_less_one * inverse + ln_r * distribution.log_factor;
  const double vr = distribution.cosine * (q * ray.cosine_d - ray.two_sine_sq),
               vi = -distribution.cosine * e.power * ray.sine_d_ratio;
  g.beta_r = e.tr * vi + e.ti * vr;
  g.beta_i = e.ti * vi - e.tr * vr;
  const double lr = ln_r, li = -ray.phi, dr = distribution.excess * lr,
               di = distribution.excess * li;
  const double er = e.power * ray.cosine_d, ei = -e.power * ray.sine_d;  // e^d
  const double der = dr * er - di * ei, dei = dr * ei + di * er;         // d e^d
  // e^d - 1 without cancellation: (e^dr - 1) cos di - (1 - cos di).
  const double em = e.power_less_one * ray.cosine_d - ray.two_sine_sq * distribution.sine;
  double pr = (der - em) * inverse * inverse, pi = (dei - ei) * inverse * inverse;
  if constexpr (near) {
    double sr = 1.0 / 144, si = 0;
    const double c[4] = {1.0 / 2, 1.0 / 3, 1.0 / 8, 1.0 / 30};
    for (int k = 3; k >= 0; --k) {
      const double t = sr * dr - si * di + c[k];
      si = sr * di + si * dr;
      sr = t;
    }
    const double l2r = (lr * lr - li * li) * distribution.ratio * distribution.ratio,
                 l2i = 2 * lr * li * distribution.ratio * distribution.ratio;
    const bool small = dr * dr + di * di < 1.2e-4;
    pr = small ? sr * l2r - si * l2i : pr;
    pi = small ? sr * l2i + si * l2r : pi;
  }
  const double gr = distribution.beta * kHalfPi * (pr - distribution.curve * der),
               gi = distribution.beta * kHalfPi * (pi - distribution.curve * dei);
  const double hr = er * lr - ei * li - gi, hi = er * li + ei * lr + gr;
  g.alpha_r = e.ti * hi - e.tr * hr;
  const double on_axis = -e.ti * e.power * (1 + distribution.beta) *
                         // keeps the tail's relative accuracy
                         (lr * distribution.cosine - kHalfPi * distribution.sine);
  const double elsewhere = -(e.tr * hi + e.ti * hr);
  g.alpha_i = ray.axis_share * on_axis + (1 - ray.axis_share) * elsewhere;
  return g;
}

/// Integrals of e^E d ln t over a contour, e.g. pdf = f/pi. All but sf are in the ray's unit, the
/// derivatives of f in its square.
struct Sums {
  double f = 0, sf = 0, x = 0, alpha = 0, beta = 0, sf_alpha = 0, sf_beta = 0;

  KOKKOS_FORCEINLINE_FUNCTION Sums& operator+=(const Sums& other) {
    f += other.f;
    sf += other.sf;
    x += other.x;
    alpha += other.alpha;
    beta += other.beta;
    sf_alpha += other.sf_alpha;
    sf_beta += other.sf_beta;
    return *this;
  }
};

/// Adds one node; (wr, wi) is the weight of d ln t; e^E is taken relative to e^reference.
template <Quantities quantities, bool near>
KOKKOS_FORCEINLINE_FUNCTION void add_node(const StableDistribution& distribution, const Ray& ray,
                                          double ln_r, double r, double wr, double wi,
                                          double reference, Sums& sums) {
  const Exponent e = exponent_at(distribution, ray, ln_r, r);
  double sine, cosine;
  math::sine_cosine(e.imag, sine, cosine);
  const double magnitude = math::exponential(e.real - reference);
  const double zr = magnitude * cosine, zi = magnitude * sine;
  const double ur = multiply_add(zr, wr, -zi * wi), ui = multiply_add(zr, wi, zi * wr);
  const double gr = multiply_add(ur, e.tr, -ui * e.ti), gi = multiply_add(ur, e.ti, ui * e.tr);
  sums.f += gr;
  if constexpr (quantities != Quantities::pdf) sums.sf += ui;
  if constexpr (has_scores(quantities)) {
    const Gradient g = gradient_at<near>(distribution, ray, e, ln_r);
    sums.x += gr * e.ti + gi * e.tr;
    sums.alpha += gr * g.alpha_r - gi * g.alpha_i;
    sums.beta += gr * g.beta_r - gi * g.beta_i;
    if constexpr (quantities == Quantities::tail_scores) {
      sums.sf_alpha += ur * g.alpha_i + ui * g.alpha_r;
      sums.sf_beta += ur * g.beta_i + ui * g.beta_r;
    }
  }
}

/// The double-exponential rule on a ray: ln r = log_unit + stretch (u - e^-u), trapezoid in u from
/// `start` in steps of `step`.
struct RayRule {
  double log_unit, stretch, start, step;
  int count;

  /// Node k; its distance from the origin in units of e^log_unit. `decayed` is e^-u.
  KOKKOS_FORCEINLINE_FUNCTION void node(int k, double decayed, double& ln_r, double& r,
                                        double& weight) const {
    const double v = stretch * (multiply_add(step, k, start) - decayed);
    ln_r = log_unit + v;
    r = math::exponential(v);
    weight = step * stretch * (1 + decayed);
  }
};

/// The tanh-sinh rule on the imaginary axis from 0 to e^log_end, where the integrand does not
/// vanish: the first of the two legs.
struct LegRule {
  double log_unit, start, step;
  int count;

  /// Computes a node as RayRule::node does; `decayed` is e^-v of tanh-sinh's own variable v.
  KOKKOS_FORCEINLINE_FUNCTION void node(int, double decayed, double& ln_r, double& r,
                                        double& weight) const {
    const double grown = 1 / decayed, g = math::exponential(kHalfPi * (decayed - grown));
    r = 1 / (1 + g);
    ln_r = log_unit + math::logarithm(r);
    weight = step * kHalfPi * (grown + decayed) * g * r;
  }
};

KOKKOS_INLINE_FUNCTION LegRule make_leg_rule(const StableDistribution& distribution, double log_end,
                                             bool pdf_only) {
  constexpr double kStep = 0.1, kEnd = 3.15;  // the rule leaves out e^-36
  const double start =
      -::asinh((pdf_only || distribution.alpha > 1 ? 37.0 : 37.0 / distribution.alpha) / kPi);
  return {log_end, start, kStep, static_cast<int>((kEnd - start) / kStep) + 1};
}

/// The terms of neighbouring nodes, one array for each sum, which compilers fill lane by lane.
struct TermBlock {
  static constexpr int kSize = 64;
  double f[kSize], sf[kSize], x[kSize], alpha[kSize], beta[kSize], sf_alpha[kSize], sf_beta[kSize];

  template <Quantities quantities>
  KOKKOS_FORCEINLINE_FUNCTION void set(int l, const Sums& term) {
    f[l] = term.f;
    if constexpr (quantities != Quantities::pdf) sf[l] = term.sf;
    if constexpr (has_scores(quantities)) {
      x[l] = term.x;
      alpha[l] = term.alpha;
      beta[l] = term.beta;
    }
    if constexpr (quantities == Quantities::tail_scores) {
      sf_alpha[l] = term.sf_alpha;
      sf_beta[l] = term.sf_beta;
    }
  }

  template <Quantities quantities>
  KOKKOS_INLINE_FUNCTION Sums total(int count) const {
    Sums sums;
    sums.f = sum_terms(f, count);
    if constexpr (quantities != Quantities::pdf) sums.sf = sum_terms(sf, count);
    if constexpr (has_scores(quantities)) {
      sums.x = sum_terms(x, count);
      sums.alpha = sum_terms(alpha, count);
      sums.beta = sum_terms(beta, count);
    }
    if constexpr (quantities == Quantities::tail_scores) {
      sums.sf_alpha = sum_terms(sf_alpha, count);
      sums.sf_beta = sum_terms(sf_beta, count);
    }
    return sums;
  }

 private:
  KOKKOS_INLINE_FUNCTION static double sum_terms(const double* terms, int count) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int l = 0; l < count; ++l) sum += terms[l];
    return sum;
  }
};

/// The sums over the nodes of a rule on a ray.
template <Quantities quantities, bool near, class Rule>
KOKKOS_INLINE_FUNCTION Sums integrate(const StableDistribution& distribution_in, const Ray& ray_in,
                                      const Rule& rule_in) {
  // local copies: compilers see that nothing else changes them
  const StableDistribution distribution = distribution_in;
  const Ray ray = ray_in;
  const Rule rule = rule_in;
#if TESSERA_ON_GPU
  Sums sums;
  double decayed = math::exponential(-rule.start);
  const double ratio = math::exponential(-rule.step);
  TESSERA_NO_UNROLL
  for (int k = 0; k < rule.count; ++k) {
    double ln_r, r, weight;
    rule.node(k, decayed, ln_r, r, weight);
    add_node<quantities, near>(distribution, ray, ln_r, r, weight, 0.0, 0.0, sums);
    decayed *= ratio;
  }
  return sums;
#else
  Sums sums;
  for (int begin = 0; begin < rule.count; begin += TermBlock::kSize) {
    const int count = rule.count - begin < TermBlock::kSize ? rule.count - begin : TermBlock::kSize;
    TermBlock terms;
    TESSERA_VECTORIZE
    for (int l = 0; l < count; ++l) {
      double ln_r, r, weight;
      rule.node(begin + l, math::exponential(-(rule.start + rule.step * (begin + l))), ln_r, r,
                weight);
      Sums term;
      add_node<quantities, near>(distribution, ray, ln_r, r, weight, 0.0, 0.0, term);
      terms.set<quantities>(l, term);
    }
    sums += terms.total<quantities>(count);
  }
  return sums;
#endif
}

}  // namespace tessera::stable::detail
