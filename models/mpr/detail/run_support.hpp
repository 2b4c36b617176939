// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/app/run_app.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/mpr/detail/host_copy.hpp"
#include "tessera/mpr/gap_fill.hpp"
#include "tessera/mpr/record.hpp"

/// Shared by the tasks.

namespace tessera::mpr::detail {

/// Logs the memory that a run will take. Throws Error (resource) when there is less.
inline void check_memory(double bytes, const RunSettings& settings) {
  const double limit = static_cast<double>(settings.memory_limit > 0 ? settings.memory_limit : available_memory(settings.backend));
  logging::info("needs at most " + logging::si(bytes) + "B on its device, of " + logging::si(limit) + "B");
  if (bytes > limit) {
    throw Error(ErrorKind::resource, "the run needs " + logging::si(bytes) + "B, and there are " + logging::si(limit) + "B",
                "use model.precision: single, fewer frames or replicas, or raise run.memory_limit");
  }
}

template <class ExecSpace, class Real>
RunReport make_report(const GapFill<ExecSpace, Real>& fill) {
  RunReport report;
  report.frames = fill.frames();
  report.axis = fill.axis();
  report.beta = fill.beta();
  report.variance_factor = fill.variance_factor();
  report.updates = fill.updates();
  report.burn_in_sweeps = fill.burn_in_sweeps();
  report.sampling_sweeps = fill.sampling_sweeps();
  report.start_iterations = fill.start().iterations;
  report.start_residual = fill.start().residual;
  report.gap_edge = fill.gaps().block;
  report.mean_distance = fill.gaps().mean_distance;
  for (const HoldOutScore& score : fill.hold_out_scores()) {
    report.hold_out_beta.push_back(score.beta);
    report.hold_out_ratio.push_back(score.axis[0] / score.axis[1]);
    report.hold_out_rms.push_back(score.rms);
  }
  return report;
}

template <class ExecSpace, class Real>
SeriesOfChain read_series(const GapFill<ExecSpace, Real>& fill) {
  const auto history = fill.chains().history(0);
  return {history.energy, history.acceptance, history.step_control, history.gradient};
}

}  // namespace tessera::mpr::detail
