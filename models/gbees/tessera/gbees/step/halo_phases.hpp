// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/step/advance.hpp"
#include "tessera/gbees/step/grow.hpp"

/// The work of a rank on its rows for the sake of others (halo.hpp). All loops run over items, the
/// number of which the host knows.

namespace tessera::gbees::detail {

/// A face between a cell and the place of its neighbour in some direction, which is on another
/// rank: from a cell here towards there, or the other way round.
struct BorderFace {
  std::uint32_t row, direction;
};

/// Posts own cells that share faces with the parts of other ranks, to each of these ranks once; row
/// i + 1.
template <class Context>
struct PostBorder {
  static constexpr int D = Context::D;
  static constexpr bool is_gpu = compat::is_gpu_v<typename Context::ExecSpace>;
  Context s;
  const typename Context::Real* mass;
  std::uint32_t linked;  ///< rows up to this one have links, to own cells only

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const { post(i + 1); }

  KOKKOS_INLINE_FUNCTION void post(std::uint32_t c) const {
    const std::uint64_t key = s.key(c);
    const std::uint64_t position = curve_position<D, is_gpu>(key);
    std::uint32_t elsewhere = 0;
    for (int d = 0; d < 2 * D; ++d) {
      const bool may_be = c > linked || s.links(c, d) == kNone;
      if (may_be && !s.division->is_own(s.neighbour_position(key, position, d)))
        elsewhere |= 1u << d;
    }
    while (elsewhere != 0) {
      const int rank =
          s.division->owner(s.neighbour_position(key, position, compat::countr_zero(elsewhere)));
      std::uint32_t there = 0;
      for (int d = 0; d < 2 * D; ++d) {
        if (elsewhere >> d & 1 && s.division->owner(s.neighbour_position(key, position, d)) == rank)
          there |= 1u << d;
      }
      s.division->outbox[rank].post({key, mass[c], c, there});
      elsewhere &= ~there;
    }
  }
};

/// Posts in the same way the cells inserted in the present step, whose number the device knows.
template <class Context>
struct PostNewBorder {
  static constexpr const char* label = "tessera::gbees::post_new_border";
  using Loop = LoopOver<Range::new_rows>;
  using View = typename Context::View;
  Context s;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    PostBorder<Context>{s, view.mass, 0}.post(c);
  }
};

/// Lists the rows of cells that border on another rank, and their faces: on both ends in the order
/// in which the cells were posted.
template <int D>
struct ListBorder {
  const Posted* cell;
  std::uint32_t* row;
  BorderFace* face;
  std::uint32_t top;  ///< of ghosts: number i is in row top - i; of own cells 0

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    const std::uint32_t c = top > 0 ? top - i : cell[i].row;
    row[i] = c;
    std::uint32_t at = cell[i].face;
    for (std::uint32_t d = 0; d < 2 * D; ++d) {
      if (cell[i].directions >> d & 1) face[at++] = {c, d};
    }
  }
};

/// Makes ghosts; number i is in row top - i. Nothing that is computed of rows that a ghost has no
/// links to is used, but it is defined.
template <class Context, class Directory>
struct MakeGhosts {
  static constexpr int D = Context::D;
  Context s;
  Directory directory;
  const Posted* cell;
  typename Context::Real* mass;
  std::uint32_t top;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    const std::uint32_t g = top - i;
    s.key(g) = cell[i].key;
    mass[g] = static_cast<typename Context::Real>(cell[i].mass);
    for (int d = 0; d < 2 * D; ++d) s.links(g, d) = kNone;
    if (directory.insert_new(cell[i].key, g).failed())
      Kokkos::atomic_fetch_or(&s.state().stop, std::uint32_t(kStopNoRoom));
  }
};

/// Says that there was no room, or takes it back where there is now.
template <class State>
struct SetNoRoom {
  State state;
  bool is_so;
  KOKKOS_INLINE_FUNCTION void operator()(int) const {
    const std::uint32_t others = state().stop & ~std::uint32_t(kStopNoRoom);
    state().stop = is_so ? others | kStopNoRoom : others;
  }
};

/// Links ghosts to the rows here, both ways, and finds their velocities where these are stored.
/// Item w is direction w / n of the ghost w % n of n.
template <class Context, class Directory>
struct LinkGhosts {
  static constexpr int D = Context::D;
  Context s;
  Directory directory;
  std::uint32_t top, ghosts;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t item) const {
    const std::uint32_t g = top - item % ghosts;
    const int d = static_cast<int>(item / ghosts);
    const std::uint64_t key = s.key(g);
    const std::uint32_t neighbour = directory.find(s.neighbour(key, d), kNone);
    s.links(g, d) = neighbour;
    if (neighbour != kNone) s.links(neighbour, d ^ 1) = g;
    if constexpr (Context::stores_velocity) {
      if (d == 0) s.crossing_time(s.velocity.grid.cell(key), g);
    }
  }
};

/// Velocities of ghosts at the start of a step, for dynamics that vary in time.
template <class Context>
struct RefreshGhosts {
  Context s;
  std::uint32_t top;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    s.refresh_velocities(s.velocity.grid.cell(s.key(top - i)), top - i);
  }
};

/// Cells that other ranks' cells have as receivers: new ones get rows.
template <class Context, class Directory>
struct InsertAsked {
  Growth<Context, Directory> grow;
  typename Context::View view;
  const Posted* asked;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    NewCell<std::uint64_t> cell{asked[i].key, 0};
    if (grow.enter(cell)) grow.assign_row(view, cell, grow.take_rows(1) + 1);
  }
};

