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

namespace {

/// The likelihood of a measurement by the state, where its largest value is 1.
class MeasurementLikelihood {
 public:
  explicit MeasurementLikelihood(const Observation& observation)
      : m_observation(observation),
        m_inverse(linalg::inverse_positive_definite(errors_of(observation))) {}

  double at(const std::vector<double>& x, double time) const {
    const std::vector<double> h = quantities(m_observation, x, time);
    std::vector<double> r;
    for (std::size_t a = 0; a < h.size(); ++a)
      r.push_back(shortest_way(m_observation.values[a] - h[a], period_of(m_observation, a)));
    if (m_observation.kind == Observation::Kind::student) {
      double product = 1;
      for (std::size_t a = 0; a < r.size(); ++a) {
        const double scaled = r[a] / m_observation.scale[a];
        product *= std::pow(1 + scaled * scaled / m_observation.degrees,
                            -0.5 * (m_observation.degrees + 1));
      }
      return product;
    }
    double square = 0;
    for (std::size_t a = 0; a < r.size(); ++a) {
      for (std::size_t b = 0; b < r.size(); ++b) square += r[a] * m_inverse[a][b] * r[b];
    }
    return std::exp(-0.5 * square);
  }

 private:
  const Observation& m_observation;
  linalg::Matrix m_inverse;
};

/// Returns whether a measured quantity changes by more than its error from a cell to the next, at
/// the mean or a standard deviation from it.
bool is_sharp(const Observation& observation, double time, const std::vector<double>& mean,
              const linalg::Matrix& covariance, const std::vector<double>& spacing) {
  const linalg::Matrix errors = errors_of(observation);
  const auto is_sharp_at = [&](const std::vector<double>& x) {
    const linalg::Matrix slope = slopes(observation, x, time, spacing);
    for (std::size_t a = 0; a < slope.size(); ++a) {
      for (std::size_t i = 0; i < x.size(); ++i)
        if (std::fabs(slope[a][i]) * spacing[i] > std::sqrt(errors[a][a])) return true;
    }
    return false;
  };
  if (is_sharp_at(mean)) return true;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    for (const double sign : {-1.0, 1.0}) {
      std::vector<double> x = mean;
      x[i] += sign * std::sqrt(std::max(covariance[i][i], 0.0));
      if (is_sharp_at(x)) return true;
    }
  }
  return false;
}

/// Sums over points of a Gaussian density, and over the centres of their cells.
struct Sums {
  double at_points = 0, at_centres = 0;
  double squares = 0;  ///< of those at the points
  bool is_sound = true;
};

template <class Likelihood>
Sums sum_over_points(const Likelihood& likelihood, const std::vector<double>& mean,
                     const linalg::Matrix& covariance, const std::vector<double>& spacing,
                     const std::vector<double>& origin) {
  constexpr int kPoints = 20000;
  const std::size_t n = mean.size();
  const linalg::Matrix root = linalg::cholesky_factor(covariance);
  double ratio = 2;  // Kronecker's sequence, for pairs of normal numbers
  const std::size_t axes = n + n % 2;
  for (int i = 0; i < 100; ++i) ratio = std::pow(1 + ratio, 1.0 / static_cast<double>(axes + 1));
  Sums sums;
  std::vector<double> uniform(axes), normal(axes), x(n), centre(n);
  for (int p = 1; p <= kPoints; ++p) {
    for (std::size_t a = 0; a < axes; ++a) {
      const double place = 0.5 + p * std::pow(ratio, -static_cast<double>(a + 1));
      uniform[a] = std::max(place - std::floor(place), 1e-12);
    }
    for (std::size_t a = 0; a < axes; a += 2) {
      const double length = std::sqrt(-2 * std::log(uniform[a]));
      normal[a] = length * std::cos(2 * kPi * uniform[a + 1]);
      normal[a + 1] = length * std::sin(2 * kPi * uniform[a + 1]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = mean[i];
      for (std::size_t j = 0; j <= i; ++j) x[i] += root[i][j] * normal[j];
      centre[i] = origin[i] + spacing[i] * std::round((x[i] - origin[i]) / spacing[i]);
    }
    const double at_point = likelihood(x), at_centre = likelihood(centre);
    sums.is_sound = sums.is_sound && std::isfinite(at_point) && at_point >= 0 &&
                    std::isfinite(at_centre) && at_centre >= 0;
    sums.at_points += at_point;
    sums.at_centres += at_centre;
    sums.squares += at_point * at_point;
  }
  return sums;
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double find_likelihood_fault(const Observation& observation, double time,
                             const std::vector<double>& mean, const linalg::Matrix& covariance,
                             const std::vector<double>& spacing,
                             const std::vector<double>& origin) {
  try {
    const auto likelihood = [&](const std::vector<double>& place) {
      const double h = quantities(observation, place, time)[0];
      return observation.kind == Observation::Kind::missed ? 1 - h : h;
    };
    const Sums sums = sum_over_points(likelihood, mean, covariance, spacing, origin);
    if (!sums.is_sound || (!(sums.at_points > 0) && !(sums.at_centres > 0))) return kUnknown;
    return std::fabs(sums.at_centres - sums.at_points) / std::max(sums.at_points, 1e-300);
  } catch (const Error&) {  // a covariance that is none
    return kUnknown;
  }
}

double find_measurement_fault(const Observation& observation, double time,
                              const std::vector<double>& mean, const linalg::Matrix& covariance,
                              const std::vector<double>& spacing,
                              const std::vector<double>& origin) {
  constexpr double kChance = 4;  // standard errors of a mean over the points
  try {
    if (!is_sharp(observation, time, mean, covariance, spacing)) return 0;
    const MeasurementLikelihood measurement(observation);
    const auto likelihood = [&](const std::vector<double>& x) { return measurement.at(x, time); };
    const Sums sums = sum_over_points(likelihood, mean, covariance, spacing, origin);
    if (!sums.is_sound || !(sums.at_points > 0)) return kUnknown;
    const double chance = kChance * std::sqrt(sums.squares) / sums.at_points;
    return std::max(std::fabs(sums.at_centres / sums.at_points - 1) - chance, 0.0);
  } catch (const Error&) {
    return kUnknown;
  }
}

}  // namespace tessera::gbees
