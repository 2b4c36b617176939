// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/sharpness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/core/error.hpp"
#include "tessera/gbees/particles/kalman.hpp"

namespace tessera::gbees {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kFarthest = 16;     // of the whole numbers in a sum of Poisson's
constexpr double kEnough = 0.19;  // of their quadratic form: a term of 5 %

std::vector<double> quantities(const Observation& observation, std::vector<double> x, double time) {
  x.push_back(time);
  std::vector<double> values;
  for (std::size_t a = 0; a < observation.h.count(); ++a)
    values.push_back(observation.h.evaluate(a, x));
  return values;
}

double period_of(const Observation& observation, std::size_t a) {
  return a < observation.period.size() ? observation.period[a] : 0.0;
}

/// The covariance of the errors; of Student's that of their core.
linalg::Matrix errors_of(const Observation& observation) {
  linalg::Matrix errors = observation.covariance;
  for (std::size_t a = 0; a < observation.scale.size(); ++a)
    errors[a][a] = observation.scale[a] * observation.scale[a];
  return errors;
}

/// Derivatives by the coordinates, over half a cell each way.
linalg::Matrix slopes(const Observation& observation, const std::vector<double>& x, double time,
                      const std::vector<double>& spacing) {
  linalg::Matrix result(observation.values.size(), std::vector<double>(x.size(), 0.0));
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<double> low = x, high = x;
    low[i] -= 0.5 * spacing[i];
    high[i] += 0.5 * spacing[i];
    const std::vector<double> below = quantities(observation, low, time),
                              above = quantities(observation, high, time);
    for (std::size_t a = 0; a < result.size(); ++a) {
      result[a][i] =
          shortest_way(above[a] - below[a], period_of(observation, a)) / (high[i] - low[i]);
    }
  }
  return result;
}

bool is_finite(const linalg::Matrix& matrix) {
  return std::all_of(matrix.begin(), matrix.end(), [](const std::vector<double>& row) {
    return std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); });
  });
}

/// The mean and covariance after an observation: Kalman's update about the place to which it leads.
/// False where there is none.
bool update(const Observation& observation, double time, const std::vector<double>& spacing,
            std::vector<double>& mean, linalg::Matrix& covariance) {
  const std::size_t n = mean.size(), m = observation.values.size();
  const linalg::Matrix errors = errors_of(observation);
  std::vector<double> place = mean;
  linalg::Matrix cross, gain;
  for (int turn = 0; turn < 8; ++turn) {
    const linalg::Matrix slope = slopes(observation, place, time, spacing);
    const std::vector<double> here = quantities(observation, place, time);
    linalg::Matrix total = errors;
    cross.assign(n, std::vector<double>(m, 0.0));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t a = 0; a < m; ++a) {
        for (std::size_t j = 0; j < n; ++j) cross[i][a] += covariance[i][j] * slope[a][j];
      }
    }
    std::vector<double> innovation;
    for (std::size_t a = 0; a < m; ++a) {
      double at_mean = here[a];
      for (std::size_t j = 0; j < n; ++j) at_mean += slope[a][j] * (mean[j] - place[j]);
      innovation.push_back(
          shortest_way(observation.values[a] - at_mean, period_of(observation, a)));
      for (std::size_t b = 0; b < m; ++b) {
        for (std::size_t j = 0; j < n; ++j) total[a][b] += slope[a][j] * cross[j][b];
      }
    }
    for (std::size_t a = 0; a < m; ++a) {
      for (std::size_t b = 0; b < a; ++b) total[a][b] = total[b][a];
    }
    if (!is_finite(total) || !is_finite({innovation})) return false;
    gain = kalman_update(cross, total, innovation).gain;
    place = mean;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t a = 0; a < m; ++a) place[i] += gain[i][a] * innovation[a];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t a = 0; a < m; ++a) covariance[i][j] -= gain[i][a] * cross[j][a];
      covariance[j][i] = covariance[i][j];
    }
  }
  mean = place;
  return is_finite(covariance) && is_finite({mean});
}

}  // namespace

Sharpness find_sharpness(const std::vector<Observation>& observations, double time,
                         std::vector<double> mean, linalg::Matrix covariance,
                         const std::vector<double>& spacing) {
  Sharpness sharpness;
  const linalg::Matrix before = covariance;
  try {
    for (const Observation& observation : observations) {
      if (!observation.has_values()) continue;
      if (!update(observation, time, spacing, mean, covariance)) return sharpness;
      sharpness.is_known = true;
    }
  } catch (const Error&) {  // errors that are no covariance: others will say so
    return {};
  }
  if (!sharpness.is_known) return sharpness;
  const std::size_t n = mean.size();
  const auto form = [&](std::size_t i, std::size_t j) {
    return covariance[i][j] / (spacing[i] * spacing[j]);
  };
  const auto square = [](double value) { return value * value; };
  const auto share = [&](double cells) {
    return 2 * std::exp(-2 * kPi * kPi * std::max(cells, 0.0));
  };
  sharpness.cells = sharpness.likelihood = std::numeric_limits<double>::infinity();
  double smallest = sharpness.cells;
  for (std::size_t i = 0; i < n; ++i) {
    const double cells = std::sqrt(std::max(form(i, i), 0.0));
    smallest = std::min(smallest, form(i, i));
    if (cells < sharpness.cells) {
      sharpness.cells = cells;
      sharpness.axis = i;
    }
    const double gained = square(spacing[i]) * (1 / covariance[i][i] - 1 / before[i][i]);
    if (gained > 0) sharpness.likelihood = std::min(sharpness.likelihood, 1 / std::sqrt(gained));
    sharpness.fault += share(form(i, i));
    for (std::size_t j = 0; j < i; ++j) {
      for (int a = 1; a <= kFarthest; ++a) {
        for (int b = -kFarthest; b <= kFarthest; ++b) {
          if (b == 0) continue;
          const double value = a * a * form(i, i) + b * b * form(j, j) + 2 * a * b * form(i, j);
          sharpness.fault += share(value);
          smallest = std::min(smallest, value);
        }
      }
    }
  }
  sharpness.refinement = std::sqrt(std::max(smallest, 0.0) / kEnough);
  sharpness.mean = mean;
  sharpness.covariance = covariance;
  return sharpness;
}

Narrowness find_narrowness(const linalg::Matrix& covariance, const std::vector<double>& spacing) {
  constexpr double kMuch = 0.7;
  linalg::Matrix in_cells = covariance;
  Narrowness narrow;
  for (std::size_t i = 0; i < in_cells.size(); ++i) {
    for (std::size_t j = 0; j < in_cells.size(); ++j) in_cells[i][j] /= spacing[i] * spacing[j];
    if (in_cells[i][i] < in_cells[narrow.axis][narrow.axis]) narrow.axis = i;
  }
  const double along_axis = std::sqrt(std::max(in_cells[narrow.axis][narrow.axis], 0.0));
  const double least = linalg::eigen_decomposition(in_cells).values.front();
  narrow.cells = std::sqrt(std::max(least, 0.0));
  narrow.is_between = narrow.cells < kMuch * along_axis;
  return narrow;
}

}  // namespace tessera::gbees
