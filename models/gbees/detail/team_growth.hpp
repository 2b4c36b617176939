// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/detail/grow.hpp"

namespace tessera::gbees::detail {

/// The lists of a team that grows, in its scratch memory: the cells that grow, and the cells that they make. To be made once a kernel,
/// since a team's scratch memory is given out once.
template <class State>
struct GrowthLists {
  static constexpr std::uint32_t kItems = 4;  ///< cells of a thread that are looked at together
  static constexpr std::uint32_t kMost = 4;   ///< new cells that a thread makes between two meetings of its team
  using Scratch = typename State::ExecSpace::scratch_memory_space;
  using NewCell = typename MakeNeighbour<State>::NewCell;
  template <class T>
  using List = Kokkos::View<T*, Scratch, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  List<NewCell> made;
  List<std::uint64_t> growing;     ///< keys
  List<std::uint32_t> directions;  ///< in which these send mass
  List<std::uint32_t> number;      ///< of growing cells, of new cells, and of rows before those of the new cells

  template <class Team>
  KOKKOS_INLINE_FUNCTION explicit GrowthLists(const Team& team)
      : made(team.team_scratch(0), kMost * team.team_size()),
        growing(team.team_scratch(0), kItems * team.team_size()),
        directions(team.team_scratch(0), kItems * team.team_size()),
        number(team.team_scratch(0), 3) {}

  static std::size_t bytes(int team_size) {
    return List<NewCell>::shmem_size(kMost * team_size) + List<std::uint64_t>::shmem_size(kItems * team_size) +
           List<std::uint32_t>::shmem_size(kItems * team_size) + List<std::uint32_t>::shmem_size(3);
  }
};

/// Growth by teams that list what they have found, so that each entry of a list gets a thread: the cells that grow, the neighbours that
/// these make, and the links to these from those that were there before. The links of the new cells themselves come afterwards, when all of
/// them are known (link_new). Neighbours are looked up in the directory: links change meanwhile.
template <class State>
struct TeamGrowth {
  static constexpr int D = State::D;
  using Now = typename State::Now;
  using Lists = GrowthLists<State>;
  using NewCell = typename Lists::NewCell;

  MakeNeighbour<State> make;

  /// Lets the cells of all threads grow: thread `worker` of `workers` takes cells 1 + worker, 1 + worker + workers, ... Where a new cell is
  /// crossed in less than `cfl_time`, `shortest` is lowered.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team, const Now& now, double cfl_time, const Lists& lists, std::uint32_t worker,
                                         std::uint32_t workers, double& shortest) const {
    const auto rank = static_cast<std::uint32_t>(team.team_rank()), size = static_cast<std::uint32_t>(team.team_size());
    for (std::uint32_t begin = 0; begin < now.size; begin += Lists::kItems * workers) {
      if (rank < 2) lists.number(rank) = 0;
      team.team_barrier();
      list_growing(now, lists, begin + worker, workers);
      team.team_barrier();
      const std::uint32_t items = lists.number(0) * kMakers<D>;
      for (std::uint32_t first = 0; first < items; first += size) {
        if (first > 0) team.team_barrier();  // the list of new cells is free again
        if (first + rank < items) list_made(lists, first + rank);
        team.team_barrier();
        const std::uint32_t made = lists.number(1);
        if (made == 0) continue;
        team.team_barrier();
        if (rank == 0) {
          lists.number(1) = 0;
          lists.number(2) = Kokkos::atomic_fetch_add(&make.s.control().allocated, made);
        }
        team.team_barrier();
        const double time = number_and_link(now, lists, made, rank, size);
        if (time < cfl_time) compat::atomic_min_positive(&shortest, time);  // seldom
      }
    }
  }

  /// Links new cell c, which has this key, to its neighbours, those that are new too among them, and returns these links. For a later phase
  /// than the growth.
  KOKKOS_INLINE_FUNCTION NeighbourRows<D> link_new(std::uint32_t c, std::uint64_t key) const {
    const State& s = make.s;
    std::uint64_t neighbour[2 * D];
    NeighbourRows<D> rows;
    TESSERA_UNROLL
    for (int d = 0; d < 2 * D; ++d) neighbour[d] = key + key_step<D>(d);
    make.directory.find_n(neighbour, kNone, rows.row);
    TESSERA_UNROLL
    for (int d = 0; d < 2 * D; ++d) s.links(c, d) = rows.row[d];
    return rows;
  }

