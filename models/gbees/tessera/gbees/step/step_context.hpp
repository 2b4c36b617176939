// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <type_traits>

#include "tessera/gbees/dynamics/face_velocity.hpp"
#include "tessera/gbees/grid/cells.hpp"
#include "tessera/gbees/grid/grid_options.hpp"
#include "tessera/gbees/grid/rank_division.hpp"
#include "tessera/gbees/grid/stepper_state.hpp"
#include "tessera/gbees/step/reductions.hpp"

namespace tessera::gbees::detail {

/// The rows or items that a loop runs over; their number is known on the device only.
enum class Range {
  existing,   ///< rows of linked cells
  allocated,  ///< and those of cells inserted in the present step
  new_rows,   ///< those of cells inserted in the present step
  new_links,  ///< item w: direction w / m of new cell w % m, of m new cells
  growing,    ///< item w: lane w / n of growing cell w % n, of n growing cells
};

/// The rows that a phase loops over, as its member type Loop, and the reasons to stop that do not
/// call it off.
template <Range range_, std::uint32_t ignored_ = 0>
struct LoopOver {
  static constexpr Range range = range_;
  static constexpr std::uint32_t ignored_stops = ignored_;
};

/// The loop of prunes, measurements and records.
using LoopOverCells = LoopOver<Range::existing, kStopAny>;

/// The state of the stepping as a thread reads it once, at the beginning of a loop; Real is the
/// type that masses are stored in.
template <class Real>
struct StepView {
  std::uint32_t first = 1;   ///< of the loop: row 0 is no cell
  std::uint64_t size = 0;    ///< length of the loop; 0: called off
  std::uint32_t cells = 0;   ///< linked rows
  std::uint32_t packed = 0;  ///< rows at the beginning of the loop that are in order
  /// Mark of this step: an array that is marked by it need not be emptied, for old marks are not
  /// taken for new ones
  std::uint8_t mark = 0;
  double scale = 1;
  double dt = 0;
  Real* mass = nullptr;  ///< at the start of the step
  Real* next = nullptr;  ///< at its end
};

/// Threads that insert the neighbours of one growing cell on a GPU: as many as a cell has receivers
/// that sends mass one way along each axis.
template <int D>
inline constexpr std::uint32_t kLanes = D*(D + 1) / 2;

/// The neighbours of a cell: below (2i) and above (2i+1) along each axis i.
template <int D>
struct NeighbourRows {
  std::uint32_t row[2 * D];
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lower(int i) const { return row[2 * i]; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t upper(int i) const { return row[2 * i + 1]; }
};

/// The data that the phases of a step share: the arrays of the cells without their directory, the
/// dynamics and the state of the stepping.
template <class Dynamics_, class ExecSpace_, Scheme scheme_, class Real_>
struct StepContext {
  using Dynamics = Dynamics_;
  using ExecSpace = ExecSpace_;
  /// The type that masses, fluxes and velocities are stored in; they are computed in double
  using Real = Real_;
  using View = StepView<Real>;
  static constexpr int D = Dynamics::dimension;
  static constexpr Scheme scheme = scheme_;

  /// True where both cells that share a face compute its flux, instead of storing it: this takes
  /// less time on a GPU, where the scheme allows it.
  static constexpr bool fused = compat::is_gpu_v<ExecSpace> && scheme == Scheme::reference;

  using KeyWord = key_word_t<Dynamics>;
  using Key = CellKey<D, KeyWord>;
  using CellArrays = Cells<D, ExecSpace, Real, KeyWord>;
  static constexpr bool is_wide = is_wide_v<Dynamics>;
  template <class T>
  using Array = typename CellArrays::template Array<T>;

  /// The part of one rank among several, else null. Rows above `room` then hold ghosts, cells of
  /// other ranks that share a face with its range: their masses and velocities are right at the
  /// start of a step, and of their links those to other rows here.
  const Division<D, compat::is_gpu_v<ExecSpace>>* division = nullptr;
  std::uint32_t room;  ///< rows for the rank's own cells

