// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/detail/step_state.hpp"

namespace tessera::gbees::detail {

/// Calls `visit(direction, other)` for each direction of outflow (other = -1) and for each pair of directions along two axes: the face
/// neighbours and the edge neighbours that a cell feeds. Few cells get here, so the loops stay loops.
template <int D, class Visit>
KOKKOS_INLINE_FUNCTION void for_each_fed_neighbour(std::uint32_t directions, const Visit& visit) {
  for (int d = 0; d < 2 * D; ++d) {
    if (!(directions >> d & 1)) continue;
    for (int e = d | 1; e < 2 * D; ++e) {
      const bool face = e == (d | 1);  // the pass that stands for the neighbour in direction d alone
      if (face || directions >> e & 1) visit(d, face ? -1 : e);
    }
  }
}

/// Row of the neighbour reached through directions d and then e (or e and then d), or kNone when neither way exists.
template <class Links>
KOKKOS_INLINE_FUNCTION std::uint32_t edge_neighbour(const Links& links, std::uint32_t c, int d, int e) {
  const std::uint32_t first = links(c, d);
  return first != kNone ? links(first, e) : links(links(c, e), d);
}

/// What to add to a key to move one cell in direction d (2i: down, 2i+1: up axis i).
template <int D>
KOKKOS_INLINE_FUNCTION std::uint64_t key_step(int d) {
  const std::uint64_t unit = CellKey<D>::unit(d / 2);
  return d & 1 ? unit : std::uint64_t(0) - unit;
}

/// Makes the neighbours that a cell is about to feed where they are missing, without mass. The result is a set: it does not depend on the
/// order of the work.
template <class State>
struct MakeNeighbour {
  static constexpr int D = State::D;
  using Now = typename State::Now;
  State s;
  typename State::CellArrays::Directory directory;

  /// The neighbour of cell c in direction d, or in directions d and e.
  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c, std::uint64_t key, int d, int e) const {
    NewCell cell;
    if (!is_missing(c, d, e) || !enter<false>(key, d, e, cell)) return;
    give_row(now, cell, Kokkos::atomic_fetch_add(&s.control().allocated, 1u) + 1);
  }

  KOKKOS_INLINE_FUNCTION bool is_missing(std::uint32_t c, int d, int e) const {
    return (e < 0 ? s.links(c, d) : edge_neighbour(s.links, c, d, e)) == kNone;
  }

  /// A new cell that has no row yet.
  struct NewCell {
    std::uint64_t key;
    std::uint32_t slot;  ///< of the directory
  };

  /// Enters the neighbour of the cell with that key into the directory, without a look at the links. False: it was there, or may not be.
  template <bool by_few = true>
  KOKKOS_INLINE_FUNCTION bool enter(std::uint64_t key, int d, int e, NewCell& cell) const {
    if (!in_range(key, d) || (e >= 0 && !in_range(key, e))) {
      Kokkos::atomic_fetch_or(&s.control().stop, std::uint32_t(kStopRange));
      return false;
    }
    cell.key = key + key_step<D>(d) + (e >= 0 ? key_step<D>(e) : 0);
    if (!s.is_allowed(cell.key)) return false;
    const auto place = by_few ? directory.insert_prefetch(cell.key) : directory.insert(cell.key);
    if (place.slot == State::CellArrays::Directory::kInvalid) Kokkos::atomic_fetch_or(&s.control().stop, std::uint32_t(kStopNoRoom));
    cell.slot = place.slot;
    return place.inserted;
  }

  /// Gives a new cell its row; false when there is none.
  KOKKOS_INLINE_FUNCTION bool give_row(const Now& now, const NewCell& cell, std::uint32_t row) const {
    directory.value(cell.slot) = row;
    if (row > s.capacity) {
      Kokkos::atomic_fetch_or(&s.control().stop, std::uint32_t(kStopNoRoom));
      return false;
    }
    s.key(row) = cell.key;
    now.mass[row] = 0;
    s.grown(row) = 0;
    return true;
  }

