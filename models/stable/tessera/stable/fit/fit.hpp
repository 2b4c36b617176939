// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/stable/fit/fit_kernel.hpp"
#include "tessera/stable/fit/fit_types.hpp"
#include "tessera/stable/fit/require_weights.hpp"
#include "tessera/stable/fit/sort_samples.hpp"

/// Maximum-likelihood fits of stable distributions, one sample or thousands at once.
///
/// Maximises ln L = sum_i w_i ln f((x_i - mu)/sigma; alpha, beta)/sigma over alpha, beta, sigma and
/// mu in S0, any of which may be given instead. Starts from five quantiles (McCulloch's method,
/// with tables for 0.1 <= alpha <= 2), then quasi-Newton steps with analytic scores; standard
/// errors from the observed information. One team of threads per sample.
///
/// Domain: at least five finite values, not more than half of them the same; weights >= 0. Values
/// have any unit, which is that of sigma and mu. Values that were rounded to multiples of a tick
/// may have FitTask::half_width: each then counts by the probability of the cell around it, F((x +
/// h - mu)/sigma) - F((x - h - mu)/sigma), and values must differ by at least 2 h (see count_values
/// in rounded_values.hpp).
///
/// Accuracy: a fit has converged when the largest component of the gradient, divided by the sum of
/// weights, is below FitOptions::tolerance (1e-9). Then the log-likelihood is right to 1e-9 and the
/// parameters to some 1e-7 of their standard errors.
///
/// Errors: Error (input) for a task outside the data, a fixed value out of range, another number of
/// weights than values, and a weight that is negative or not finite. A sample that cannot be fitted
/// is no error: its FitResult::status says why, and the other samples are not affected.
///
/// Example (tests/install/examples/stable.cpp):
///
///     stable::FitTask task;
///     task.count = n;  // values 0 ... n - 1 of the data
///     stable::Fitter<ExecSpace> fitter(exec);
///     const std::vector<stable::FitResult> fits = fitter(x, {}, {task});
namespace tessera::stable {

/// Fits samples; keeps its tables and its memory, a copy of all values, between calls.
template <class ExecSpace>
class Fitter {
 public:
  using Data = Kokkos::View<const double*, ExecSpace>;

  explicit Fitter(const ExecSpace& exec)
      : m_exec(exec), m_table(detail::StartTable<ExecSpace>::build(exec)) {}

  /// Fits the tasks over `data`, in their order. On a GPU the number of fits decides how many
  /// threads make one, and with it their last bits; FitOptions::together counts instead where it is
  /// larger, so that parts of a large number come out as the whole does. Weights (as many as data)
  /// may be empty. Waits for the results. On a CPU a fit is given up when a SignalWatch receives a
  /// signal: see stop_at_signal.
  std::vector<FitResult> operator()(const Data& data, const Data& weights,
                                    const std::vector<FitTask>& tasks,
                                    const FitOptions& options = {}) {
    check(data, weights, tasks);
    if (tasks.empty()) return {};
    detail::require_weights(m_exec, weights);
    copy_tasks(tasks);
    m_sorter(m_exec, data, weights, tasks, m_tasks, m_offsets);
    const bool weighted = weights.extent(0) != 0;
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      std::max(static_cast<std::int64_t>(tasks.size()), options.together) <= kFew
          ? launch<256>(tasks.size(), weighted, options)
          : launch<128>(tasks.size(), weighted, options);
    } else {
      launch<1>(tasks.size(), weighted, options);
    }
    std::vector<FitResult> results =
        download(m_exec, Kokkos::subview(m_results, std::make_pair(std::size_t(0), tasks.size())));
    stop_at_signal();
    if (options.method == FitMethod::mcculloch) {
      for (std::size_t i = 0; i < tasks.size(); ++i) forget_errors(tasks[i], results[i]);
    }
    return results;
  }

 private:
  /// Quantiles alone give no standard errors: those that were found take alpha and beta as given.
  static void forget_errors(const FitTask& task, FitResult& result) {
    for (int i = 0; i < 4; ++i) {
      if (!task.is_fixed(i)) result.standard_error[i] = NAN;
    }
    std::fill(std::begin(result.covariance), std::end(result.covariance), NAN);
    std::fill(std::begin(result.sandwich), std::end(result.sandwich), NAN);
  }

  /// Fits that a GPU makes at once, each on a multiprocessor of its own
  static constexpr std::int64_t kFew = 128;

