// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"
#include "tessera/gp/points/neighbours.hpp"

/// Points in levels: the neighbours of a point of level k are of levels before k, one of them of
/// level k - 1. All points of a level can be drawn at a time.
///
/// A point that is not in a level yet watches one of its neighbours that is not either. When that
/// one has its level, the point looks for the next such neighbour; if there is none, it belongs to
/// the next level. So every neighbour is looked at once, and the work does not depend on the number
/// of levels.

namespace tessera::gp::detail {

/// Levels of up to so many points are taken by one team one after another, without a launch for
/// each. kOneThread: all of them.
inline constexpr std::int64_t kOneThread = std::numeric_limits<std::int64_t>::max();
template <class ExecSpace>
std::int64_t narrow_level(const ExecSpace& exec) {
  if (compat::is_gpu_v<ExecSpace>) return 1024;
  return exec.concurrency() == 1 ? kOneThread : 256;
}
template <class ExecSpace>
inline constexpr int kLevelTeam = compat::is_gpu_v<ExecSpace> ? 512 : 1;

template <class ExecSpace>
struct DependencyLevels {
  Kokkos::View<std::int32_t*, ExecSpace> row;  // level by level; in a level in any order
  // the position in `row` where each level begins, then where the last ends
  Kokkos::View<std::int32_t*, ExecSpace> begin;
  std::vector<std::int32_t> host_begin;
  std::int64_t count() const { return static_cast<std::int64_t>(host_begin.size()) - 1; }
  std::int64_t size(std::int64_t level) const {
    return host_begin[static_cast<std::size_t>(level) + 1] -
           host_begin[static_cast<std::size_t>(level)];
  }
};

/// The kernels that find levels.
template <class ExecSpace>
struct LevelFinder {
  struct Start {};   // every row watches a neighbour, or is of level 0
  struct Wide {};    // the rows of a level are released, a thread each
  struct Close {};   // ends the level that a wide kernel made
  struct Narrow {};  // one team releases level after level, as long as they are narrow
  using Member =
      typename Kokkos::TeamPolicy<ExecSpace, Narrow, Kokkos::IndexType<std::int64_t>>::member_type;
  using List = Kokkos::View<std::int32_t*, ExecSpace>;
  // rows that have a level; the one to be released next, and where it begins
  enum Number { kPlaced, kLevel, kBegin, kNumbers };
  static constexpr std::int32_t kNone = -1, kLater = std::numeric_limits<std::int32_t>::max();

  NeighbourView<ExecSpace> neighbours;
  std::int64_t known;  // neighbours before are there already; the others are rows, counted from it
  List level;          // of each row; kLater: not known yet
  List watched;        // the column of neighbours that is looked at next
  // the first of the rows that watch each row, and the next row of the list that each row is in
  List watcher, next;
  List row, begin;
  List state;
  std::int64_t narrow;

  KOKKOS_INLINE_FUNCTION void operator()(Start, std::int64_t i) const {
    watch(static_cast<std::int32_t>(i), -1);
  }
  KOKKOS_INLINE_FUNCTION void operator()(Wide, std::int64_t k) const {
    release(row(state(kBegin) + k), state(kLevel));
  }
  KOKKOS_INLINE_FUNCTION void operator()(Close, int) const { close(state(kBegin) + level_size); }
  KOKKOS_INLINE_FUNCTION void operator()(Narrow, const Member& team) const {
    for (;;) {
      const std::int32_t first = compat::load_relaxed(&state(kBegin)),
                         last = compat::load_relaxed(&state(kPlaced)),
                         current = compat::load_relaxed(&state(kLevel));
      team.team_barrier();  // all have read
      if (first == last || last - first > narrow) return;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, last - first),
                           [&](int k) { release(row(first + k), current); });
      team.team_barrier();
      Kokkos::single(Kokkos::PerTeam(team), [&]() { close(last); });
      team.team_barrier();
    }
  }

  std::int32_t level_size = 0;  // of the level that Close ends

 private:
  /// The next level begins at `last`.
  KOKKOS_INLINE_FUNCTION void close(std::int32_t last) const {
    const std::int32_t done = state(kLevel) + 1;
    begin(done) = last;
    compat::store_relaxed(&state(kBegin), last);
    compat::store_relaxed(&state(kLevel), done);
  }

  /// Lets the rows that watched `done`, a row of level `current`, look for another neighbour to
  /// watch.
  KOKKOS_INLINE_FUNCTION void release(std::int32_t done, std::int32_t current) const {
    for (std::int32_t i = watcher(done); i != kNone;) {
      const std::int32_t after = next(i);
      watch(i, current);
      i = after;
    }
  }

  /// Makes row i watch its next neighbour without a level; where there is none, the row gets level
  /// current + 1. Rows of levels up to `current` are there.
  KOKKOS_INLINE_FUNCTION void watch(std::int32_t i, std::int32_t current) const {
    const auto width = static_cast<std::int32_t>(neighbours.extent(1));
    for (std::int32_t j = watched(i); j < width; ++j) {
      const std::int64_t other = neighbours(i, j) - known;
      if (other < 0) continue;  // known, or none
      if (compat::load_relaxed(&level(other)) <= current) continue;
      watched(i) = j + 1;
      next(i) = Kokkos::atomic_exchange(&watcher(other), i);
      return;
    }
    compat::store_relaxed(&level(i), current + 1);
    row(Kokkos::atomic_fetch_add(&state(kPlaced), 1)) = i;
  }
};

