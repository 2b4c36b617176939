// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/log/log.hpp"
#include "tessera/stable/fit/series_panel.hpp"
#include "tessera/stable/program/tasks/fits_model.hpp"

namespace tessera::stable {

/// Task fit_many: fits of the series of a panel, or over rolling windows of them.
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
    const auto begin = m_tasks.begin() + this->m_done;
    this->fit({begin, begin + this->next_batch()}, this->options());
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
  }

 private:
  std::vector<Series> m_series;
  std::vector<PanelWindow> m_windows;
  std::vector<FitTask> m_tasks;
};

}  // namespace tessera::stable
