// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <type_traits>

#include "tessera/gbees/grid/loop.hpp"
#include "tessera/gbees/step/flux.hpp"

/// The phases of a step that find the fluxes where these are stored. A flux needs the masses on
/// both sides, Q of the cell that the velocity comes from, and the mass behind that cell: its
/// neighbours all of them. So each cell computes those fluxes whose velocity points away from it,
/// from its neighbours' masses alone, with a half step that nobody else needs. Then it knows its
/// outflow too, and limits it, but for fluxes against the velocity, which the correction or process
/// noise can bring about: they take mass from the cell ahead, which another one computes the flux
/// of. Such cells are marked, few of them, and limited again in a phase of their own.

namespace tessera::gbees::detail {

/// Coefficients Q / (2 dx) of process noise along an axis: in a cell, and below and above it.
struct AxisDiffusion {
  double own, below, above;
  bool is_of_state;  ///< they differ

  /// Returns a flux with that of noise through the upper face or the lower one, by the masses on
  /// both sides.
  KOKKOS_FORCEINLINE_FUNCTION double added(double flux, double mass_below, double mass_above,
                                           bool upper) const {
    if (!is_of_state) return compat::fma(own, mass_below - mass_above, flux);
    return compat::fma(upper ? own : below, mass_below,
                       compat::fma(upper ? -above : -own, mass_above, flux));
  }
};

/// The fluxes that a cell computes.
template <int D>
struct Outflow {
  /// G through the upper and the lower faces, as they are stored; 0 where a neighbour computes it
  double up[D], down[D];
  double half_step;  ///< Q
  /// Flow out through lower faces without a neighbour, where velocities are not stored
  double beyond;

  bool computes_up[D], computes_down[D];  ///< the cell does
  bool leaves_both_ways[D];               ///< the flow does, through both faces
  bool ends_above[D], ends_below[D];      ///< there is no neighbour
};

/// The work of the phases of this file on a cell.
template <class Context>
struct CellOutflow {
  static constexpr int D = Context::D;
  static constexpr bool kLimits = Context::scheme == Scheme::conservative;
  using View = typename Context::View;
  using Real = typename Context::Real;
  const Context& s;
  Vector<D> courant;  ///< dt / dx

  KOKKOS_FORCEINLINE_FUNCTION CellOutflow(const Context& context, const View& view) : s(context) {
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) courant[i] = view.dt * s.inverse_spacing[i];
  }

  /// The values along one axis of a cell.
  struct Axis {
    double own, below, above, v_lower, v_upper, half_step, courant;
    AxisDiffusion diffusion;
    bool has_below, has_above;

    /// The flux through the upper face or the lower one, away from the cell.
    KOKKOS_FORCEINLINE_FUNCTION double flux(bool upper) const {
      // bits and selects: a loop with branches is no vector loop
      const Inflow inflow(v_lower, v_upper, has_below, has_above);
      const Donor donor{upper ? v_upper : -v_lower,
                        own,
                        upper ? below : above,
                        upper ? above : below,
                        upper ? inflow.below : inflow.above,
                        half_step,
                        static_cast<bool>(has_above | !upper)};
      const double out = flux_out_of<Context::scheme>(donor, courant), through = upper ? out : -out;
      if (!kLimits) return stored(through);
      return stored(diffusion.added(through, upper ? own : below, upper ? above : own, upper));
    }
  };

  /// The coefficients of noise of a cell along axis i; 0 beside it where no cell is. `kAnyNoise`:
  /// noise may depend on the state.
  template <bool kAnyNoise>
  KOKKOS_FORCEINLINE_FUNCTION AxisDiffusion diffusion_along(const CellLocation<D>& cell, int i,
                                                            bool has_below, bool has_above) const {
    AxisDiffusion diffusion{s.diffusion[i], s.diffusion[i], s.diffusion[i], false};
    if constexpr (kAnyNoise && takes_noise<typename Context::Dynamics>()) {
      if (s.has_noise_of_state())
        diffusion = {s.diffusion_at(cell, i, 0), has_below ? s.diffusion_at(cell, i, -1) : 0.0,
                     has_above ? s.diffusion_at(cell, i, 1) : 0.0, true};
    }
    return diffusion;
  }

