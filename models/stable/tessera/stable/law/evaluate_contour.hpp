// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/law/contour.hpp"
#include "tessera/stable/law/steepest_path.hpp"

/// Evaluation along a contour that has been chosen, and where contours are not used: far out, at
/// infinities and NaN.

namespace tessera::stable::detail {

/// The worker that evaluates a point: a thread. (ByWarp of few_points.hpp has the same functions.)
struct ByThread {
  /// The middle of (low, high) after so many bisections; is_above(middle) says that what is sought
  /// lies above it.
  template <class Test>
  KOKKOS_INLINE_FUNCTION static double bisect(double low, double high, int steps,
                                              const Test& is_above) {
    for (int k = 0; k < steps; ++k) {
      const double middle = 0.5 * (low + high);
      (is_above(middle) ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  template <Quantities quantities, bool near, class Rule>
  KOKKOS_INLINE_FUNCTION static Sums along_ray(const StableDistribution& distribution,
                                               const Ray& ray, const Rule& rule) {
    return integrate<quantities, near>(distribution, ray, rule);
  }

  template <Quantities quantities, bool near>
  KOKKOS_INLINE_FUNCTION static Sums along_path(const StableDistribution& distribution,
                                                const Path& path) {
    return integrate_path<quantities, near>(distribution, path);
  }
};

template <Quantities quantities, bool near, class Worker>
KOKKOS_INLINE_FUNCTION Sums integrate_contour_ray(const StableDistribution& distribution, double x,
                                                  double distance, const Contour& contour) {
  if (contour.region == Region::core) {
    Ray ray = make_direction(distribution, contour.phi);
    set_point(distribution, x, distance, math::exponential(contour.rule.log_unit), ray);
    return Worker::template along_ray<quantities, near>(distribution, ray, contour.rule);
  }
  Ray ray = make_axis_direction(distribution);
  if (contour.region == Region::tail) {
    set_point(distribution, x, distance, math::exponential(contour.rule.log_unit), ray);
    return Worker::template along_ray<quantities, near>(distribution, ray, contour.rule);
  }
  set_point(distribution, x, distance, math::exponential(contour.log_saddle), ray);
  return Worker::template along_ray<quantities, near>(
      distribution, ray,
      make_leg_rule(distribution, contour.log_saddle, quantities == Quantities::pdf));
}

/// The width of the saddle along its path, in theta.
KOKKOS_INLINE_FUNCTION double saddle_width(const StableDistribution& distribution,
                                           const Contour& contour) {
  const double power = math::exponential(distribution.alpha * contour.log_saddle);
  const double curvature =
      distribution.at_one
          ? ::fabs(distribution.beta) * 2 / kPi * math::exponential(contour.log_saddle)
      : distribution.far
          ? ::fabs(distribution.real_rise * power * distribution.alpha * distribution.excess)
          : ::fabs((distribution.sine * distribution.sine -
                    distribution.beta * distribution.cosine * distribution.cosine) *
                   distribution.ratio * power * distribution.alpha);
  const double derivative = distribution.alpha * contour.saddle_imag;
  const double width = derivative * derivative > curvature ? 1 / derivative : 1 / ::sqrt(curvature);
  return width > 2 ? 2.0 : width;
}

/// ln of (heavy + e^log_factor light)/pi, where that is too small for a number.
KOKKOS_INLINE_FUNCTION double log_of_legs(double heavy, double light, double log_factor) {
  const double first = heavy > 0 ? ::log(heavy) : -INFINITY,
               second = light > 0 ? ::log(light) + log_factor : -INFINITY;
  const double larger = first > second ? first : second, smaller = first > second ? second : first;
  return larger > -INFINITY ? larger + ::log1p(::exp(smaller - larger)) - ::log(kPi) : larger;
}

/// value e^log_factor, for factors beyond the range of math::exponential.
KOKKOS_INLINE_FUNCTION double times_large(double value, double log_factor) {
  return value == 0 ? 0 : ::copysign(::exp(::log(::fabs(value)) + log_factor), value);
}

/// Pdf, tails and scores for x >= 0 along the contour.
template <Quantities quantities, bool near, class Worker = ByThread>
KOKKOS_INLINE_FUNCTION Evaluation evaluate_on(const StableDistribution& distribution, double x,
                                              double distance, const Contour& contour) {
  Evaluation v;
  v.pdf = 0;
  v.log_pdf = -INFINITY;
  v.sf = 0;
  v.log_small_tail = -INFINITY;
  v.d_x = v.d_alpha = v.d_beta = NAN;
  v.sf_alpha = v.sf_beta = 0;
  if (contour.region == Region::outside) return v;
  if (contour.far_light) {
    v.log_pdf = v.log_small_tail = contour.saddle_real;
    return v;
  }
  Sums heavy;  // along the ray or the first leg, in its unit
  const bool one_sided = contour.region != Region::core && distribution.imag_rise == 0;
  if (!one_sided || has_scores(quantities))
    heavy = integrate_contour_ray<quantities, near, Worker>(distribution, x, distance, contour);
  // the axis carries nothing of a distribution without this tail, apart from what the tail would
  // grow with
  if (one_sided) {
    heavy.f = heavy.sf = heavy.x = 0;
    if (distribution.beta == -1) heavy.alpha = heavy.sf_alpha = 0;
  }
  const double log_unit =
      contour.region == Region::two_legs ? contour.log_saddle : contour.rule.log_unit;
  const double unit = math::exponential(log_unit);
  const double floor = heavy.f > 0 ? ::log(heavy.f) + log_unit : -INFINITY;
  if (contour.region != Region::core && contour.has_saddle &&
      (heavy.f <= 0 || contour.saddle_real > floor - contour.log_saddle - 42)) {
    const double saddle_unit = math::exponential(contour.log_saddle);
    const Sums light = Worker::template along_path<quantities, near>(
        distribution, make_path(distribution, contour.log_saddle, contour.saddle_real,
                                contour.saddle_imag, saddle_width(distribution, contour)));
    const double top = floor > contour.saddle_real + contour.log_saddle
                           ? floor
                           : contour.saddle_real + contour.log_saddle;
    const double heavy_part = math::exponential(log_unit - top),
                 light_part = math::exponential(contour.saddle_real + contour.log_saddle - top);
    const double f = heavy.f * heavy_part + light.f * light_part;
    const double factor = contour.saddle_real > -700 ? ::exp(contour.saddle_real) : 0;
    v.log_pdf = top + ::log(f / kPi);
    v.pdf = top > -690 ? ::exp(top) * f / kPi : ::exp(v.log_pdf);
    v.sf = (heavy.sf + factor * light.sf) / kPi;
    if (quantities != Quantities::pdf && v.sf < kSmallTail) {
      v.log_small_tail = log_of_legs(heavy.sf, light.sf, contour.saddle_real);
      if (factor == 0) v.sf = ::exp(v.log_small_tail);
    }
    const double heavy_unit = heavy_part * unit / f, light_unit = light_part * saddle_unit / f;
    v.d_x = heavy_unit * heavy.x + light_unit * light.x;
    v.d_alpha = heavy_unit * heavy.alpha + light_unit * light.alpha;
    v.d_beta = heavy_unit * heavy.beta + light_unit * light.beta;
    // next to beta = 1 the light tail is that small beside the change of the heavy one
    if (has_scores(quantities) && log_unit - top > 699) {
      v.d_alpha = times_large(unit / f * heavy.alpha, log_unit - top) + light_unit * light.alpha;
      v.d_beta = times_large(unit / f * heavy.beta, log_unit - top) + light_unit * light.beta;
    }
    if constexpr (quantities == Quantities::tail_scores) {
      v.sf_alpha = (unit * heavy.sf_alpha + factor * saddle_unit * light.sf_alpha) / kPi;
      v.sf_beta = (unit * heavy.sf_beta + factor * saddle_unit * light.sf_beta) / kPi;
    }
    return v;
  }
  v.pdf = heavy.f * unit / kPi;
  v.log_pdf = ::log(heavy.f / kPi) + log_unit;
  v.sf = (contour.region == Region::core ? 0.5 - contour.phi / kPi : 0.0) + heavy.sf / kPi;
  if (quantities != Quantities::pdf && v.sf < kSmallTail) v.log_small_tail = ::log(v.sf);
  v.d_x = unit * (heavy.x / heavy.f);
  v.d_alpha = unit * (heavy.alpha / heavy.f);
  v.d_beta = unit * (heavy.beta / heavy.f);
  if constexpr (quantities == Quantities::tail_scores) {
    v.sf_alpha = unit * heavy.sf_alpha / kPi;
    v.sf_beta = unit * heavy.sf_beta / kPi;
  }
  return v;
}

/// Turns the evaluation at |x| of the reflected distribution into that of the distribution at x.
KOKKOS_INLINE_FUNCTION void finish(bool reflected, Quantities quantities, Evaluation& v) {
  v.cdf = 1 - v.sf;
  if (reflected) {
    const double sf = v.sf;
    v.sf = v.cdf;
    v.cdf = sf;
    v.d_x = -v.d_x;
    v.d_beta = -v.d_beta;
    v.sf_alpha = -v.sf_alpha;
  }
  if (quantities == Quantities::pdf) v.cdf = v.sf = v.log_small_tail = NAN;
  if (!has_scores(quantities)) v.d_x = v.d_alpha = v.d_beta = NAN;
  if (quantities != Quantities::tail_scores) v.sf_alpha = v.sf_beta = NAN;
}

/// The distances beyond which a tail is its power law to all digits: of every distribution, and of
/// those with alpha > 1/4, whose tails underflow farther out.
inline constexpr double kFarOut = 1e170, kFarOutEarlier = 1e130;

/// Returns whether contours do not serve x: far out in a power law, beyond kFarOut, at infinities
/// and NaN.
KOKKOS_INLINE_FUNCTION bool is_far_out(const StableDistribution& distribution, double x) {
  const double size = ::fabs(x);
  if (!(size < kFarOut)) return true;
  return size > kFarOutEarlier && distribution.alpha > 0.25 && distribution.alpha < 2 &&
         (x < 0 ? distribution.beta < 1 : distribution.beta > -1);
}

/// sf = Gamma(alpha) sin(pi alpha/2) (1 + beta)/pi x^-alpha and its derivatives, for x beyond
/// kFarOut; of x by its logarithm and inverse.
KOKKOS_INLINE_FUNCTION Evaluation evaluate_far_out(const StableDistribution& distribution,
                                                   double log_x, double inverse_x) {
  Evaluation v;
  // imag_rise = (1 + beta) sin(pi alpha/2)
  const double a = distribution.alpha, tail = distribution.imag_rise / kPi;
  v.log_pdf = tail > 0 ? ::lgamma(a + 1) + ::log(tail) - (a + 1) * log_x : -INFINITY;
  v.pdf = ::exp(v.log_pdf);
  v.log_small_tail = tail > 0 ? ::lgamma(a) + ::log(tail) - a * log_x : -INFINITY;
  v.sf = ::exp(v.log_small_tail);
  v.d_x = v.d_alpha = v.d_beta = NAN;
  v.sf_alpha = 0;
  v.sf_beta = distribution.cosine > 0
                  ? ::exp(::lgamma(a) + ::log(distribution.cosine / kPi) - a * log_x)
                  : 0;
  if (tail > 0) {
    constexpr double h = 0.01;  // the digamma function by differences, to 1e-9
    const double digamma = (8 * (::lgamma(a + 1 + h) - ::lgamma(a + 1 - h)) -
                            (::lgamma(a + 1 + 2 * h) - ::lgamma(a + 1 - 2 * h))) /
                           (12 * h);
    v.d_x = -(a + 1) * inverse_x;
    v.d_alpha = digamma - kHalfPi * distribution.sine / distribution.cosine - log_x;
    v.d_beta = 1 / (1 + distribution.beta);
    v.sf_alpha = v.sf * (v.d_alpha - 1 / a);
  }
  return v;
}

/// Evaluates a distribution at infinities and NaN.
KOKKOS_INLINE_FUNCTION Evaluation evaluate_not_finite(double x) {
  Evaluation v;
  const bool nan = x != x;
  v.pdf = nan ? x : 0;
  v.log_pdf = nan ? x : -INFINITY;
  v.cdf = nan ? x : (x > 0 ? 1 : 0);
  v.sf = nan ? x : (x > 0 ? 0 : 1);
  v.log_small_tail = nan ? x : -INFINITY;
  v.d_x = v.d_alpha = v.d_beta = NAN;
  v.sf_alpha = v.sf_beta = nan ? x : 0;
  return v;
}

/// Evaluates a distribution at points that contours do not serve: see is_far_out.
KOKKOS_INLINE_FUNCTION Evaluation evaluate_special(const StableDistribution& distribution, double x,
                                                   Quantities quantities) {
  if (!(::fabs(x) < INFINITY)) return evaluate_not_finite(x);
  Evaluation v = evaluate_far_out(x < 0 ? distribution.mirrored() : distribution, ::log(::fabs(x)),
                                  1 / ::fabs(x));
  finish(x < 0, quantities, v);
  return v;
}

/// Evaluates a distribution beyond the largest number: at the point of that sign and of this ln
/// |x|.
KOKKOS_INLINE_FUNCTION Evaluation evaluate_beyond_numbers(const StableDistribution& distribution,
                                                          bool negative, double log_x,
                                                          Quantities quantities) {
  Evaluation v = evaluate_far_out(negative ? distribution.mirrored() : distribution, log_x, 0);
  finish(negative, quantities, v);
  return v;
}

/// See evaluate_at in evaluate.hpp.
template <Quantities quantities, class Worker>
KOKKOS_INLINE_FUNCTION Evaluation evaluate_point(StableDistribution distribution, double x,
                                                 double distance) {
  if (is_far_out(distribution, x)) return evaluate_special(distribution, x, quantities);
  const bool reflected = x < 0 || (x == 0 && distribution.beta < 0);
  if (reflected) {
    distribution = distribution.mirrored();
    x = -x;
    distance = -distance;
  }
  const Contour contour =
      choose_contour<Worker>(distribution, x, distance, quantities == Quantities::pdf);
  Evaluation v = distribution.far || !has_scores(quantities)
                     ? evaluate_on<quantities, false, Worker>(distribution, x, distance, contour)
                     : evaluate_on<quantities, true, Worker>(distribution, x, distance, contour);
  finish(reflected, quantities, v);
  return v;
}

}  // namespace tessera::stable::detail
