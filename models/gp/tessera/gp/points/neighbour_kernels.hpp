// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/points/neighbours.hpp"

/// The kernels of a search for nearest neighbours, whatever the arrangement of the points. That is
/// described by Queries, in which points have positions and an index each:
///
///     query(q)                 query q: the row of its neighbours (-1: none are wanted) and more
///     index(p), counts(q, i)   the index of position p; whether point i counts for a query
///     square(q, p)             the squared distance of position p; square_to(q, i): of point i
///     find_squares(q, p, squares)               those of kBlock positions from p on
///     search(q, restart, scan, farthest)        calls scan(begin, end) with positions until
///                                               nothing nearer can be left
///     search_together(queries, count, scan, farthest)      the same for up to kBatch of them, whose
///                                               numbers scan and farthest take first
///
/// Included where searches are instantiated.

namespace tessera::gp::detail {

KOKKOS_INLINE_FUNCTION bool comes_before(double d, std::int32_t i, double e, std::int32_t j) {
  return d < e || (d == e && i < j);
}

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr std::int32_t kNoIndex = std::numeric_limits<std::int32_t>::max();

/// The search on a CPU: a thread per query, or for a batch of them, the best so far sorted in
/// scratch memory.
template <class ExecSpace, class Queries>
struct SearchOneByOne {
  using Member =
      typename Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>::member_type;
  static constexpr std::int64_t kQueries = 64;  // of a team
  Queries queries;
  int wanted;

  static KOKKOS_INLINE_FUNCTION std::size_t scratch_bytes(int wanted) {
    return static_cast<std::size_t>(Queries::kBatch) * static_cast<std::size_t>(wanted) *
               (sizeof(double) + sizeof(std::int32_t)) +
           16;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    auto* const distance = static_cast<double*>(
        team.team_scratch(1).get_shmem(static_cast<std::ptrdiff_t>(scratch_bytes(wanted))));
    auto* const index = reinterpret_cast<std::int32_t*>(distance + Queries::kBatch * wanted);
    const std::int64_t begin = team.league_rank() * kQueries,
                       end = compat::min(queries.count, begin + kQueries);
    if constexpr (Queries::kBatch == 1) {
      for (std::int64_t q = begin; q < end; ++q) find(queries.query(q), distance, index);
    } else {
      for (std::int64_t q = begin; q < end; q += Queries::kBatch)
        find_together(q, compat::min<std::int64_t>(Queries::kBatch, end - q), distance, index);
    }
  }

 private:
  /// The best so far of a query, sorted.
  struct Best {
    double* distance;
    std::int32_t* index;
    int wanted, found;