 private:
  KOKKOS_INLINE_FUNCTION bool in_range(std::uint64_t key, int d) const {
    const int k = CellKey<D>::index(key, d / 2);
    return d & 1 ? k < CellKey<D>::limit : k > -CellKey<D>::limit;
  }
};

/// Growth on a CPU: active cells (probability >= threshold) make the neighbours that they are about to feed, once while they stay active;
/// counts the active cells.
template <class State>
struct Grow {
  static constexpr int D = State::D;
  using Now = typename State::Now;
  State s;
  typename State::CellArrays::Directory directory;

  /// Cells that a thread has made and that have no rows yet. They get them many at a time, for threads wait for each other where rows are
  /// counted.
  struct Made {
    static constexpr std::uint32_t kMost = 256, kOfOneCell = 2 * D * D;
    typename MakeNeighbour<State>::NewCell cell[kMost + kOfOneCell];
    std::uint32_t count = 0;
  };

  Now now() const { return s.now(kStopAny, s.control().cells); }

  void operator()(const Now& now, std::uint32_t c, std::uint32_t& active, Made& made) const {
    active += now.mass[c] * now.scale >= s.threshold ? 1 : 0;
    if (!s.grows(now, c)) return;  // one branch, seldom taken
    s.grown(c) = 1;
    const std::uint64_t key = s.key(c);
    const MakeNeighbour<State> make{s, directory};
    for_each_fed_neighbour<D>(s.outflow_directions(now, c, key), [&](int d, int e) {
      if (make.is_missing(c, d, e) && make.template enter<false>(key, d, e, made.cell[made.count])) ++made.count;
    });
    if (made.count >= Made::kMost) give_rows(now, made);
  }

  void give_rows(const Now& now, Made& made) const {
    if (made.count == 0) return;
    const std::uint32_t before = Kokkos::atomic_fetch_add(&s.control().allocated, made.count);
    const MakeNeighbour<State> make{s, directory};
    for (std::uint32_t i = 0; i < made.count; ++i) make.give_row(now, made.cell[i], before + i + 1);
    made.count = 0;
  }
};

/// The cells that grow in a step.
template <class State>
struct GrowingCells {
  typename State::template Array<std::uint32_t*> row, directions;  ///< and in which directions these send mass
};

/// Growth on a GPU, first part: lists the active cells that have not grown, and counts all active cells. A team at a time, for a team's one
/// addition to the length of the list.
template <class State>
struct SelectGrowing {
  static constexpr int kTogether = 32;  ///< cells that a thread looks at together, for their loads to be under way together
  using Now = typename State::Now;
  State s;
  GrowingCells<State> list;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(kStopAny, s.control().cells); }

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    const Now now = this->now();
    const auto worker = static_cast<std::uint32_t>(team.league_rank() * team.team_size() + team.team_rank());
    const auto workers = static_cast<std::uint32_t>(team.league_size() * team.team_size());
    const std::uint64_t end = now.first + now.size;
    std::uint32_t active = 0;
    // All threads of a team make the same turns.
    for (std::uint64_t first = now.first; first < end; first += std::uint64_t(kTogether) * workers) {
      std::uint32_t growing = 0;  // which of this thread's cells do
      TESSERA_UNROLL
      for (int k = 0; k < kTogether; ++k) {
        const std::uint64_t i = first + std::uint64_t(k) * workers + worker;
        const std::uint32_t c = i < end ? static_cast<std::uint32_t>(i) : kNone;  // row 0 holds no mass
        active += now.mass[c] * now.scale >= s.threshold ? 1 : 0;
        growing |= (s.grows(now, c) ? 1u : 0u) << k;
      }
      int position = team.team_scan(compat::popcount(growing), &s.findings().growing);
      for (; growing != 0; growing &= growing - 1) {
        const auto c = static_cast<std::uint32_t>(first + std::uint64_t(compat::countr_zero(growing)) * workers + worker);
        s.grown(c) = 1;
        list.row(position) = c;
        list.directions(position++) = s.outflow_directions(now, c, s.key(c));
      }
    }
    compat::warp_add(&s.findings().active, active);
  }
};

