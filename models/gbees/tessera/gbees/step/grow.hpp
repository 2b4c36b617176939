// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/grid/loop.hpp"
#include "tessera/gbees/step/step_context.hpp"

/// Growth: an active cell (probability at or above the threshold) inserts the neighbours that it is
/// about to send mass to, once while it stays active. The new cells are a set: they do not depend
/// on the order of the work, their row numbers do.

namespace tessera::gbees::detail {

/// Calls `visit(direction, other)` for each direction of outflow (other = -1) and for each pair of
/// directions along two axes: the face neighbours and the edge neighbours that receive flux from a
/// cell. Few cells get here, so the loops stay loops.
template <int D, class Visit>
KOKKOS_INLINE_FUNCTION void for_each_receiver(std::uint32_t directions, const Visit& visit) {
  for (int d = 0; d < 2 * D; ++d) {
    if (!(directions >> d & 1)) continue;
    for (int e = d | 1; e < 2 * D; ++e) {
      // the pass that stands for the neighbour in direction d alone
      const bool face = e == (d | 1);
      if (face || directions >> e & 1) visit(d, face ? -1 : e);
    }
  }
}

/// Makes the same calls dealt out to kLanes<D> lanes: those of lane `lane`. All threads of a warp
/// come to the same call, each for its own neighbour.
template <int D, class Visit>
KOKKOS_INLINE_FUNCTION void for_each_receiver_of_lane(std::uint32_t lane, std::uint32_t directions,
                                                      const Visit& visit) {
  const auto count = static_cast<std::uint32_t>(compat::popcount(directions));
  for (std::uint32_t n = lane; n < count * (count + 1) / 2; n += kLanes<D>) {
    // pair n of directions, in order; a direction with itself stands for the face neighbour
    std::uint32_t rest = directions, behind = n;
    for (std::uint32_t pairs = count; behind >= pairs; --pairs) {
      behind -= pairs;
      rest &= rest - 1;
    }
    const int d = compat::countr_zero(rest);
    for (; behind > 0; --behind) rest &= rest - 1;
    const int e = compat::countr_zero(rest);
    if (e != (d ^ 1)) visit(d, e == d ? -1 : e);
  }
}

/// Row of the neighbour reached through directions d and then e (or e and then d), or kNone when
/// neither way exists.
template <class Links>
KOKKOS_INLINE_FUNCTION std::uint32_t edge_neighbour(const Links& links, std::uint32_t c, int d,
                                                    int e) {
  const std::uint32_t first = links(c, d);
  return first != kNone ? links(first, e) : links(links(c, e), d);
}

/// A new cell that has no row yet.
template <class Word>
struct NewCell {
  Word key;
  std::uint32_t index;  ///< in the directory
};

/// Growth of one cell. A runner decides which thread does what: it selects the cells that grow
/// (StepContext::grows), inserts each receiver of their mass, and assigns rows to the new cells, of
/// as many as it likes at a time.
template <class Context, class Directory_>
struct Growth {
  static constexpr int D = Context::D;
  using Loop = LoopOver<Range::existing>;
  using View = typename Context::View;
  using Directory = Directory_;
  using KeyWord = typename Context::KeyWord;
  using New = NewCell<KeyWord>;
  Context s;
  Directory directory;

  /// Returns whether the neighbour of cell c in direction d, or in directions d and e, is missing
  /// as far as links tell.
  KOKKOS_INLINE_FUNCTION bool is_missing(std::uint32_t c, int d, int e) const {
    return (e < 0 ? s.links(c, d) : edge_neighbour(s.links, c, d, e)) == kNone;
  }

  /// Enters the neighbour of the cell with that key into the directory. False: it was there, or may
  /// not be.
  KOKKOS_INLINE_FUNCTION bool insert(KeyWord key, int d, int e, New& cell) const {
    return may_have_neighbour(key, d, e, cell) && enter(cell);
  }

  /// Enters a cell. False: it was there.
  KOKKOS_INLINE_FUNCTION bool enter(New& cell) const {
    return take(directory.insert(cell.key), cell);
  }

  /// Enters the neighbour like insert(), for few threads (FlatMap::insert_prefetch).
  KOKKOS_INLINE_FUNCTION bool insert_prefetch(KeyWord key, int d, int e, New& cell) const {
    return may_have_neighbour(key, d, e, cell) && take(directory.insert_prefetch(cell.key), cell);
  }

  /// Lets the cell in row c grow if it has to, by one thread, and counts it when it is active.
  /// `take_new(cell)` gets the new cells.
  template <class TakeNew>
  KOKKOS_INLINE_FUNCTION void grow_cell(const View& view, std::uint32_t c, std::uint32_t& active,
                                        const TakeNew& take_new) const {
    active += view.mass[c] * view.scale >= s.threshold ? 1 : 0;
    if (!s.grows(view, c)) return;  // one branch, seldom taken
    s.grown(c) = 1;
    const auto key = s.key(c);
    for_each_receiver<D>(s.template outflow_directions<Context::AskedBy::step>(view, c, key),
                         [&](int d, int e) {
                           New cell;
                           if (is_missing(c, d, e) && insert(key, d, e, cell)) take_new(cell);
                         });
  }

