// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/detail/cells.hpp"
#include "tessera/gbees/detail/control.hpp"
#include "tessera/gbees/detail/face_velocity.hpp"
#include "tessera/gbees/detail/loop.hpp"
#include "tessera/gbees/scheme.hpp"

namespace tessera::gbees::detail {

/// What a worker reads once from the device's state; Real is the type that masses are stored in.
template <class Real>
struct Present {
  std::uint32_t first = 1;   ///< of the loop: row 0 is no cell
  std::uint64_t size = 0;    ///< length of the loop
  std::uint32_t cells = 0;   ///< linked rows
  std::uint32_t packed = 0;  ///< rows at the beginning of the loop that are in order
  double scale = 1;
  double dt = 0;
  Real* mass = nullptr;  ///< at the start of the step
  Real* next = nullptr;  ///< at its end
};

/// The neighbours of a cell: below (2i) and above (2i+1) along each axis i.
template <int D>
struct NeighbourRows {
  std::uint32_t row[2 * D];
  KOKKOS_INLINE_FUNCTION std::uint32_t lower(int i) const { return row[2 * i]; }
  KOKKOS_INLINE_FUNCTION std::uint32_t upper(int i) const { return row[2 * i + 1]; }
};

/// What the kernels of a step share: the arrays of the cells without their directory, the dynamics and the state of the stepping.
template <class Dynamics_, class ExecSpace_, Scheme scheme_, class Real_>
struct StepState {
  using Dynamics = Dynamics_;
  using ExecSpace = ExecSpace_;
  using Real = Real_;  ///< that masses, fluxes and velocities are stored in; they are computed in double
  using Now = Present<Real>;
  static constexpr int D = Dynamics::dimension;
  static constexpr Scheme scheme = scheme_;
  using Key = CellKey<D>;
  using CellArrays = Cells<D, ExecSpace, Real>;
  template <class T>
  using Array = typename CellArrays::template Array<T>;

  std::uint32_t capacity;
  Array<std::uint64_t*> key;
  Array<Real*> mass[2];
  Array<double*> half_step;
  typename CellArrays::Links links;
  typename CellArrays::Fluxes flux;
  Array<std::uint8_t*> grown;
  Real* stored_velocity;  ///< through the upper faces, axis by axis, of dynamics that store it

  FaceVelocity<Dynamics> velocity;
  Vector<D> inverse_spacing;
  Vector<D> diffusion;  ///< of process noise of density Q: Q_i / (2 dx_i)
  double threshold;
  double cfl;
  Array<Control> control;
  Array<Findings> findings;

  KOKKOS_INLINE_FUNCTION std::uint32_t lower(std::uint32_t c, int i) const { return links(c, 2 * i); }
  KOKKOS_INLINE_FUNCTION std::uint32_t upper(std::uint32_t c, int i) const { return links(c, 2 * i + 1); }

  /// All of them at once, so that the loads are under way together.
  KOKKOS_INLINE_FUNCTION NeighbourRows<D> neighbours(std::uint32_t c) const {
    NeighbourRows<D> rows;
    TESSERA_UNROLL
    for (int d = 0; d < 2 * D; ++d) rows.row[d] = links(c, d);
    return rows;
  }

  static constexpr bool stores_velocity = detail::stores_velocity<Dynamics>();
  KOKKOS_INLINE_FUNCTION bool time_varying() const { return is_time_varying(velocity.dynamics); }

  /// For the fluxes: velocity along axis i through the upper face of the cell that lies `offset` cells above `cell`, and whose row is `c`.
  /// Where that is kNone a stored velocity is zero; no flux depends on it.
  KOKKOS_INLINE_FUNCTION double face_velocity(const CellPlace<D>& cell, int i, int offset, std::uint32_t c) const {
    if constexpr (stores_velocity) {
      return stored(c, i);
    } else {
      return velocity.next(cell, i, offset);
    }
  }

  KOKKOS_INLINE_FUNCTION Real& stored(std::uint32_t c, int i) const {
    return stored_velocity[static_cast<std::size_t>(i) * (std::size_t(capacity) + 1) + c];
  }

  /// For growth and prunes: velocity along axis i through the upper face of the cell in linked row c.
  KOKKOS_INLINE_FUNCTION double upper_velocity(const CellPlace<D>& cell, int i, std::uint32_t c) const {
    return stores_velocity && !time_varying() ? stored(c, i) : velocity.upper(cell, i);  // those that vary are stored later in the step
  }

