// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/covariance/bivariate_bound.hpp"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace tessera::gp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFar = 1e300;  // a frequency that stands for infinity

/// The ratio of spectral densities as a function of s = (t beta_12)^2: with p_i = (beta_12 /
/// beta_i)^2,
///
///     f_1 f_2 / f_12^2 = g_1 g_2 / g_12^2 (p_1 p_2)^(-d/2) (1 + s)^A / ((1 + s / p_1)^B_1 (1 + s / p_2)^B_2),
///     A = 2 nu_12 + d,  B_i = nu_i + d / 2.
class SpectralRatio {
 public:
  SpectralRatio(const BivariateMatern& pair, int dimension)
      : m_half(0.5 * dimension), m_excess(pair.excess) {
    m_cross = 0.5 * (pair.nu[0] + pair.nu[1]) + pair.excess;
    for (int i = 0; i < 2; ++i) {
      const double ratio = pair.cross_range / pair.range[i];
      m_nu[i] = pair.nu[i];
      m_p[i] = ratio * ratio;
    }
    m_gamma =
        0.5 * (log_gamma_ratio(m_nu[0]) + log_gamma_ratio(m_nu[1])) - log_gamma_ratio(m_cross);
  }

  /// Returns half the logarithm of the ratio.
  double half_log(double s) const {
    const double *const p = m_p, *const nu = m_nu;
    if (s <= std::max({1.0, p[0], p[1]})) {
      double sum = (2 * m_cross + 2 * m_half) * std::log1p(s);
      for (int i = 0; i < 2; ++i) sum -= (nu[i] + m_half) * std::log1p(s / p[i]);
      return m_gamma - 0.5 * m_half * std::log(p[0] * p[1]) + 0.5 * sum;
    }
    // the same without powers of s that cancel
    double sum = nu[0] * std::log(p[0]) + nu[1] * std::log(p[1]);
    if (m_excess > 0) sum += 2 * m_excess * std::log(s);
    if (std::isinf(s)) return m_gamma + 0.5 * sum;
    sum += (2 * m_cross + 2 * m_half) * std::log1p(1 / s);
    for (int i = 0; i < 2; ++i) sum -= (nu[i] + m_half) * std::log1p(p[i] / s);
    return m_gamma + 0.5 * sum;
  }

  /// Returns where the ratio may be least.
  std::vector<double> candidates() const {
    const double p = m_p[0], q = m_p[1], a = m_nu[0] + m_half, b = m_nu[1] + m_half;
    // the sign of the derivative is that of two s^2 + one s + none
    const double two = 2 * m_excess, one = a * (p - 1) + b * (q - 1) + 2 * m_excess * (p + q),
                 none = a * q * (p - 1) + b * p * (q - 1) + 2 * m_excess * p * q;
    std::vector<double> s{0};
    const double discriminant = one * one - 4 * two * none;
    if (discriminant >= 0) {  // without cancellation
      const double sum = -0.5 * (one + std::copysign(std::sqrt(discriminant), one));
      for (const double root : {none / sum, sum / two}) {
        if (root > 0) s.push_back(std::min(root, kFar));
      }
    }
    if (m_excess == 0) s.push_back(kInfinity);
    return s;
  }

  /// Returns the bound where the ratio is least at s, which its derivatives take as it is.
  BivariateBound at(double s) const {
    BivariateBound bound;
    bound.value = std::exp(half_log(s));
    const double far = std::min(s, kFar), by_cross = -gamma_slope(m_cross) + std::log1p(far);
    for (int i = 0; i < 2; ++i) {
      const double p = m_p[i];
      // log((1 + s) / (1 + s / p))
      const double logarithm =
          s > 1 ? std::log(p * (1 / far + 1) / (p / far + 1)) : std::log1p(s) - std::log1p(s / p);
      bound.by_nu[i] = 0.5 * (gamma_slope(m_nu[i]) - gamma_slope(m_cross) + logarithm);
      // twice the derivative by log p
      const double by_p = -m_half + (m_nu[i] + m_half) / (p / far + 1);
      bound.by_range[i] = -by_p;
      bound.by_cross_range += by_p;
    }
    bound.by_excess = by_cross;
    return bound;
  }

 private:
  double log_gamma_ratio(double nu) const { return std::lgamma(nu + m_half) - std::lgamma(nu); }
  double gamma_slope(double nu) const {
    return boost::math::digamma(nu + m_half) - boost::math::digamma(nu);
  }

  double m_half, m_excess, m_cross, m_gamma;
  double m_nu[2], m_p[2];
};

}  // namespace

BivariateBound largest_cross_correlation(const BivariateMatern& pair, int dimension) {
  if (pair.excess < 0) return {};
  const SpectralRatio ratio(pair, dimension);
  double least = 0, value = ratio.half_log(0);
  for (const double s : ratio.candidates()) {
    const double other = ratio.half_log(s);
    if (!(other < value)) continue;
    least = s;
    value = other;
  }
  BivariateBound bound = ratio.at(least);
  for (int i = 0; i < 2; ++i) bound.by_range[i] /= pair.range[i];
  bound.by_cross_range /= pair.cross_range;
  return bound;
}

}  // namespace tessera::gp
