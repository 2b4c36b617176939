// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/stable/fit/fit.hpp"
#include "tessera/stable/program/tasks/draw.hpp"
#include "tessera/stable/program/tasks/fit_report.hpp"
#include "tessera/stable/program/tasks/fit_state.hpp"
#include "tessera/stable/program/tasks/shared_batches.hpp"
#include "tessera/stable/program/tasks/task_model.hpp"

namespace tessera::stable {

/// The base of the tasks that fit samples: a batch of fits a step, divided among the ranks, and
/// kept when a run is interrupted and continued.
template <class ExecSpace>
class FitsModel : public TaskModel {
 public:
  void save(io::Group& state) const override { save_fits(state.group("fits"), m_fits); }

  void load(const io::Group& state) override {
    initialize();
    m_fits = load_fits(state.group("fits"), m_total);
    m_done = static_cast<std::int64_t>(m_fits.size());
  }

  std::string summary() const override { return describe_counts(m_fits); }
  std::string indivisible() const override { return {}; }

 protected:
  using View = Kokkos::View<double*, ExecSpace>;

  FitsModel(const Parameters& parameters, const RunSettings& settings)
      : TaskModel(parameters, settings, "fits"), m_fitter(m_exec) {}

  /// Returns the number of fits that the next step makes, on all ranks together.
  std::int64_t next_batch() const { return m_batches.next(m_total - m_done); }

  const FitOptions& options() const { return m_p.fit; }

  /// The values and weights of the data file, or simulated values.
  void prepare_data() {
    if (m_p.data) {
      m_data = upload(m_exec, "tessera::stable::data", m_p.data->value);
      m_weights = upload(m_exec, "tessera::stable::weights", m_p.data->weight);
    } else {
      logging::info("no 'data' in the input: fitting " + describe_data());
      m_data = View(
          Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::stable::simulated"),
          static_cast<std::size_t>(m_p.n));
      draw_in_blocks<ExecSpace>(m_exec, m_p, random(1), m_data);
    }
  }

  /// Describes the values that are fitted: those of a file, or simulated ones.
  std::string describe_data() const {
    if (m_p.data) return m_p.data->file;
    char text[200];
    std::snprintf(text, sizeof text,
                  "%lld values simulated with alpha %g, beta %g, sigma %g, mu %g",
                  static_cast<long long>(m_p.n), m_p.alpha, m_p.beta, m_p.sigma, m_p.mu);
    return text;
  }

  /// Makes these fits, which are the next ones, and counts them.
  void fit(const std::vector<FitTask>& tasks, const FitOptions& options) {
    append(make_fits(tasks, options));
  }

  std::vector<FitResult> make_fits(const std::vector<FitTask>& tasks, FitOptions options) {
    options.together = std::max(m_total, static_cast<std::int64_t>(tasks.size()));
    return share_fits("tessera::stable::fit", static_cast<std::int64_t>(tasks.size()),
                      [&](const parallel::Range& mine) {
                        return m_fitter(m_data, m_weights,
                                        {tasks.begin() + mine.begin, tasks.begin() + mine.end},
                                        options);
                      });
  }

  /// See SharedBatches::share.
  template <class Make>
  std::vector<FitResult> share_fits(const char* name, std::int64_t count, const Make& make) {
    return m_batches.share(name, count, make);
  }

  void append(const std::vector<FitResult>& found) {
    m_fits.insert(m_fits.end(), found.begin(), found.end());
    m_done += static_cast<std::int64_t>(found.size());
  }

  ExecSpace m_exec;
  Fitter<ExecSpace> m_fitter;
  View m_data, m_weights;
  std::vector<FitResult> m_fits;

 private:
  SharedBatches<ExecSpace> m_batches{m_exec, ranks()};
};

}  // namespace tessera::stable
