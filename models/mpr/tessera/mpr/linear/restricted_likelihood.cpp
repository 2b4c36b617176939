// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/linear/restricted_likelihood.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/mpr/linear/mode_sums.hpp"

namespace tessera::mpr {

namespace {

constexpr double kLeastBeta = 1e-4, kMostBeta = 100, kMostRatio = 1e3, kLongestStep = 1.5;
constexpr double kLeastTemperature = 1e-9, kMostTemperature = 1e4;
/// The least share of the strongest coupling, where one is along a diagonal: a lattice without the
/// weakest falls apart.
constexpr double kLeastShare = 0.02;

/// A direction in (log beta, log A_x, log A_y, log A_z or log A_d), or log T, and how far a step
/// along it may go.
struct Direction {
  std::array<double, 4> along{};
  double low = -kLongestStep, high = kLongestStep;
  bool of_temperature = false;
};

/// The directions that are free, that of the temperature last. With a diagonal the strongest
/// coupling stays and the others change.
std::vector<Direction> free_directions(const EvidenceOptions& options, int dimension,
                                       const Evidence& at) {
  std::vector<Direction> directions;
  const auto within = [](Direction direction, double value, double least, double most) {
    direction.low = std::max(-kLongestStep, std::log(least / value));
    direction.high = std::min(kLongestStep, std::log(most / value));
    return direction;
  };
  if (options.beta) directions.push_back(within({{1, 0, 0, 0}}, at.beta, kLeastBeta, kMostBeta));
  if (options.axis && at.axis.tilt == 0) {
    directions.push_back({{0, 0.5, -0.5, 0}});
    if (dimension == 3) directions.push_back({{0, -1.0 / 3, -1.0 / 3, 2.0 / 3}});
  } else if (options.axis) {
    const auto strongest = std::max_element(at.axis.strength.begin(), at.axis.strength.end());
    for (std::size_t a = 0; a < 3; ++a) {
      if (&at.axis.strength[a] == &*strongest) continue;
      Direction direction;
      direction.along[a + 1] = 1;
      direction.low =
          std::clamp(std::log(kLeastShare * *strongest / at.axis.strength[a]), -kLongestStep, 0.0);
      directions.push_back(direction);
    }
  }
  if (at.temperature > 0 && options.temperature) {
    directions.push_back(within({}, at.temperature, kLeastTemperature, kMostTemperature));
    directions.back().of_temperature = true;
  }
  return directions;
}

/// Slope and information of log T, the last of the directions.
void add_temperature(const EvidenceSlope& at, const std::vector<Direction>& directions,
                     std::vector<double>& slope, linalg::Matrix& information) {
  const std::size_t last = directions.size() - 1;
  slope[last] = at.temperature_slope;
  information[last][last] = at.temperature_information;
  for (std::size_t p = 0; p < last; ++p) {
    for (int i = 0; i < 4; ++i)
      information[p][last] += directions[p].along[i] * at.mixed_information[i];
    information[last][p] = information[p][last];
  }
}

/// The covariance of the parameters.
linalg::Matrix invert(const linalg::Matrix& information) {
  bool is_finite = true;
  for (const std::vector<double>& row : information) {
    is_finite =
        is_finite && std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); });
  }
  try {
    if (is_finite) return linalg::inverse_positive_definite(information);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
  }
  throw Error(
      ErrorKind::numerical,
      "the samples do not tell the couplings (model.curvature, model.anisotropy): their "
      "information is singular",
      "give 'model: {curvature: 0, anisotropy: equal}', or other cells with grid.metric: pixels");
}

