// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tessera/core/app/stop_flag.hpp"
#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/host_copy.hpp"

/// Sums over particles, in an order that does not depend on the threads: over chunks of a fixed number of them on the device, and then over
/// the chunks on the host.

namespace tessera::gbees::detail {

inline constexpr std::uint32_t kChunk = 1024;  ///< particles

/// The sums of a chunk, term after term.
template <class Term, class Sums>
struct SumChunk {
  Term term;
  std::uint32_t count;
  Sums sums;
  StopFlag<typename Sums::execution_space> stop;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t chunk) const {
    if (stop.raised()) return;
    double sum[Term::kSums] = {};
    const std::uint64_t end = compat::min<std::uint64_t>((std::uint64_t(chunk) + 1) * kChunk, count);
    for (std::uint64_t n = std::uint64_t(chunk) * kChunk; n < end; ++n) term(static_cast<std::uint32_t>(n), sum);
    for (int k = 0; k < Term::kSums; ++k) sums(chunk, k) = sum[k];
  }
};

/// The sums of a term that adds Term::kSums numbers for each of `count` particles. A signal ends it by Interrupted.
template <class ExecSpace, class Term>
std::array<double, Term::kSums> sum_over_particles(const ExecSpace& exec, std::uint32_t count, const Term& term) {
  constexpr std::size_t kSums = Term::kSums;
  using Sums = Kokkos::View<double* [kSums], Kokkos::LayoutRight, ExecSpace>;
  const auto sums = allocate<Sums>(exec, "tessera::gbees::particle_sums", (std::size_t(count) + kChunk - 1) / kChunk);
  Kokkos::parallel_for(
      "tessera::gbees::sum_particles",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>(exec, 0, static_cast<std::uint32_t>(sums.extent(0))),
      SumChunk<Term, Sums>{term, count, sums, {}});
  std::vector<double> host(sums.extent(0) * kSums);
  copy_to_host(exec, host.data(), sums.data(), host.size());
  stop_at_signal();
  std::array<double, kSums> total{};
  for (std::size_t i = 0; i < host.size(); ++i) total[i % kSums] += host[i];
  return total;
}

}  // namespace tessera::gbees::detail
