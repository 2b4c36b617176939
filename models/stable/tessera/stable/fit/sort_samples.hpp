// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/stable/fit/fit_types.hpp"

namespace tessera::stable::detail {

/// Copies the values of each task and sorts them, NaN last, by bitonic exchanges in scratch memory:
/// one team a task, at most kMost values.
template <class ExecSpace>
struct SortKernel {
  static constexpr int kMost = 4096, kTeam = 256;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kTeam, 2>>;
  using Member = typename Policy::member_type;
  using Scratch = Kokkos::View<double*, typename ExecSpace::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Kokkos::View<const double*, ExecSpace> data;
  Kokkos::View<const FitTask*, ExecSpace> tasks;
  Kokkos::View<const std::int64_t*, ExecSpace> offsets;
  Kokkos::View<double*, ExecSpace> sorted;
  int padded;  ///< a power of two, at least as many as the longest task has

  /// NaN counts as the largest.
  KOKKOS_INLINE_FUNCTION static bool greater(double a, double b) {
    return a > b || (a != a && b == b);
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const Scratch values(team.team_scratch(0), padded);
    const FitTask& task = tasks(team.league_rank());
    const int thread = team.team_rank(), threads = team.team_size();
    for (int i = thread; i < padded; i += threads)
      values(i) = i < task.count ? data(task.begin + i) : NAN;
    team.team_barrier();
    for (int k = 2; k <= padded; k <<= 1) {
      for (int j = k >> 1; j > 0; j >>= 1) {
        for (int i = thread; i < padded; i += threads) {
          const int other = i ^ j;
          if (other <= i) continue;
          const bool ascending = (i & k) == 0;
          const double a = values(i), b = values(other);
          if (ascending ? greater(a, b) : greater(b, a)) {
            values(i) = b;
            values(other) = a;
          }
        }
        team.team_barrier();
      }
    }
    double* out = sorted.data() + offsets(team.league_rank());
    for (int i = thread; i < task.count; i += threads) out[i] = values(i);
  }
};

/// Makes an array at least this long; what it held is lost when it grows.
template <class ExecSpace, class View>
void reserve(const ExecSpace& exec, View& view, std::size_t size, const std::string& label) {
  if (view.extent(0) < size)
    view = View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), size);
}

/// The values of every task, sorted, NaN last, one task after the other; with weights these are
/// sorted along. Memory is kept between calls.
template <class ExecSpace>
class SampleSorter {
 public:
  using Data = Kokkos::View<const double*, ExecSpace>;
  using Tasks = Kokkos::View<const FitTask*, ExecSpace>;
  using Offsets = Kokkos::View<const std::int64_t*, ExecSpace>;

  /// `tasks` and `device_tasks` are the same; the values of task k go to offsets(k), ...
  void operator()(const ExecSpace& exec, const Data& data, const Data& weights,
                  const std::vector<FitTask>& tasks, const Tasks& device_tasks,
                  const Offsets& offsets) {
    std::int64_t total = 0;
    std::int32_t longest = 0;
    for (const FitTask& task : tasks) {
      total += task.count;
      longest = std::max(longest, task.count);
    }
    reserve(exec, m_values, static_cast<std::size_t>(total), "tessera::stable::sorted");
    if (weights.extent(0) != 0)
      reserve(exec, m_weights, static_cast<std::size_t>(total), "tessera::stable::sorted_weights");
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      using Kernel = SortKernel<ExecSpace>;
      if (weights.extent(0) == 0 && longest <= Kernel::kMost) {
        int padded = 64;
        while (padded < longest) padded *= 2;
        typename Kernel::Policy policy(exec, static_cast<int>(tasks.size()), Kernel::kTeam);
        policy.set_scratch_size(
            0, Kokkos::PerTeam(static_cast<int>(Kernel::Scratch::shmem_size(padded))));
        Kokkos::parallel_for("tessera::stable::sort", policy,
                             Kernel{data, device_tasks, offsets, m_values, padded});
        return;
      }
    }
    sort_on_host(exec, data, weights, tasks);
  }

  Data values() const { return m_values; }
  Data weights() const { return m_weights; }

 private:
  using View = Kokkos::View<double*, ExecSpace>;

  void sort_on_host(const ExecSpace& exec, const Data& data, const Data& weights,
                    const std::vector<FitTask>& tasks) {
    const double *x = data.data(), *w = weights.data();
    std::vector<double> host_x, host_w;
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      host_x = download(exec, data);
      host_w = download(exec, weights);
      x = host_x.data();
      w = host_w.data();
    } else {
      exec.fence();
    }
    const auto out_x = Kokkos::create_mirror_view(m_values),
               out_w = Kokkos::create_mirror_view(m_weights);
    const bool weighted = weights.extent(0) != 0;
    const auto less = [](double a, double b) { return a < b || (a == a && b != b); };
    std::int64_t offset = 0;
    std::vector<std::pair<double, double>> pairs;
    for (const FitTask& task : tasks) {
      stop_at_signal();
      double* const values = out_x.data() + offset;
      std::copy_n(x + task.begin, task.count, values);
      if (!weighted) {
        std::sort(values, values + task.count, less);
      } else {
        pairs.resize(static_cast<std::size_t>(task.count));
        for (int i = 0; i < task.count; ++i) pairs[i] = {values[i], w[task.begin + i]};
        std::sort(pairs.begin(), pairs.end(),
                  [&](const auto& a, const auto& b) { return less(a.first, b.first); });
        for (int i = 0; i < task.count; ++i) {
          values[i] = pairs[i].first;
          out_w(offset + i) = pairs[i].second;
        }
      }
      offset += task.count;
    }
    Kokkos::deep_copy(exec, m_values, out_x);
    if (weighted) Kokkos::deep_copy(exec, m_weights, out_w);
    exec.fence();
  }

  View m_values, m_weights;
};

}  // namespace tessera::stable::detail