/// The maximum of slope' x - x' information x / 2 within the limits, which are reached one after
/// the other.
std::vector<double> bounded_step(const std::vector<Direction>& directions,
                                 const std::vector<double>& slope,
                                 const linalg::Matrix& information) {
  const std::size_t count = directions.size();
  std::vector<double> step(count, 0);
  std::vector<bool> fixed(count, false);
  while (true) {
    std::vector<std::size_t> open;
    for (std::size_t p = 0; p < count; ++p) {
      if (!fixed[p]) open.push_back(p);
    }
    if (open.empty()) return step;
    linalg::Matrix block(open.size(), std::vector<double>(open.size()));
    std::vector<double> rest(open.size());
    for (std::size_t a = 0; a < open.size(); ++a) {
      rest[a] = slope[open[a]];
      for (std::size_t q = 0; q < count; ++q)
        rest[a] -= fixed[q] ? information[open[a]][q] * step[q] : 0;
      for (std::size_t b = 0; b < open.size(); ++b) block[a][b] = information[open[a]][open[b]];
    }
    const linalg::Matrix inverse = invert(block);
    double worst = 0;
    std::size_t at = count;
    for (std::size_t a = 0; a < open.size(); ++a) {
      const std::size_t p = open[a];
      step[p] = 0;
      for (std::size_t b = 0; b < open.size(); ++b) step[p] += inverse[a][b] * rest[b];
      const double beyond = std::max(step[p] - directions[p].high, directions[p].low - step[p]);
      if (beyond > worst) {
        worst = beyond;
        at = p;
      }
    }
    if (at == count) return step;
    step[at] = std::clamp(step[at], directions[at].low, directions[at].high);
    fixed[at] = true;
  }
}

/// Makes the determinant of the tensor 1. Q = L + beta L^2 keeps its shape, and Q / T its size.
void normalize(Evidence& evidence) {
  const std::array<double, 3> tensor = evidence.axis.tensor();
  const double scale = std::sqrt(tensor[0] * tensor[2] - tensor[1] * tensor[1]);
  for (double& strength : evidence.axis.strength) strength /= scale;
  evidence.beta *= scale;
  evidence.temperature /= scale;
}

}  // namespace

namespace {

/// A number with its derivatives in log beta, log A_x, log A_y, log A_z or log A_d.
struct Slope {
  double value = 0;
  std::array<double, 4> by{};
};

Slope operator+(Slope a, const Slope& b) {
  a.value += b.value;
  for (int i = 0; i < 4; ++i) a.by[i] += b.by[i];
  return a;
}

Slope operator*(const Slope& a, const Slope& b) {
  Slope product{a.value * b.value, {}};
  for (int i = 0; i < 4; ++i) product.by[i] = a.value * b.by[i] + a.by[i] * b.value;
  return product;
}

/// A quantity proportional to one of the parameters.
Slope proportional(double value, std::size_t parameter) {
  Slope slope{value, {}};
  slope.by[parameter] = value;
  return slope;
}

/// L and M + beta L of one mode along x and z: tridiagonal matrices over the rows.
class RowsOfMode {
 public:
  /// wave: of x; along_x, along_z: eigenvalues of the differences along x, and along z with the
  /// couplings of layers.
  RowsOfMode(const detail::LevelFactors& factors, const AxisCouplings& axis, double wave,
             double along_x, double along_z) {
    const std::size_t rows = factors.x.size();
    for (std::size_t r = 0; r < rows; ++r) {
      Slope sum = proportional(axis[0] * factors.x[r] * along_x, 1) +
                  proportional(axis[2] * factors.area[r] * along_z, 3);
      for (std::size_t side = r > 0 ? r - 1 : r; side <= r && side + 1 < rows; ++side) {
        sum = sum + proportional(axis[1] * factors.y[side], 2) +
              proportional(axis.tilt != 0 ? axis[2] : 0, 3);
      }
      m_diagonal.push_back(sum);
      if (r + 1 == rows) break;
      const Slope y = proportional(axis[1] * factors.y[r], 2),
                  d = proportional(axis.tilt != 0 ? axis[2] : 0, 3);
      m_square.push_back(y * y + d * d + Slope{2 * std::cos(wave), {}} * y * d);
    }
  }

  /// Derivatives of the logarithm of the determinant of the first `rows` rows of L, or with areas
  /// of M + beta L.
  std::array<double, 4> slopes(std::size_t rows, const std::vector<double>* areas,
                               double beta) const {
    std::array<double, 4> sum{};
    Slope pivot;
    const Slope factor = areas ? proportional(beta, 0) : Slope{1, {}};
    for (std::size_t r = 0; r < rows; ++r) {
      Slope next = factor * m_diagonal[r];
      if (areas) next.value += (*areas)[r];
      if (r > 0) {
        const Slope square = factor * factor * m_square[r - 1];
        const double taken = square.value / pivot.value;
        next.value -= taken;
        for (int i = 0; i < 4; ++i)
          next.by[i] -= (square.by[i] - taken * pivot.by[i]) / pivot.value;
      }
      pivot = next;
      for (int i = 0; i < 4; ++i) sum[i] += pivot.by[i] / pivot.value;
    }
    return sum;
  }

