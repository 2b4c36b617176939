// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/stable/instances.hpp"
#include "tessera/stable/program/tasks/shared_batches.hpp"
#include "tests/benchmark/stable_samples.hpp"
#include "tests/benchmark/team.hpp"

/// Fits of many samples that several ranks share, in batches as tessera-stable makes them.

namespace tessera::bench {

/// Fits a second, as in stable.hpp, from values on every device to all results on every host. With
/// `report` what tessera-stable gives by default besides.
template <class ExecSpace>
void run_shared_fits(Team& team, Backend backend, std::int64_t fits, bool report) {
  const ExecSpace exec;
  std::unique_ptr<stable::Fitter<ExecSpace>> fitter;
  std::unique_ptr<stable::SharedBatches<ExecSpace>> batches;
  Kokkos::View<double*, ExecSpace> data;
  std::vector<stable::FitTask> tasks;
  std::vector<stable::FitResult> results;
  stable::FitOptions options = fit_options(report);
  options.together = fits;
  const auto prepare = [&] {
    results.clear();
    if (fitter) return;
    team.need(backend, 1.1 * sizeof(double) * kFittedValues * static_cast<double>(fits));
    data = fitted_samples(exec, fits);
    tasks = fit_tasks(fits);
    fitter = std::make_unique<stable::Fitter<ExecSpace>>(exec);
    batches = std::make_unique<stable::SharedBatches<ExecSpace>>(exec, team.ranks());
  };
  const auto work = [&] {
    while (results.size() < tasks.size()) {
      const auto done = static_cast<std::int64_t>(results.size());
      const auto found = batches->share(
          "tessera::bench::fit", batches->next(fits - done), [&](const parallel::Range& mine) {
            const auto begin = tasks.begin() + done;
            return (*fitter)(data, {}, {begin + mine.begin, begin + mine.end}, options);
          });
      results.insert(results.end(), found.begin(), found.end());
    }
  };
  if (!team.repeat(exec, prepare, work)) return;
  std::vector<double> estimates;
  for (const stable::FitResult& fit : results)
    estimates.insert(estimates.end(), {fit.alpha, fit.beta, fit.log_likelihood});
  team.expect_same(estimates);
  team.report("fits/s", static_cast<double>(fits));
  team.count("converged", converged_share(results));
}

template <class ExecSpace>
void register_ranks_stable(const std::string& backend) {
  constexpr bool gpu = compat::is_gpu_v<ExecSpace>;
  const Backend device = choose_backend(backend);
  const auto add = [&](const std::string& name, std::int64_t fits, bool report) {
    const bool is_long = fits >= 1000000;
    add_ranks_case(
        {"ranks/stable/" + name + "/" + backend, {{"fits", fits}}, is_long ? 1 : 3, !is_long},
        [=](benchmark::State&, Team& team) {
          run_shared_fits<ExecSpace>(team, device, fits, report);
        });
  };
  const std::int64_t many = gpu ? 65536 : 256;
  add("fit", many, false);
  if (gpu) add("fit", 1000000, false);
  add("fit_with_report", many, true);
}

}  // namespace tessera::bench
