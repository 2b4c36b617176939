// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "tessera/stable/fit/intervals.hpp"
#include "tessera/stable/program/tasks/fits_model.hpp"

namespace tessera::stable {

/// Fits of every sample of a map: one, and with coverage of intervals those with a parameter held
/// at its true value.
inline std::int64_t fits_a_sample(const Parameters& p) { return p.coverage ? 5 : 1; }

/// Cells of the map: alpha, beta, and sigma and mu where it has these axes.
std::size_t count_cells(const Parameters& p);

/// The distribution of a cell of the map, in the parameterisation of the input.
FourParameters true_parameters(const Parameters& p, std::size_t cell);

/// Estimates, their bias and root mean square error at every distribution of the map, from the fits
/// done so far, in the parameterisation of the input.
void write_bias_map(const io::Group& results, const io::Group& coordinates, const Parameters& p,
                    const std::vector<FitResult>& fits);

/// Task bias_map: fits of simulated samples over a grid of distributions.
template <class ExecSpace>
class BiasMapModel final : public FitsModel<ExecSpace> {
 public:
  BiasMapModel(const Parameters& parameters, const RunSettings& settings)
      : FitsModel<ExecSpace>(parameters, settings) {}

  void initialize() override {
    const Parameters& p = this->m_p;
    this->m_total = static_cast<std::int64_t>(count_cells(p)) * p.repeats * fits_a_sample(p);
  }

  bool advance() override {
    const std::int64_t each = fits_a_sample(this->m_p);
    const std::vector<FitTask> tasks =
        draw_samples(std::max<std::int64_t>(1, this->next_batch() / each));
    FitOptions options = this->options();
    options.goodness = false;
    options.standard_errors = each > 1;
    std::vector<FitResult> fits = this->make_fits(tasks, options);
    if (each > 1) fits = hold_truths(tasks, fits);
    this->append(fits);
    if (this->m_done < this->m_total) return true;
    const std::string failed = warn_of_failed(this->m_fits, "fits");
    if (!failed.empty())
      logging::warning(
          failed +
          " and are left out of the map (results/failed); look at problem.n and at fit.tolerance");
    return false;
  }

  void write(io::ResultsFile& file) const override {
    write_bias_map(file.results(), file.coordinates(), this->m_p, this->m_fits);
  }

 private:
  using typename FitsModel<ExecSpace>::View;

  /// The samples of the next fits, one after the other in m_data. Each has a sweep of random
  /// numbers of its own.
  std::vector<FitTask> draw_samples(std::int64_t count) {
    const Parameters& p = this->m_p;
    View& data = this->m_data;
    if (data.extent(0) < static_cast<std::size_t>(count * p.n)) {
      data = View(
          Kokkos::view_alloc(this->m_exec, Kokkos::WithoutInitializing, "tessera::stable::samples"),
          static_cast<std::size_t>(count * p.n));
    }
    std::vector<FitTask> tasks;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t fit = this->m_done / fits_a_sample(p) + i;
      const auto cell = static_cast<std::size_t>(fit / p.repeats);
      const View sample =
          Kokkos::subview(data, std::make_pair(static_cast<std::size_t>(i * p.n),
                                               static_cast<std::size_t>((i + 1) * p.n)));
      const FourParameters truth = true_parameters(p, cell);
      sample_batch<ExecSpace>(this->m_exec, truth.alpha, truth.beta,
                              {truth.sigma, truth.mu, p.parameterization}, this->random(2), 0,
                              static_cast<std::uint64_t>(fit), sample);
      tasks.push_back(p.make_task(i * p.n, p.n));
    }
    return tasks;
  }

  /// Every fit with, behind it, the four in which one parameter is held at its true value.
  std::vector<FitResult> hold_truths(const std::vector<FitTask>& tasks,
                                     const std::vector<FitResult>& fits) {
    const Parameters& p = this->m_p;
    std::vector<FitTask> held;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const std::int64_t sample = this->m_done / fits_a_sample(p) + static_cast<std::int64_t>(i);
      const FourParameters truth = true_parameters(p, static_cast<std::size_t>(sample / p.repeats));
      for (const Quantity& quantity : p.quantities())
        held.push_back(hold(quantity, evaluate(quantity, truth), tasks[i], truth));
    }
    const std::vector<FitResult> found = this->make_fits(held, profile_options());
    std::vector<FitResult> all;
    for (std::size_t i = 0; i < fits.size(); ++i) {
      all.push_back(fits[i]);
      all.insert(all.end(), found.begin() + static_cast<std::ptrdiff_t>(4 * i),
                 found.begin() + static_cast<std::ptrdiff_t>(4 * i + 4));
    }
    return all;
  }
};

}  // namespace tessera::stable