  /// The same through its lower face.
  KOKKOS_INLINE_FUNCTION double lower_velocity(const Now& now, const CellPlace<D>& cell, int i, std::uint32_t c) const {
    if (stores_velocity && !time_varying()) {
      const std::uint32_t below = lower(c, i);
      if (below != kNone && below <= now.cells) return stored(below, i);
    }
    return velocity.lower(cell, i);
  }

  /// Whether the dynamics' invariant, if it has one, allows a cell there.
  KOKKOS_INLINE_FUNCTION bool is_allowed(std::uint64_t key) const {
    if constexpr (requires { &Dynamics::bounded; }) {
      if (!is_bounded(velocity.dynamics)) return true;
      const double invariant = velocity.dynamics.invariant(velocity.grid.centre(key));
      const Control& state = control();
      return invariant >= state.invariant_low && invariant <= state.invariant_high;
    } else {
      return true;
    }
  }

  /// The state as kernels see it when any of the reasons in `blocking` calls them off: then size is 0, else `size`.
  KOKKOS_INLINE_FUNCTION Now now(std::uint32_t blocking, std::uint64_t size) const {
    const Control& state = control();
    return now(state, findings().cfl_time, state.stop & blocking ? 0 : size);
  }

  /// The same for a copy of the state, and the smallest crossing time of the new cells.
  KOKKOS_INLINE_FUNCTION Now now(const Control& state, double cfl_time, std::uint64_t size) const {
    Now now;
    now.size = size;
    now.cells = state.cells;
    now.packed = state.packed;
    now.scale = state.scale;
    now.dt = step_size(state, cfl_time);
    now.mass = state.parity ? mass[1].data() : mass[0].data();
    now.next = state.parity ? mass[0].data() : mass[1].data();
    return now;
  }

  /// The time step that every kernel of this step uses: known once the new cells, whose smallest crossing time is `cfl_time`, are linked.
  KOKKOS_INLINE_FUNCTION double step_size(const Control& state, double cfl_time) const {
    return compat::min(cfl * compat::min(state.cfl_time, cfl_time), state.interval - state.interval_time);
  }

  /// Whether a cell at or above the threshold has still to make the neighbours that it is about to feed.
  KOKKOS_INLINE_FUNCTION bool grows(const Now& now, std::uint32_t c) const {
    return (now.mass[c] * now.scale >= threshold) & ((grown(c) == 0) | time_varying());
  }

  /// The directions in which the cell in linked row c sends mass, hence needs a neighbour: bit 2i for down, 2i+1 for up axis i.
  KOKKOS_INLINE_FUNCTION std::uint32_t outflow_directions(const Now& now, std::uint32_t c, std::uint64_t key) const {
    const CellPlace<D> cell = velocity.grid.cell(key);
    std::uint32_t directions = 0;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      const double up = upper_velocity(cell, i, c);
      const double down = scheme == Scheme::reference ? up : lower_velocity(now, cell, i, c);
      const bool both = scheme == Scheme::conservative && diffusion[i] > 0;
      const bool falls = both || down < 0, rises = both || up > 0;
      directions |= ((falls ? 1u : 0u) | (rises ? 2u : 0u)) << (2 * i);
    }
    return directions;
  }

  /// The time in which flow crosses row c: 1 / sum_i (|v_i| / dx_i + Q_i / dx_i^2). Infinite where nothing moves, NaN where a velocity is.
  /// Velocities that are stored are stored by this function: it is called for every new row, and for all rows after they have moved.
  KOKKOS_INLINE_FUNCTION double crossing_time(const CellPlace<D>& cell, std::uint32_t c) const {
    double rate = 0;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      double up = velocity.upper(cell, i);
      if constexpr (stores_velocity) up = stored(c, i) = static_cast<Real>(up);
      double speed = compat::math::fabs(up);
      if (scheme == Scheme::conservative) {
        speed = compat::math::fmax(speed, compat::math::fabs(velocity.lower(cell, i)));
        speed += 2 * diffusion[i];
      }
      rate += speed * inverse_spacing[i];
    }
    return 1 / rate;
  }

  /// The same; a velocity that is infinite or not a number stops the run.
  KOKKOS_INLINE_FUNCTION double checked_crossing_time(std::uint64_t key, std::uint32_t c) const {
    const double time = crossing_time(velocity.grid.cell(key), c);
    if (time > 0) return time;
    Kokkos::atomic_fetch_or(&control().stop, std::uint32_t(kStopVelocity));
    Kokkos::atomic_fetch_min(&control().bad_key, key);
    return kNoCrossing;
  }
};

}  // namespace tessera::gbees::detail
