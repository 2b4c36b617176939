// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "models/gbees/detail/step_state.hpp"

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

/// Inserts the missing neighbours, without mass, that active cells (probability >= threshold) are about to feed; counts the active cells.
/// A cell grows once while it stays active. The result is a set: it does not depend on the order of the work.
template <class State>
struct Grow {
  static constexpr int D = State::D;
  State s;
  typename State::CellArrays::Directory directory;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(kStopAny, s.control().cells); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c, std::uint64_t& active) const {
    const bool is_active = now.mass[c] * now.scale >= s.threshold;
    active += is_active ? 1 : 0;
    if (!(is_active & (s.grown(c) == 0))) return;  // one branch, seldom taken
    s.grown(c) = 1;
    const std::uint64_t key = s.key(c);
    for_each_fed_neighbour<D>(s.outflow_directions(s.velocity.grid.cell(key)), [&](int d, int e) {
      const std::uint32_t neighbour = e < 0 ? s.links(c, d) : edge_neighbour(s.links, c, d, e);
      if (neighbour == kNone) insert(now, key, d, e);
    });
  }

 private:
  KOKKOS_INLINE_FUNCTION bool in_range(std::uint64_t key, int d) const {
    const int k = CellKey<D>::index(key, d / 2);
    return d & 1 ? k < CellKey<D>::limit : k > -CellKey<D>::limit;
  }

  KOKKOS_INLINE_FUNCTION void insert(const Now& now, std::uint64_t key, int d, int e) const {
    Control& control = s.control();
    if (!in_range(key, d) || (e >= 0 && !in_range(key, e))) {
      Kokkos::atomic_fetch_or(&control.stop, std::uint32_t(kStopRange));
      return;
    }
    const std::uint64_t neighbour = key + key_step<D>(d) + (e >= 0 ? key_step<D>(e) : 0);
    const auto result = directory.insert(neighbour);
    if (result.failed()) {
      Kokkos::atomic_fetch_or(&control.stop, std::uint32_t(kStopNoRoom));
      return;
    }
    // The key may be new, another worker's, or that of a removed cell: whoever claims its place makes the cell.
    std::uint32_t* const place = &directory.value_at(result.index());
    if (Kokkos::atomic_compare_exchange(place, kNone, kClaimed) != kNone) return;
    const std::uint32_t row = Kokkos::atomic_fetch_add(&control.allocated, 1u) + 1;
    if (row > s.capacity) {
      Kokkos::atomic_fetch_or(&control.stop, std::uint32_t(kStopNoRoom));
      return;
    }
    *place = row;
    s.key(row) = neighbour;
    now.mass[row] = 0;
    s.grown(row) = 0;
  }
};

/// Links the new cells to their neighbours, both ways, and finds the smallest crossing time among them.
/// Item w is direction w / m of new cell w % m.
template <class State>
struct LinkNewCells {
  static constexpr int D = State::D;
  State s;
  typename State::CellArrays::Directory directory;

  KOKKOS_INLINE_FUNCTION Now now() const {
    // the velocity bit is set by this kernel itself
    Now now = s.now(kStopAny & ~kStopVelocity, (s.control().allocated - s.control().cells) * 2 * D);
    now.first = 0;
    return now;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t item, double& shortest) const {
    const std::uint32_t linked = now.cells, new_cells = now.size / (2 * D);
    const int d = static_cast<int>(item / new_cells);
    const std::uint32_t c = linked + 1 + item % new_cells;
    const std::uint64_t key = s.key(c);
    const std::uint32_t found = directory.find(key + key_step<D>(d));
    const std::uint32_t neighbour = directory.valid_at(found) ? directory.value_at(found) : kNone;
    s.links(c, d) = neighbour;
    if (neighbour != kNone && neighbour <= linked) s.links(neighbour, d ^ 1) = c;
    if (d == 0) shortest = compat::min(shortest, s.checked_crossing_time(key));
  }
};

}  // namespace tessera::gbees::detail