 private:
  KOKKOS_INLINE_FUNCTION void list_growing(const Now& now, const Lists& lists, std::uint32_t first, std::uint32_t stride) const {
    const State& s = make.s;
    std::uint32_t growing = 0;  // a bit for each that grows
    std::uint64_t key[Lists::kItems];
    TESSERA_UNROLL
    for (std::uint32_t k = 0; k < Lists::kItems; ++k) {
      const std::uint32_t i = first + k * stride;
      const bool exists = i < now.size;
      growing |= (exists & s.grows(now, exists ? 1 + i : 1) ? 1u : 0u) << k;
      key[k] = s.key(exists ? 1 + i : 1);  // with the other loads, for the few that it is wanted of
    }
    for (; growing != 0; growing &= growing - 1) {
      const auto which = static_cast<std::uint32_t>(compat::countr_zero(growing));
      std::uint64_t its_key = key[0];
      TESSERA_UNROLL
      for (std::uint32_t k = 1; k < Lists::kItems; ++k) its_key = k == which ? key[k] : its_key;
      const std::uint32_t place = Kokkos::atomic_fetch_add(&lists.number(0), 1u);
      lists.growing(place) = its_key;
      lists.directions(place) = s.outflow_directions(now, 1 + first + which * stride, its_key);
    }
  }

  /// Lists what one maker of a growing cell makes.
  KOKKOS_INLINE_FUNCTION void list_made(const Lists& lists, std::uint32_t item) const {
    const std::uint32_t cell = item / kMakers<D>;
    const std::uint64_t key = lists.growing(cell);
    for_each_fed_by<D>(item % kMakers<D>, lists.directions(cell), [&](int d, int e) {
      NewCell made;
      if (make.enter(key, d, e, made)) lists.made(Kokkos::atomic_fetch_add(&lists.number(1), 1u)) = made;
    });
  }

  /// Numbers the new cells of the list by the last threads and links them by the first ones, which are in other warps when the list is
  /// short. Returns the shortest crossing time of those that this thread numbers.
  KOKKOS_INLINE_FUNCTION double number_and_link(const Now& now, const Lists& lists, std::uint32_t made, std::uint32_t rank,
                                                std::uint32_t size) const {
    const std::uint32_t before = lists.number(2);
    double shortest = kNoCrossing;
    for (std::uint32_t m = size - 1 - rank; m < made; m += size) {
      const NewCell cell = lists.made(m);
      const std::uint32_t row = before + 1 + m;
      if (make.give_row(now, cell, row)) shortest = compat::min(shortest, make.s.checked_crossing_time(cell.key, row));
    }
    for (std::uint32_t item = rank; item < made * 2 * D; item += size) {
      const std::uint32_t m = item / (2 * D), row = before + 1 + m;
      if (row <= make.s.capacity) link_from_old(now, row, lists.made(m).key, static_cast<int>(item % (2 * D)));
    }
    return shortest;
  }

  /// Where the neighbour of new cell c in direction d is a cell that was there before, links that cell to c.
  KOKKOS_INLINE_FUNCTION void link_from_old(const Now& now, std::uint32_t c, std::uint64_t key, int d) const {
    const std::uint64_t neighbour[1] = {key + key_step<D>(d)};
    std::uint32_t row[1];
    make.directory.find_n(neighbour, kNone, row);
    if (row[0] != kNone && row[0] <= now.cells) make.s.links(row[0], d ^ 1) = c;
  }
};

/// Takes the links to rows above `cells` away: those rows are forgotten.
template <class Links>
struct ForgetRows {
  Links links;
  std::uint32_t cells;
  int directions;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    for (int d = 0; d < directions; ++d) {
      if (links(i + 1, d) > cells) links(i + 1, d) = kNone;
    }
  }
};

}  // namespace tessera::gbees::detail