  std::uint32_t capacity;
  Array<KeyWord*> key;
  Array<Real*> mass[2];
  Array<double*> half_step;
  typename CellArrays::Links links;
  typename CellArrays::Fluxes flux;
  Array<std::uint8_t*> grown;
  /// Velocities through the upper faces, axis by axis, of dynamics that store them
  Real* stored_velocity;
  double* stored_crossing_time;  ///< by these; of dynamics that do not vary in time
  /// conservative scheme, with the velocities: bit i tells whether the flow through the lower face
  /// along axis i may fall
  std::uint8_t* loses_below;

  FaceVelocity<Dynamics> velocity;
  std::uint8_t* mark;  ///< is StepView::mark where mass leaves a cell against the velocity, perhaps

  Vector<D> inverse_spacing;
  Vector<D>
      diffusion;  ///< of process noise of density Q that is the same everywhere: Q_i / (2 dx_i)
  double threshold;
  double cfl;
  bool grows_all_ways;  ///< reference scheme: as if mass left a cell in all directions
  Array<StepperState> state;
  Array<StepReductions> reductions;

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lower(std::uint32_t c, int i) const {
    return links(c, 2 * i);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t upper(std::uint32_t c, int i) const {
    return links(c, 2 * i + 1);
  }

  /// Returns all of them at once, so that the loads are under way together.
  KOKKOS_FORCEINLINE_FUNCTION NeighbourRows<D> neighbours(std::uint32_t c) const {
    NeighbourRows<D> rows;
    TESSERA_UNROLL
    for (int d = 0; d < 2 * D; ++d) rows.row[d] = links(c, d);
    return rows;
  }

  /// Returns the key of the neighbour in direction d (2i: down, 2i+1: up axis i). It is the one
  /// place that knows which cells are neighbours.
  KOKKOS_INLINE_FUNCTION KeyWord neighbour(KeyWord key, int d) const {
    if constexpr (takes_circles<Dynamics>()) {
      return velocity.grid.neighbour(key, d);
    } else {
      const KeyWord unit = Key::unit(d / 2);
      return d & 1 ? key + unit : key - unit;
    }
  }

  /// Returns the position of that neighbour along the curve that divides the cells among ranks.
  /// `position`: of the cell itself.
  KOKKOS_INLINE_FUNCTION std::uint64_t neighbour_position(std::uint64_t key, std::uint64_t position,
                                                          int d) const {
    constexpr bool is_gpu = compat::is_gpu_v<ExecSpace>;
    if constexpr (takes_circles<Dynamics>()) {
      if (velocity.grid.has_circles()) return curve_position<D, is_gpu>(neighbour(key, d));
    }
    return detail::neighbour_position<D, is_gpu>(position, d);
  }

  static constexpr bool stores_velocity = detail::stores_velocity<Dynamics>();
  KOKKOS_INLINE_FUNCTION bool time_varying() const { return is_time_varying(velocity.dynamics); }

  /// Takes the velocities at time t from now on. One thread calls it, or several that write the
  /// same.
  KOKKOS_INLINE_FUNCTION void take_time(double t) const {
    state().velocity_time = t;
    detail::take_time(velocity.dynamics, t);
  }

  /// Returns, for the fluxes, the velocity along axis i through the upper face of the cell that
  /// lies `offset` cells above `cell`, and whose row is `c`. Where that is kNone a stored velocity
  /// is zero; no flux depends on it.
  KOKKOS_FORCEINLINE_FUNCTION double face_velocity(const CellLocation<D>& cell, int i, int offset,
                                                   std::uint32_t c) const {
    if constexpr (stores_velocity) {
      return stored(c, i);
    } else {
      return velocity.next(cell, i, offset);
    }
  }

  /// Whether noise depends on the state.
  KOKKOS_INLINE_FUNCTION bool has_noise_of_state() const {
    return detail::has_noise(velocity.dynamics);
  }

  /// Returns `diffusion` in the cell that lies `offset` cells above `cell` along axis i.
  KOKKOS_FORCEINLINE_FUNCTION double diffusion_at(const CellLocation<D>& cell, int i,
                                                  int offset) const {
    if constexpr (takes_noise<Dynamics>()) {
      if (has_noise_of_state()) return 0.5 * inverse_spacing[i] * velocity.noise(cell, i, offset);
    }
    return diffusion[i];
  }

  KOKKOS_FORCEINLINE_FUNCTION Real& stored(std::uint32_t c, int i) const {
    return stored_velocity[static_cast<std::size_t>(i) * (std::size_t(capacity) + 1) + c];
  }

  /// Who asks for a velocity. In a step stored velocities are those of its middle
  /// (RefreshVelocities). A prune takes those that vary at another time, perhaps; where nothing
  /// varies it may say so.
  enum class AskedBy { step, prune, prune_by_stored };

  template <AskedBy by>
  KOKKOS_INLINE_FUNCTION bool may_read_stored() const {
    return stores_velocity && (by != AskedBy::prune || !time_varying());
  }

  /// Returns, for growth and prunes, the velocity along axis i through the upper face of the cell
  /// in linked row c.
  template <AskedBy by>
  KOKKOS_INLINE_FUNCTION double upper_velocity(const CellLocation<D>& cell, int i,
                                               std::uint32_t c) const {
    if constexpr (by == AskedBy::prune_by_stored) {
      return stored(c, i);
    } else {
      return may_read_stored<by>() ? stored(c, i) : velocity.upper(cell, i);
    }
  }

  /// Returns, for growth and prunes, the velocity along axis i through the lower face of the cell
  /// in row c.
  template <AskedBy by>
  KOKKOS_INLINE_FUNCTION double lower_velocity(const View& view, const CellLocation<D>& cell, int i,
                                               std::uint32_t c) const {
    if (may_read_stored<by>()) {
      const std::uint32_t below = lower(c, i);
      if (below != kNone && (below <= view.cells || below > room)) return stored(below, i);
    }
    return velocity.lower(cell, i);
  }

  /// Returns whether the dynamics' invariant, if it has one, allows a cell there.
  KOKKOS_INLINE_FUNCTION bool is_allowed(KeyWord key) const {
    if constexpr (requires { &Dynamics::bounded; }) {
      if (!is_bounded(velocity.dynamics)) return true;
      const double invariant = velocity.dynamics.invariant(velocity.grid.centre(key));
      return invariant >= state().invariant_low && invariant <= state().invariant_high;
    } else {
      return true;
    }
  }

  /// Returns the state as a loop sees it.
  template <class Loop>
  KOKKOS_INLINE_FUNCTION View view() const {
    const StepperState& current = state();
    const bool called_off = (current.stop & kStopAny & ~Loop::ignored_stops) != 0;
    View view =
        make_view(current, reductions().cfl_time, called_off ? 0 : length<Loop::range>(current));
    if constexpr (Loop::range == Range::new_rows) view.first = view.cells + 1;
    if constexpr (Loop::range == Range::new_links || Loop::range == Range::growing)
      view.first = view.packed = 0;
    return view;
  }

  /// Makes a view of rows from 1 on, from a copy of the state and the smallest crossing time of the
  /// new cells.
  KOKKOS_INLINE_FUNCTION View make_view(const StepperState& current, double cfl_time,
                                        std::uint64_t size) const {
    View view;
    view.size = size;
    view.cells = current.cells;
    view.packed = current.packed;
    view.mark = mark_of(current);
    view.scale = current.scale;
    view.dt = step_size(current, cfl_time);
    view.mass = current.parity ? mass[1].data() : mass[0].data();
    view.next = current.parity ? mass[0].data() : mass[1].data();
    return view;
  }

  /// The array holds flags of a prune at times, which are 0 or 1. One that is taken for a mark
  /// costs time, no more.
  KOKKOS_INLINE_FUNCTION static std::uint8_t mark_of(const StepperState& current) {
    return static_cast<std::uint8_t>(2 + current.steps % 250);
  }

  /// The time step that every kernel of this step uses: known once the new cells, whose smallest
  /// crossing time is `cfl_time`, are linked.
  KOKKOS_INLINE_FUNCTION double step_size(const StepperState& current, double cfl_time) const {
    return compat::min(flow_step(current, cfl_time), current.interval - current.interval_time);
  }

  /// Returns the time step where no interval ends.
  KOKKOS_INLINE_FUNCTION double flow_step(const StepperState& current, double cfl_time) const {
    return compat::min(cfl * compat::min(current.cfl_time, cfl_time), current.longest_step);
  }

  /// Returns whether a cell at or above the threshold has still to insert the neighbours that it is
  /// about to send mass to.
  KOKKOS_INLINE_FUNCTION bool grows(const View& view, std::uint32_t c) const {
    return (view.mass[c] * view.scale >= threshold) & ((grown(c) == 0) | time_varying());
  }

  /// Returns the directions in which the cell in linked row c sends mass, or may as far as
  /// `grows_all_ways` goes, and so needs a neighbour: bit 2i for down, 2i+1 for up axis i.
  template <AskedBy by>
  KOKKOS_INLINE_FUNCTION std::uint32_t outflow_directions(const View& view, std::uint32_t c,
                                                          KeyWord key) const {
    if constexpr (scheme == Scheme::reference) {
      if (grows_all_ways) return (1u << 2 * D) - 1;
    }
    const CellLocation<D> cell = velocity.grid.cell(key);
    std::uint32_t directions = 0;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) directions |= outflow_along<by>(view, c, cell, i) << (2 * i);
    return directions;
  }

