// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "tessera/stable/tasks/fits_model.hpp"

namespace tessera::stable {

/// Estimates, their bias and root mean square error at every distribution of the map, from the fits done so far.
void write_bias_map(const io::Group& results, const io::Group& coordinates, const Parameters& p, const std::vector<FitResult>& fits);

/// Task bias_map: fits of simulated samples over a grid of distributions.
template <class ExecSpace>
class BiasMapModel final : public FitsModel<ExecSpace> {
 public:
  BiasMapModel(const Parameters& parameters, const RunSettings& settings) : FitsModel<ExecSpace>(parameters, settings) {}

  void initialize() override {
    const Parameters& p = this->m_p;
    this->m_total = static_cast<std::int64_t>(p.alphas.size() * p.betas.size()) * p.repeats;
  }

  bool advance() override {
    const std::int64_t count = this->next_batch();
    FitOptions options = this->options();
    options.goodness = options.standard_errors = false;
    this->fit(draw_samples(count), options);
    return this->m_done < this->m_total;
  }

  void write(io::ResultsFile& file) const override { write_bias_map(file.results(), file.coordinates(), this->m_p, this->m_fits); }

 private:
  using typename FitsModel<ExecSpace>::View;

  /// The samples of the next fits, one after the other in m_data. Each has a sweep of random numbers of its own.
  std::vector<FitTask> draw_samples(std::int64_t count) {
    const Parameters& p = this->m_p;
    View& data = this->m_data;
    if (data.extent(0) < static_cast<std::size_t>(count * p.n)) {
      data = View(Kokkos::view_alloc(this->m_exec, Kokkos::WithoutInitializing, "tessera::stable::samples"),
                  static_cast<std::size_t>(count * p.n));
    }
    std::vector<FitTask> tasks;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t fit = this->m_done + i;
      const auto cell = static_cast<std::size_t>(fit / p.repeats);
      const View sample = Kokkos::subview(data, std::make_pair(static_cast<std::size_t>(i * p.n), static_cast<std::size_t>((i + 1) * p.n)));
      sample_batch<ExecSpace>(this->m_exec, p.alphas[cell / p.betas.size()], p.betas[cell % p.betas.size()], p.where(), this->random(2), 0,
                              static_cast<std::uint64_t>(fit), sample);
      tasks.push_back(p.make_task(i * p.n, p.n));
    }
    return tasks;
  }
};

}  // namespace tessera::stable
