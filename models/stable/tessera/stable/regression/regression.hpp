// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/stable/fit/sort_samples.hpp"
#include "tessera/stable/regression/design.hpp"
#include "tessera/stable/regression/regression_kernel.hpp"
#include "tessera/stable/regression/regression_types.hpp"

/// Linear regression with stable errors, one or thousands at once.
///
///     y_i = sum_j x_ij b_j + s_i e_i,    ln s_i = sum_k z_ik c_k,    e_i of S0(alpha, beta, 1, 0):
///
/// maximises ln L = sum_i [ln f((y_i - x_i b)/s_i; alpha, beta) - ln s_i] over alpha, beta, b and c
/// with analytic scores, from least absolute deviations and the quantiles of their residuals, by
/// the quasi-Newton steps of a fit (fit.hpp) on orthonormal columns. The first column of z is
/// constant; with z that column alone the errors have one scale. As alpha goes to 2 this is least
/// squares.
///
/// Rows whose response is known only to be at least y (right-censored) or at most y count by ln P(e
/// > (y - x b)/s) or ln P(e <= ...).
///
/// Domain: finite values; at most kMostRegressors columns in x and z together; more rows that are
/// not censored than columns by at least five.
///
/// Accuracy: as of fits: the largest component of the gradient by the number of rows is below
/// RegressionOptions::tolerance. With alpha fixed at 2 coefficients are those of least squares to
/// 1e-7 of their standard errors (tests/unit/stable_regression.cpp).
///
/// Errors: Error (input) for columns that are not finite or collinear, with their names, and too
/// few rows, unless these are to be passed over (RegressionOptions::pass_over); for tasks outside
/// the rows. A regression that does not converge, or whose residuals have no spread, says so in its
/// status.
///
/// Example (tests/install/examples/stable.cpp):
///
///     stable::Design design;
///     design.location = {{"1", ones}, {"market", market}};
///     design.scale = {{"1", ones}};
///     stable::RegressionTask task;
///     task.count = n;  // rows 0 ... n - 1
///     stable::Regressor<ExecSpace> regressor(exec);
///     const std::vector<stable::RegressionResult> found = regressor(design, y, {task});
namespace tessera::stable {

/// Makes regressions; keeps its tables and its memory between calls.
template <class ExecSpace>
class Regressor {
 public:
  explicit Regressor(const ExecSpace& exec)
      : m_exec(exec), m_table(detail::StartTable<ExecSpace>::build(exec)) {}

  /// The regressions of the tasks, in their order: rows of `y` and of the columns of `design`.
  /// Waits for the results.
  std::vector<RegressionResult> operator()(const Design& design, const std::vector<double>& y,
                                           const std::vector<RegressionTask>& tasks,
                                           const RegressionOptions& options = {}) {
    if (tasks.empty()) detail::PreparedDesign(design, y, tasks);  // throws for faults
    std::vector<RegressionResult> results;
    for (auto begin = tasks.begin(); begin != tasks.end();) {
      auto end = begin;
      std::int64_t rows = 0;
      do rows += std::max(end++->count, 0);
      while (end != tasks.end() && rows + end->count <= kMostRows);
      regress(detail::PreparedDesign(design, y, {begin, end}, options.pass_over), options, results);
      begin = end;
    }
    return results;
  }

 private:
  template <int kTeam>
  using Kernel = detail::RegressionKernel<ExecSpace, kTeam>;

  /// The rows on the device at once, unless one regression has more
  static constexpr std::int64_t kMostRows = std::int64_t{1} << 24;

  void regress(const detail::PreparedDesign& prepared, const RegressionOptions& options,
               std::vector<RegressionResult>& results) {
    const std::size_t rows = prepared.y.size(), tasks = prepared.tasks.size();
    detail::reserve(m_exec, m_columns, prepared.columns.size(), "tessera::stable::design");
    detail::reserve(m_exec, m_y, rows, "tessera::stable::response");
    detail::reserve(m_exec, m_work, rows * Kernel<1>::kWorkPerRow,
                    "tessera::stable::regression_work");
    detail::reserve(m_exec, m_list, rows, "tessera::stable::direct_values");
    detail::reserve(m_exec, m_tasks, tasks, "tessera::stable::regressions");
    detail::reserve(m_exec, m_results, tasks, "tessera::stable::regression_results");
    upload_to(m_exec, prepared.columns, m_columns);
    upload_to(m_exec, prepared.y, m_y);
    upload_to(m_exec, prepared.tasks, m_tasks);
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      launch<128>(tasks, prepared.locations(), prepared.scales(), options);
    } else {
      launch<1>(tasks, prepared.locations(), prepared.scales(), options);
    }
    const auto found =
        download(m_exec, Kokkos::subview(m_results, std::make_pair(std::size_t(0), tasks)));
    stop_at_signal();
    for (std::size_t k = 0; k < tasks; ++k) results.push_back(prepared.restore(k, found[k]));
  }

  template <int kTeam>
  void launch(std::size_t count, int location, int scale, const RegressionOptions& options) const {
    typename Kernel<kTeam>::Policy policy(m_exec, static_cast<int>(count), kTeam);
    policy.set_scratch_size(0, Kokkos::PerTeam(Kernel<kTeam>::scratch_size()));
    const Kernel<kTeam> kernel{m_columns, m_y,      m_work, m_list,    m_tasks, m_table,
                               options,   location, scale,  m_results, {}};
    Kokkos::parallel_for("tessera::stable::regress", policy, kernel);
  }

  ExecSpace m_exec;
  detail::StartTable<ExecSpace> m_table;
  Kokkos::View<double*, ExecSpace> m_columns, m_y, m_work;
  Kokkos::View<int*, ExecSpace> m_list;
  Kokkos::View<detail::DeviceRegressionTask*, ExecSpace> m_tasks;
  Kokkos::View<detail::DeviceRegression*, ExecSpace> m_results;
};

}  // namespace tessera::stable