  /// Which fluxes of a cell to find: all, by a branch, or one along each axis, without. The flow
  /// leaves a cell on one side of an axis as a rule; where it does on both, `one_an_axis` leaves
  /// the flux through the lower face open.
  enum class Find { all, one_an_axis };

  /// The fluxes of the cell in row c, not limited. `kAnyNoise`: as diffusion_along has it.
  template <bool kAnyNoise, Find find = Find::all>
  KOKKOS_FORCEINLINE_FUNCTION Outflow<D> fluxes(const View& view, std::uint32_t c,
                                                typename Context::KeyWord key, double own,
                                                const NeighbourRows<D>& rows) const {
    const CellLocation<D> cell = s.velocity.grid.cell(key);
    double below[D], above[D], v_lower[D], v_upper[D];
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      below[i] = view.mass[rows.lower(i)];
      above[i] = view.mass[rows.upper(i)];
      v_lower[i] = s.face_velocity(cell, i, -1, rows.lower(i));
      v_upper[i] = s.face_velocity(cell, i, 0, c);
    }
    double sum = 0;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      const HalfStepSides sides(v_lower[i], Inflow(v_lower[i], v_upper[i], rows.lower(i) != kNone,
                                                   rows.upper(i) != kNone));
      const double increment =
          sides.increment(own, sides.from_below ? below[i] : above[i], above[i]);
      sum = compat::fma(increment, 0.5 * courant[i], sum);
    }
    Outflow<D> out;
    out.half_step = own - sum;
    out.beyond = 0;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      const bool has_above = rows.upper(i) != kNone, has_below = rows.lower(i) != kNone;
      // one comparison each, which vectors have
      const bool rises = v_upper[i] > 0, falls = !((has_below ? v_lower[i] : 1.0) > 0);
      const AxisDiffusion diffusion = diffusion_along<kAnyNoise>(cell, i, has_below, has_above);
      const Axis axis{own,           below[i],   above[i],  v_lower[i], v_upper[i],
                      out.half_step, courant[i], diffusion, has_below,  has_above};
      const double main = axis.flux(rises), at_edge = kLimits ? stored(diffusion.own * own) : 0.0;
      double second = main;
      out.leaves_both_ways[i] = rises & falls;
      if (find == Find::all && out.leaves_both_ways[i]) second = axis.flux(false);
      out.up[i] = rises ? main : has_above ? 0.0 : at_edge;
      out.down[i] = falls ? second : 0.0;
      out.computes_up[i] = (has_above ? v_upper[i] : 1.0) > 0;
      out.computes_down[i] = falls;
      out.ends_above[i] = !has_above;
      out.ends_below[i] = !has_below;
      if constexpr (kLimits && !Context::stores_velocity) {
        const double lost = outflow_below(out.half_step, own, diffusion.own, courant[i], v_lower[i],
                                          has_above ? v_upper[i] : 0.0, above[i]);
        out.beyond = compat::fma(has_below ? 0.0 : courant[i], lost, out.beyond);
      }
    }
    return out;
  }

  /// Returns the flux through the lower face along axis j of the cell in row c, not limited, where
  /// noise does not depend on the state. `half_step`: the cell's Q.
  KOKKOS_FORCEINLINE_FUNCTION double flux_down(const View& view, std::uint32_t c, int j,
                                               double half_step) const {
    const CellLocation<D> cell = s.velocity.grid.cell(s.key(c));
    const std::uint32_t below = s.lower(c, j), above = s.upper(c, j);
    const bool has_below = below != kNone, has_above = above != kNone;
    const Axis axis{view.mass[c],
                    view.mass[below],
                    view.mass[above],
                    s.face_velocity(cell, j, -1, below),
                    s.face_velocity(cell, j, 0, c),
                    half_step,
                    courant[j],
                    diffusion_along<false>(cell, j, has_below, has_above),
                    has_below,
                    has_above};
    return axis.flux(false);
  }

  /// Returns the lower faces without a neighbour (bit j: along axis j) through which mass may flow
  /// out.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t losing_edges(std::uint32_t c,
                                                         std::uint32_t ends_below) const {
    std::uint32_t loses = s.loses_below[c];
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) loses |= s.diffusion[j] > 0 ? 1u << j : 0u;
    if (s.has_noise_of_state()) loses = ~0u;
    return ends_below & loses;
  }

  /// Returns what flows out through these faces. Velocities there are not stored where others are,
  /// and take long to find.
  KOKKOS_FORCEINLINE_FUNCTION double beyond_edges(const View& view, std::uint32_t c,
                                                  double half_step, std::uint32_t edges) const {
    double sum = 0;
    const double own = view.mass[c];
    Vector<D> together{};
    const bool is_together =
        !compat::is_gpu_v<typename Context::ExecSpace> && has_common(s.velocity.dynamics);
    if (is_together && edges != 0)
      together = s.template velocities<false>(s.velocity.grid.cell(s.key(c)));
    for (; edges != 0; edges &= edges - 1) {
      const int j = compat::countr_zero(edges);
      const CellLocation<D> cell = s.velocity.grid.cell(s.key(c));
      const double v = is_together ? together[j] : s.velocity.lower(cell, j);
      const std::uint32_t above = s.upper(c, j);
      const double v_upper = above != kNone ? s.face_velocity(cell, j, 0, c) : 0.0;
      // `courant` would take memory if j were not constant
      const double along = view.dt * s.inverse_spacing[j];
      sum += along * outflow_below(half_step, own, s.diffusion_at(cell, j, 0), along, v, v_upper,
                                   view.mass[above]);
    }
    return sum;
  }

  /// Returns what flows out through all lower faces without a neighbour.
  KOKKOS_FORCEINLINE_FUNCTION double beyond_edge(const View& view, std::uint32_t c,
                                                 const Outflow<D>& out) const {
    if constexpr (!Context::stores_velocity) {
      return out.beyond;
    } else {
      std::uint32_t ends_below = 0;
      TESSERA_UNROLL
      for (int j = 0; j < D; ++j) ends_below |= out.ends_below[j] ? 1u << j : 0u;
      return beyond_edges(view, c, out.half_step, losing_edges(c, ends_below));
    }
  }

  /// The share of its outflow that the cell has the mass for: all outward fluxes are scaled by it,
  /// so that the step is positive and conservative. A flux has one donor, by its sign.
  KOKKOS_FORCEINLINE_FUNCTION double share(double own, const Outflow<D>& out, double beyond) const {
    double outflow = 0;
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      outflow = compat::fma(courant[j], compat::max(out.up[j], 0.0), outflow);
      outflow = compat::fma(-courant[j], compat::min(out.down[j], 0.0), outflow);
    }
    outflow += beyond;
    return outflow > own ? own / outflow : 1.0;
  }

  /// Returns what flows out of the cell by the fluxes that are stored.
  KOKKOS_FORCEINLINE_FUNCTION double stored_outflow(const View& view, std::uint32_t c,
                                                    const NeighbourRows<D>& rows) const {
    double outflow = view.next[c];
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      const double up = s.flux(c, j), down = s.flux(rows.lower(j), j);
      outflow = compat::fma(courant[j], compat::max(up, 0.0) - compat::min(down, 0.0), outflow);
    }
    return outflow;
  }

  /// Leaves in `next` what flows out through missing lower neighbours, and in `half_step` that and
  /// what flows out through upper ones.
  KOKKOS_FORCEINLINE_FUNCTION void store_lost(const View& view, std::uint32_t c,
                                              const Outflow<D>& out, double beyond,
                                              double share) const {
    const auto below = static_cast<Real>(beyond * share);
    double lost = below;
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      lost = compat::fma(out.ends_above[j] ? courant[j] : 0.0,
                         compat::max(stored(out.up[j] * share), 0.0), lost);
    }
    view.next[c] = below;
    s.half_step(c) = lost;
  }

  /// The others are other cells' to store, which look at no more than the sign of these.
  KOKKOS_FORCEINLINE_FUNCTION void store_outward(std::uint32_t c, const Outflow<D>& out,
                                                 double share) const {
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      if (out.up[j] > 0) s.flux(c, j) = static_cast<Real>(out.up[j] * share);
      if (out.down[j] < 0) s.flux(s.lower(c, j), j) = static_cast<Real>(out.down[j] * share);
    }
  }

  /// A flux as it is stored: scaled if it leaves the cell.
  KOKKOS_FORCEINLINE_FUNCTION static Real limited(double flux, bool leaves, double share) {
    return static_cast<Real>(flux * (leaves ? share : 1.0));
  }

  KOKKOS_FORCEINLINE_FUNCTION static double stored(double value) {
    return static_cast<double>(static_cast<Real>(value));
  }

 private:
  /// Returns what flows down through the lower face along an axis when there is no cell below: not
  /// negative. v_upper is 0 where there is none above.
  KOKKOS_FORCEINLINE_FUNCTION double outflow_below(double half_step, double own, double diffusion,
                                                   double along, double v, double v_upper,
                                                   double above) const {
    const double donor =
                     compat::fma(0.5 * along * compat::min(v_upper, 0.0), above - own, half_step),
                 diffused = diffusion * own;
    return v < 0 ? compat::max(-v * donor, 0.0) + diffused : diffused;
  }
};

