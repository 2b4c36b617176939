// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/app/run_app.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/mpr/fill/gap_fill.hpp"
#include "tessera/mpr/lattice/host_copy.hpp"
#include "tessera/mpr/program/result_groups.hpp"

/// Shared by the tasks.

namespace tessera::mpr::detail {

/// Logs the memory that a run will take. Throws Error (resource) when there is less.
inline void check_memory(double bytes, const RunSettings& settings) {
  const double limit = static_cast<double>(
      settings.memory_limit > 0 ? settings.memory_limit : available_memory(settings.backend));
  logging::info("needs at most " + logging::si(bytes) + "B on its device, of " +
                logging::si(limit) + "B");
  if (bytes > limit) {
    throw Error(
        ErrorKind::resource,
        "the run needs " + logging::si(bytes) + "B, and there are " + logging::si(limit) + "B",
        "use model.precision: single, fewer frames or replicas, or raise run.memory_limit");
  }
}

/// Warns of frames whose samples say little. Below kFew samples of a sparse image, 95 % intervals
/// held 0.2 to 0.97 of the left-out values (synthetic fields of 64^2 to 192^2 sites), above it 0.9
/// and more.
inline void warn_of(const std::vector<FrameReport>& frames) {
  constexpr double kFew = 400, kSparse = 0.1;  // of the sites
  double samples = 0, missing = 0;
  bool varies = false;
  for (const FrameReport& frame : frames) {
    samples += static_cast<double>(frame.samples);
    missing += static_cast<double>(frame.missing);
    varies = varies || (!frame.constant && !frame.uncorrelated);
  }
  if (varies && samples < kFew && samples < kSparse * (samples + missing))
    logging::warning(std::to_string(static_cast<std::int64_t>(samples)) + " samples for " +
                     std::to_string(static_cast<std::int64_t>(missing)) +
                     " missing sites tell little of how values vary: standard deviations and "
                     "intervals can be too narrow by factors; give model.couplings, "
                     "model.curvature and model.temperature where they are known, or use "
                     "tessera-gp");
  for (const FrameReport& frame : frames) {
    if (frame.uncorrelated)
      logging::warning(
          "neighbouring samples are not correlated: the temperature is without bound, and the "
          "prediction is the middle of the range");
    if (frame.constant && frame.samples > 0 && frame.missing > 0)
      logging::warning(
          (frame.samples == 1 ? std::string("there is one sample") : "all samples are equal") +
          ": the gaps are filled with its value, and nothing is known of their standard deviation, "
          "which is written as 0");
  }
}

/// Reports the trend of each frame of the ranks, which call this together, in the units of the
/// columns; none without a trend. trend: of the field, null without one.
template <class ExecSpace, class Real>
std::vector<TrendReport> report_trend(const GapFill<ExecSpace, Real>& fill, const Trend* trend,
                                      const parallel::Communicator& ranks = {}) {
  if (!fill.trend()) return {};
  const std::vector<double> coefficients = ranks.all_gather(fill.trend()->coefficients()),
                            errors = ranks.all_gather(fill.trend()->errors());
  std::vector<TrendReport> reports(coefficients.size() / trend->size());
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const double scale = trend->columns()[i % trend->size()].scale;
    TrendReport& report = reports[i / trend->size()];
    report.coefficient.push_back(coefficients[i] / scale);
    report.error.push_back(errors[i] / scale);
  }
  return reports;
}

/// trend: of all frames.
template <class ExecSpace, class Real>
RunReport make_report(const GapFill<ExecSpace, Real>& fill, const std::vector<TrendReport>& trend) {
  RunReport report;
  report.trend = trend;
  report.frames = fill.frames();
  report.axis = fill.axis();
  report.beta = fill.beta();
  report.calibration = fill.calibration();
  report.uses_draws = fill.uses_draws();
  report.updates = fill.updates();
  report.burn_in_sweeps = fill.burn_in_sweeps();
  report.sampling_sweeps = fill.sampling_sweeps();
  report.linear_iterations = fill.linear_solve().iterations;
  report.linear_error = fill.linear_solve().error;
  report.gap_edge = fill.gaps().block;
  report.mean_distance = fill.gaps().mean_distance;
  report.evidence = fill.evidence();
  return report;
}

template <class ExecSpace, class Real>
SeriesOfChain read_series(const GapFill<ExecSpace, Real>& fill) {
  if (fill.uses_draws()) return {};
  const auto history = fill.chains().history(0);
  return {history.energy, history.acceptance, history.step_control, history.gradient};
}

}  // namespace tessera::mpr::detail
