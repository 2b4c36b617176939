// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tessera/stable/fit/fit.hpp"

namespace tessera::stable {

/// What a contracting grid does about sigma and mu.
enum class GridPlaces {
  fitted,     ///< by likelihood at every node of (alpha, beta)
  quantiles,  ///< by McCulloch's quantiles at every node of (alpha, beta)
  nodes,      ///< are axes of the grid, as alpha and beta are
};

namespace detail {

/// The nodes of a grid about a distribution, in steps of alpha, beta, ln sigma and mu/sigma; the
/// middle one is the distribution itself.
inline std::vector<FitTask> make_grid(const FourParameters& centre, double step, GridPlaces places,
                                      std::int32_t count) {
  const int reach = places == GridPlaces::nodes ? 1 : 0;
  std::vector<FitTask> tasks;
  for (int i = -1; i <= 1; ++i) {
    for (int j = -1; j <= 1; ++j) {
      for (int k = -reach; k <= reach; ++k) {
        for (int l = -reach; l <= reach; ++l) {
          FitTask task;
          task.count = count;
          task.fixed = places == GridPlaces::nodes ? 15 : 3;
          task.fixed_value[0] = std::clamp(centre.alpha + i * step, kMinAlpha, kMaxAlpha);
          task.fixed_value[1] = std::clamp(centre.beta + j * step, -1.0, 1.0);
          task.fixed_value[2] = k == 0 ? centre.sigma : centre.sigma * std::exp(k * step);
          task.fixed_value[3] = centre.mu + l * step * centre.sigma;
          tasks.push_back(task);
        }
      }
    }
  }
  return tasks;
}

}  // namespace detail

/// The contracting grid of Julian-Moreno et al., carried to the end: the likelihood at three values
/// of each parameter; the grid moves to the best node, and shrinks by half when that is its centre,
/// until its step is below 1e-7. The paper's grid has all four parameters, or alpha and beta with
/// McCulloch's sigma and mu, which is no maximum of the likelihood in these two. For comparison
/// with the fit by gradients, which finds the maximum in a hundredth of the evaluations. `weights`
/// are as many as data, or none.
template <class ExecSpace>
FitResult grid_search(Fitter<ExecSpace>& fitter, const typename Fitter<ExecSpace>::Data& data,
                      const typename Fitter<ExecSpace>::Data& weights, const FitOptions& options,
                      GridPlaces places = GridPlaces::fitted) {
  FitTask whole;
  whole.count = static_cast<std::int32_t>(data.extent(0));
  FitOptions quick = options;
  quick.standard_errors = quick.goodness = false;
  quick.method = FitMethod::mcculloch;
  FitResult best = fitter(data, weights, {whole}, quick)[0];
  if (best.status > FitStatus::not_converged) return best;
  if (places != GridPlaces::quantiles) quick.method = FitMethod::maximum_likelihood;
  FourParameters centre = best.parameters();
  centre.alpha = std::clamp(centre.alpha, 0.2, 1.95);
  centre.beta = std::clamp(centre.beta, -0.95, 0.95);
  double step = 0.1, largest = -INFINITY;
  int evaluations = 0;
  while (step > 1e-7) {
    const std::vector<FitResult> found =
        fitter(data, weights, detail::make_grid(centre, step, places, whole.count), quick);
    const std::size_t middle = found.size() / 2;
    std::size_t top = middle;
    for (std::size_t k = 0; k < found.size(); ++k) {
      evaluations += found[k].evaluations;
      if (found[k].log_likelihood > found[top].log_likelihood) top = k;
    }
    const bool improved = top != middle && found[top].log_likelihood > largest;
    largest = std::max(largest, found[top].log_likelihood);
    centre = found[top].parameters();
    if (!improved) step *= 0.5;
  }
  FitOptions last = options;
  last.method = quick.method;
  const std::vector<FitTask> at_end = detail::make_grid(centre, 0, places, whole.count);
  best = fitter(data, weights, {at_end[at_end.size() / 2]}, last)[0];
  best.evaluations += evaluations;
  return best;
}

}  // namespace tessera::stable
