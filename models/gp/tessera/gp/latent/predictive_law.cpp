// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/latent/predictive_law.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tessera::gp {

namespace {

constexpr double kFarthest = 9;  // standard deviations of the predictor that count
constexpr std::size_t kFirstCounts = 64, kMostCounts = 4096;

bool is_binary(ResponseFamily family) {
  return family == ResponseFamily::bernoulli_logit || family == ResponseFamily::bernoulli_probit;
}
bool is_count(ResponseFamily family) {
  return family == ResponseFamily::poisson || family == ResponseFamily::negative_binomial;
}

/// The probability of at most y, given f.
double conditional_probability(const Response& r, double f, double y) {
  const double mean = std::exp(f);
  switch (r.family) {
    case ResponseFamily::poisson:
      return boost::math::gamma_q(y + 1, mean);
    case ResponseFamily::negative_binomial:
      return boost::math::ibeta(r.a, y + 1, r.a / (r.a + mean));
    case ResponseFamily::gamma:
      return boost::math::gamma_p(r.a, r.a * y / mean);
    case ResponseFamily::student_t:
      return cdf(boost::math::students_t_distribution<double>(r.b), (y - f) / r.a);
    default:
      return 0;
  }
}

/// The density of T at a given y, which has its only peak at `peak` and about that width.
struct Threshold {
  const Response& r;
  double y, peak = 0, width = 1, highest = 0;

  Threshold(const Response& response, double at) : r(response), y(at) {
    const double k = y + 1;
    switch (r.family) {
      case ResponseFamily::poisson:  // T = log of a gamma number of shape y + 1
        peak = std::log(k);
        width = 1 / std::sqrt(k);
        highest = k * boost::math::gamma_p_derivative(k, k);
        break;
      case ResponseFamily::negative_binomial: {  // T = log a + logit of a beta number
        const double share = k / (k + r.a);
        peak = std::log(k);
        width = std::sqrt(1 / k + 1 / r.a);
        highest = share * (1 - share) * boost::math::ibeta_derivative(k, r.a, share);
        break;
      }
      case ResponseFamily::gamma:  // T = log(a y) - log of a gamma number of shape a
        peak = std::log(y);
        width = 1 / std::sqrt(r.a);
        highest = r.a * boost::math::gamma_p_derivative(r.a, r.a);
        break;
      default:  // T = y - a times a number of Student's t
        peak = y;
        width = r.a;
        highest = 1 / (r.a * std::sqrt(r.b) * boost::math::beta(0.5, 0.5 * r.b));
    }
  }

  double density(double t) const {
    const double k = y + 1, u = t - peak;
    double exponent = 0;
    switch (r.family) {
      case ResponseFamily::poisson:
        exponent = k * (u - std::expm1(u));
        break;
      case ResponseFamily::negative_binomial:
        exponent = k * u - (k + r.a) * std::log1p(k / (k + r.a) * std::expm1(u));
        break;
      case ResponseFamily::gamma:
        exponent = -r.a * (u + std::expm1(-u));
        break;
      default:
        exponent = -0.5 * (r.b + 1) * std::log1p(u * u / (r.a * r.a * r.b));
    }
    return highest * std::exp(exponent);
  }
};

/// F(y) for y in the range of the family.
double integrate_threshold(const Response& response, const Moments& predictor, double y) {
  const double deviation = std::sqrt(predictor.variance);
  const Threshold threshold(response, y);
  if (!(deviation > 1e-9 * threshold.width))
    return conditional_probability(response, predictor.mean, y);
  const double low = predictor.mean - kFarthest * deviation,
               high = predictor.mean + kFarthest * deviation;
  std::array<double, 6> ends{low,
                             high,
                             predictor.mean,
                             threshold.peak - 6 * threshold.width,
                             threshold.peak,
                             threshold.peak + 6 * threshold.width};
  for (double& end : ends) end = std::clamp(end, low, high);
  std::sort(ends.begin(), ends.end());
  const auto integrand = [&](double t) {
    return threshold.density(t) * 0.5 *
           std::erfc((predictor.mean - t) / (deviation * std::sqrt(2.0)));
  };
  double sum = conditional_probability(response, high, y);
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    const double nearest = std::clamp(threshold.peak, ends[k], ends[k + 1]);
    if (!(threshold.density(nearest) * (ends[k + 1] - ends[k]) > 1e-13)) continue;
    sum += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(integrand, ends[k],
                                                                         ends[k + 1], 10, 1e-7);
  }
  return std::clamp(sum, 0.0, 1.0);
}

