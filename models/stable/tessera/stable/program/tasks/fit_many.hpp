// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/log/log.hpp"
#include "tessera/stable/fit/series_panel.hpp"
#include "tessera/stable/program/tasks/fits_model.hpp"
#include "tessera/stable/program/tasks/other_estimators.hpp"

namespace tessera::stable {

/// Task fit_many, also timed: fits of the series of a panel, or over rolling windows of them.
template <class ExecSpace>
class FitManyModel final : public FitsModel<ExecSpace> {
 public:
  FitManyModel(const Parameters& parameters, const RunSettings& settings)
      : FitsModel<ExecSpace>(parameters, settings) {}

  void initialize() override {
    this->prepare_data();
    const Parameters& p = this->m_p;
    m_series = p.data ? p.data->series : std::vector<Series>{{"", 0, p.n}};
    m_windows = find_windows(m_series, p.window, p.step);
    m_tasks = make_tasks(m_series, m_windows, p.make_task(0, 0));
    this->m_total = static_cast<std::int64_t>(m_tasks.size());
  }

  bool advance() override {
    const std::int64_t left = this->m_total - this->m_done, together = this->m_p.together;
    const auto begin = m_tasks.begin() + this->m_done;
    if (together == 0) {
      this->append(make({begin, begin + this->next_batch()}));
    } else {
      fit_timed({begin, begin + std::min(together, left)});
    }
    if (this->m_done < this->m_total) return true;
    const std::string failed = warn_of_failed(this->m_fits, "fits");
    if (!failed.empty())
      logging::warning(
          failed +
          " (results/status says which); look at the data, at fit.window and at fit.tolerance");
    return false;
  }

  void write(io::ResultsFile& file) const override {
    const io::Group results = file.results();
    results.set_attribute("data", this->describe_data());
    std::vector<std::int64_t> begin, count;
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < this->m_fits.size(); ++i) {
      begin.push_back(m_windows[i].first);
      count.push_back(m_windows[i].count);
      labels.push_back(m_series[m_windows[i].series].label);
    }
    results.write("begin", begin,
                  io::Attributes{"1", "number of the first value of each window in its series"});
    if (m_series.size() > 1) {
      results.write("label", labels, io::Attributes{"1", "the series, or group, of each fit"});
      results.write(
          "count", count,
          io::Attributes{"1", "values of each fit; 0: the series is shorter than a window"});
    }
    write_fits(results, this->m_fits);
    if (this->m_p.together == 0) return;
    results.write("seconds", m_seconds,
                  io::Attributes{"s", "wall time of the call of each fit by the fits of the call"});
  }

  void save(io::Group& state) const override {
    FitsModel<ExecSpace>::save(state);
    if (this->m_p.together > 0)
      state.write("seconds", m_seconds, io::Attributes{"s", "wall time of each fit"});
  }

  void load(const io::Group& state) override {
    FitsModel<ExecSpace>::load(state);
    if (this->m_p.together > 0) m_seconds = state.read<double>("seconds", {this->m_fits.size()});
  }

 private:
  std::vector<FitResult> make(const std::vector<FitTask>& tasks) {
    FitOptions options = this->options();
    const auto count = static_cast<std::int64_t>(tasks.size());
    options.together = this->m_p.together > 0 ? count : std::max(this->m_total, count);
    return this->share_fits("tessera::stable::fit", count, [&](const parallel::Range& mine) {
      const std::vector<FitTask> own{tasks.begin() + mine.begin, tasks.begin() + mine.end};
      // Other estimators begin with quantiles.
      FitOptions first = options;
      if (this->m_p.estimator != "ml") first.method = FitMethod::mcculloch;
      std::vector<FitResult> fits = this->m_fitter(this->m_data, this->m_weights, own, first);
      estimate_otherwise<ExecSpace>(this->m_exec, this->m_fitter, this->m_p.estimator, this->m_data,
                                    this->m_weights, own, options, fits);
      return fits;
    });
  }

  /// A call whose time counts. A first one, which does not, lets memory be taken.
  void fit_timed(const std::vector<FitTask>& tasks) {
    if (!m_warm) make(tasks);
    m_warm = true;
    const auto start = std::chrono::steady_clock::now();
    const std::vector<FitResult> found = make(tasks);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    m_seconds.insert(m_seconds.end(), found.size(),
                     wall.count() / static_cast<double>(found.size()));
    this->append(found);
  }

  std::vector<Series> m_series;
  std::vector<PanelWindow> m_windows;
  std::vector<FitTask> m_tasks;
  std::vector<double> m_seconds;  // of every fit, where they are timed
  bool m_warm = false;
};

}  // namespace tessera::stable
