// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/mpr/lattice/couplings.hpp"
#include "tessera/mpr/lattice/grid.hpp"
#include "tessera/mpr/lattice/metric.hpp"

/// Small fields with gaps, and the Gaussian approximation of the rotator as dense matrices, from
/// their definitions.

namespace tessera::test {

struct Problem {
  mpr::Grid grid;
  std::vector<double> values;
  std::vector<std::uint8_t> status;

  explicit Problem(const mpr::Grid& g)
      : grid(g), values(static_cast<std::size_t>(g.sites())), status(values.size(), mpr::kSample) {}
  std::size_t site(int x, int y, int z = 0) const {
    return static_cast<std::size_t>(grid.site(x, y, z));
  }
};

/// Q = L + beta L M^-1 L as a dense matrix, from its definition; rows and columns of inactive sites
/// are 0.
inline linalg::Matrix dense_precision(const Problem& p, const mpr::AxisCouplings& axis, double beta,
                                      const mpr::Metric& m = {}) {
  const std::size_t n = p.values.size();
  linalg::Matrix laplacian(n, std::vector<double>(n, 0)), q = laplacian;
  const auto couple = [&](std::size_t i, std::size_t j, double strength) {
    if (p.status[i] == mpr::kInactive || p.status[j] == mpr::kInactive) return;
    laplacian[i][i] += strength;
    laplacian[j][j] += strength;
    laplacian[i][j] -= strength;
    laplacian[j][i] -= strength;
  };
  const auto column = [&](int x) { return (x + p.grid.nx) % p.grid.nx; };
  const auto exists = [&](int x) { return m.periodic || (x >= 0 && x < p.grid.nx); };
  std::vector<double> area(n, 1);
  for (int z = 0; z < p.grid.nz; ++z) {
    for (int y = 0; y < p.grid.ny; ++y) {
      const double of_x = m.x.empty() ? 1 : m.x[y], of_area = m.area.empty() ? 1 : m.area[y];
      for (int x = 0; x < p.grid.nx; ++x) {
        const std::size_t i = p.site(x, y, z);
        area[i] = of_area;
        if (exists(x + 1)) couple(i, p.site(column(x + 1), y, z), axis[0] * of_x);
        if (y + 1 < p.grid.ny) couple(i, p.site(x, y + 1, z), axis[1] * (m.y.empty() ? 1 : m.y[y]));
        if (z + 1 < p.grid.nz)
          couple(i, p.site(x, y, z + 1), axis[2] * of_area * (m.z.empty() ? 1 : m.z[z]));
        if (axis.tilt != 0 && y + 1 < p.grid.ny && exists(x + axis.tilt))
          couple(i, p.site(column(x + axis.tilt), y + 1), axis[2]);
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double square = 0;
      for (std::size_t k = 0; k < n; ++k) square += laplacian[i][k] * laplacian[k][j] / area[k];
      q[i][j] = laplacian[i][j] + beta * square;
    }
  }
  return q;
}

/// T Q^+, the covariances of a field but for its level.
inline linalg::Matrix dense_covariance(linalg::Matrix q, double temperature) {
  const double share = 1 / static_cast<double>(q.size());
  for (auto& row : q) {
    for (double& x : row) x += share;
  }
  q = linalg::inverse_positive_definite(q);
  for (auto& row : q) {
    for (double& x : row) x = temperature * (x - share);
  }
  return q;
}

inline std::vector<std::size_t> sites_of(const Problem& p, std::uint8_t kind) {
  std::vector<std::size_t> sites;
  for (std::size_t i = 0; i < p.status.size(); ++i) {
    if (p.status[i] == kind) sites.push_back(i);
  }
  return sites;
}

inline linalg::Matrix block_of(const linalg::Matrix& q, const std::vector<std::size_t>& sites) {
  linalg::Matrix block(sites.size(), std::vector<double>(sites.size()));
  for (std::size_t a = 0; a < sites.size(); ++a) {
    for (std::size_t b = 0; b < sites.size(); ++b) block[a][b] = q[sites[a]][sites[b]];
  }
  return block;
}

/// A field with the precision matrix Q / 4e-4, by its cosine modes.
inline Problem drawn_from(const mpr::Grid& grid, const mpr::AxisCouplings& axis, double beta,
                          unsigned seed) {
  Problem p(grid);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto modes = [](int n) {
    linalg::Matrix c(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n)));
    for (int x = 0; x < n; ++x) {
      for (int k = 0; k < n; ++k)
        c[x][k] = std::sqrt((k == 0 ? 1.0 : 2.0) / n) * std::cos(mpr::kPi * (x + 0.5) * k / n);
    }
    return c;
  };
  const linalg::Matrix cx = modes(grid.nx), cy = modes(grid.ny);
  linalg::Matrix half(static_cast<std::size_t>(grid.ny),
                      std::vector<double>(static_cast<std::size_t>(grid.nx), 0));
  for (int ky = 0; ky < grid.ny; ++ky) {
    std::vector<double> amplitude(static_cast<std::size_t>(grid.nx), 0);
    for (int kx = 0; kx < grid.nx; ++kx) {
      const double l = axis[0] * (2 - 2 * std::cos(mpr::kPi * kx / grid.nx)) +
                       axis[1] * (2 - 2 * std::cos(mpr::kPi * ky / grid.ny));
      const double z = normal(random);
      if (l > 0) amplitude[kx] = z / std::sqrt(l + beta * l * l);
    }
    for (int x = 0; x < grid.nx; ++x) {
      for (int kx = 0; kx < grid.nx; ++kx) half[ky][x] += cx[x][kx] * amplitude[kx];
    }
  }
  for (int y = 0; y < grid.ny; ++y) {
    for (int ky = 0; ky < grid.ny; ++ky) {
      for (int x = 0; x < grid.nx; ++x) p.values[p.site(x, y)] += 0.02 * cy[y][ky] * half[ky][x];
    }
  }
  return p;
}

}  // namespace tessera::test