    KOKKOS_FORCEINLINE_FUNCTION double farthest() const {
      return found < wanted ? kInfinite : distance[wanted - 1];
    }
    KOKKOS_FORCEINLINE_FUNCTION void insert(double d, std::int32_t i) {
      int at = found < wanted ? found++ : wanted - 1;
      for (; at > 0 && comes_before(d, i, distance[at - 1], index[at - 1]); --at) {
        distance[at] = distance[at - 1];
        index[at] = index[at - 1];
      }
      distance[at] = d;
      index[at] = i;
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION static double least(const double (&squares)[Queries::kBlock]) {
    double result = squares[0];
    for (std::uint32_t l = 1; l < Queries::kBlock; ++l) result = compat::min(result, squares[l]);
    return result;
  }

  KOKKOS_FORCEINLINE_FUNCTION void scan(const typename Queries::Query& query, Best& best,
                                        std::uint32_t begin, std::uint32_t end) const {
    constexpr std::uint32_t kBlock = Queries::kBlock;
    for (std::uint32_t first = begin; first < end; first += kBlock) {
      double squares[kBlock];
      queries.find_squares(query, first, squares);
      const std::uint32_t last = compat::min(first + kBlock, end);
      if (kBlock > 1 && least(squares) > best.farthest()) continue;
      for (std::uint32_t p = first; p < last; ++p) {
        const double d = squares[p - first];
        if (best.found == wanted && d > best.distance[wanted - 1]) continue;
        const auto i = static_cast<std::int32_t>(queries.index(p));
        if (!queries.counts(query, i)) continue;
        if (best.found == wanted &&
            !comes_before(d, i, best.distance[wanted - 1], best.index[wanted - 1]))
          continue;
        best.insert(d, i);
      }
    }
  }

  KOKKOS_INLINE_FUNCTION void write(const typename Queries::Query& query, const Best& best) const {
    for (int k = 0; k < wanted; ++k)
      queries.neighbours(query.row, k) = k < best.found ? best.index[k] : -1;
  }

  KOKKOS_INLINE_FUNCTION void find(const typename Queries::Query& query, double* distance,
                                   std::int32_t* index) const {
    if (query.row < 0) return;
    Best best{distance, index, wanted, 0};
    queries.search(
        query, [&] { best.found = 0; },
        [&](std::uint32_t begin, std::uint32_t end) { scan(query, best, begin, end); },
        [&] { return best.farthest(); });
    write(query, best);
  }

  /// Finds the neighbours of queries that follow each other, so that points which one of them scans
  /// are in the cache for the others.
  KOKKOS_INLINE_FUNCTION void find_together(std::int64_t begin, std::int64_t count,
                                            double* distance, std::int32_t* index) const {
    typename Queries::Query query[Queries::kBatch] = {};
    Best best[Queries::kBatch] = {};
    for (std::int64_t b = 0; b < count; ++b) {
      query[b] = queries.query(begin + b);
      best[b] = {distance + b * wanted, index + b * wanted, wanted, 0};
    }
    queries.search_together(
        query, static_cast<int>(count),
        [&](int b, std::uint32_t from, std::uint32_t to) { scan(query[b], best[b], from, to); },
        [&](int b) { return best[b].farthest(); });
    for (std::int64_t b = 0; b < count; ++b) {
      if (query[b].row >= 0) write(query[b], best[b]);
    }
  }
};

/// The search on a GPU: a warp per query, whose 32 best stand sorted over the lanes. Those after
/// the first 32 are found in further launches.
template <class ExecSpace, class Queries>
struct SearchByWarps {
  using Member =
      typename Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>::member_type;
  static constexpr int kWarps = 8, kLanes = 32, kBuffer = 64;
  Queries queries;
  int skip, wanted;  // neighbours known already, and wanted now

  static constexpr std::size_t kScratchBytes =
      kWarps * kBuffer * (sizeof(double) + sizeof(std::int32_t)) + 16;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::size_t bytes = kScratchBytes;
    auto* const scratch = static_cast<double*>(team.team_scratch(0).get_shmem(bytes));
    const int warp = team.team_rank(), lane = static_cast<int>(compat::this_warp_lane().index);
    const std::int64_t q = team.league_rank() * kWarps + warp;
    if (q >= queries.count) return;
    const auto query = queries.query(q);
    if (query.row < 0) return;
    State state;
    state.distance = scratch + warp * kBuffer;
    state.index = reinterpret_cast<std::int32_t*>(scratch + kWarps * kBuffer) + warp * kBuffer;
    state.lane = lane;
    state.wanted = wanted;
    double known = -1;  // the last neighbour that is known
    std::int32_t known_index = -1;
    if (skip > 0) {
      known_index = queries.neighbours(query.row, skip - 1);
      known = kInfinite;
      if (known_index >= 0) known = queries.square_to(query, known_index);
    }
    const auto restart = [&] { state.clear(); };
    const auto farthest = [&] {
      if (state.count > 0) state.merge(state.count);
      return state.worst;
    };
    const auto scan = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t p = begin; p < end; p += kLanes) {
        bool take = p + lane < end;
        double d = 0;
        std::int32_t i = 0;
        if (take) {
          i = static_cast<std::int32_t>(queries.index(p + lane));
          d = queries.square(query, p + lane);
          take = queries.counts(query, i) && comes_before(d, i, state.worst, state.worst_index) &&
                 comes_before(known, known_index, d, i);
        }
        state.add(take, d, i);
      }
    };
    queries.search(query, restart, scan, farthest);
    if (lane < wanted)
      queries.neighbours(query.row, skip + lane) = state.best < kInfinite ? state.best_index : -1;
  }

