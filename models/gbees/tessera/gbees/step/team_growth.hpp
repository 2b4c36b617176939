// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/step/grow.hpp"

namespace tessera::gbees::detail {

/// The lists of a team that grows, in its scratch memory: the cells that grow, and the cells that
/// they insert. To be made once a kernel, since a team's scratch memory is given out once.
template <class Context>
struct GrowthLists {
  static constexpr std::uint32_t kItems = 4;  ///< cells of a thread that are looked at together
  /// New cells that a thread inserts between two barriers of its team
  static constexpr std::uint32_t kMost = 4;
  using Scratch = typename Context::ExecSpace::scratch_memory_space;
  template <class T>
  using List = Kokkos::View<T*, Scratch, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  List<NewCell<std::uint64_t>> inserted;
  List<std::uint64_t> growing;     ///< keys
  List<std::uint32_t> directions;  ///< in which these send mass
  /// Numbers of growing cells, of new cells, and of rows before those of the new cells
  List<std::uint32_t> number;

  template <class Team>
  KOKKOS_INLINE_FUNCTION explicit GrowthLists(const Team& team)
      : inserted(team.team_scratch(0), kMost * team.team_size()),
        growing(team.team_scratch(0), kItems * team.team_size()),
        directions(team.team_scratch(0), kItems * team.team_size()),
        number(team.team_scratch(0), 3) {}

  static std::size_t bytes(int team_size) {
    return List<NewCell<std::uint64_t>>::shmem_size(kMost * team_size) +
           List<std::uint64_t>::shmem_size(kItems * team_size) +
           List<std::uint32_t>::shmem_size(kItems * team_size) + List<std::uint32_t>::shmem_size(3);
  }
};

/// Growth by teams of a GPU kernel that list what they have found, so that each entry of a list
/// gets a thread: the cells that grow, the neighbours that these insert, and the links to these
/// from those that were there before. The links of the new cells themselves come afterwards, when
/// all of them are known (link_new). Neighbours are looked up in the directory: links change
/// meanwhile.
template <class Context, class Directory>
struct TeamGrowth {
  static constexpr int D = Context::D;
  using View = typename Context::View;
  using Lists = GrowthLists<Context>;

  const Growth<Context, Directory>& grow;

  /// Lets the cells of all threads grow: thread `thread` of `threads` takes cells 1 + thread, 1 +
  /// thread + threads, ... Where a new cell is crossed in less than `cfl_time`, `shortest` is
  /// lowered.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team, const View& view, double cfl_time,
                                         const Lists& lists, std::uint32_t thread,
                                         std::uint32_t threads, double& shortest) const {
    const auto rank = static_cast<std::uint32_t>(team.team_rank()),
               size = static_cast<std::uint32_t>(team.team_size());
    for (std::uint32_t begin = 0; begin < view.size; begin += Lists::kItems * threads) {
      if (rank < 2) lists.number(rank) = 0;
      team.team_barrier();
      list_growing(view, lists, begin + thread, threads);
      team.team_barrier();
      const std::uint32_t items = lists.number(0) * kLanes<D>;
      for (std::uint32_t first = 0; first < items; first += size) {
        if (first > 0) team.team_barrier();  // the list of new cells is free again
        if (first + rank < items) list_inserted(lists, first + rank);
        team.team_barrier();
        const std::uint32_t inserted = lists.number(1);
        if (inserted == 0) continue;
        team.team_barrier();
        if (rank == 0) {
          lists.number(1) = 0;
          lists.number(2) = grow.take_rows(inserted);
        }
        team.team_barrier();
        const double time = number_and_link(view, lists, inserted, rank, size);
        if (time < cfl_time) compat::atomic_min_positive(&shortest, time);  // seldom
      }
    }
  }