 private:
  std::vector<Slope> m_diagonal, m_square;  // and the squares of what is beside it
};

/// Eigenvalues of the differences of layers with the factors of their couplings.
std::vector<double> modes_of_layers(const std::vector<double>& factors) {
  const std::size_t layers = factors.size();
  if (layers == 1) return {0};
  linalg::Matrix differences(layers, std::vector<double>(layers, 0));
  for (std::size_t k = 0; k + 1 < layers; ++k) {
    differences[k][k] += factors[k];
    differences[k + 1][k + 1] += factors[k];
    differences[k][k + 1] = differences[k + 1][k] = -factors[k];
  }
  std::vector<double> values = linalg::eigen_decomposition(differences).values;
  values.front() = 0;
  return values;
}

}  // namespace

AxisCouplings typical_couplings(const AxisCouplings& axis, const Metric& metric) {
  const std::array<double, 3> mean = metric.mean();
  AxisCouplings typical = axis;
  typical[0] *= mean[0];
  typical[1] *= mean[1];
  typical[2] *= axis.tilt == 0 ? mean[2] : 1;
  return typical;
}

ModeSums sum_modes(const Grid& grid, const AxisCouplings& axis, double beta, const Metric& metric) {
  const ModeSums same = sum_modes(grid, typical_couplings(axis, metric), beta);
  ModeSums sums = same;
  sums.sum = {};
  const detail::LevelFactors factors(metric, grid);
  const std::size_t rows = factors.x.size();
  const std::vector<double> layers = modes_of_layers(factors.z);
  for (int k = 0; k < grid.nx; ++k) {
    // A diagonal has no cosine modes: waves take their place.
    const double wave = (metric.periodic || axis.tilt != 0 ? 2 : 1) * kPi * k / grid.nx;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const RowsOfMode mode(factors, axis, wave, 2 - 2 * std::cos(wave), layers[l]);
      const bool constant = k == 0 && l == 0;  // its cofactors are all the same
      const std::array<double, 4> of_l = mode.slopes(constant ? rows - 1 : rows, nullptr, 1),
                                  of_sum = mode.slopes(rows, &factors.area, beta);
      for (int i = 0; i < 4; ++i) sums.sum[i] += of_l[i] + of_sum[i];
    }
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j)
      sums.product[i][j] += (sums.sum[i] * sums.sum[j] - same.sum[i] * same.sum[j]) / same.count;
  }
  return sums;
}

ModeSums sum_modes(const Grid& grid, const AxisCouplings& axis, double beta, double noise) {
  const detail::SumRowOfModes sum(grid, axis, beta, noise);
  std::vector<detail::RowOfModes> rows;
  for (int row = 0; row < sum.rows(); ++row) rows.push_back(sum(row));
  return detail::add_rows(rows);
}

ModeSums detail::add_rows(const std::vector<RowOfModes>& rows) {
  ModeSums sums;
  for (const RowOfModes& row : rows) {
    sums.count += row.count;
    sums.known += row.known;
    for (int i = 0; i < 4; ++i) {
      sums.sum[i] += row.sum[i];
      sums.known_sum[i] += row.known_sum[i];
      for (int j = 0; j <= i; ++j) sums.product[i][j] += row.product[i][j];
    }
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = i + 1; j < 4; ++j) sums.product[i][j] = sums.product[j][i];
  }
  return sums;
}

void add_noisy_information(const ModeSums& modes, double samples, EvidenceSlope& slope) {
  const double scale = 0.5 * std::min(1.0, samples / modes.known);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) slope.information[i][j] += scale * modes.product[i][j];
    slope.mixed_information[i] -= scale * modes.known_sum[i];
  }
  slope.temperature_information += scale * modes.known;
}