double log_density(const Response& response, double y, double f) {
  return response.slopes(y, f).value + log_normaliser(response, {y});
}

/// F(0), F(1), ... by the trapezoidal rule over the predictor; its spacing is half of the narrowest
/// term, so that its error is below rounding.
std::vector<double> probabilities_of_counts(const Response& r, const Moments& predictor,
                                            std::size_t count) {
  const double deviation = std::sqrt(predictor.variance),
               spacing = 0.5 * std::min(deviation, 1 / std::sqrt(static_cast<double>(count)));
  const auto nodes =
      static_cast<std::int64_t>(deviation > 1e-12 ? std::ceil(kFarthest * deviation / spacing) : 0);
  const bool is_poisson = r.family == ResponseFamily::poisson;
  std::vector<double> probability(count, 0.0);
  for (std::int64_t j = -nodes; j <= nodes; ++j) {
    const double step = spacing * static_cast<double>(j), z = nodes > 0 ? step / deviation : 0,
                 f = predictor.mean + step, mean = std::exp(f);
    const double weight =
        nodes > 0 ? 0.398942280401432677940 * std::exp(-0.5 * z * z) * spacing / deviation : 1;
    const double share = mean / (r.a + mean);
    // Terms before the first may be below the smallest numbers.
    const double spread = std::sqrt(is_poisson ? mean : mean + mean * mean / r.a),
                 first = std::floor(std::max(mean - 12 * spread, 0.0));
    if (!(first < static_cast<double>(count))) continue;
    double term = weight * std::exp(log_density(r, first, f));
    for (auto k = static_cast<std::size_t>(first); k < count; ++k) {
      probability[k] += term;
      const double next = static_cast<double>(k + 1);
      term *= is_poisson ? mean / next : share * (next - 1 + r.a) / next;
    }
  }
  for (std::size_t k = 1; k < count; ++k) probability[k] += probability[k - 1];
  return probability;
}

/// The standard deviation of log y (student_t: of y), about.
double spread_of_law(const Response& r, const Moments& predictor) {
  const double own = r.family == ResponseFamily::student_t ? r.a * r.a
                     : r.family == ResponseFamily::gamma
                         ? 1 / r.a
                         : std::min(std::exp(-predictor.mean), 1.0) +
                               (r.family == ResponseFamily::poisson ? 0 : 1 / r.a);
  return std::sqrt(predictor.variance + own);
}

/// The integral of a positive function from `start` on, as far as `end`, in panels from `width` (of
/// either sign) on, each longer by `growth` than the one before; it ends where panels no longer
/// count.
template <class Function>
double integrate_outward(const Function& function, double start, double end, double width,
                         double growth) {
  double total = 0;
  for (int panel = 0; panel < 400 && start != end; ++panel, width *= growth) {
    const double next = width > 0 ? std::min(start + width, end) : std::max(start + width, end);
    const double part = std::fabs(
        boost::math::quadrature::gauss_kronrod<double, 15>::integrate(function, start, next, 0));
    total += part;
    if (!(part > 1e-9 * total)) break;
    start = next;
  }
  return total;
}

/// The sum of F(k)^2, or of (1 - F(k))^2, over counts first <= k < last, by the formula of Euler
/// and Maclaurin with the derivatives to the first.
double sum_of_squares(const Response& response, const Moments& predictor, bool of_upper,
                      double first, double last) {
  const auto square = [&](double k) {
    const double below = integrate_threshold(response, predictor, k),
                 value = of_upper ? 1 - below : below;
    return value * value;
  };
  const auto in_logarithm = [&](double x) { return square(std::exp(x)) * std::exp(x); };
  const auto correction = [&](double k) {
    return 0.5 * square(k) - (square(k + 0.5) - square(k - 0.5)) / 12;
  };
  const double width = spread_of_law(response, predictor), low = std::log(first),
               infinity = std::numeric_limits<double>::infinity();
  double sum = of_upper ? integrate_outward(in_logarithm, low, std::log(last), width, 1)
                        : integrate_outward(in_logarithm, std::log(last), low, -width, 1);
  sum += correction(first);
  return last < infinity ? sum - correction(last) : sum;
}

