// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tessera/core/app/stop_flag.hpp"
#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/parallel/communicator.hpp"

/// Sums over particles, in an order that depends neither on the threads nor on the ranks: over
/// chunks of a fixed number of them on the device, and then over the chunks of all ranks on the
/// host.

namespace tessera::gbees::detail {

inline constexpr std::uint32_t kChunk = 1024;  ///< particles

/// The division of particles among ranks: each has those of a range of numbers, in whole chunks.
struct ParticleDivision {
  parallel::Communicator ranks;
  std::uint64_t total = 0;  ///< particles of all ranks

  parallel::Range of(int rank) const {
    return ranks.share_of(rank, static_cast<std::int64_t>(total), kChunk);
  }
  parallel::Range own() const { return of(ranks.rank()); }
};

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
    const std::uint64_t end =
        compat::min<std::uint64_t>((std::uint64_t(chunk) + 1) * kChunk, count);
    for (std::uint64_t n = std::uint64_t(chunk) * kChunk; n < end; ++n)
      term(static_cast<std::uint32_t>(n), sum);
    for (int k = 0; k < Term::kSums; ++k) sums(chunk, k) = sum[k];
  }
};

/// The sums, over the particles of all ranks, of a term that adds Term::kSums numbers for each of
/// `count` particles of this one. A signal ends it by Interrupted.
template <class ExecSpace, class Term>
std::array<double, Term::kSums> sum_over_particles(const ExecSpace& exec,
                                                   const parallel::Communicator& ranks,
                                                   std::uint32_t count, const Term& term) {
  constexpr std::size_t kSums = Term::kSums;
  using Sums = Kokkos::View<double* [kSums], Kokkos::LayoutRight, ExecSpace>;
  const auto sums = allocate<Sums>(exec, "tessera::gbees::particle_sums",
                                   (std::size_t(count) + kChunk - 1) / kChunk);
  Kokkos::parallel_for("tessera::gbees::sum_particles",
                       Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>(
                           exec, 0, static_cast<std::uint32_t>(sums.extent(0))),
                       SumChunk<Term, Sums>{term, count, sums, {}});
  std::vector<double> own(sums.extent(0) * kSums);
  copy_to_host(exec, own.data(), sums.data(), own.size());
  stop_at_signal();
  const std::vector<double> all = ranks.all_gather(own);
  std::array<double, kSums> total{};
  for (std::size_t i = 0; i < all.size(); ++i) total[i % kSums] += all[i];
  return total;
}

/// The largest of the ranks' numbers.
inline double largest_of(const parallel::Communicator& ranks, double own) {
  struct Largest {
    double value;
    Largest& operator+=(const Largest& other) {
      if (other.value > value) value = other.value;
      return *this;
    }
  };
  return ranks.sum(Largest{own}).value;
}

}  // namespace tessera::gbees::detail
