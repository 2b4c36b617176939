// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/grid/density.hpp"
#include "tessera/gbees/particles/particle_ensemble.hpp"
#include "tessera/gbees/program/parameters.hpp"
#include "tessera/gbees/propagator/rebin.hpp"

/// The start of a density, and of the particles that it is compared with, from the `initial`
/// section of an input.

namespace tessera::gbees {

/// Starts a density whose grid lies in parameters.frame.
template <int D, class Word>
void start_density(Density<D, Word>& density, const Parameters& parameters) {
  const InitialParameters& initial = parameters.initial;
  const Grid<D>& grid = density.grid();
  if (initial.shape == InitialParameters::Shape::gaussian) {
    density.initialize(Gaussian<D>(grid.origin, parameters.grid_covariance()), initial.extent);
  } else if (initial.shape == InitialParameters::Shape::mixture) {
    Mixture<D> mixture;
    for (const InitialParameters::Component& component : parameters.grid_mixture()) {
      Vector<D> mean;
      std::copy(component.mean.begin(), component.mean.end(), &mean[0]);
      mixture.push_back({component.weight, Gaussian<D>(mean, component.covariance)});
    }
    density.initialize(mixture, initial.extent);
  } else if (initial.shape == InitialParameters::Shape::uniform) {
    // The axes of the grid are those of the variables, on scales of their own where it is turned.
    std::vector<double> size, centre = initial.mean;
    if (parameters.frame.is_turned()) centre = parameters.frame.coordinates(centre.data());
    for (std::size_t i = 0; i < D; ++i) {
      const double scale = parameters.frame.is_turned() ? parameters.frame.axes[i][i] : 1;
      size.push_back((initial.high[i] - initial.low[i]) / scale);
    }
    density.initialize(deposit<D, Word>(centre, {1.0}, size, grid));
  } else if (!initial.cell.empty()) {
    density.initialize(deposit<D, Word>(initial.points, initial.weights, initial.cell, grid));
  } else {
    std::vector<double> points = initial.points;
    for (std::size_t n = 0; parameters.frame.is_turned() && n < initial.weights.size(); ++n) {
      const std::vector<double> y = parameters.frame.coordinates(points.data() + n * D);
      std::copy(y.begin(), y.end(), points.begin() + static_cast<std::ptrdiff_t>(n * D));
    }
    density.initialize(histogram<D, Word>(points, initial.weights, grid));
  }
}

/// Returns what samples of the initial density are drawn from, in the coordinates of the grid.
template <int D>
ParticleStart<D> particle_start(const Parameters& parameters) {
  using Shape = typename ParticleShape<D>::Shape;
  const InitialParameters& initial = parameters.initial;
  const Frame& frame = parameters.frame;
  ParticleStart<D> start;
  for (int i = 0; i < D; ++i) {
    start.centre[i] = frame.is_turned() ? frame.centre[i] : 0;
    for (int j = 0; j < D; ++j)
      start.axes[i][j] = frame.is_turned() ? frame.axes[i][j] : i == j ? 1 : 0;
  }
  if (initial.shape == InitialParameters::Shape::gaussian) {
    start.shape = Shape::gaussian;
    const linalg::Matrix root = linalg::cholesky_factor(parameters.grid_covariance());
    for (int i = 0; i < D; ++i) {
      start.mean[i] = frame.is_turned() ? 0 : frame.centre[i];
      for (int j = 0; j < D; ++j) start.root[i][j] = root[i][j];
    }
  } else if (initial.shape == InitialParameters::Shape::mixture) {
    start.shape = Shape::mixture;
    for (const InitialParameters::Component& component : parameters.grid_mixture()) {
      const double before = start.cumulative_weights.empty() ? 0 : start.cumulative_weights.back();
      start.cumulative_weights.push_back(before + component.weight);
      start.points.insert(start.points.end(), component.mean.begin(), component.mean.end());
      for (const auto& row : linalg::cholesky_factor(component.covariance))
        start.roots.insert(start.roots.end(), row.begin(), row.end());
    }
  } else if (initial.shape == InitialParameters::Shape::uniform) {
    start.shape = Shape::box;
    for (int i = 0; i < D; ++i) {
      start.low[i] = initial.low[i];
      start.size[i] = initial.high[i] - initial.low[i];
    }
  } else {
    start.shape = Shape::points;
    start.points = initial.points;
    start.cumulative_weights.resize(initial.weights.size());
    std::partial_sum(initial.weights.begin(), initial.weights.end(),
                     start.cumulative_weights.begin());
    for (int i = 0; i < D && !initial.cell.empty(); ++i) start.cell[i] = initial.cell[i];
  }
  return start;
}

}  // namespace tessera::gbees