 private:
  struct State {
    double* distance;  // of the candidates, and their indices
    std::int32_t* index;
    int lane, wanted, count;
    double best, worst;
    std::int32_t best_index, worst_index;

    KOKKOS_INLINE_FUNCTION void clear() {
      best = worst = kInfinite;
      best_index = worst_index = kNoIndex;
      count = 0;
    }

    KOKKOS_INLINE_FUNCTION static void exchange(double& d, std::int32_t& i, int mask,
                                                bool keep_small) {
      const double e = compat::warp_shuffle_xor(d, mask);
      const std::int32_t j = compat::warp_shuffle_xor(i, mask);
      if (comes_before(e, j, d, i) == keep_small) {
        d = e;
        i = j;
      }
    }

    KOKKOS_INLINE_FUNCTION void add(bool take, double d, std::int32_t i) {
      const std::uint32_t votes = compat::warp_ballot(take);
      if (take) {
        const int at = count + compat::popcount(votes & ((1u << lane) - 1));
        distance[at] = d;
        index[at] = i;
      }
      count += compat::popcount(votes);
      if (count >= kLanes) merge(kLanes);
    }

    /// Sorts the first `number` candidates (bitonic) and merges them with the best.
    KOKKOS_INLINE_FUNCTION void merge(int number) {
      compat::warp_sync();
      double d = lane < number ? distance[lane] : kInfinite;
      std::int32_t i = lane < number ? index[lane] : kNoIndex;
      TESSERA_UNROLL
      for (int size = 2; size <= kLanes; size *= 2) {
        TESSERA_UNROLL
        for (int s = size / 2; s > 0; s /= 2)
          exchange(d, i, s, ((lane & s) == 0) == ((lane & size) == 0));
      }
      d = compat::warp_shuffle(d, kLanes - 1 - lane);
      i = compat::warp_shuffle(i, kLanes - 1 - lane);
      if (comes_before(d, i, best, best_index)) {
        best = d;
        best_index = i;
      }
      TESSERA_UNROLL
      for (int s = kLanes / 2; s > 0; s /= 2) exchange(best, best_index, s, (lane & s) == 0);
      worst = compat::warp_shuffle(best, wanted - 1);
      worst_index = compat::warp_shuffle(best_index, wanted - 1);
      const bool rest = lane + kLanes < count;
      if (rest) {
        d = distance[lane + kLanes];
        i = index[lane + kLanes];
      }
      compat::warp_sync();
      if (rest) {
        distance[lane] = d;
        index[lane] = i;
      }
      count = compat::max(count - kLanes, 0);
      compat::warp_sync();
    }
  };
};

/// Finds the neighbours of all queries.
template <class ExecSpace, class Queries>
void run_search(const ExecSpace& exec, const Queries& queries) {
  const int wanted = static_cast<int>(queries.neighbours.extent(1));
  if (queries.count == 0 || wanted == 0) return;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    using Search = SearchByWarps<ExecSpace, Queries>;
    const std::int64_t teams = (queries.count + Search::kWarps - 1) / Search::kWarps;
    for (int skip = 0; skip < wanted; skip += Search::kLanes) {
      Policy policy(exec, static_cast<int>(teams), Search::kWarps, Search::kLanes);
      policy.set_scratch_size(0, Kokkos::PerTeam(Search::kScratchBytes));
      Kokkos::parallel_for("tessera::gp::find_neighbours", policy,
                           Search{queries, skip, compat::min(Search::kLanes, wanted - skip)});
    }
  } else {
    using Search = SearchOneByOne<ExecSpace, Queries>;
    const std::int64_t teams = (queries.count + Search::kQueries - 1) / Search::kQueries;
    Policy policy(exec, static_cast<int>(teams), 1, 1);
    policy.set_scratch_size(1, Kokkos::PerTeam(Search::scratch_bytes(wanted)));
    Kokkos::parallel_for("tessera::gp::find_neighbours", policy, Search{queries, wanted});
  }
}

}  // namespace tessera::gp::detail
