// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/covariance/range_proportions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gp/covariance/rotation.hpp"

namespace tessera::gp {

namespace {

/// The map from the scaled coordinates of one theta to those of another, with the proportions S and
/// the axes A: S_to A_to A_from' S_from^-1. The time comes last and is not turned.
linalg::Matrix scaled_map(const CovarianceModel& model, const Theta& from, const Theta& to) {
  const std::vector<double> before = range_proportions(model, from),
                            after = range_proportions(model, to);
  const std::size_t size = before.size(), turned = model.rotated ? model.dimension : 0;
  linalg::Matrix map(size, std::vector<double>(size));
  for (std::size_t i = turned; i < size; ++i) map[i][i] = after[i] / before[i];
  if (turned == 0) return map;
  const Axes a = range_axes(model, from), b = range_axes(model, to);
  for (std::size_t i = 0; i < turned; ++i) {
    for (std::size_t j = 0; j < turned; ++j) {
      double cosine = 0;
      for (std::size_t k = 0; k < turned; ++k) cosine += b[i][k] * a[j][k];
      map[i][j] = after[i] * cosine / before[j];
    }
  }
  return map;
}

}  // namespace

namespace {

int first_of_warp(const CovarianceModel& model) {
  return model.first_of_local() + model.local.first_of_warp();
}

/// Returns by what factor the slopes of warped coordinates change against each other, at most.
double warp_change(const CovarianceModel& model, const Theta& from, const Theta& to) {
  const int each = model.local.warp_coefficients();
  double least = 0, most = 0;  // of logarithms
  for (int first = first_of_warp(model); first < model.g(); first += each) {
    double sum = 0;
    for (int k = 0; k <= each; ++k) {
      const auto at = static_cast<std::size_t>(first + k);
      const double change = k < each ? to[at] - from[at] : -sum;
      sum += change;
      least = std::min(least, change);
      most = std::max(most, change);
    }
  }
  return std::exp(most - least);
}

}  // namespace

std::vector<double> range_proportions(const CovarianceModel& model, const Theta& theta) {
  const int space = model.metric == Metric::euclidean ? model.dimension : 3;
  std::vector<double> proportions;
  for (int k = 0; k < space; ++k)
    proportions.push_back(model.anisotropic ? theta[model.beta()] / theta[model.beta() + k] : 1.0);
  if (model.has_time) {
    const double radius = model.metric == Metric::euclidean ? 1 : model.radius;
    proportions.push_back(theta[model.beta()] / (radius * time_scale(model, theta)));
  }
  return proportions;
}

bool have_same_nearness(const CovarianceModel& model, const Theta& a, const Theta& b) {
  return range_proportions(model, a) == range_proportions(model, b) &&
         std::equal(a.begin() + model.angle(), a.begin() + model.shape(),
                    b.begin() + model.angle()) &&
         std::equal(a.begin() + first_of_warp(model), a.begin() + model.g(),
                    b.begin() + first_of_warp(model));
}

namespace {

/// Does the same for ranges of many coordinates, which are not turned.
double change_of_ranges(const CovarianceModel& model, const Theta& from, const Theta& to,
                        const std::vector<double>& widths) {
  const std::vector<double> before = range_proportions(model, from),
                            after = range_proportions(model, to);
  double most_before = 0, most_after = 0;
  for (std::size_t k = 0; k < widths.size(); ++k) {
    most_before = std::max(most_before, before[k] * widths[k]);
    most_after = std::max(most_after, after[k] * widths[k]);
  }
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const bool counts = k >= widths.size() || before[k] * widths[k] > 0.05 * most_before ||
                        after[k] * widths[k] > 0.05 * most_after;
    if (!counts) continue;
    least = std::min(least, after[k] / before[k]);
    most = std::max(most, after[k] / before[k]);
  }
  return most / least;
}

}  // namespace

/// Returns the ratio of the largest singular value of the map to the smallest.
double nearness_change(const CovarianceModel& model, const Theta& from, const Theta& to,
                       const std::vector<double>& widths) {
  if (!widths.empty()) return change_of_ranges(model, from, to, widths);
  const linalg::Matrix map = scaled_map(model, from, to);
  const std::size_t size = map.size();
  linalg::Matrix square(size, std::vector<double>(size));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t k = 0; k < size; ++k) square[i][j] += map[i][k] * map[j][k];
    }
  }
  const std::vector<double> values = linalg::eigen_decomposition(square).values;
  return values.front() > 0
             ? std::sqrt(values.back() / values.front()) * warp_change(model, from, to)
             : std::numeric_limits<double>::infinity();
}

}  // namespace tessera::gp