  /// The velocities through the upper faces of a cell, or the lower ones.
  template <bool upper>
  KOKKOS_INLINE_FUNCTION Vector<D> velocities(const CellLocation<D>& cell) const {
    Vector<D> through;
    if constexpr (!compat::is_gpu_v<ExecSpace> && requires { velocity.dynamics.has_common(); }) {
      if (velocity.dynamics.has_common()) {
        velocity.all(cell, upper ? 0 : -1, &through[0]);
        return through;
      }
    }
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i)
      through[i] = upper ? velocity.upper(cell, i) : velocity.lower(cell, i);
    return through;
  }

  /// Finds the velocities of row c that vary in time, at the present time.
  KOKKOS_INLINE_FUNCTION void refresh_velocities(const CellLocation<D>& cell,
                                                 std::uint32_t c) const {
    if (!compat::is_gpu_v<ExecSpace> && has_common(velocity.dynamics)) {
      const Vector<D> up = velocities<true>(cell);
      for (int i = 0; i < D; ++i) {
        if (component_varies(velocity.dynamics, i)) stored(c, i) = static_cast<Real>(up[i]);
      }
      return;
    }
    for (int i = 0; i < D; ++i) {
      if (component_varies(velocity.dynamics, i))
        stored(c, i) = static_cast<Real>(velocity.upper(cell, i));
    }
  }

