// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "tessera/core/device/host_copy.hpp"
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

/// Replaces the fit of a sample, which is all of `data`, where another estimator than those of
/// Fitter is asked for: a contracting grid (grid, grid_mcculloch, grid_four) or the characteristic
/// function (koutrouvelis).
template <class ExecSpace>
void estimate_otherwise(const ExecSpace& exec, Fitter<ExecSpace>& fitter,
                        const std::string& estimator, const Kokkos::View<double*, ExecSpace>& data,
                        const Kokkos::View<double*, ExecSpace>& weights, const FitOptions& options,
                        FitResult& fit) {
  if (fit.status >= FitStatus::too_few) return;
  if (estimator == "grid" || estimator == "grid_mcculloch" || estimator == "grid_four") {
    const GridPlaces places = estimator == "grid"             ? GridPlaces::fitted
                              : estimator == "grid_mcculloch" ? GridPlaces::quantiles
                                                              : GridPlaces::nodes;
    fit = grid_search<ExecSpace>(fitter, data, options, places);
    forget_errors(fit);  // they would be those with some parameters given
  } else if (estimator == "koutrouvelis") {
    const FourParameters found = koutrouvelis(download(exec, data), fit.parameters());
    FitTask task;
    task.count = static_cast<std::int32_t>(data.extent(0));
    task.fixed = 15;
    task.fixed_value[0] = found.alpha;
    task.fixed_value[1] = found.beta;
    task.fixed_value[2] = found.sigma;
    task.fixed_value[3] = found.mu;
    fit = fitter(data, weights, {task}, options)[0];
    forget_errors(fit);
  }
}

}  // namespace tessera::stable