  /// Makes a new cell, without mass, the cell in that row; false when there is no such row.
  KOKKOS_INLINE_FUNCTION bool assign_row(const View& view, const New& cell,
                                         std::uint32_t row) const {
    directory.value_at(cell.index) = row;
    if (row > s.room) {
      Kokkos::atomic_fetch_or(&s.state().stop, std::uint32_t(kStopNoRoom));
      return false;
    }
    s.key(row) = cell.key;
    view.mass[row] = 0;
    s.grown(row) = 0;
    return true;
  }

  /// Takes the numbers of `count` new rows; the first of them is one above the result.
  KOKKOS_INLINE_FUNCTION std::uint32_t take_rows(std::uint32_t count) const {
    return Kokkos::atomic_fetch_add(&s.state().allocated, count);
  }

 private:
  KOKKOS_INLINE_FUNCTION bool may_have_neighbour(KeyWord key, int d, int e, New& cell) const {
    if (!in_range(key, d) || (e >= 0 && !in_range(key, e))) {
      Kokkos::atomic_fetch_or(&s.state().stop, std::uint32_t(kStopRange));
      return false;
    }
    cell.key = s.neighbour(key, d);
    if (e >= 0) cell.key = s.neighbour(cell.key, e);
    if (!s.is_allowed(cell.key)) return false;
    if constexpr (!Context::is_wide) {
      if (s.division == nullptr) return true;
      const std::uint64_t position =
          curve_position<D, compat::is_gpu_v<typename Context::ExecSpace>>(cell.key);
      if (s.division->is_own(position)) return true;
      s.division->post_to_owner(cell.key, position);
      return false;
    } else {
      return true;
    }
  }

  KOKKOS_INLINE_FUNCTION bool take(const DirectoryInsertResult& result, New& cell) const {
    if (result.failed()) Kokkos::atomic_fetch_or(&s.state().stop, std::uint32_t(kStopNoRoom));
    cell.index = result.index;
    return result.inserted;
  }

  KOKKOS_INLINE_FUNCTION bool in_range(KeyWord key, int d) const {
    using Key = typename Context::Key;
    const int k = Key::index(key, d / 2);
    return d & 1 ? k < Key::limit : k > -Key::limit;
  }
};

/// Links the new cells to their neighbours, both ways, and finds the smallest crossing time among
/// them.
template <class Context, class Directory>
struct LinkNewCells {
  static constexpr const char* label = "tessera::gbees::link_new_cells";
  static constexpr int D = Context::D;
  using Loop = LoopOver<Range::new_links, kStopVelocity>;  // the phase itself gives that reason
  using Bounds = Blocks<(Context::stores_velocity ? 3 : 4)>;
  using View = typename Context::View;
  using Index = std::uint64_t;
  Context s;
  Directory directory;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint64_t item,
                                         double& shortest) const {
    const std::uint32_t linked = view.cells;
    const std::uint64_t new_cells = view.size / (2 * D);
    const int d = static_cast<int>(item / new_cells);
    const auto c = static_cast<std::uint32_t>(linked + 1 + item % new_cells);
    const auto key = s.key(c);
    const std::uint32_t neighbour = directory.find(s.neighbour(key, d), kNone);
    s.links(c, d) = neighbour;
    const bool is_new = std::uint64_t(neighbour) - linked - 1 < new_cells;  // and links itself
    if (neighbour != kNone && !is_new) s.links(neighbour, d ^ 1) = c;
    if (d == 0) shortest = compat::min(shortest, s.checked_crossing_time(key, c));
  }
};

/// Finds the velocities of the rows that there are at the start of the step, where dynamics vary in
/// time and velocities are stored.
template <class Context>
struct RefreshVelocities {
  static constexpr const char* label = "tessera::gbees::refresh_velocities";
  using Loop = LoopOver<Range::existing>;
  using View = typename Context::View;
  Context s;

  /// A minimum over the rows like the next, though of nothing.
  KOKKOS_INLINE_FUNCTION void operator()(const View&, std::uint32_t c, double&) const {
    s.refresh_velocities(s.velocity.grid.cell(s.key(c)), c);
  }
};

/// Finds the smallest crossing time of all rows, new ones included, where dynamics vary in time.
template <class Context>
struct CrossingTimes {
  static constexpr const char* label = "tessera::gbees::crossing_times";
  using Loop = LoopOver<Range::allocated, kStopVelocity>;
  using View = typename Context::View;
  Context s;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         double& shortest) const {
    const auto key = s.key(c);
    shortest = compat::min(
        shortest, s.checked(s.crossing_time_by_stored(view, s.velocity.grid.cell(key), c), key));
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
