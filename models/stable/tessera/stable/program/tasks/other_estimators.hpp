// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tessera/stable/fit/fit.hpp"
#include "tessera/stable/fit/grid_search.hpp"
#include "tessera/stable/fit/koutrouvelis.hpp"

namespace tessera::stable {

/// Sets errors and covariances to NaN, for methods that give none.
inline void forget_errors(FitResult& fit) {
  std::fill(std::begin(fit.standard_error), std::end(fit.standard_error), NAN);
  std::fill(std::begin(fit.covariance), std::end(fit.covariance), NAN);
  std::fill(std::begin(fit.sandwich), std::end(fit.sandwich), NAN);
}

/// Replaces the fits of samples, which give the starts, by Koutrouvelis' estimates with their
/// likelihoods.
template <class ExecSpace>
void fit_by_characteristic_function(const ExecSpace& exec, Fitter<ExecSpace>& fitter,
                                    const Kokkos::View<double*, ExecSpace>& data,
                                    const Kokkos::View<double*, ExecSpace>& weights,
                                    const std::vector<FitTask>& tasks, const FitOptions& options,
                                    std::vector<FitResult>& fits) {
  std::vector<std::size_t> which;
  std::vector<FitTask> samples;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (fits[i].status >= FitStatus::too_few) continue;
    which.push_back(i);
    FitTask sample;
    sample.begin = tasks[i].begin;
    sample.count = tasks[i].count;
    sample.start = fits[i].parameters();
    samples.push_back(sample);
  }
  const std::vector<KoutrouvelisEstimate> found =
      koutrouvelis<ExecSpace>(exec, data, weights, samples);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const FourParameters& p = found[k].parameters;
    const bool usable = std::isfinite(p.alpha + p.beta + p.mu) && std::isfinite(std::log(p.sigma));
    const double values[4] = {p.alpha, p.beta, p.sigma, p.mu};
    samples[k].fixed = usable ? 15 : 0;
    std::copy_n(values, 4, samples[k].fixed_value);
  }
  const std::vector<FitResult> evaluated = fitter(data, weights, samples, options);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    FitResult& fit = fits[which[k]];
    fit = samples[k].fixed == 0 ? FitResult() : evaluated[k];
    fit.iterations = found[k].iterations;
    if (!found[k].converged) fit.status = FitStatus::not_converged;
    forget_errors(fit);
  }
}

/// Replaces the fits of samples where another estimator than those of Fitter is asked for: a
/// contracting grid (grid, grid_mcculloch, grid_four) or the characteristic function
/// (koutrouvelis). `fits` hold what Fitter found for `tasks`; samples that it cannot fit keep that.
template <class ExecSpace>
void estimate_otherwise(const ExecSpace& exec, Fitter<ExecSpace>& fitter,
                        const std::string& estimator, const Kokkos::View<double*, ExecSpace>& data,
                        const Kokkos::View<double*, ExecSpace>& weights,
                        const std::vector<FitTask>& tasks, const FitOptions& options,
                        std::vector<FitResult>& fits) {
  if (estimator == "koutrouvelis") {
    fit_by_characteristic_function(exec, fitter, data, weights, tasks, options, fits);
  } else if (estimator == "grid" || estimator == "grid_mcculloch" || estimator == "grid_four") {
    const GridPlaces places = estimator == "grid"             ? GridPlaces::fitted
                              : estimator == "grid_mcculloch" ? GridPlaces::quantiles
                                                              : GridPlaces::nodes;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (fits[i].status >= FitStatus::too_few) continue;
      const auto range = std::make_pair(tasks[i].begin, tasks[i].begin + tasks[i].count);
      const auto none = std::make_pair(std::int64_t(0), std::int64_t(0));
      fits[i] = grid_search<ExecSpace>(
          fitter, Kokkos::subview(data, range),
          Kokkos::subview(weights, weights.extent(0) == 0 ? none : range), options, places);
      forget_errors(fits[i]);  // they would be those with some parameters given
    }
  }
}

}  // namespace tessera::stable
