// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/random.hpp"
#include "tessera/stable/fit/sort_samples.hpp"
#include "tessera/stable/garch/garch_kernel.hpp"
#include "tessera/stable/garch/garch_types.hpp"
#include "tessera/stable/law/absolute_mean.hpp"

/// ARMA(1,1)-GARCH(1,1) of power 1 with stable innovations, one series or thousands at once.
///
///     r_t = c + phi r_{t-1} + theta e_{t-1} + e_t,    e_t = s_t z_t,    s_t = omega + a |e_{t-1}| + b s_{t-1},
///
/// z_t independent, of S0(alpha, beta, 1, 0) (power 1, because stable distributions have no
/// variance: Panorska, Mittnik and Rachev, Appl. Math. Lett. 8 (1995) 33; Mittnik, Paolella and
/// Rachev, J. Empir. Finance 9 (2002) 389). Maximises sum_t [ln f(z_t; alpha, beta) - ln s_t] over
/// all eight parameters by the quasi-Newton steps of fits, with gradients by recursion; one team of
/// threads a series. Before the first value r is the median of the series, e = 0, and s half the
/// interquartile range. For |e| stands sqrt(e^2 + d^2), d being a thousandth of that scale, so that
/// the likelihood has derivatives everywhere; this changes it by less than 1e-3.
///
/// Domain: at least 20 finite values, not more than half of them the same; -1 < phi, theta < 1,
/// omega > 0, a >= 0, 0 <= b < 1. Scales are stationary where a E|z| + b < 1 (absolute_mean.hpp);
/// fits are not held there, and say where they are (find_tail_risks).
///
/// Accuracy: gradients agree with differences of an independent likelihood to 1e-6; with alpha = 2
/// the log-likelihood is that of a normal GARCH to 1e-9 (tests/unit/stable_garch.cpp).
///
/// Errors: Error (input) for a task outside the data or a fixed value out of range. A series that
/// cannot be fitted, and a fit that does not converge, say so in their status.
///
/// Example (tests/install/examples/stable.cpp):
///
///     stable::GarchTask task;
///     task.count = n;  // values 0 ... n - 1 of the series
///     stable::GarchFitter<ExecSpace> fitter(exec);
///     const stable::GarchResult fit = fitter(x, {task})[0];
///     const stable::GarchForecast next = stable::forecast(fit.parameters, fit.last);
///     const auto risks = stable::find_tail_risks(exec, {fit.parameters}, {0.01});
///     const double value_at_risk = risks[0].tails[0].value_at_risk(next);  // exceeded with probability 0.01
namespace tessera::stable {

/// Location and scale of the next value.
struct GarchForecast {
  double location, scale;
};

/// The forecast of the value after the state.
GarchForecast forecast(const GarchParameters& p, const GarchState& state);

/// Location and scale of every value of a series, before it is known.
std::vector<GarchForecast> follow(const GarchParameters& p, const GarchState& first,
                                  const double* values, std::int64_t count);

/// A series by the random numbers of a sweep, after `warm_up` values that are left out. Throws
/// Error (input) for parameters out of their domain.
std::vector<double> simulate(const GarchParameters& p, std::int64_t count, const Philox& random,
                             std::uint64_t sweep, std::int64_t warm_up = 1000);

/// The lower tail of an innovation beyond the probability p: its quantile and minus its mean there.
struct InnovationTail {
  double quantile, shortfall;

  /// Losses are minus the values.
  double value_at_risk(const GarchForecast& f) const { return -f.location - f.scale * quantile; }
  double expected_shortfall(const GarchForecast& f) const {
    return -f.location + f.scale * shortfall;
  }
};

/// The risk of a fit.
struct GarchRisk {
  double persistence;  ///< a E|z| + b, below 1 where scales are stationary
  std::vector<InnovationTail> tails;
};

namespace detail {

/// Gives the result in the parameters of garch.hpp.
GarchResult restore(const DeviceGarch& found, const GarchTask& task);

/// Throws Error (input) for tasks beyond the values, or with a parameter fixed out of its range.
void require_tasks(const std::vector<GarchTask>& tasks, std::int64_t values);

/// E|z| of distribution k / (1 + levels), or the tail of one of its levels, into two numbers of
/// `out`.
template <class ExecSpace>
struct TailRiskKernel {
  Kokkos::View<const double*, ExecSpace> alpha, beta, level;
  Kokkos::View<double*, ExecSpace> out;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const auto parts = 1 + static_cast<std::int64_t>(level.extent(0));
    const StableDistribution distribution(alpha(k / parts), beta(k / parts));
    if (k % parts == 0) {
      out(2 * k) = absolute_mean(distribution);
    } else {
      const double p = level(k % parts - 1);
      out(2 * k) = quantile(distribution, p);
      out(2 * k + 1) = expected_shortfall(distribution, p);
    }
  }
};

}  // namespace detail

