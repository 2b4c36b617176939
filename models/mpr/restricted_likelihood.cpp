// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/restricted_likelihood.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/core/linalg/symmetric.hpp"

namespace tessera::mpr {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLeastBeta = 1e-4, kMostBeta = 100, kMostRatio = 1e3;

/// Directions in (log beta, log A_x, log A_y, log A_z) that may be taken.
std::vector<std::array<double, 4>> free_directions(const EvidenceOptions& options, int dimension) {
  std::vector<std::array<double, 4>> directions;
  if (options.beta) directions.push_back({1, 0, 0, 0});
  if (options.axis) directions.push_back({0, 0.5, -0.5, 0});
  if (options.axis && dimension == 3) directions.push_back({0, -1.0 / 3, -1.0 / 3, 2.0 / 3});
  return directions;
}

}  // namespace

ModeSums sum_modes(const Grid& grid, const std::array<double, 3>& axis, double beta) {
  const std::array<int, 3> size{grid.nx, grid.ny, grid.nz};
  std::array<std::vector<double>, 3> along;
  for (int a = 0; a < 3; ++a) {
    for (int k = 0; k < size[a]; ++k) along[a].push_back(axis[a] * (2 - 2 * std::cos(kPi * k / size[a])));
  }
  ModeSums sums;
  std::array<double, 4> d{};
  for (int z = 0; z < size[2]; ++z) {
    for (int y = 0; y < size[1]; ++y) {
      for (int x = z == 0 && y == 0 ? 1 : 0; x < size[0]; ++x) {
        const double l = along[0][x] + along[1][y] + along[2][z], over = 1 / (l + beta * l * l), slope = (1 + 2 * beta * l) * over;
        d = {beta * l * l * over, along[0][x] * slope, along[1][y] * slope, along[2][z] * slope};
        sums.count += 1;
        for (int i = 0; i < 4; ++i) {
          sums.sum[i] += d[i];
          for (int j = 0; j <= i; ++j) sums.product[i][j] += d[i] * d[j];
        }
      }
    }
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = i + 1; j < 4; ++j) sums.product[i][j] = sums.product[j][i];
  }
  return sums;
}

double take_step(const EvidenceSlope& at, const EvidenceOptions& options, int dimension, Evidence& evidence) {
  const auto directions = free_directions(options, dimension);
  const std::size_t count = directions.size();
  std::vector<double> slope(count, 0);
  linalg::Matrix information(count, std::vector<double>(count, 0));
  for (std::size_t p = 0; p < count; ++p) {
    for (int i = 0; i < 4; ++i) {
      slope[p] += directions[p][i] * at.slope[i];
      for (std::size_t q = 0; q < count; ++q) {
        for (int j = 0; j < 4; ++j) information[p][q] += directions[p][i] * at.information[i][j] * directions[q][j];
      }
    }
  }
  for (std::size_t p = 0; p < count; ++p) information[p][p] += 1e-9 * information[p][p] + 1e-12;
  const linalg::Matrix covariance = linalg::inverse_positive_definite(information);
  std::array<double, 4> step{};
  double length = 0;
  for (std::size_t p = 0; p < count; ++p) {
    double along = 0;
    for (std::size_t q = 0; q < count; ++q) along += covariance[p][q] * slope[q];
    const bool is_beta = options.beta && p == 0;
    along = std::clamp(along, -1.5, 1.5);
    if (is_beta) along = std::clamp(along, std::log(kLeastBeta / evidence.beta), std::log(kMostBeta / evidence.beta));
    length = std::max(length, std::fabs(along) / std::sqrt(covariance[p][p]));
    for (int i = 0; i < 4; ++i) step[i] += along * directions[p][i];
    if (is_beta) evidence.beta_error = std::sqrt(covariance[p][p]);
    if (!is_beta && directions[p][3] == 0) evidence.ratio_error = std::sqrt(covariance[p][p]);
  }
  if (options.beta) evidence.beta *= std::exp(step[0]);
  for (int a = 0; a < dimension; ++a) {
    evidence.axis[a] = std::clamp(evidence.axis[a] * std::exp(step[a + 1]), 1 / kMostRatio, kMostRatio);
  }
  return length;
}

}  // namespace tessera::mpr
