// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/law/ray.hpp"

/// The choice of a contour for the inversion integral, for x >= 0 (after reflection):
///
///   tail      the imaginary axis, cut where the integrand has vanished: no cancellation, so tails
///             keep their relative accuracy
///   two legs  the axis to a saddle tau*, then the path of steepest descent: light tails, |beta| near 1
///   core      a ray on which the integrand neither oscillates nor cancels, its angle that of the
///             path on which E is real and E = -4
///   outside   alpha < 1, beta = -1 and x beyond the end of the support
///
/// A tail may need the saddle's second leg too ("corner"), when that is not small beside the
/// density; this is known only after the first.

namespace tessera::stable::detail {

enum class Region : int { outside, tail, two_legs, core };

struct Contour {
  Region region = Region::outside;
  bool has_saddle = false;  ///< a minimum of Re E on the axis, where a corner is possible
  bool far_light = false;   ///< so far out in a light tail that log pdf = saddle_real
  double log_saddle = 0, saddle_real = 0, saddle_imag = 0;
  double phi = kHalfPi;  ///< of the ray
  RayRule rule{};
};

/// The stationary point of Re E on the imaginary axis.
struct Stationary {
  bool exists = false, minimum = false;
  double log_tau = 0, real = 0, imag = 0;
};

/// Re E at tau = e^log_tau on the axis, its derivative in ln tau, and Im E.
KOKKOS_INLINE_FUNCTION double axis_real(const StableDistribution& distribution, double x,
                                        double distance, double log_tau, double& imag,
                                        double& derivative) {
  const double tau = math::exponential(log_tau);
  if (distribution.far) {
    const double power = math::exponential(distribution.alpha * log_tau);
    imag = power * distribution.imag_rise;
    const double u = -distribution.real_rise * power, v = -distance * tau;
    derivative = distribution.alpha * u + v;
    return u + v;
  }
  double less_one;
  const double power = math::exponential(distribution.excess * log_tau, less_one);
  const double q = less_one * distribution.inverse_sine + log_tau * distribution.log_factor;
  const double skew = distribution.beta * distribution.cosine * distribution.cosine;
  imag = tau * power * distribution.imag_rise;
  const double c =
      power * distribution.sine - x - skew * q + distribution.beta * distribution.half_tangent;
  derivative = tau * (c + distribution.excess * power * distribution.sine -
                      skew * power * distribution.ratio);
  return tau * c;
}

KOKKOS_INLINE_FUNCTION Stationary find_stationary(const StableDistribution& distribution, double x,
                                                  double distance) {
  Stationary s;
  s.minimum = distribution.at_one
                  ? distribution.beta < 0
                  : distribution.sine * distribution.sine >
                        distribution.beta * distribution.cosine * distribution.cosine;
  if (distribution.far) {
    const double q = -distance / (distribution.alpha * distribution.real_rise);
    s.exists = q > 0;
    if (s.exists) s.log_tau = ::log(q) / distribution.excess;
  } else if (distribution.at_one) {
    s.exists = distribution.beta != 0;
    if (s.exists) s.log_tau = -kHalfPi * x / distribution.beta - 1;
  } else if (distribution.beta != 0) {
    const double q = distribution.sine / (distribution.beta * distribution.cosine);
    // 1 - cos h
    const double numerator = -q * x,
                 half = distribution.sine * distribution.sine / (1 + distribution.cosine);
    const double denominator = -half - q * distribution.sine;
    s.exists = (1 + numerator) * (1 + denominator) > 0;
    if (s.exists) {
      s.log_tau = ((numerator > -0.5 ? ::log1p(numerator) : ::log(::fabs(1 + numerator))) -
                   (denominator > -0.5 ? ::log1p(denominator) : ::log(::fabs(1 + denominator))) -
                   ::log1p(distribution.excess)) /
                  distribution.excess;
    }
  } else {
    const double q = x / (distribution.alpha * distribution.sine);
    s.exists = q > 0;
    if (s.exists) s.log_tau = ::log(q) / distribution.excess;
  }
  if (!s.exists) return s;
  if (s.log_tau >= 690) {
    s.real = s.minimum ? -1e300 : 1e300;
    s.imag = 1e300;
  } else if (s.log_tau > -690) {
    double derivative;
    s.real = axis_real(distribution, x, distance, s.log_tau, s.imag, derivative);
  }
  return s;
}

/// Returns whether the saddle carries the density: the integral then goes through it.
KOKKOS_INLINE_FUNCTION bool saddle_rules(const Stationary& s) {
  const double depth = -s.real;
  return s.exists && s.minimum && s.imag < 45 &&
         ((depth > 8 && s.imag < 1.5 * depth) || (depth > 1 && s.imag < 1.3 * depth));
}

/// The end of the axis ray, where Re E = -cut; false when there is none to use. `log_derivative`: d
/// ln(-Re E)/d ln tau there.
KOKKOS_INLINE_FUNCTION bool find_tail_end(const StableDistribution& distribution, double x,
                                          double distance, const Stationary& s, double& log_end,
                                          double& log_derivative) {
  const bool limited = s.exists && s.minimum;
  const double coordinate = distribution.far ? distance : x, size = ::fabs(coordinate);
  log_end =
      ::log(distribution.cut / (distribution.far ? size + 1e-300 : (size > 1e-3 ? size : 1e-3)));
  if (distribution.far && distribution.real_rise > 0) {
    const double other = ::log(distribution.cut / distribution.real_rise) / distribution.alpha;
    if (other < log_end || coordinate < 0) log_end = other;
  }
  if (s.exists && !s.minimum && s.log_tau > log_end) log_end = s.log_tau + 1;
  if (limited && log_end > s.log_tau) log_end = s.log_tau - 0.3;
  double imag, rise;
  bool found = false;
  for (int k = 0; k < 12 && !found; ++k) {
    const double real = axis_real(distribution, x, distance, log_end, imag, rise);
    if (real >= -1e-3) {
      log_end += 1.5;
    } else {
      log_derivative = rise / real;
      double step = ::log(distribution.cut / -real) / (log_derivative > 0.1 ? log_derivative : 0.1);
      step = step > 4 ? 4 : (step < -4 ? -4 : step);
      log_end += step;
      found = ::fabs(step) < 0.05;
    }
    if (limited && log_end > s.log_tau) log_end = s.log_tau;
  }
  const double real = axis_real(distribution, x, distance, log_end, imag, rise);
  log_derivative = rise / real;
  return found && real < -0.85 * distribution.cut && imag < 45;
}

/// Returns the number of nodes from `start` to the u where u - e^-u passes `reach` (> 1).
KOKKOS_INLINE_FUNCTION int count_nodes(double start, double step, double reach) {
  double u = reach;
  for (int k = 0; k < 3; ++k) u = reach + math::exponential(-u);
  return static_cast<int>((u - start) / step) + 1;
}

inline constexpr double kTailStep = 0.12, kCoreStep = 0.09, kCoreFineStep = 0.054;

/// The first u of a rule. To the left of it the integrand, which vanishes like a power of r, is
/// negligible.
KOKKOS_INLINE_FUNCTION double first_node(const StableDistribution& distribution, bool core,
                                         bool pdf_only, double stretch) {
  const double power = core ? (!pdf_only && distribution.alpha < 1 ? distribution.alpha : 1.0)
                            : (pdf_only ? 1 + distribution.alpha : distribution.alpha);
  return -::log(37.0 / (stretch * power) + 2);
}

KOKKOS_INLINE_FUNCTION void set_tail_rule(const StableDistribution& distribution,
                                          const Stationary& s, double log_end,
                                          double log_derivative, bool pdf_only, Contour& contour) {
  const double least = distribution.alpha < 1 ? distribution.alpha : 1;
  const double stretch =
      1 / (log_derivative > 1 ? 1 : (log_derivative > least ? log_derivative : least));
  const double log_cut = ::log(distribution.cut);
  // The rule goes beyond the end by the possible error of Newton's method.
  double reach = log_cut + 0.07 / stretch;
  if (s.exists && s.minimum) {
    const double limit = (s.log_tau - log_end) / stretch + log_cut;
    if (limit < reach) reach = limit;
  }
  const double start = first_node(distribution, false, pdf_only, stretch);
  contour.rule = {log_end - log_cut * stretch, stretch, start, kTailStep,
                  count_nodes(start, kTailStep, reach)};
}

/// Returns whether the path of real E has E < -4 where it crosses the ray of this angle.
KOKKOS_INLINE_FUNCTION bool is_beyond_height(const StableDistribution& distribution, double x,
                                             double distance, double phi) {
  constexpr double kHeight = 4;
  Ray ray = make_direction(distribution, phi);
  const double s1 = ray.sine, c1 = ray.cosine;
  double ln_r;
  if (distribution.at_one) {
    ln_r = (-x * c1 + 2 * distribution.beta / kPi * phi * s1 + s1) * kHalfPi /
           (distribution.beta * c1);
  } else {
    // sine and cosine of alpha phi
    const double s2 = ray.sine_d * c1 + ray.cosine_d * s1, c2 = ray.cosine_d * c1 - ray.sine_d * s1;
    const double denominator = distribution.zeta * c2 - s2;
    if (distribution.far) {
      ln_r = ::log(::fabs(distance * c1 / denominator)) / distribution.excess;
    } else {
      const double z = (-x * c1 + s2 +
                        distribution.beta * distribution.cosine *
                            (c1 * ray.two_sine_sq + s1 * ray.sine_d_ratio)) /
                       denominator;
      ln_r = (z > -1 ? ::log1p(z) : ::log(::fabs(1 + z))) / distribution.excess;
    }
  }
  if (ln_r > 600) return true;
  if (ln_r < -600) return false;
  set_point(distribution, x, distance, 1.0, ray);
  return -exponent_at(distribution, ray, ln_r, math::exponential(ln_r)).real > kHeight;
}

/// The angle at which the path of real E has E = -4: nine bisections of a monotone closed form.
template <class Worker>
KOKKOS_INLINE_FUNCTION double core_angle(const StableDistribution& distribution, double x,
                                         double distance) {
  constexpr int kBisections = 9;
  if (distribution.beta == 0 && ::fabs(distribution.excess) < 1e-6) return ::atan(x);
  const double psi =
      (distribution.at_one
           ? (distribution.beta > 0 ? kHalfPi : (distribution.beta < 0 ? -kHalfPi : 0))
           : ::atan(distribution.zeta)) /
      distribution.alpha;
  if (distance == 0 && !distribution.at_one) return psi;
  const bool right = distribution.at_one ? distribution.beta < 0 : distance > 0;
  double low = right ? psi : -kHalfPi, high = right ? kHalfPi : psi;
  if (distribution.at_one) {
    low = -kHalfPi;
    high = kHalfPi;
  }
  const bool falling =
      distribution.at_one ? distribution.beta < 0 : (distribution.excess < 0 ? !right : right);
  return Worker::bisect(low, high, kBisections, [&](double phi) {
    return is_beyond_height(distribution, x, distance, phi) == falling;
  });
}

KOKKOS_INLINE_FUNCTION double within_half_plane(double phi) {
  return phi > 1.5 ? 1.5 : (phi < -1.5 ? -1.5 : phi);
}

/// Returns whether the saddle is so near the rays of the core that they need finer steps.
KOKKOS_INLINE_FUNCTION bool saddle_is_near(const Stationary& s) {
  return s.exists && s.minimum && s.real < -0.5 && s.imag < -2.5 * s.real;
}

/// The ray through the core, tilted back until the integrand falls all the way down to the cut.
template <class Worker>
KOKKOS_INLINE_FUNCTION void set_core(const StableDistribution& distribution, double x,
                                     double distance, bool near_saddle, bool pdf_only,
                                     Contour& contour) {
  constexpr double kHeight = 4;
  double phi = within_half_plane(core_angle<Worker>(distribution, x, distance));
  double ln_r, log_derivative = 1, log_end = 0;
  if (distribution.far) {
    ln_r = (::log(kHeight) - 0.5 * ::log(1 + distribution.zeta * distribution.zeta)) /
           distribution.alpha;
    if (distance != 0) {
      const double other = ::log(kHeight / ::fabs(distance));
      if (other < ln_r) ln_r = other;
    }
  } else {
    ln_r = ::log(kHeight / ::sqrt(1 + x * x));
  }
  const double tilt = phi > 0 ? 0.12 : -0.12;
  for (int attempt = 0; attempt < 14; ++attempt) {
    Ray ray = make_direction(distribution, phi);
    set_point(distribution, x, distance, 1.0, ray);
    for (int k = 0; k < 5; ++k) {
      const Exponent e = exponent_at(distribution, ray, ln_r, math::exponential(ln_r));
      const double er = e.power * ray.cosine_d, ei = -e.power * ray.sine_d,
                   kr = distribution.excess,
                   ki = distribution.beta * distribution.cosine * distribution.ratio;
      const double zr = -(er * kr - ei * ki), zi = -(er * ki + ei * kr);
      const double rise = e.real + e.tr * zr - e.ti * zi;
      if (e.real > -1e-3) {
        ln_r += 1;
        continue;
      }
      log_derivative = rise / e.real;
      const double step = ::log(kHeight / -e.real) / (log_derivative > 0.1 ? log_derivative : 0.1);
      ln_r += step > 3 ? 3 : (step < -3 ? -3 : step);
      if (::fabs(step) < 0.1) break;
    }
    bool falls = false;
    if (log_derivative > 0.1) {
      double previous = -kHeight;
      const double stride = 0.6 / (log_derivative < 1 ? log_derivative : 1);
      for (int j = 1; j < 9 && !falls; ++j) {
        log_end = ln_r + stride * j;
        const double real =
            exponent_at(distribution, ray, log_end, math::exponential(log_end)).real;
        if (real < -distribution.cut) {
          falls = true;
          // -Re E grows about as a power of r between the last two.
          const double over = ::log(real / -distribution.cut) / ::log(real / previous);
          log_end -= stride * (over < 1 ? 0.9 * over : 0.0);
        } else if (!(real < previous - 0.15 * kHeight)) {
          break;
        } else {
          previous = real;
        }
      }
    }
    if (falls) break;
    phi -= tilt;
    log_end = ln_r + 8;
  }
  phi = within_half_plane(phi);
  if (!(log_derivative > 0.1)) log_derivative = 0.1;
  if (log_derivative < distribution.alpha && distribution.alpha < 1)
    log_derivative = distribution.alpha;
  const double stretch = log_derivative < 1 ? 1 / log_derivative : 1.0;
  const double log_unit = ln_r - ::log(kHeight) / log_derivative;
  const double step = near_saddle ? kCoreFineStep : kCoreStep;
  const double start = first_node(distribution, true, pdf_only, stretch);
  double reach = (log_end - log_unit) / stretch;
  if (reach < 1.5) reach = 1.5;
  contour.phi = phi;
  contour.rule = {log_unit, stretch, start, step, count_nodes(start, step, reach)};
}

/// The contour for x >= 0 (and beta >= 0 at x = 0), except the ray through the core. `distance` is
/// x - zeta.
KOKKOS_INLINE_FUNCTION Contour choose_region(const StableDistribution& distribution, double x,
                                             double distance, const Stationary& s, bool pdf_only) {
  Contour contour;
  if (distribution.beta == -1 && distribution.alpha < 1 && distance >= 0) return contour;
  const bool minimum = s.exists && s.minimum;
  contour.has_saddle = minimum && s.log_tau < 690;
  contour.log_saddle = s.log_tau;
  contour.saddle_real = s.real;
  contour.saddle_imag = s.imag;
  const bool light = saddle_rules(s);
  if (light && s.real < -1e15 && distribution.imag_rise == 0) {
    contour.region = Region::two_legs;
    contour.far_light = true;
    return contour;
  }
  bool tail =
      !s.exists || (minimum ? s.real < -distribution.cut : (s.real < 0.5 || s.log_tau <= -690));
  double log_end = 0, log_derivative = 1;
  if (tail) tail = find_tail_end(distribution, x, distance, s, log_end, log_derivative);
  contour.region = tail ? Region::tail : light ? Region::two_legs : Region::core;
  if (tail) set_tail_rule(distribution, s, log_end, log_derivative, pdf_only, contour);
  return contour;
}

/// The whole contour.
template <class Worker>
KOKKOS_INLINE_FUNCTION Contour choose_contour(const StableDistribution& distribution, double x,
                                              double distance, bool pdf_only) {
  const Stationary s = find_stationary(distribution, x, distance);
  Contour contour = choose_region(distribution, x, distance, s, pdf_only);
  if (contour.region == Region::core)
    set_core<Worker>(distribution, x, distance, saddle_is_near(s), pdf_only, contour);
  return contour;
}

}  // namespace tessera::stable::detail
