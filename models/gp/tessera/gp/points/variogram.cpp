// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/points/variogram.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/gp/covariance/host_correlation.hpp"

namespace tessera::gp {

Variogram empirical_variogram(const CovarianceModel& model, const Points& points,
                              const std::vector<double>& residuals, int bins) {
  constexpr std::size_t kMostPoints = 3000;
  const std::size_t stride = (points.size() + kMostPoints - 1) / kMostPoints;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < points.size(); i += std::max<std::size_t>(stride, 1)) {
    if (points.variable_of(i) == 0) rows.push_back(i);
  }
  const auto [middle, half] = extent(points, model.metric);
  Points corners;
  for (std::size_t k = 0; k < middle.size(); ++k)
    corners.coordinate.push_back({middle[k] - half[k], middle[k] + half[k]});
  const double reach = distance(model, corners, 0, 1) / 3;
  Variogram v;
  std::vector<double> lengths(bins, 0.0), squares(bins, 0.0);
  std::vector<std::uint64_t> pairs(bins, 0);
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const std::size_t i = rows[a], j = rows[b];
      if (!points.time.empty() && points.time[i] != points.time[j]) continue;
      const double r = distance(model, points, i, j);
      if (!(r < reach)) continue;
      const int bin = static_cast<int>(r / reach * bins);
      const double difference = residuals[i] - residuals[j];
      lengths[bin] += r;
      squares[bin] += difference * difference;
      ++pairs[bin];
    }
  }
  for (int k = 0; k < bins; ++k) {
    if (pairs[k] == 0) continue;
    v.distance.push_back(lengths[k] / static_cast<double>(pairs[k]));
    v.semivariance.push_back(0.5 * squares[k] / static_cast<double>(pairs[k]));
    v.pairs.push_back(pairs[k]);
  }
  return v;
}

std::vector<double> model_semivariance(const CovarianceModel& model, const Theta& theta,
                                       const std::vector<double>& distances) {
  double log_range = 0;
  const int ranges = model.has_variables() ? 1 : model.ranges();
  for (int k = 0; k < ranges; ++k) log_range += std::log(theta[model.beta() + k]) / ranges;
  const double range = std::exp(log_range);
  const auto correlation = host_correlation(model, theta);
  std::vector<double> values;
  for (const double r : distances) {
    values.push_back(theta[0] * (1 - correlation(r / range * (r / range))) +
                     (model.has_nugget ? theta[model.nugget()] : 0));
  }
  return values;
}

}  // namespace tessera::gp