EvidenceMove find_move(const EvidenceStep& from, const EvidenceSlope& before, const Evidence& to,
                       const EvidenceSlope& after) {
  EvidenceMove move;
  move.step[0] = std::log(to.beta / from.beta);
  for (std::size_t a = 0; a < 3; ++a)
    move.step[a + 1] =
        to.axis.strength[a] > 0 ? std::log(to.axis.strength[a] / from.axis.strength[a]) : 0;
  for (std::size_t i = 0; i < 4; ++i) move.fallen[i] = before.slope[i] - after.slope[i];
  if (!(to.temperature > 0)) return move;
  move.step[4] = std::log(to.temperature / from.temperature);
  move.fallen[4] = before.temperature_slope - after.temperature_slope;
  return move;
}

void learn_curvature(const std::vector<EvidenceMove>& moves, EvidenceSlope& at) {
  constexpr std::size_t kCount = 5;
  using Vector = std::array<double, kCount>;
  std::array<Vector, kCount> first{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) first[i][j] = at.information[i][j];
    first[i][4] = first[4][i] = at.mixed_information[i];
  }
  first[4][4] = at.temperature_information;
  const auto along = [](const std::array<Vector, kCount>& matrix, const Vector& step) {
    Vector product{};
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::size_t j = 0; j < kCount; ++j) product[i] += matrix[i][j] * step[j];
    }
    return product;
  };
  const auto dot = [](const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < kCount; ++i) sum += a[i] * b[i];
    return sum;
  };
  std::array<Vector, kCount> learned = first;
  for (const EvidenceMove& move : moves) {
    const Vector should = along(first, move.step), now = along(learned, move.step);
    const bool more = dot(move.step, move.fallen) > dot(move.step, should);
    const Vector& fallen = more ? move.fallen : should;
    const double squared = dot(move.step, now), curved = dot(move.step, fallen);
    if (!(squared > 0) || !(curved > 0)) continue;
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::size_t j = 0; j < kCount; ++j)
        learned[i][j] += fallen[i] * fallen[j] / curved - now[i] * now[j] / squared;
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) at.information[i][j] = learned[i][j];
    at.mixed_information[i] = learned[i][4];
  }
  at.temperature_information = learned[4][4];
}

double take_step(const EvidenceSlope& at, const EvidenceOptions& options, int dimension,
                 Evidence& evidence) {
  const std::vector<Direction> directions = free_directions(options, dimension, evidence);
  const std::size_t count = directions.size();
  std::vector<double> slope(count, 0);
  linalg::Matrix information(count, std::vector<double>(count, 0));
  for (std::size_t p = 0; p < count; ++p) {
    for (int i = 0; i < 4; ++i) {
      slope[p] += directions[p].along[i] * at.slope[i];
      for (std::size_t q = 0; q < count; ++q) {
        for (int j = 0; j < 4; ++j)
          information[p][q] +=
              directions[p].along[i] * at.information[i][j] * directions[q].along[j];
      }
    }
  }
  if (count > 0 && directions.back().of_temperature)
    add_temperature(at, directions, slope, information);
  for (std::size_t p = 0; p < count; ++p) information[p][p] += 1e-9 * information[p][p] + 1e-12;
  const linalg::Matrix covariance = invert(information);
  const std::vector<double> step = bounded_step(directions, slope, information);
  double length = 0;
  for (std::size_t p = 0; p < count; ++p) {
    length = std::max(length, std::fabs(step[p]) / std::sqrt(covariance[p][p]));
    if (directions[p].of_temperature) {
      evidence.temperature *= std::exp(step[p]);
      continue;
    }
    const bool is_beta = options.beta && p == 0;
    if (is_beta) evidence.beta *= std::exp(step[p]);
    if (is_beta) evidence.beta_error = std::sqrt(covariance[p][p]);
    if (p == (options.beta ? 1u : 0u)) evidence.ratio_error = std::sqrt(covariance[p][p]);
    for (int a = 0; a < dimension; ++a)
      evidence.axis[a] *= std::exp(step[p] * directions[p].along[static_cast<std::size_t>(a) + 1]);
  }
  for (double& strength : evidence.axis.strength)
    strength = std::clamp(strength, 1 / kMostRatio, kMostRatio);
  if (options.axis && evidence.axis.tilt != 0) normalize(evidence);
  return length;
}

}  // namespace tessera::mpr
