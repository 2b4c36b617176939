// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"

/// Laws of observations y whose parameter is a predictor f:
///
/// | family | y | log p(y | f), without what does not depend on f |
/// |---|---|---|
/// | bernoulli_probit | 0, 1 | log Phi((2 y - 1) f) |
/// | bernoulli_logit | 0, 1 | y f - log(1 + e^f) |
/// | poisson | 0, 1, ... | y f - e^f |
/// | negative_binomial | 0, 1, ... | y f - (y + a) log(a + e^f), size a |
/// | gamma | > 0 | -a (f + y e^-f), shape a, mean e^f |
/// | student_t | any | -(b + 1) / 2 log(1 + (y - f)^2 / (a^2 b)), scale a, b degrees of freedom |
///
/// with the first derivative, the weight W = -d2 log p / df2, and dW / df. The logarithm of the
/// density of student_t is not concave; its W is Fisher's information (b + 1) / ((b + 3) a^2)
/// instead, which does not depend on f. The search for the mode takes the weight of a
/// parabola that lies below the logarithm everywhere, (b + 1) / (a^2 b + (y - f)^2), and near the
/// mode the second derivative where that has the right sign.
///
/// Domain: |f| <= 700 (student_t: any). Accuracy: value and slope 1e-13 relative to the largest of
/// their terms, weight and its derivative 1e-12 (tests/unit/gp_families.cpp).

namespace tessera::gp {

enum class ResponseFamily {
  gaussian,  ///< the exact and the Vecchia solver have it, without Laplace's approximation
  bernoulli_probit,
  bernoulli_logit,
  poisson,
  negative_binomial,
  gamma,
  student_t
};

/// Derivatives in the predictor.
struct ResponseSlopes {
  double value, slope, weight, weight_slope;
  double far_weight, near_weight;  ///< W of steps far from the mode, and near it
};

namespace detail {

/// log Phi(t) and what follows from the ratio r = phi(t) / Phi(t): r, r (t + r), and the derivative
/// of the latter. Below -5 by Mills' continued fraction, where t + r is found without cancellation.
KOKKOS_INLINE_FUNCTION ResponseSlopes log_normal_probability(double t) {
  constexpr double kLogRootTwoPi = 0.918938533204672741780, kRootHalf = 0.707106781186547524401;
  double value, ratio, sum;
  if (t < -5) {
    double tail = -t;
    for (int k = 40; k >= 2; --k) tail = -t + k / tail;
    sum = 1 / tail;
    ratio = sum - t;
    value = -0.5 * t * t - kLogRootTwoPi - compat::math::log(ratio);
  } else {
    const double upper = 0.5 * compat::math::erfc(t * kRootHalf);  // 1 - Phi(t)
    const double phi = compat::math::exp(-0.5 * t * t - kLogRootTwoPi);
    if (t > 0) {
      value = compat::math::log1p(-upper);
      ratio = phi / (1 - upper);
    } else {
      const double probability = 0.5 * compat::math::erfc(-t * kRootHalf);
      value = compat::math::log(probability);
      ratio = phi / probability;
    }
    sum = t + ratio;
  }
  return {value, ratio, ratio * sum, ratio * (1 - sum * (ratio + sum)), ratio * sum, ratio * sum};
}

}  // namespace detail

/// A family with its parameters.
struct Response {
  ResponseFamily family = ResponseFamily::poisson;
  double a = 1, b = 1;

  KOKKOS_INLINE_FUNCTION ResponseSlopes slopes(double y, double f) const {
    using compat::math::exp;
    using compat::math::log;
    using compat::math::log1p;
    switch (family) {
      case ResponseFamily::bernoulli_probit: {
        const double sign = 2 * y - 1;
        ResponseSlopes s = detail::log_normal_probability(sign * f);
        s.slope *= sign;
        s.weight_slope *= sign;
        return s;
      }
      case ResponseFamily::bernoulli_logit: {
        const double small = exp(f < 0 ? f : -f), share = 1 / (1 + small);
        const double p = f < 0 ? small * share : share, rest = f < 0 ? share : small * share;
        const double weight = small * share * share;
        return {y * f - (f < 0 ? 0 : f) - log1p(small),
                y > 0.5 ? rest : -p,
                weight,
                weight * (rest - p),
                weight,
                weight};
      }
      case ResponseFamily::poisson: {
        const double mean = exp(f);
        return {y * f - mean, y - mean, mean, mean, mean, mean};
      }
      case ResponseFamily::negative_binomial: {
        // share = e^f / (a + e^f)
        const double odds = exp(f) / a, share = odds / (1 + odds), rest = 1 / (1 + odds);
        const double weight = (y + a) * share * rest;
        return {y * f - (y + a) * (log(a) + log1p(odds)),
                y * rest - a * share,
                weight,
                weight * (rest - share),
                weight,
                weight};
      }
      case ResponseFamily::gamma: {
        const double weight = a * y * exp(-f);
        return {-a * f - weight, weight - a, weight, -weight, weight, weight};
      }
      case ResponseFamily::student_t: {
        const double z = (y - f) / a, square = z * z / b;
        const double pull = (b + 1) / (b * a * a * (1 + square));
        return {-0.5 * (b + 1) * log1p(square),
                pull * z * a,
                (b + 1) / ((b + 3) * a * a),
                0,
                pull,
                compat::max(pull * (1 - square) / (1 + square), 0.0)};
      }
      case ResponseFamily::gaussian:
        break;
    }
    return {0, 0, 0, 0, 0, 0};
  }
};

/// The names of the parameters a and b, as far as the family has them.
std::vector<std::string> response_parameters(ResponseFamily family);

/// Returns whether e^f is the mean, so that observations may have an exposure.
bool has_log_link(ResponseFamily family);

/// Returns what is wrong with an observation, such as "is not 0 or 1"; empty: nothing.
std::string check_response(ResponseFamily family, double y);

/// The part of log p(y | f) that does not depend on f, summed over observations.
double log_normaliser(const Response& response, const std::vector<double>& values);

}  // namespace tessera::gp
