// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "tessera/core/app/pace.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/core/parallel/communicator.hpp"

namespace tessera::stable {

/// Fits in batches that are divided among the ranks. On a CPU a batch is no more than fits into a
/// fraction of a second.
template <class ExecSpace>
class SharedBatches {
 public:
  SharedBatches(const ExecSpace& exec, const parallel::Communicator& ranks)
      : m_exec(exec), m_ranks(ranks) {}

  /// Returns the number of fits, of those that are left, that the next step makes on all ranks
  /// together.
  std::int64_t next(std::int64_t left) const {
    constexpr std::int64_t kBatch = compat::is_gpu_v<ExecSpace> ? 8192 : 64;
    std::int64_t each = std::min(kBatch, left);
    if (!compat::is_gpu_v<ExecSpace>)
      each = m_ranks.min(m_pace.next(each, std::min<std::int64_t>(m_exec.concurrency(), kBatch)));
    return std::min(each * m_ranks.size(), left);
  }

  /// The fits of `count` samples, of which each rank makes its part by make(range); they set the
  /// pace of the next ones.
  template <class Make>
  auto share(const char* name, std::int64_t count, const Make& make) {
    return share(name, count, make, [this](const auto& own) { return m_ranks.all_gather(own); });
  }

  /// Does the same for results that gather(own) brings together.
  template <class Make, class Gather>
  auto share(const char* name, std::int64_t count, const Make& make, const Gather& gather) {
    const logging::Region region(name);
    const auto start = std::chrono::steady_clock::now();
    const auto own = make(m_ranks.share(count));
    m_pace.took(static_cast<std::int64_t>(own.size()),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return gather(own);
  }

 private:
  ExecSpace m_exec;
  parallel::Communicator m_ranks;
  Pace m_pace;  // in fits
};

}  // namespace tessera::stable