  /// The time in which flow crosses row c: 1 / sum_i (|v_i| / dx_i + Q_i / dx_i^2). Infinite where
  /// nothing moves, NaN where a velocity is. Velocities that are stored are stored by this
  /// function, with the time itself and `loses_below`: it is called for every new row, and for all
  /// rows after they have moved where these do not move with them. (Velocities that vary in time
  /// are found again by refresh_velocities.)
  KOKKOS_INLINE_FUNCTION double crossing_time(const CellLocation<D>& cell, std::uint32_t c) const {
    double rate = 0;
    std::uint32_t losing = 0;
    const Vector<D> all_up = velocities<true>(cell);
    Vector<D> all_down{};
    if (scheme == Scheme::conservative) all_down = velocities<false>(cell);
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      double up = all_up[i];
      if constexpr (stores_velocity) up = stored(c, i) = static_cast<Real>(up);
      double speed = compat::math::fabs(up);
      if (scheme == Scheme::conservative) {
        const double down = all_down[i];
        losing |= (down < 0 || (time_varying() && component_varies(velocity.dynamics, i)) ? 1u : 0u)
                  << i;
        speed = compat::math::fmax(speed, compat::math::fabs(down));
        speed += outflow_by_noise(cell, i);
      }
      rate += speed * inverse_spacing[i];
    }
    const double time = 1 / rate;
    if constexpr (stores_velocity) {
      stored_crossing_time[c] = time;
      if (scheme == Scheme::conservative) loses_below[c] = static_cast<std::uint8_t>(losing);
    }
    return time;
  }

