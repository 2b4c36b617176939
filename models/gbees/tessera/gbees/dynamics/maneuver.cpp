// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/dynamics/maneuver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "tessera/core/linalg/square.hpp"

namespace tessera::gbees {

Maneuver::Maneuver(std::vector<double> add, const linalg::Matrix& covariance,
                   std::optional<OrbitCoordinates> orbit)
    : m_add(std::move(add)), m_orbit(std::move(orbit)) {
  const auto is_zero = [](const std::vector<double>& row) {
    return std::all_of(row.begin(), row.end(), [](double entry) { return entry == 0; });
  };
  if (!std::all_of(covariance.begin(), covariance.end(), is_zero))
    m_root = linalg::semidefinite_root(covariance);
}

std::vector<double> Maneuver::moved(const double* variables, const std::vector<double>& by) const {
  std::vector<double> x(variables, variables + by.size());
  if (m_orbit) x = m_orbit->state(variables);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += by[i];
  return m_orbit ? m_orbit->coordinates(x.data(), variables[m_orbit->angle()]) : x;
}

std::vector<double> Maneuver::after(const double* variables, const double* normal) const {
  std::vector<double> by = m_add;
  for (std::size_t i = 0; normal != nullptr && i < m_root.size(); ++i) {
    for (std::size_t j = 0; j < m_root.size(); ++j) by[i] += m_root[i][j] * normal[j];
  }
  return moved(variables, by);
}

std::vector<double> Maneuver::before(const double* variables) const {
  std::vector<double> by = m_add;
  for (double& number : by) number = -number;
  return moved(variables, by);
}

double Maneuver::log_volume(const double* before, const double* after) const {
  return m_orbit ? m_orbit->log_jacobian(after) - m_orbit->log_jacobian(before) : 0;
}

linalg::Matrix Maneuver::covariance_at(const double* after) const {
  const std::size_t n = m_add.size();
  linalg::Matrix covariance(n, std::vector<double>(n, 0.0));
  for (std::size_t k = 0; k < m_root.size(); ++k) {
    std::vector<double> column;
    for (std::size_t i = 0; i < n; ++i) column.push_back(m_root[i][k]);
    if (m_orbit) {
      const std::vector<double> forward = moved(after, column);
      for (double& entry : column) entry = -entry;
      const std::vector<double> back = moved(after, column);
      for (std::size_t i = 0; i < n; ++i) column[i] = 0.5 * (forward[i] - back[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) covariance[i][j] += column[i] * column[j];
    }
  }
  return covariance;
}

bool is_nearly_diagonal(const linalg::Matrix& covariance) {
  for (std::size_t i = 0; i < covariance.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double largest = std::sqrt(covariance[i][i] * covariance[j][j]);
      if (!(std::fabs(covariance[i][j]) <= 1e-12 * largest)) return false;
    }
  }
  return true;
}

}  // namespace tessera::gbees