double crps_of_count(const Response& response, const Moments& predictor, double y) {
  std::vector<double> probability;
  std::size_t count = kFirstCounts;
  for (; count <= kMostCounts; count *= 2) {
    probability = probabilities_of_counts(response, predictor, count);
    if (y < static_cast<double>(count) && 1 - probability.back() < 1e-6) break;
  }
  const bool is_whole = count <= kMostCounts;
  if (!is_whole) probability.resize(kFirstCounts);
  double sum = 0;
  for (std::size_t k = 0; k < probability.size(); ++k) {
    const double error = probability[k] - (static_cast<double>(k) >= y ? 1 : 0);
    sum += error * error;
  }
  if (is_whole) return sum;
  const auto first = static_cast<double>(kFirstCounts);
  if (y > first) sum += sum_of_squares(response, predictor, false, first, y);
  return sum + sum_of_squares(response, predictor, true, std::max(y, first),
                              std::numeric_limits<double>::infinity());
}

/// Returns where an increasing function passes p, by steps from `start` on and then within them.
template <class Function>
double find_crossing(const Function& function, double start, double step, double p) {
  double low = start, high = start;
  for (; function(low) >= p; step *= 2) {
    high = low;
    low -= step;
  }
  for (; function(high) < p; step *= 2) {
    low = high;
    high += step;
  }
  std::uintmax_t steps = 200;
  const auto [below, above] =
      boost::math::tools::toms748_solve([&](double x) { return function(x) - p; }, low, high,
                                        boost::math::tools::eps_tolerance<double>(40), steps);
  return 0.5 * (below + above);
}

/// The same among integers.
double quantile_of_count(const Response& response, const Moments& predictor, double p) {
  const auto reaches = [&](double k) {
    return predictive_probability(response, predictor, k) >= p;
  };
  const double centre = std::floor(std::exp(predictor.mean));
  double step = std::max(std::floor(centre * spread_of_law(response, predictor)), 1.0),
         high = centre, low = centre;
  for (; !reaches(high); step *= 2) {
    low = high;
    high += step;
  }
  for (; low >= 0 && reaches(low); step *= 2) {
    high = low;
    low = std::max(low - step, -1.0);
  }
  while (high - low > 1) {
    const double middle = std::floor(0.5 * (low + high));
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

double predictive_probability(const Response& response, const Moments& predictor, double y) {
  if (is_binary(response.family))
    return y < 0 ? 0 : y < 1 ? 1 - predict_response(response, predictor).mean : 1;
  if (is_count(response.family)) y = std::floor(y);
  if (response.family != ResponseFamily::student_t &&
      (y < 0 || (y == 0 && !is_count(response.family))))
    return 0;
  return integrate_threshold(response, predictor, y);
}

double predictive_quantile(const Response& response, const Moments& predictor, double p) {
  if (is_binary(response.family))
    return predictive_probability(response, predictor, 0) >= p ? 0 : 1;
  if (is_count(response.family)) return quantile_of_count(response, predictor, p);
  const double step = spread_of_law(response, predictor);
  const bool is_gamma = response.family == ResponseFamily::gamma;
  const auto probability = [&](double x) {
    return predictive_probability(response, predictor, is_gamma ? std::exp(x) : x);
  };
  const double x = find_crossing(probability, predictor.mean, step, p);
  return is_gamma ? std::exp(x) : x;
}

double predictive_crps(const Response& response, const Moments& predictor, double y) {
  if (is_binary(response.family)) {
    const double error = y - predict_response(response, predictor).mean;
    return error * error;
  }
  if (is_count(response.family)) return crps_of_count(response, predictor, y);
  const double infinity = std::numeric_limits<double>::infinity();
  const bool is_gamma = response.family == ResponseFamily::gamma;
  if (!is_gamma && response.b <= 0.5) return infinity;
  const auto square = [&](double x, bool of_upper) {
    const double at = is_gamma ? std::exp(x) : x,
                 below = predictive_probability(response, predictor, at),
                 value = of_upper ? 1 - below : below;
    return value * value * (is_gamma ? at : 1);
  };
  const double start = is_gamma ? std::log(y) : y, width = 1.5 * spread_of_law(response, predictor),
               growth = is_gamma ? 1 : 1.2;
  return integrate_outward([&](double x) { return square(x, false); }, start, -infinity, -width,
                           growth) +
         integrate_outward([&](double x) { return square(x, true); }, start, infinity, width,
                           growth);
}

}  // namespace tessera::gp