/// Threads that make the neighbours of one growing cell on a GPU: as many as a cell feeds that sends mass one way along each axis.
template <int D>
inline constexpr std::uint32_t kMakers = D*(D + 1) / 2;

/// Calls `make(direction, other)` for the share of maker `maker` among the neighbours that a cell feeds: the calls of all makers together
/// are those of for_each_fed_neighbour. All threads of a warp come to the same call, whichever neighbour is theirs.
template <int D, class Make>
KOKKOS_INLINE_FUNCTION void for_each_fed_by(std::uint32_t maker, std::uint32_t directions, const Make& make) {
  const auto count = static_cast<std::uint32_t>(compat::popcount(directions));
  for (std::uint32_t n = maker; n < count * (count + 1) / 2; n += kMakers<D>) {
    // pair n of directions, in order; a direction with itself stands for the face neighbour
    std::uint32_t rest = directions, behind = n;
    for (std::uint32_t pairs = count; behind >= pairs; --pairs) {
      behind -= pairs;
      rest &= rest - 1;
    }
    const int d = compat::countr_zero(rest);
    for (; behind > 0; --behind) rest &= rest - 1;
    const int e = compat::countr_zero(rest);
    if (e != (d ^ 1)) make(d, e == d ? -1 : e);
  }
}

/// Growth on a GPU, second part: the listed cells make their neighbours. Item w is maker w / n of the cell w % n of the list of n, so that
/// no thread makes many neighbours one after the other.
template <class State>
struct GrowSelected {
  static constexpr int D = State::D;
  using Now = typename State::Now;
  using Index = std::uint64_t;
  MakeNeighbour<State> make;
  GrowingCells<State> list;

  KOKKOS_INLINE_FUNCTION Now now() const {
    const State& s = make.s;
    Now now = s.now(kStopAny & ~(kStopNoRoom | kStopRange), static_cast<std::uint64_t>(s.findings().growing) * kMakers<D>);
    now.first = 0;
    return now;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint64_t item) const {
    const std::uint64_t length = now.size / kMakers<D>;
    const std::uint32_t c = list.row(item % length), directions = list.directions(item % length);
    const std::uint64_t key = make.s.key(c);
    for_each_fed_by<D>(static_cast<std::uint32_t>(item / length), directions, [&](int d, int e) { make(now, c, key, d, e); });
  }
};

/// Links the new cells to their neighbours, both ways, and finds the smallest crossing time among them.
/// Item w is direction w / m of new cell w % m.
template <class State>
struct LinkNewCells {
  static constexpr int D = State::D;
  using Now = typename State::Now;
  using Index = std::uint64_t;
  State s;
  typename State::CellArrays::Directory directory;

  KOKKOS_INLINE_FUNCTION Now now() const {
    // the velocity bit is set by this kernel itself
    Now now = s.now(kStopAny & ~kStopVelocity, std::uint64_t(s.control().allocated - s.control().cells) * 2 * D);
    now.first = now.packed = 0;
    return now;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint64_t item, double& shortest) const {
    const std::uint32_t linked = now.cells;
    const std::uint64_t new_cells = now.size / (2 * D);
    const int d = static_cast<int>(item / new_cells);
    const auto c = static_cast<std::uint32_t>(linked + 1 + item % new_cells);
    const std::uint64_t key = s.key(c);
    const std::uint32_t neighbour = directory.find(key + key_step<D>(d), kNone);
    s.links(c, d) = neighbour;
    if (neighbour != kNone && neighbour <= linked) s.links(neighbour, d ^ 1) = c;
    if (d == 0) shortest = compat::min(shortest, s.checked_crossing_time(key, c));
  }
};

/// For dynamics that vary in time: the velocities of all rows, new ones included, at the start of the step, and their smallest crossing
/// time.
template <class State>
struct RefreshVelocities {
  using Now = typename State::Now;
  State s;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(kStopAny & ~kStopVelocity, s.control().allocated); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now&, std::uint32_t c, double& shortest) const {
    shortest = compat::min(shortest, s.checked_crossing_time(s.key(c), c));
  }
};

}  // namespace tessera::gbees::detail
