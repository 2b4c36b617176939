// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/stable/tasks/fits_model.hpp"

namespace tessera::stable {

/// Task fit_many: fits over rolling windows of a series.
template <class ExecSpace>
class FitManyModel final : public FitsModel<ExecSpace> {
 public:
  FitManyModel(const Parameters& parameters, const RunSettings& settings) : FitsModel<ExecSpace>(parameters, settings) {}

  void initialize() override {
    this->prepare_data();
    const Parameters& p = this->m_p;
    const auto n = static_cast<std::int64_t>(this->m_data.extent(0));
    this->m_total = (n - p.window) / p.step + 1;
  }

  bool advance() override {
    std::vector<FitTask> tasks;
    for (std::int64_t i = this->m_done, end = i + this->next_batch(); i < end; ++i) {
      tasks.push_back(this->m_p.make_task(window_begin(i), this->m_p.window));
    }
    this->fit(tasks, this->options());
    return this->m_done < this->m_total;
  }

  void write(io::ResultsFile& file) const override {
    const io::Group results = file.results();
    results.set_attribute("data", this->describe_data());
    std::vector<std::int64_t> begin;
    for (std::size_t i = 0; i < this->m_fits.size(); ++i) begin.push_back(window_begin(static_cast<std::int64_t>(i)));
    results.write("begin", begin, io::Attributes{"1", "number of the first value of each window"});
    write_fits(results, this->m_fits);
  }

 private:
  std::int64_t window_begin(std::int64_t i) const { return i * this->m_p.step; }
};

}  // namespace tessera::stable
