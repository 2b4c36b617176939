// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/covariance.hpp"

#include <cmath>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"

namespace tessera::gbees {

namespace {

constexpr double kRounding = 1e-12;

/// The deviations, with 1 for variables that have none.
std::vector<double> deviations(const linalg::Matrix& matrix) {
  std::vector<double> deviation;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const double variance = matrix[i][i];
    if (!(variance >= 0))
      throw Error(ErrorKind::input, "the variance of component " + std::to_string(i + 1) +
                                        " is negative, " + std::to_string(variance));
    for (std::size_t j = 0; j < matrix.size(); ++j) {
      if (variance == 0 && matrix[i][j] != 0)
        throw Error(ErrorKind::input, "component " + std::to_string(i + 1) +
                                          " has no variance, but covariances with others");
    }
    deviation.push_back(variance > 0 ? std::sqrt(variance) : 1.0);
  }
  return deviation;
}

}  // namespace

MendedCovariance mend_covariance(const linalg::Matrix& matrix) {
  const std::vector<double> deviation = deviations(matrix);
  const std::size_t n = matrix.size();
  linalg::Matrix scaled = matrix;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) scaled[i][j] /= deviation[i] * deviation[j];
  }
  const linalg::Eigen eigen = linalg::eigen_decomposition(scaled);
  MendedCovariance result{matrix, eigen.values.front(), eigen.values.front() < -kRounding};
  if (!result.mended) return result;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        if (eigen.values[k] > 0)
          sum += eigen.values[k] * (eigen.vectors[i][k] * eigen.vectors[j][k]);
      }
      result.matrix[i][j] = sum * (deviation[i] * deviation[j]);
    }
  }
  return result;
}

linalg::Matrix covariance_root(const MendedCovariance& covariance) {
  return linalg::semidefinite_root(covariance.matrix);
}

}  // namespace tessera::gbees
