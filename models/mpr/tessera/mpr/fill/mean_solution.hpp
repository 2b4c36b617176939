// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/stage.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/mpr/fill/coupling_search.hpp"
#include "tessera/mpr/fill/mapped_samples.hpp"
#include "tessera/mpr/linear/linear_fill.hpp"

namespace tessera::mpr::detail {

/// Gives the errors that samples have to a solver or a source of draws.
template <class ExecSpace, class Real, class Solver>
void give_noise(const MappedSamples<ExecSpace, Real>& samples, const FittedCouplings& couplings,
                Solver& solver) {
  const FillSetting<ExecSpace>& setting = samples.setting();
  if (setting.options.noise)
    solver.set_noise(samples.noise(), setting.of_frames_here(couplings.noisy_temperatures));
}

/// Warns of a mean that is beyond the samples by more than their range, and throws where it is
/// none.
template <class ExecSpace, class Real>
void check_mean(const MappedSamples<ExecSpace, Real>& samples) {
  const FillSetting<ExecSpace>& setting = samples.setting();
  double here = 0;
  Kokkos::parallel_reduce(
      "tessera::mpr::farthest_angle",
      Range<ExecSpace>(setting.exec, 0, static_cast<std::int64_t>(setting.sites())),
      FarthestAngle<ExecSpace, Real>{samples.status(), samples.angles()},
      Kokkos::Max<double>(here));
  setting.exec.fence();
  const double beyond = setting.share.largest(here) / kPi - 0.5;  // in ranges
  const std::string remedy =
      "lower model.curvature, or give model.anisotropy: equal" + wider_precision<Real>(", or ");
  if (!(beyond < 1e6))
    throw Error(ErrorKind::numerical, "the linear equations of the mean have no finite solution",
                remedy);
  if (beyond < 1) return;
  char times[32];
  std::snprintf(times, sizeof times, "%.3g", beyond);
  logging::warning("predictions lie beyond the samples by up to " + std::string(times) +
                   " times the range of these\n  remedy: " + remedy +
                   "; output.clip keeps predictions within the samples");
}

/// Replaces the angles of the missing sites by the mean: the solution of the linear equations with
/// these couplings. Warns where it was not reached.
template <class ExecSpace, class Real>
LinearSolve solve_mean(const MappedSamples<ExecSpace, Real>& samples,
                       const FittedCouplings& couplings) {
  stop_at_signal();
  const logging::Region region("tessera::mpr::linear_fill");
  const logging::Stage stage("mean");
  const FillSetting<ExecSpace>& setting = samples.setting();
  const FillOptions& options = setting.options;
  const std::vector<EvidenceStep>& steps = couplings.evidence.steps;
  double temperature = steps.empty() ? 0 : steps.back().temperature;
  LinearFill<ExecSpace, Real> fill(setting.exec, setting.grid, setting.frames, samples.status(),
                                   couplings.axis, setting.metrics(), setting.share);
  give_noise(samples, couplings, fill);
  stop_at_signal();
  if (options.part) {
    const FrameReport& report = samples.reports().front();
    fill.set_mean(kPi * (options.part->estimates.mean - report.low) /
                  std::max(report.high - report.low, 1e-300));
    temperature = *options.temperature;
  }
  if (options.noise)
    temperature =
        *std::min_element(couplings.noisy_temperatures.begin(), couplings.noisy_temperatures.end());
  double tolerance = 0;
  const auto find_tolerance = [&] {
    tolerance = std::max(options.fill_tolerance * std::sqrt(std::max(temperature, 1e-9)),
                         sizeof(Real) == 4 ? 1e-7 : 1e-14);
    return tolerance;
  };
  // Without evidence the temperature is that of a rough solution.
  const auto from_rough = [&](const std::vector<double>& rough) {
    for (const int f : samples.frames_with_variation()) {
      const double here = rough[static_cast<std::size_t>(f)];
      temperature = temperature > 0 ? std::min(temperature, here) : here;
    }
    return find_tolerance();
  };
  const LinearSolve solve = temperature > 0
                                ? fill.solve(samples.angles(), couplings.axis, couplings.beta,
                                             find_tolerance(), options.fill_iterations)
                                : fill.solve(samples.angles(), couplings.axis, couplings.beta,
                                             from_rough, options.fill_iterations);
  if (!solve.converged) {
    logging::warning("the linear equations of the mean were not solved in " +
                     std::to_string(options.fill_iterations) + " iterations: their error is " +
                     std::to_string(solve.error) + " rad instead of " + std::to_string(tolerance) +
                     "\n  remedy: lower model.curvature, or give model.anisotropy: equal" +
                     wider_precision<Real>(", or "));
  }
  check_mean(samples);
  return solve;
}

}  // namespace tessera::mpr::detail