/// Marks those of the asked cells that exist, for a prune to keep them.
template <class Context, class Directory>
struct MarkAsked {
  Context s;
  Directory directory;
  const Posted* asked;
  typename Context::template Array<std::uint8_t*> receives_flux;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    const std::uint32_t c = directory.find(asked[i].key, kNone);
    if (c != kNone) receives_flux(c) = 1;
  }
};

// --- what is exchanged: `get` on the side of the rank that owns the rows, `put` on that of its
// neighbour

/// Masses of ghosts.
template <class Context>
struct MassOfGhosts {
  using Value = typename Context::Real;
  using Item = std::uint32_t;  // row
  Value* mass;
  KOKKOS_INLINE_FUNCTION Value get(Item c) const { return mass[c]; }
  KOKKOS_INLINE_FUNCTION void put(Item g, Value value) const { mass[g] = value; }
};

/// Fluxes between ranks. The row that the velocity comes from has computed it, and limited it if
/// the flux comes from there too. Else it is the other row, which is marked, that limits it; then
/// the one that the flux comes from knows it.
template <class Context, bool is_limited>
struct FluxBetweenRanks {
  using Value = typename Context::Real;
  using Item = BorderFace;
  Context s;
  std::uint8_t mark;

  KOKKOS_INLINE_FUNCTION Value get(const BorderFace& face) const {
    return s.flux(lower_row(face), axis(face));
  }

  KOKKOS_INLINE_FUNCTION void put(const BorderFace& face, Value value) const {
    if (s.links(face.row, face.direction) == kNone) return;
    Value& flux = s.flux(lower_row(face), axis(face));
    const double sign = is_limited ? static_cast<double>(flux) : velocity(face);
    const bool ghost_is_below = face.direction & 1;
    const bool comes_from_ghost =
        is_limited ? (ghost_is_below ? sign > 0 : sign < 0) : (sign > 0) == ghost_is_below;
    if (!comes_from_ghost) return;
    flux = value;
    if (!is_limited && (ghost_is_below ? value < 0 : value > 0))
      s.mark[s.links(face.row, face.direction)] = mark;
  }

 private:
  KOKKOS_INLINE_FUNCTION static int axis(const BorderFace& face) {
    return static_cast<int>(face.direction / 2);
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t lower_row(const BorderFace& face) const {
    return face.direction & 1 ? face.row : s.links(face.row, face.direction);
  }
  KOKKOS_INLINE_FUNCTION double velocity(const BorderFace& face) const {
    const std::uint32_t below = lower_row(face);
    return s.face_velocity(s.velocity.grid.cell(s.key(below)), axis(face), 0, below);
  }
};

/// Fluxes out of border cells, for those across (FusedUpdate): where fluxes are not stored.
template <class Context>
struct FluxOutOfBorder {
  using Value = double;
  using Item = BorderFace;
  static constexpr int D = Context::D;
  Context s;
  GhostFluxes<D> ghosts;

  KOKKOS_INLINE_FUNCTION Value get(const BorderFace& face) const {
    const auto view = s.template view<LoopOver<Range::allocated>>();
    const auto j = static_cast<int>(face.direction / 2);
    const std::uint32_t c = face.row;
    const AxisFaces faces = faces_along(s, view, s.velocity.grid.cell(s.key(c)), c, j, view.mass[c],
                                        s.half_step(c), s.lower(c, j), s.upper(c, j));
    return flux_through<Context::scheme>(face.direction & 1 ? faces.upper : faces.lower,
                                         view.dt * s.inverse_spacing[j]);
  }

  /// The list of ghosts has the direction from the ghost.
  KOKKOS_INLINE_FUNCTION void put(const BorderFace& face, Value value) const {
    ghosts(face.row, face.direction) = value;
  }
};

template <class Exchanged>
struct GetValues {
  Exchanged exchanged;
  const typename Exchanged::Item* item;
  typename Exchanged::Value* value;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    value[i] = exchanged.get(item[i]);
  }
};

template <class Exchanged>
struct PutValues {
  Exchanged exchanged;
  const typename Exchanged::Item* item;
  const typename Exchanged::Value* value;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    exchanged.put(item[i], value[i]);
  }
};

// --- cells that change ranks at a prune

struct MovedCell {
  std::uint64_t key;
  double mass;  ///< as the prune stores it
  std::uint64_t grown;
};

template <class Context>
struct TakeOut {
  Context s;
  typename Context::View view;
  const std::uint32_t* row;
  MovedCell* moved;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    const std::uint32_t c = row[i];
    const auto stored = static_cast<typename Context::Real>(view.mass[c] * view.scale);
    const bool stays_active = stored >= s.threshold;
    moved[i] = {s.key(c), stored, s.grown(c) && stays_active ? std::uint64_t(1) : 0};
  }
};

/// Sums the masses of moved cells, which add to the mass that is kept.
struct SumMoved {
  const MovedCell* moved;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i, KeptSums& sums) const {
    sums.mass.add(moved[i].mass);
  }
};

/// Puts moved cells into rows first, first + 1, ...
template <class Context, class Directory>
struct PutIn {
  Context s;
  Directory directory;
  typename Context::Real* mass;
  const MovedCell* moved;
  std::uint32_t first;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    const std::uint32_t c = first + i;
    s.key(c) = moved[i].key;
    mass[c] = static_cast<typename Context::Real>(moved[i].mass);
    s.grown(c) = static_cast<std::uint8_t>(moved[i].grown);
    if (directory.insert_new(moved[i].key, c).failed())
      Kokkos::atomic_fetch_or(&s.state().stop, std::uint32_t(kStopNoRoom));
  }
};

}  // namespace tessera::gbees::detail
