// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/fill/transform.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tessera/core/math/scores.hpp"
#include "tessera/mpr/lattice/calibration.hpp"
#include "tessera/mpr/lattice/rotator.hpp"

namespace tessera::mpr {

namespace {

/// S. Baran, S. Lerch, Quarterly Journal of the Royal Meteorological Society 141 (2015) 2289-2299,
/// Eq. 5.
double lognormal_crps(double truth, double centre, double spread) {
  const double z = truth > 0 ? (std::log(truth) - centre) / spread : -HUGE_VAL;
  const double part =
      math::normal_probability(z - spread) + math::normal_probability(spread / std::sqrt(2.0)) - 1;
  return truth * (2 * math::normal_probability(z) - 1) -
         2 * std::exp(centre + 0.5 * spread * spread) * part;
}

/// The line through the knots (x[k], y[k]), constant beyond them. x ascends.
double interpolate(const std::vector<double>& x, const std::vector<double>& y, double at) {
  if (!(at > x.front())) return std::isnan(at) ? at : y.front();
  if (at >= x.back()) return y.back();
  const std::size_t above =
      static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), at) - x.begin());
  const double part = (at - x[above - 1]) / (x[above] - x[above - 1]);
  return y[above - 1] + part * (y[above] - y[above - 1]);
}

/// The integral of (F(z) - 1{z >= truth})^2 dz with F(back(x)) = Phi((x - centre) / spread), over
/// cells of x; what lies below the truth has the weight Phi^2, what lies above it (1 - Phi)^2.
double integrate_crps(const Transform& g, double truth, double centre, double spread) {
  constexpr int kCells = 128;
  constexpr double kReach = 6;
  const double at = std::clamp((g.forward(truth) - centre) / spread, -kReach, kReach);
  const auto cell = [&](double low, double high, double sign) {
    const auto square = [sign](double z) {
      return std::pow(math::normal_probability(sign * z), 2);
    };
    return (g.back(centre + spread * high) - g.back(centre + spread * low)) *
           (square(low) + 4 * square(0.5 * (low + high)) + square(high)) / 6;
  };
  double sum = std::fabs(truth - g.back(centre + spread * at));  // beyond what the law reaches
  for (int k = 0; k < kCells; ++k) {
    const double low = kReach * (2.0 * k / kCells - 1),
                 high = kReach * (2.0 * (k + 1) / kCells - 1);
    if (low < at) sum += cell(low, std::min(high, at), 1);
    if (high > at) sum += cell(std::max(low, at), high, -1);
  }
  return sum;
}

}  // namespace

Transform Transform::logarithm() {
  Transform transform;
  transform.m_kind = TransformKind::log;
  return transform;
}

Transform Transform::normal_score(std::vector<double> samples) {
  Transform transform;
  transform.m_kind = TransformKind::normal_score;
  std::sort(samples.begin(), samples.end());
  const double n = static_cast<double>(samples.size());
  const double step =
      samples.empty() ? 0 : 2 * normal_quantile(1 - 0.5 / n) / static_cast<double>(kMostKnots - 2);
  double next = 0;  // probability below which the values after a knot have none
  for (std::size_t first = 0, last; first < samples.size(); first = last) {
    last = static_cast<std::size_t>(
        std::upper_bound(samples.begin() + static_cast<std::ptrdiff_t>(first), samples.end(),
                         samples[first]) -
        samples.begin());
    const double probability = 0.5 * static_cast<double>(first + last) / n;
    if (probability < next && last < samples.size()) continue;
    transform.m_value.push_back(samples[first]);
    transform.m_score.push_back(normal_quantile(probability));
    next = math::normal_probability(transform.m_score.back() + step);
  }
  return transform;
}

double Transform::forward(double value) const {
  if (m_kind == TransformKind::log)
    return value > 0 ? std::log(value) : std::isnan(value) ? value : -HUGE_VAL;
  return is_identity() ? value : interpolate(m_value, m_score, value);
}

double Transform::back(double x) const {
  if (m_kind == TransformKind::log) return std::exp(x);
  return is_identity() ? x : interpolate(m_score, m_value, x);
}

Transform::Moments Transform::moments(double centre, double spread) const {
  if (is_identity()) return {centre, spread};
  if (!(spread > 0)) return {back(centre), std::isnan(spread) ? spread : 0.0};
  if (m_kind == TransformKind::log) {
    const double mean = std::exp(centre + 0.5 * spread * spread);
    return {mean, mean * std::sqrt(std::expm1(spread * spread))};
  }
  constexpr int kPoints = 16;  // on either side of the centre
  constexpr double kStep = 6.0 / kPoints;
  const double middle = back(centre);
  double weights = 0, sum = 0, squares = 0;
  for (int k = -kPoints; k <= kPoints; ++k) {
    const double z = kStep * k, weight = std::exp(-0.5 * z * z),
                 value = back(centre + spread * z) - middle;
    weights += weight;
    sum += weight * value;
    squares += weight * value * value;
  }
  const double mean = sum / weights;
  return {middle + mean, std::sqrt(std::max(0.0, squares / weights - mean * mean))};
}

double Transform::crps(double truth, double centre, double spread) const {
  if (!(spread > 0)) return std::fabs(truth - back(centre));
  if (is_identity()) return math::normal_crps(truth - centre, spread);
  return m_kind == TransformKind::log ? lognormal_crps(truth, centre, spread)
                                      : integrate_crps(*this, truth, centre, spread);
}

double Transform::probability_above(double z, double centre, double spread) const {
  if (std::isnan(centre) || std::isnan(z)) return centre + z;
  if (m_kind == TransformKind::normal_score && !(z >= m_value.front() && z < m_value.back()))
    return z < m_value.front() ? 1 : 0;
  if (!(spread > 0)) return back(centre) > z ? 1 : 0;
  return math::normal_probability((centre - forward(z)) / spread);
}

const char* transform_name(TransformKind kind) {
  return kind == TransformKind::log            ? "log"
         : kind == TransformKind::normal_score ? "normal_score"
                                               : "none";
}

}  // namespace tessera::mpr