  static void check(const Data& data, const Data& weights, const std::vector<FitTask>& tasks) {
    if (weights.extent(0) != 0 && weights.extent(0) != data.extent(0)) {
      throw Error(ErrorKind::input, "stable: " + std::to_string(weights.extent(0)) +
                                        " weights for " + std::to_string(data.extent(0)) +
                                        " values");
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const FitTask& t = tasks[i];
      if (t.begin < 0 || t.count < 0 ||
          t.begin + t.count > static_cast<std::int64_t>(data.extent(0))) {
        throw Error(ErrorKind::input, "stable: sample " + std::to_string(i) + " covers values " +
                                          std::to_string(t.begin) + " to " +
                                          std::to_string(t.begin + t.count) + " of " +
                                          std::to_string(data.extent(0)));
      }
      const double* v = t.fixed_value;
      const bool good = (!t.is_fixed(0) || (v[0] >= kMinAlpha && v[0] <= kMaxAlpha)) &&
                        (!t.is_fixed(1) || std::fabs(v[1]) <= 1) && (!t.is_fixed(2) || v[2] > 0) &&
                        (!t.is_fixed(3) || std::isfinite(v[3]));
      if (!good)
        throw Error(ErrorKind::input,
                    "stable: sample " + std::to_string(i) + " fixes a parameter out of its range");
      if (!(t.half_width >= 0 && std::isfinite(t.half_width))) {
        throw Error(ErrorKind::input, "stable: sample " + std::to_string(i) +
                                          " has cells of half width " +
                                          std::to_string(t.half_width));
      }
      const FourParameters& s = t.start;
      if (t.has_start() && !(s.alpha >= kMinAlpha && s.alpha <= kMaxAlpha &&
                             std::fabs(s.beta) <= 1 && s.sigma > 0 && std::isfinite(s.mu))) {
        throw Error(ErrorKind::input, "stable: sample " + std::to_string(i) +
                                          " starts from parameters out of their ranges");
      }
      if (t.location != Location::mu &&
          !(t.has_start() && t.probability > 0 && t.probability < 1)) {
        throw Error(ErrorKind::input,
                    "stable: sample " + std::to_string(i) +
                        " has a location other than mu without start or probability");
      }
    }
  }

  /// Copies the tasks, and the places where the sorted values of each begin, to the device.
  void copy_tasks(const std::vector<FitTask>& tasks) {
    std::vector<std::int64_t> offsets;
    std::int64_t total = 0;
    for (const FitTask& task : tasks) {
      offsets.push_back(total);
      total += task.count;
    }
    detail::reserve(m_exec, m_tasks, tasks.size(), "tessera::stable::tasks");
    detail::reserve(m_exec, m_offsets, tasks.size(), "tessera::stable::offsets");
    detail::reserve(m_exec, m_results, tasks.size(), "tessera::stable::results");
    if (std::any_of(tasks.begin(), tasks.end(),
                    [](const FitTask& task) { return task.half_width > 0; })) {
      detail::reserve(m_exec, m_cells,
                      static_cast<std::size_t>(total) * detail::FitKernel<ExecSpace, 1>::kCellRoom,
                      "tessera::stable::cells");
    }
    upload_to(m_exec, tasks, m_tasks);
    upload_to(m_exec, offsets, m_offsets);
  }

  template <int kTeam>
  void launch(std::size_t fits, bool weighted, const FitOptions& options) const {
    using Kernel = detail::FitKernel<ExecSpace, kTeam>;
    typename Kernel::Policy policy(m_exec, static_cast<int>(fits), kTeam);
    policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_size()));
    const Kernel kernel{m_sorter.values(),
                        weighted ? m_sorter.weights() : Data(),
                        m_tasks,
                        m_offsets,
                        m_table,
                        options,
                        m_cells,
                        m_results,
                        {}};
    Kokkos::parallel_for("tessera::stable::fit", policy, kernel);
  }

  ExecSpace m_exec;
  detail::StartTable<ExecSpace> m_table;
  detail::SampleSorter<ExecSpace> m_sorter;
  Kokkos::View<FitTask*, ExecSpace> m_tasks;
  Kokkos::View<std::int64_t*, ExecSpace> m_offsets;
  Kokkos::View<double*, ExecSpace> m_cells;
  Kokkos::View<FitResult*, ExecSpace> m_results;
};

}  // namespace tessera::stable
