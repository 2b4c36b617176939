// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/stable/detail/fit_kernel.hpp"

namespace tessera::stable {

/// Fits of many samples at once: alpha, beta, sigma and mu of each in S0 by maximum likelihood, with analytic scores, from starts of
/// McCulloch's kind; one team of threads a sample. Samples do not touch each other: one that cannot be fitted says so in its status.
///
/// Accuracy: the largest component of the gradient by the number of values is below `FitOptions::tolerance`; log-likelihood 1e-9,
/// parameters some 1e-7 of their standard errors.
template <class ExecSpace>
class Fitter {
 public:
  using Data = Kokkos::View<const double*, ExecSpace>;

  explicit Fitter(const ExecSpace& exec) : m_exec(exec), m_table(detail::StartTable<ExecSpace>::build(exec)) {}

  /// Fits tasks over `data`; weights (as many as data) may be empty. Throws Error (input) for a task outside the data or a fixed value out
  /// of range. Waits for the results. Work space for a copy of all values is kept between calls.
  std::vector<FitResult> operator()(const Data& data, const Data& weights, const std::vector<FitTask>& tasks,
                                    const FitOptions& options = {}) {
    check(data, weights, tasks);
    if (tasks.empty()) return {};
    upload(tasks);
    sort(data, weights, tasks);
    const bool weighted = weights.extent(0) != 0;
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      tasks.size() <= kFew ? launch<256>(tasks.size(), weighted, options) : launch<128>(tasks.size(), weighted, options);
    } else {
      launch<1>(tasks.size(), weighted, options);
    }
    std::vector<FitResult> results(tasks.size());
    const auto all = Kokkos::subview(m_results, std::make_pair(std::size_t(0), tasks.size()));
    Kokkos::deep_copy(
        m_exec, Kokkos::View<FitResult*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(results.data(), results.size()), all);
    m_exec.fence();
    return results;
  }

 private:
  static void check(const Data& data, const Data& weights, const std::vector<FitTask>& tasks) {
    if (weights.extent(0) != 0 && weights.extent(0) != data.extent(0)) {
      throw Error(ErrorKind::input,
                  "stable: " + std::to_string(weights.extent(0)) + " weights for " + std::to_string(data.extent(0)) + " values");
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const FitTask& t = tasks[i];
      if (t.begin < 0 || t.count < 0 || t.begin + t.count > static_cast<std::int64_t>(data.extent(0))) {
        throw Error(ErrorKind::input, "stable: sample " + std::to_string(i) + " covers values " + std::to_string(t.begin) + " to " +
                                          std::to_string(t.begin + t.count) + " of " + std::to_string(data.extent(0)));
      }
      const double* v = t.fixed_value;
      const bool good = (!t.is_fixed(0) || (v[0] >= kMinAlpha && v[0] <= kMaxAlpha)) && (!t.is_fixed(1) || std::fabs(v[1]) <= 1) &&
                        (!t.is_fixed(2) || v[2] > 0) && (!t.is_fixed(3) || std::isfinite(v[3]));
      if (!good) throw Error(ErrorKind::input, "stable: sample " + std::to_string(i) + " fixes a parameter out of its range");
    }
  }

  template <class View>
  void reserve(View& view, std::size_t size, const std::string& label) {
    if (view.extent(0) < size) view = View(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, label), size);
  }

  void upload(const std::vector<FitTask>& tasks) {
    reserve(m_tasks, tasks.size(), "tessera::stable::tasks");
    reserve(m_offsets, tasks.size(), "tessera::stable::offsets");
    reserve(m_results, tasks.size(), "tessera::stable::results");
    std::vector<std::int64_t> offsets(tasks.size());
    m_total = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      offsets[i] = m_total;
      m_total += tasks[i].count;
    }
    const auto range = std::make_pair(std::size_t(0), tasks.size());
    Kokkos::deep_copy(m_exec, Kokkos::subview(m_tasks, range),
                      Kokkos::View<const FitTask*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(tasks.data(), tasks.size()));
    Kokkos::deep_copy(
        m_exec, Kokkos::subview(m_offsets, range),
        Kokkos::View<const std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(offsets.data(), offsets.size()));
    m_exec.fence();
  }

  template <int kTeam>
  void launch(std::size_t fits, bool weighted, const FitOptions& options) const {
    using Kernel = detail::FitKernel<ExecSpace, kTeam>;
    const Kernel kernel{m_sorted, weighted ? Data(m_sorted_weights) : Data(), m_tasks, m_offsets, m_table, options, m_results};
    typename Kernel::Policy policy(m_exec, static_cast<int>(fits), kTeam);
    policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_size()));
    Kokkos::parallel_for("tessera::stable::fit", policy, kernel);
  }

  void sort(const Data& data, const Data& weights, const std::vector<FitTask>& tasks) {
    reserve(m_sorted, static_cast<std::size_t>(m_total), "tessera::stable::sorted");
    if (weights.extent(0) != 0) reserve(m_sorted_weights, static_cast<std::size_t>(m_total), "tessera::stable::sorted_weights");
    int longest = 0;
    for (const FitTask& task : tasks) longest = std::max(longest, task.count);
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      using Kernel = detail::SortKernel<ExecSpace>;
      if (weights.extent(0) == 0 && longest <= Kernel::kMost) {
        int padded = 64;
        while (padded < longest) padded *= 2;
        typename Kernel::Policy policy(m_exec, static_cast<int>(tasks.size()), Kernel::kTeam);
        policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Kernel::Scratch::shmem_size(padded))));
        Kokkos::parallel_for("tessera::stable::sort", policy, Kernel{data, m_tasks, m_offsets, m_sorted, padded});
        return;
      }
    }
    sort_on_host(data, weights, tasks);
  }

  void sort_on_host(const Data& data, const Data& weights, const std::vector<FitTask>& tasks) {
    const std::vector<double> x = download(m_exec, data), w = download(m_exec, weights);
    const auto out_x = Kokkos::create_mirror_view(m_sorted), out_w = Kokkos::create_mirror_view(m_sorted_weights);
    std::int64_t offset = 0;
    std::vector<std::pair<double, double>> pairs;
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first || (a.first == a.first && b.first != b.first); };
    for (const FitTask& task : tasks) {
      pairs.resize(static_cast<std::size_t>(task.count));
      for (int i = 0; i < task.count; ++i) pairs[i] = {x[task.begin + i], w.empty() ? 1.0 : w[task.begin + i]};
      std::sort(pairs.begin(), pairs.end(), less);
      for (int i = 0; i < task.count; ++i) {
        out_x(offset + i) = pairs[i].first;
        if (!w.empty()) out_w(offset + i) = pairs[i].second;
      }
      offset += task.count;
    }
    Kokkos::deep_copy(m_exec, m_sorted, out_x);
    if (weights.extent(0) != 0) Kokkos::deep_copy(m_exec, m_sorted_weights, out_w);
    m_exec.fence();
  }

  static constexpr std::size_t kFew = 128;  ///< fits that a GPU makes at once, each on processors of its own

  ExecSpace m_exec;
  detail::StartTable<ExecSpace> m_table;
  Kokkos::View<FitTask*, ExecSpace> m_tasks;
  Kokkos::View<std::int64_t*, ExecSpace> m_offsets;
  Kokkos::View<FitResult*, ExecSpace> m_results;
  Kokkos::View<double*, ExecSpace> m_sorted, m_sorted_weights;
  std::int64_t m_total = 0;
};

}  // namespace tessera::stable