  /// Links new cell c, which has this key, to its neighbours, those that are new too among them,
  /// and returns these links. For a later phase than the growth.
  KOKKOS_INLINE_FUNCTION NeighbourRows<D> link_new(std::uint32_t c, std::uint64_t key) const {
    const Context& s = grow.s;
    std::uint64_t neighbour[2 * D];
    NeighbourRows<D> rows;
    TESSERA_UNROLL
    for (int d = 0; d < 2 * D; ++d) neighbour[d] = s.neighbour(key, d);
    grow.directory.find_n(neighbour, kNone, rows.row);
    TESSERA_UNROLL
    for (int d = 0; d < 2 * D; ++d) s.links(c, d) = rows.row[d];
    return rows;
  }

 private:
  KOKKOS_INLINE_FUNCTION void list_growing(const View& view, const Lists& lists,
                                           std::uint32_t first, std::uint32_t stride) const {
    const Context& s = grow.s;
    std::uint32_t growing = 0;  // a bit for each that grows
    std::uint64_t key[Lists::kItems];
    TESSERA_UNROLL
    for (std::uint32_t k = 0; k < Lists::kItems; ++k) {
      const std::uint32_t i = first + k * stride;
      const bool exists = i < view.size;
      growing |= (exists & s.grows(view, exists ? 1 + i : 1) ? 1u : 0u) << k;
      key[k] = s.key(exists ? 1 + i : 1);  // with the other loads, for the few that it is wanted of
    }
    for (; growing != 0; growing &= growing - 1) {
      const auto which = static_cast<std::uint32_t>(compat::countr_zero(growing));
      std::uint64_t its_key = key[0];
      TESSERA_UNROLL
      for (std::uint32_t k = 1; k < Lists::kItems; ++k) its_key = k == which ? key[k] : its_key;
      const std::uint32_t entry = Kokkos::atomic_fetch_add(&lists.number(0), 1u);
      lists.growing(entry) = its_key;
      lists.directions(entry) = s.template outflow_directions<Context::AskedBy::step>(
          view, 1 + first + which * stride, its_key);
    }
  }

  /// Lists what one lane of a growing cell inserts.
  KOKKOS_INLINE_FUNCTION void list_inserted(const Lists& lists, std::uint32_t item) const {
    const std::uint32_t cell = item / kLanes<D>;
    const std::uint64_t key = lists.growing(cell);
    for_each_receiver_of_lane<D>(item % kLanes<D>, lists.directions(cell), [&](int d, int e) {
      NewCell<std::uint64_t> inserted;
      if (grow.insert_prefetch(key, d, e, inserted))
        lists.inserted(Kokkos::atomic_fetch_add(&lists.number(1), 1u)) = inserted;
    });
  }

  /// Numbers the new cells of the list by the last threads and links them by the first ones, which
  /// are in other warps when the list is short. Returns the shortest crossing time of those that
  /// this thread numbers.
  KOKKOS_INLINE_FUNCTION double number_and_link(const View& view, const Lists& lists,
                                                std::uint32_t inserted, std::uint32_t rank,
                                                std::uint32_t size) const {
    const std::uint32_t before = lists.number(2);
    double shortest = kNoCrossing;
    for (std::uint32_t m = size - 1 - rank; m < inserted; m += size) {
      const NewCell<std::uint64_t> cell = lists.inserted(m);
      const std::uint32_t row = before + 1 + m;
      if (grow.assign_row(view, cell, row))
        shortest = compat::min(shortest, grow.s.checked_crossing_time(cell.key, row));
    }
    for (std::uint32_t item = rank; item < inserted * 2 * D; item += size) {
      const std::uint32_t m = item / (2 * D), row = before + 1 + m;
      if (row <= grow.s.capacity)
        link_from_old(view, row, lists.inserted(m).key, static_cast<int>(item % (2 * D)));
    }
    return shortest;
  }

  /// Links the neighbour of new cell c in direction d to c, if that neighbour was there before.
  KOKKOS_INLINE_FUNCTION void link_from_old(const View& view, std::uint32_t c, std::uint64_t key,
                                            int d) const {
    const std::uint64_t neighbour[1] = {grow.s.neighbour(key, d)};
    std::uint32_t row[1];
    grow.directory.find_n(neighbour, kNone, row);
    if (row[0] != kNone && row[0] <= view.cells) grow.s.links(row[0], d ^ 1) = c;
  }
};

}  // namespace tessera::gbees::detail
