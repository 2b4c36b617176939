// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/follow/flow_noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/follow/cell_moments.hpp"

namespace tessera::gbees {

namespace {

linalg::Matrix zeros(std::size_t n) { return linalg::Matrix(n, std::vector<double>(n, 0.0)); }

/// The factor by which a change of a state is at most a 1e-4th of its position and its velocity.
double small_share(const std::vector<double>& state, const std::vector<double>& change) {
  constexpr double kShare = 1e-4;
  const std::size_t half = state.size() / 2;
  const auto length = [&](const std::vector<double>& of, std::size_t first) {
    double square = 0;
    for (std::size_t i = first; i < first + half; ++i) square += of[i] * of[i];
    return std::sqrt(square);
  };
  double share = std::numeric_limits<double>::infinity();
  for (const std::size_t first : {std::size_t(0), half}) {
    const double changed = length(change, first);
    if (changed > 0) share = std::min(share, kShare * length(state, first) / changed);
  }
  return share;
}

}  // namespace

FlowNoise::FlowNoise(linalg::Matrix density, std::optional<OrbitCoordinates> orbit)
    : m_density(std::move(density)), m_orbit(std::move(orbit)) {
  if (is_any()) m_root = linalg::semidefinite_root(m_density);
}

/// The density of the variables at a place, by central differences along the columns of the root.
linalg::Matrix FlowNoise::at(const double* variables) const {
  if (!m_orbit) return m_density;
  const std::size_t n = m_density.size();
  const std::vector<double> state = m_orbit->state(variables);
  const double angle = variables[m_orbit->angle()];
  linalg::Matrix density = zeros(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> column;
    for (std::size_t i = 0; i < n; ++i) column.push_back(m_root[i][k]);
    const double share = small_share(state, column);
    if (!std::isfinite(share)) continue;  // no noise along it
    const auto moved = [&](double by) {
      std::vector<double> there = state;
      for (std::size_t i = 0; i < n; ++i) there[i] += by * column[i];
      return m_orbit->coordinates(there.data(), angle);
    };
    const std::vector<double> forward = moved(share), back = moved(-share);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        density[i][j] += (forward[i] - back[i]) * (forward[j] - back[j]) / (4 * share * share);
    }
  }
  return density;
}

std::vector<linalg::Matrix> FlowNoise::at_points(const double* mean,
                                                 const linalg::Matrix& axes) const {
  const std::size_t n = m_density.size();
  const double reach = std::sqrt(static_cast<double>(n));
  std::vector<linalg::Matrix> densities;
  for (std::size_t k = 0; k < n; ++k) {
    for (const double sign : {-reach, reach}) {
      std::vector<double> place(mean, mean + n);
      for (std::size_t i = 0; i < n; ++i) place[i] += sign * axes[i][k];
      densities.push_back(at(place.data()));
    }
  }
  return densities;
}

linalg::Matrix FlowNoise::expectation(const double* mean, const linalg::Matrix& axes) const {
  if (!varies()) return m_density;
  const std::vector<linalg::Matrix> densities = at_points(mean, axes);
  linalg::Matrix sum = zeros(m_density.size());
  for (const linalg::Matrix& density : densities)
    add_to(sum, density, 1.0 / static_cast<double>(densities.size()));
  return sum;
}

double FlowNoise::variation(const double* mean, const linalg::Matrix& axes) const {
  if (!varies()) return 0;
  const linalg::Matrix back = linalg::inverse(axes),
                       expected = linalg::congruence(back, expectation(mean, axes));
  double largest = 0, most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) largest = std::max(largest, expected[i][i]);
  for (const linalg::Matrix& density : at_points(mean, axes)) {
    const linalg::Matrix along = linalg::congruence(back, density);
    for (std::size_t i = 0; i < expected.size(); ++i)
      most = std::max(most, std::fabs(along[i][i] - expected[i][i]));
  }
  return largest > 0 ? most / largest : 0;
}

}  // namespace tessera::gbees