/// Finds for every set of parameters its persistence and the tails of its innovations beyond the
/// probabilities. NaN where parameters are NaN.
template <class ExecSpace>
std::vector<GarchRisk> find_tail_risks(const ExecSpace& exec,
                                       const std::vector<GarchParameters>& parameters,
                                       const std::vector<double>& probabilities) {
  std::vector<double> alpha, beta;
  for (const GarchParameters& p : parameters) {
    const bool known = p[GarchParameter::alpha] == p[GarchParameter::alpha];
    alpha.push_back(known ? p[GarchParameter::alpha] : 2);
    beta.push_back(known ? p[GarchParameter::beta] : 0);
  }
  const std::size_t parts = 1 + probabilities.size(), count = parts * parameters.size();
  const detail::TailRiskKernel<ExecSpace> kernel{
      upload(exec, "tessera::stable::alpha", alpha), upload(exec, "tessera::stable::beta", beta),
      upload(exec, "tessera::stable::levels", probabilities),
      allocate<Kokkos::View<double*, ExecSpace>>(exec, "tessera::stable::tails", 2 * count)};
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>,
                                     Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for("tessera::stable::tail_risks",
                       Policy(exec, 0, static_cast<std::int64_t>(count)).set_chunk_size(1), kernel);
  const std::vector<double> found = download(exec, kernel.out);
  std::vector<GarchRisk> risks(parameters.size());
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const GarchParameters& p = parameters[k];
    const double* const own = found.data() + 2 * parts * k;
    const double unknown = 0 * p[GarchParameter::alpha];
    const double a = p[GarchParameter::a];
    risks[k].persistence = (a == 0 ? 0 : a * own[0]) + p[GarchParameter::b] + unknown;
    for (std::size_t j = 1; j < parts; ++j)
      risks[k].tails.push_back({own[2 * j] + unknown, own[2 * j + 1] + unknown});
  }
  return risks;
}

/// Fits series; keeps its tables and its memory between calls.
template <class ExecSpace>
class GarchFitter {
 public:
  using Data = Kokkos::View<const double*, ExecSpace>;

  explicit GarchFitter(const ExecSpace& exec)
      : m_exec(exec), m_table(detail::StartTable<ExecSpace>::build(exec)) {}

  /// The fits of the tasks over `data`, in their order. Waits for the results. On a CPU a fit is
  /// given up when a SignalWatch receives a signal: see stop_at_signal.
  std::vector<GarchResult> operator()(const Data& data, const std::vector<GarchTask>& tasks,
                                      const GarchOptions& options = {}) {
    detail::require_tasks(tasks, static_cast<std::int64_t>(data.extent(0)));
    if (tasks.empty()) return {};
    std::vector<detail::DeviceGarchTask> own;
    std::int64_t rows = 0;
    for (const GarchTask& task : tasks) {
      own.push_back({task, rows});
      rows += task.count;
    }
    detail::reserve(m_exec, m_work, static_cast<std::size_t>(rows) * Kernel<1>::kWorkPerRow,
                    "tessera::stable::garch_work");
    detail::reserve(m_exec, m_list, static_cast<std::size_t>(rows),
                    "tessera::stable::direct_values");
    detail::reserve(m_exec, m_tasks, tasks.size(), "tessera::stable::garch_tasks");
    detail::reserve(m_exec, m_results, tasks.size(), "tessera::stable::garch_results");
    upload_to(m_exec, own, m_tasks);
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      launch<128>(data, tasks.size(), options);
    } else {
      launch<1>(data, tasks.size(), options);
    }
    const auto found =
        download(m_exec, Kokkos::subview(m_results, std::make_pair(std::size_t(0), tasks.size())));
    stop_at_signal();
    std::vector<GarchResult> results;
    for (std::size_t k = 0; k < tasks.size(); ++k)
      results.push_back(detail::restore(found[k], tasks[k]));
    return results;
  }

 private:
  template <int kTeam>
  using Kernel = detail::GarchKernel<ExecSpace, kTeam>;

  template <int kTeam>
  void launch(const Data& data, std::size_t count, const GarchOptions& options) const {
    typename Kernel<kTeam>::Policy policy(m_exec, static_cast<int>(count), kTeam);
    policy.set_scratch_size(0, Kokkos::PerTeam(Kernel<kTeam>::scratch_size()));
    const Kernel<kTeam> kernel{data, m_work, m_list, m_tasks, m_table, options, m_results, {}};
    Kokkos::parallel_for("tessera::stable::garch", policy, kernel);
  }

  ExecSpace m_exec;
  detail::StartTable<ExecSpace> m_table;
  Kokkos::View<double*, ExecSpace> m_work;
  Kokkos::View<int*, ExecSpace> m_list;
  Kokkos::View<detail::DeviceGarchTask*, ExecSpace> m_tasks;
  Kokkos::View<detail::DeviceGarch*, ExecSpace> m_results;
};

}  // namespace tessera::stable
