// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/dynamics/equations.hpp"
#include "tessera/gbees/follow/frame_maps.hpp"
#include "tessera/gbees/grid/density.hpp"

namespace tessera::gbees {

template <class Word>
double sum_of_masses(const CellListOf<Word>& cells) {
  double sum = 0;
  for (const double p : cells.probability) sum += p;
  return sum;
}

/// Divides the masses of cells by their sum, which it returns.
template <class Word>
double normalise(CellListOf<Word>& cells) {
  const double sum = sum_of_masses(cells);
  for (double& p : cells.probability) p /= sum;
  return sum;
}

/// Adds a multiple of a square matrix to another one; an empty one is zero.
inline void add_to(linalg::Matrix& sum, const linalg::Matrix& matrix, double factor = 1) {
  if (sum.empty()) sum.assign(matrix.size(), std::vector<double>(matrix.size(), 0.0));
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j < matrix.size(); ++j) sum[i][j] += factor * matrix[i][j];
  }
}

/// The covariance of a summary, as rows.
template <int D>
linalg::Matrix covariance_of(const Summary<D>& summary) {
  linalg::Matrix covariance;
  for (const auto& row : summary.covariance) covariance.emplace_back(row, row + D);
  return covariance;
}

/// The moments of a density of cells, which count as points at their centres.
template <int D>
struct CellMoments {
  double mass = 0;
  Vector<D> mean{};
  linalg::Matrix covariance;

  /// Finds the moments of cells whose masses are multiplied by `weight(c)`.
  template <class Word, class Weight>
  CellMoments(const CellListOf<Word>& cells, const Grid<D>& grid, const Weight& weight)
      : CellMoments(
            cells.key.size(), [&](std::size_t c) { return grid.centre(cells.key[c]); },
            [&](std::size_t c) { return cells.probability[c] * weight(c); }) {}

  /// Finds the moments of points `place(c)` of the masses `mass_at(c)`; those without mass may be
  /// anywhere.
  template <class Place, class Mass>
  CellMoments(std::size_t count, const Place& place, const Mass& mass_at)
      : covariance(D, std::vector<double>(D, 0.0)) {
    for (std::size_t c = 0; c < count; ++c) {
      const double p = mass_at(c);
      if (p == 0) continue;
      const Vector<D> y = place(c);
      mass += p;
      for (int i = 0; i < D; ++i) mean[i] += p * y[i];
    }
    for (int i = 0; i < D; ++i) mean[i] /= mass;
    for (std::size_t c = 0; c < count; ++c) {
      const double p = mass_at(c) / mass;
      if (p == 0) continue;
      const Vector<D> y = place(c);
      for (std::size_t i = 0; i < D; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          const int a = static_cast<int>(i), b = static_cast<int>(j);
          covariance[i][j] += p * (y[a] - mean[a]) * (y[b] - mean[b]);
        }
      }
    }
    for (std::size_t i = 0; i < D; ++i) {
      for (std::size_t j = 0; j < i; ++j) covariance[j][i] = covariance[i][j];
    }
  }

  template <class Word>
  CellMoments(const CellListOf<Word>& cells, const Grid<D>& grid)
      : CellMoments(cells, grid, [](std::size_t) { return 1.0; }) {}
};

/// The share of the variance of a Gaussian that is in its cells of a mass of at least `threshold`:
/// those within the radius R in deviations, R^2 = 2 ln(largest mass / threshold), have the share
/// P(D/2 + 1, R^2/2) / P(D/2, R^2/2) of it, with the regularised incomplete gamma function P (DLMF
/// 8.2.4, 8.11.4).
template <int D, class Word>
double share_of_variance(const CellListOf<Word>& cells, double threshold) {
  const double largest = *std::max_element(cells.probability.begin(), cells.probability.end());
  const double x = std::log(largest / threshold), a = 0.5 * D;
  if (!(x > 1)) return 1;    // too few cells to tell
  double sum = 0, term = 1;  // P(a, x) in units of x^a exp(-x) / gamma(a + 1)
  for (int n = 1; term > 1e-17 * sum; ++n) {
    sum += term;
    term *= x / (a + n);
  }
  return 1 - 1 / sum;
}

/// The moments in other coordinates, to which a map leads.
template <int D>
CellMoments<D> mapped(const AffineMap<D>& map, CellMoments<D> moments) {
  linalg::Matrix matrix;
  for (const auto& row : map.matrix) matrix.emplace_back(row, row + D);
  moments.mean = map(moments.mean);
  moments.covariance = linalg::congruence(matrix, moments.covariance);
  return moments;
}

/// How far moments are from those that they should be, in units of the latter's covariance: the
/// largest distance of the mean, and the largest share by which a variance differs.
template <int D>
double moment_error(const CellMoments<D>& expected, const CellMoments<D>& found) {
  const linalg::Matrix whitened = linalg::inverse(linalg::scaled_root(expected.covariance));
  linalg::Matrix difference = found.covariance;
  double square = 0;
  for (std::size_t i = 0; i < D; ++i) {
    double along = 0;
    for (std::size_t j = 0; j < D; ++j) {
      const int axis = static_cast<int>(j);
      difference[i][j] -= expected.covariance[i][j];
      along += whitened[i][j] * (found.mean[axis] - expected.mean[axis]);
    }
    square += along * along;
  }
  const std::vector<double> spread =
      linalg::eigen_decomposition(linalg::congruence(whitened, difference)).values;
  return std::max({std::sqrt(square), std::fabs(spread.front()), std::fabs(spread.back())});
}

/// The frame in which a density has mean 0 and covariance 1 that has these moments in another
/// frame. Throws Error (numerical) where the covariance is not positive definite.
template <int D>
Frame frame_of_moments(const Frame& frame, const Vector<D>& mean,
                       const linalg::Matrix& covariance) {
  linalg::Matrix root;
  try {
    root = linalg::scaled_root(covariance);
  } catch (const Error&) {
    throw Error(ErrorKind::numerical,
                "the density is so narrow beside its cells that it has no covariance",
                "use a smaller grid.spacing");
  }
  return Frame::of_axes(frame.position(&mean[0]), linalg::product(frame.axes, root));
}

/// Whether the moments of a density in a frame are near enough to 0 and 1 for its cells to resolve
/// it, and for it to be resolved by few.
template <int D>
bool fits_frame(const Vector<D>& mean, const linalg::Matrix& covariance) {
  constexpr double kLeast = 0.6, kMost = 1.6, kFarthest = 0.5;
  for (int i = 0; i < D; ++i) {
    if (!(mean[i] * mean[i] <= kFarthest * kFarthest)) return false;
  }
  const std::vector<double> variances = linalg::eigen_decomposition(covariance).values;
  return variances.front() >= kLeast && variances.back() <= kMost;
}

}  // namespace tessera::gbees
