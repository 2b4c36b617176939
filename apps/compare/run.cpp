// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/compare/run.hpp"

#include <chrono>
#include <memory>

#include "tessera/core/app/input.hpp"
#include "tessera/core/app/model.hpp"
#include "tessera/core/app/signals.hpp"
#include "tessera/core/app/write_results.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/core/log/timings.hpp"

namespace tessera::compare {

namespace {

/// Advances until the model is done; false when a signal came first.
bool advance_to_the_end(Model& model, const SignalWatch& signals) {
  logging::ProgressReporter reporter(logging::ProgressMode::automatic);
  reporter.update(model.progress());
  while (model.advance()) {
    reporter.update(model.progress());
    if (signals.received() != 0) return false;
  }
  Kokkos::fence();
  reporter.update(model.progress());
  return signals.received() == 0;
}

}  // namespace

bool run_on(const CheckedInput& input, const std::string& command_line, const SignalWatch& signals,
            BackendRun& run) {
  using Clock = std::chrono::steady_clock;
  io::Provenance provenance = input.provenance(run.backend, command_line);
  run.device = provenance.device_name;
  logging::info("running on " + provenance.backend + " (" + provenance.device_name + ")");
  logging::Timings::global().clear();
  const std::unique_ptr<Model> model = input.make_model(run.backend);
  provenance.precision = model->precision();
  model->initialize();
  Kokkos::fence();
  const Clock::time_point start = Clock::now();
  if (!advance_to_the_end(*model, signals)) return false;
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  write_results(model.get(), provenance, run.path);
  return true;
}

}  // namespace tessera::compare
