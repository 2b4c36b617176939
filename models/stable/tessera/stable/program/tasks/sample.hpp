// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/stable/program/tasks/draw.hpp"
#include "tessera/stable/program/tasks/task_model.hpp"

namespace tessera::stable {

/// Task sample: random numbers of one distribution, all in one step. Ranks share them.
template <class ExecSpace>
class SampleModel final : public TaskModel {
 public:
  SampleModel(const Parameters& parameters, const RunSettings& settings)
      : TaskModel(parameters, settings, "distributions") {}

  void initialize() override {}

  bool advance() override {
    const PointRange mine = own_part(static_cast<std::size_t>(m_p.n));
    const Kokkos::View<double*, ExecSpace> x(
        Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::stable::sample"),
        mine.second - mine.first);
    draw_in_blocks<ExecSpace>(m_exec, m_p, random(0), x, mine.first);
    m_sample = ranks().gather(download(m_exec, x));
    return ++m_done < m_total;
  }

  std::string summary() const override {
    return std::to_string(m_done > 0 ? m_p.n : 0) + " random numbers";
  }

  std::string indivisible() const override { return {}; }

  void write(io::ResultsFile& file) const override {
    file.results().write("x", m_sample, io::Attributes{"1", "independent random numbers"});
  }

 private:
  ExecSpace m_exec;
  std::vector<double> m_sample;
};

}  // namespace tessera::stable