/// The levels of rows of neighbours, whose numbers below `known` are no rows; a row's own number is
/// known + row, and those of its neighbours are smaller.
template <class ExecSpace>
DependencyLevels<ExecSpace> find_levels(const ExecSpace& exec,
                                        const NeighbourView<ExecSpace>& neighbours,
                                        std::int64_t known, std::int64_t narrow) {
  using Finder = LevelFinder<ExecSpace>;
  using Index = Kokkos::IndexType<std::int64_t>;
  const auto rows = static_cast<std::int64_t>(neighbours.extent(0));
  const auto list = [&](const char* label, std::int64_t size) {
    return allocate<typename Finder::List>(exec, label, size);
  };
  Finder finder{
      neighbours,
      known,
      list("tessera::gp::level", rows),
      allocate_zeros<typename Finder::List>(exec, "tessera::gp::watched", rows),
      list("tessera::gp::watcher", rows),
      list("tessera::gp::next_watcher", rows),
      list("tessera::gp::rows_by_level", rows),
      allocate_zeros<typename Finder::List>(exec, "tessera::gp::level_begin", rows + 1),
      allocate_zeros<typename Finder::List>(exec, "tessera::gp::level_state", Finder::kNumbers),
      narrow};
  fill(exec, finder.level, Finder::kLater);
  fill(exec, finder.watcher, Finder::kNone);
  Kokkos::parallel_for("tessera::gp::watch_neighbours",
                       Kokkos::RangePolicy<ExecSpace, typename Finder::Start, Index>(exec, 0, rows),
                       finder);
  std::int32_t state[Finder::kNumbers];
  for (;;) {
    copy_to_host(exec, state, finder.state.data(), Finder::kNumbers);
    finder.level_size = state[Finder::kPlaced] - state[Finder::kBegin];
    if (finder.level_size == 0) break;
    if (finder.level_size <= finder.narrow) {
      Kokkos::parallel_for("tessera::gp::release_levels",
                           Kokkos::TeamPolicy<ExecSpace, typename Finder::Narrow, Index>(
                               exec, 1, kLevelTeam<ExecSpace>, 1),
                           finder);
    } else {
      Kokkos::parallel_for(
          "tessera::gp::release_level",
          Kokkos::RangePolicy<ExecSpace, typename Finder::Wide, Index>(exec, 0, finder.level_size),
          finder);
      Kokkos::parallel_for("tessera::gp::close_level",
                           Kokkos::RangePolicy<ExecSpace, typename Finder::Close>(exec, 0, 1),
                           finder);
    }
  }
  if (state[Finder::kPlaced] != rows)
    throw Error(ErrorKind::internal, "points are conditioned on others that come later");
  DependencyLevels<ExecSpace> levels{
      finder.row, finder.begin,
      std::vector<std::int32_t>(static_cast<std::size_t>(state[Finder::kLevel]) + 1)};
  copy_to_host(exec, levels.host_begin.data(), levels.begin.data(), levels.host_begin.size());
  return levels;
}

}  // namespace tessera::gp::detail