/// The fluxes of a block of cells on a CPU, as its vectors leave them: not every CPU has stores to
/// some rows only, for every type.
template <int D, class Real>
struct OutflowBlock {
  static constexpr std::uint32_t kCells = 128;
  /// Number as wide as a flux, for the vectors
  using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
  Real up[D][kCells], down[D][kCells];
  /// Bit 2j: the flux through the upper face along axis j; 2j + 1: that through the lower one
  Bits computes[kCells];
  Bits both_ways[kCells];   ///< bit j: the flow leaves through both faces along axis j
  Real against[kCells];     ///< above 0: a flux goes against the velocity
  Bits ends_below[kCells];  ///< bit j: there is no neighbour
  double half_step[kCells], beyond[kCells];
};

/// G: the fluxes out of each cell, limited as far as it knows its outflow. A CPU takes a block of
/// cells at a time.
template <class Context>
struct FluxesOut {
  static constexpr int D = Context::D;
  static constexpr bool kLimits = Context::scheme == Scheme::conservative;
  using View = typename Context::View;
  using Real = typename Context::Real;
  static constexpr const char* label = "tessera::gbees::fluxes_out";
  using Loop = LoopOver<Range::allocated>;
  using Bounds = Blocks<(D > 3 ? 2 : 3)>;
  using Block = OutflowBlock<D, Real>;
  using Cell = CellOutflow<Context>;
  static constexpr std::uint32_t kBlock = Block::kCells;
  Context s;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    const auto key = s.key(c);
    const double own = view.mass[c];
    (*this)(view, c, key, own, s.neighbours(c));
  }

  /// Takes a cell whose key, mass and neighbours are known.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                              typename Context::KeyWord key, double own,
                                              const NeighbourRows<D>& rows) const {
    const CellOutflow<Context> cell(s, view);
    const Outflow<D> out = cell.template fluxes<true>(view, c, key, own, rows);
    double share = 1;
    if constexpr (kLimits) {
      const double beyond = cell.beyond_edge(view, c, out);
      share = cell.share(own, out, beyond);
      cell.store_lost(view, c, out, beyond, share);
    }
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      if (out.computes_up[j]) s.flux(c, j) = cell.limited(out.up[j], out.up[j] > 0, share);
      if (out.computes_down[j])
        s.flux(rows.lower(j), j) = cell.limited(out.down[j], out.down[j] < 0, share);
      if constexpr (kLimits)
        mark_donors(view, out.up[j], out.down[j], rows.lower(j), rows.upper(j));
    }
  }

  /// The cells in rows [first, last), at most kBlock.
  KOKKOS_INLINE_FUNCTION void block(const View& view, std::uint32_t first,
                                    std::uint32_t last) const {
    if (s.has_noise_of_state()) return one_by_one(view, first, last);
    Block block;
    find(view, first, last, block);
    find_second(view, first, last, block);
    if constexpr (kLimits) {
      if constexpr (Context::stores_velocity) find_beyond_edge(view, first, last, block);
      limit(view, first, last, block);
    }
    store(first, last, block);
    if constexpr (kLimits) {
      for (std::uint32_t c = first; c < last; ++c) {
        if (block.against[c - first] > 0) mark_donors_of(view, c, c - first, block);
      }
    }
  }

 private:
  /// Takes cells whose noise depends on the state, which vectors do not. It is a function of its
  /// own, for what vectors take has to stay small enough to be inlined.
  TESSERA_NOINLINE KOKKOS_FUNCTION void one_by_one(const View& view, std::uint32_t first,
                                                   std::uint32_t last) const {
    for (std::uint32_t c = first; c < last; ++c) (*this)(view, c);
  }

  /// The fluxes, one along each axis.
  KOKKOS_FORCEINLINE_FUNCTION void find(const View& view, std::uint32_t first, std::uint32_t last,
                                        Block& block) const {
    using Bits = typename Block::Bits;
    const Cell cell(s, view);
#pragma omp simd
    for (std::uint32_t c = first; c < last; ++c) {
      const std::uint32_t i = c - first;
      const double own = view.mass[c];
      const Outflow<D> out = cell.template fluxes<false, Cell::Find::one_an_axis>(
          view, c, s.key(c), own, s.neighbours(c));
      Bits computes = 0, both_ways = 0, ends_below = 0;
      double against = 0;
      TESSERA_UNROLL
      for (int j = 0; j < D; ++j) {
        block.up[j][i] = static_cast<Real>(out.up[j]);
        block.down[j][i] = static_cast<Real>(out.down[j]);
        computes |= out.computes_up[j] ? Bits(1) << 2 * j : Bits(0);
        computes |= out.computes_down[j] ? Bits(2) << 2 * j : Bits(0);
        both_ways |= out.leaves_both_ways[j] ? Bits(1) << j : Bits(0);
        against = compat::max(against, compat::max(-out.up[j], out.down[j]));
        ends_below |= out.ends_below[j] ? Bits(1) << j : Bits(0);
      }
      block.computes[i] = computes;
      block.both_ways[i] = both_ways;
      block.half_step[i] = out.half_step;
      if constexpr (kLimits) {
        block.against[i] = static_cast<Real>(against);
        if constexpr (Context::stores_velocity) {
          block.ends_below[i] = ends_below;
        } else {
          block.beyond[i] = out.beyond;
        }
      }
    }
  }

  /// The fluxes through the lower faces of cells that the flow leaves on both sides of an axis.
  TESSERA_NOINLINE KOKKOS_FUNCTION void find_second(const View& view, std::uint32_t first,
                                                    std::uint32_t last, Block& block) const {
    const Cell cell(s, view);
    for (std::uint32_t c = first; c < last; ++c) {
      const std::uint32_t i = c - first;
      for (auto both = block.both_ways[i]; both != 0; both &= both - 1) {
        const int j = compat::countr_zero(static_cast<std::uint32_t>(both));
        const double down = cell.flux_down(view, c, j, block.half_step[i]);
        block.down[j][i] = static_cast<Real>(down);
        if constexpr (kLimits) block.against[i] = compat::max(block.against[i], block.down[j][i]);
      }
    }
  }

  /// Finds what flows out through lower faces without a neighbour, which takes a branch.
  KOKKOS_FORCEINLINE_FUNCTION void find_beyond_edge(const View& view, std::uint32_t first,
                                                    std::uint32_t last, Block& block) const {
    const CellOutflow<Context> cell(s, view);
    for (std::uint32_t c = first; c < last; ++c) {
      const std::uint32_t i = c - first;
      const std::uint32_t edges =
          cell.losing_edges(c, static_cast<std::uint32_t>(block.ends_below[i]));
      block.beyond[i] = edges != 0 ? cell.beyond_edges(view, c, block.half_step[i], edges) : 0.0;
    }
  }

  /// The limit by what find_beyond_edge has found.
  KOKKOS_FORCEINLINE_FUNCTION void limit(const View& view, std::uint32_t first, std::uint32_t last,
                                         Block& block) const {
    const CellOutflow<Context> cell(s, view);
#pragma omp simd
    for (std::uint32_t c = first; c < last; ++c) {
      const std::uint32_t i = c - first;
      Outflow<D> out;
      TESSERA_UNROLL
      for (int j = 0; j < D; ++j) {
        out.up[j] = block.up[j][i];
        out.down[j] = block.down[j][i];
        out.ends_above[j] = s.upper(c, j) == kNone;
      }
      const double share = cell.share(view.mass[c], out, block.beyond[i]);
      cell.store_lost(view, c, out, block.beyond[i], share);
      TESSERA_UNROLL
      for (int j = 0; j < D; ++j) {
        block.up[j][i] = cell.limited(out.up[j], out.up[j] > 0, share);
        block.down[j][i] = cell.limited(out.down[j], out.down[j] < 0, share);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(std::uint32_t first, std::uint32_t last,
                                         const Block& block) const {
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      Real* const flux = &s.flux(0, j);
#pragma omp simd
      for (std::uint32_t c = first; c < last; ++c) {
        if ((block.computes[c - first] >> (2 * j) & 1) != 0) flux[c] = block.up[j][c - first];
      }
      for (std::uint32_t c = first; c < last; ++c) {
        if ((block.computes[c - first] >> (2 * j) & 2) != 0)
          flux[s.lower(c, j)] = block.down[j][c - first];
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void mark_donors_of(const View& view, std::uint32_t c,
                                                  std::uint32_t i, const Block& block) const {
    for (int j = 0; j < D; ++j)
      mark_donors(view, block.up[j][i], block.down[j][i], s.lower(c, j), s.upper(c, j));
  }

  /// Marks the cells from which a flux of this one comes, against the velocity. Every writer writes
  /// the same.
  KOKKOS_FORCEINLINE_FUNCTION void mark_donors(const View& view, double up, double down,
                                               std::uint32_t below, std::uint32_t above) const {
    if (up < 0) s.mark[above] = view.mark;
    if (down > 0) s.mark[below] = view.mark;
  }
};

/// Limits the outflow of the cells that have been marked again, now with what leaves them against
/// the velocity.
template <class Context>
struct LimitBackflow {
  static constexpr int D = Context::D;
  using View = typename Context::View;
  using Real = typename Context::Real;
  static constexpr const char* label = "tessera::gbees::limit_backflow";
  using Loop = LoopOver<Range::allocated>;
  using Bounds = typename FluxesOut<Context>::Bounds;
  /// Above the rounding of a sum of fluxes that have been stored, relative and absolute.
  static constexpr double kRounding = std::is_same_v<Real, float> ? 1e-5 : 1e-13,
                          kSmallest = std::numeric_limits<Real>::min();
  Context s;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    // few; one that was marked by mistake gets what it has
    if (s.mark[c] == view.mark) limit(view, c);
  }

 private:
  KOKKOS_INLINE_FUNCTION void limit(const View& view, std::uint32_t c) const {
    const CellOutflow<Context> cell(s, view);
    const NeighbourRows<D> rows = s.neighbours(c);
    const double own = view.mass[c];
    // it has not been limited, nor need it be
    if (cell.stored_outflow(view, c, rows) < own * (1 - kRounding) - kSmallest) return;
    Outflow<D> out = cell.template fluxes<true>(view, c, s.key(c), own, rows);
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      if (!out.computes_up[j]) out.up[j] = s.flux(c, j);
      if (!out.computes_down[j]) out.down[j] = s.flux(rows.lower(j), j);
    }
    const double beyond = cell.beyond_edge(view, c, out), share = cell.share(own, out, beyond);
    cell.store_lost(view, c, out, beyond, share);
    cell.store_outward(c, out, share);
  }
};

}  // namespace tessera::gbees::detail