  /// Returns the same time, bit for bit, for a row in a step: by the velocities that are stored.
  /// Those of lower faces are found again for rows that have no links yet, and where velocities are
  /// stored in single precision.
  KOKKOS_INLINE_FUNCTION double crossing_time_by_stored(const View& view,
                                                        const CellLocation<D>& cell,
                                                        std::uint32_t c) const {
    const bool reads_lower = std::is_same_v<Real, double> && c <= view.cells;
    double rate = 0;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      double speed = compat::math::fabs(upper_velocity<AskedBy::step>(cell, i, c));
      if (scheme == Scheme::conservative) {
        const double down =
            reads_lower ? lower_velocity<AskedBy::step>(view, cell, i, c) : velocity.lower(cell, i);
        speed = compat::math::fmax(speed, compat::math::fabs(down));
        speed += outflow_by_noise(cell, i);
      }
      rate += speed * inverse_spacing[i];
    }
    return 1 / rate;
  }

  /// The crossing time of a new row or one that has moved; a velocity that is infinite or not a
  /// number stops the run.
  KOKKOS_INLINE_FUNCTION double checked_crossing_time(KeyWord key, std::uint32_t c) const {
    return checked(crossing_time(velocity.grid.cell(key), c), key);
  }

  /// Checks a crossing time that has been found, in the same way.
  KOKKOS_INLINE_FUNCTION double checked(double time, KeyWord key) const {
    if (time > 0) return time;
    Kokkos::atomic_fetch_or(&state().stop, std::uint32_t(kStopVelocity));
    note_bad(key);
    return kNoCrossing;
  }

  /// Notes a cell for the message of an error. There are no atomic operations on 128 bits: of those
  /// keys the host looks for the first one.
  KOKKOS_INLINE_FUNCTION void note_bad(KeyWord key) const {
    if constexpr (sizeof(KeyWord) == sizeof(std::uint64_t))
      Kokkos::atomic_fetch_min(&state().bad_key, key);
  }

 private:
  /// Returns the speed at which noise takes mass out of a cell along axis i, both ways together; it
  /// is NaN where its density is negative.
  KOKKOS_INLINE_FUNCTION double outflow_by_noise(const CellLocation<D>& cell, int i) const {
    const double both = 2 * diffusion_at(cell, i, 0);
    return both >= 0 ? both : std::numeric_limits<double>::quiet_NaN();
  }

  /// Returns the directions of outflow along axis i: bit 0 for down, 1 for up.
  template <AskedBy by>
  KOKKOS_INLINE_FUNCTION std::uint32_t outflow_along(const View& view, std::uint32_t c,
                                                     const CellLocation<D>& cell, int i) const {
    const double up = upper_velocity<by>(cell, i, c);
    const bool both = scheme == Scheme::conservative && diffusion_at(cell, i, 0) > 0,
               rises = both || up > 0;
    const bool falls =
        both || (scheme == Scheme::reference ? up < 0 : falls_below<by>(view, cell, i, c));
    return (falls ? 1u : 0u) | (rises ? 2u : 0u);
  }

  /// Returns, for the conservative scheme, whether the velocity along axis i through the lower face
  /// of the cell in linked row c is negative.
  template <AskedBy by>
  KOKKOS_INLINE_FUNCTION bool falls_below(const View& view, const CellLocation<D>& cell, int i,
                                          std::uint32_t c) const {
    if constexpr (by == AskedBy::prune_by_stored) {
      return loses_below[c] >> i & 1;
    } else {
      if (may_read_stored<by>()) {
        const bool may_fall = loses_below[c] >> i & 1;
        if (!may_fall || !time_varying() || !component_varies(velocity.dynamics, i))
          return may_fall;
      }
      return lower_velocity<by>(view, cell, i, c) < 0;
    }
  }

  template <Range range>
  KOKKOS_INLINE_FUNCTION std::uint64_t length(const StepperState& current) const {
    if constexpr (range == Range::existing) return current.cells;
    if constexpr (range == Range::allocated) return current.allocated;
    if constexpr (range == Range::new_rows) return current.allocated - current.cells;
    if constexpr (range == Range::new_links)
      return std::uint64_t(current.allocated - current.cells) * 2 * D;
    return static_cast<std::uint64_t>(reductions().growing) * kLanes<D>;
  }
};

}  // namespace tessera::gbees::detail
