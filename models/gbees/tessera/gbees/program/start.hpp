// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/follow/cell_search.hpp"
#include "tessera/gbees/grid/density.hpp"
#include "tessera/gbees/particles/particle_ensemble.hpp"
#include "tessera/gbees/program/parameters.hpp"
#include "tessera/gbees/propagator/rebin.hpp"

/// The start of a density, and of the particles that it is compared with, from the `initial`
/// section of an input.

namespace tessera::gbees {

/// The cells of a grid, in a frame, that hold at least `threshold` of a density of orbit
/// coordinates at their centres.
template <int D, class Word>
CellListOf<Word> cells_of(const OrbitDensity& density, const Frame& frame, const Grid<D>& grid,
                          double threshold) {
  struct Nothing {};
  CellSearch<D, Word, Nothing> search(grid, 0);
  for (const std::vector<double>& centre : density.centres()) {
    const std::vector<double> y = frame.is_turned() ? frame.coordinates(centre.data()) : centre;
    Vector<D> place;
    std::copy(y.begin(), y.end(), &place[0]);
    search.begin_at(detail::key_at<D, Word>(grid, place), {});
  }
  double log_volume = frame.log_volume();
  for (int i = 0; i < D; ++i) log_volume += std::log(grid.spacing[i]);
  return search.find(std::log(threshold), [&](const Vector<D>& y, Nothing&) {
    return log_volume + (frame.is_turned() ? density.log_density(frame.position(&y[0]).data())
                                           : density.log_density(&y[0]));
  });
}

/// Starts a density whose grid lies in parameters.frame.
template <int D, class Word>
void start_density(Density<D, Word>& density, const Parameters& parameters) {
  const InitialParameters& initial = parameters.initial;
  const Grid<D>& grid = density.grid();
  if (initial.shape == InitialParameters::Shape::gaussian) {
    Vector<D> mean = grid.origin;
    for (int i = 0; i < D; ++i) {
      if (grid.is_circle(i)) mean[i] = initial.mean[static_cast<std::size_t>(i)];
    }
    density.initialize(Gaussian<D>(mean, parameters.grid_covariance()), initial.extent);
  } else if (initial.shape == InitialParameters::Shape::mixture) {
    Mixture<D> mixture;
    for (const InitialParameters::Component& component : parameters.grid_mixture()) {
      Vector<D> mean;
      std::copy(component.mean.begin(), component.mean.end(), &mean[0]);
      mixture.push_back({component.weight, Gaussian<D>(mean, component.covariance)});
    }
    density.initialize(mixture, initial.extent);
  } else if (initial.shape == InitialParameters::Shape::of_state) {
    density.initialize(
        cells_of<D, Word>(*initial.orbit, parameters.frame, grid, parameters.propagator.threshold),
        1);
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

/// Adds a Gaussian to those of a mixture that particles are drawn from.
template <int D>
void add_component(double weight, const std::vector<double>& mean, const linalg::Matrix& covariance,
                   ParticleStart<D>& start) {
  const double before = start.cumulative_weights.empty() ? 0 : start.cumulative_weights.back();
  start.cumulative_weights.push_back(before + weight);
  start.points.insert(start.points.end(), mean.begin(), mean.end());
  for (const auto& row : linalg::cholesky_factor(covariance))
    start.roots.insert(start.roots.end(), row.begin(), row.end());
}

/// Has states drawn, which become coordinates of the grid; those that have none become no numbers.
template <int D>
void start_of_state(const OrbitDensity& density, const Frame& frame, ParticleStart<D>& start) {
  start.shape = ParticleShape<D>::Shape::mixture;
  for (const GaussianTerm& term : density.terms())
    add_component(term.weight, term.mean, term.covariance, start);
  start.change = [&density, &frame](const Vector<D>& state) {
    Vector<D> y;
    try {
      const std::vector<double> q = density.coordinates(&state[0]);
      const std::vector<double> of_grid = frame.is_turned() ? frame.coordinates(q.data()) : q;
      std::copy(of_grid.begin(), of_grid.end(), &y[0]);
    } catch (const Error&) {
      for (int i = 0; i < D; ++i) y[i] = std::numeric_limits<double>::quiet_NaN();
    }
    return y;
  };
}

/// Returns what samples of the initial density are drawn from, in the coordinates of the grid. It
/// refers to the parameters.
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
    for (const InitialParameters::Component& component : parameters.grid_mixture())
      add_component(component.weight, component.mean, component.covariance, start);
  } else if (initial.shape == InitialParameters::Shape::of_state) {
    start_of_state(*initial.orbit, frame, start);
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
