// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "tessera/gbees/grid/loop.hpp"
#include "tessera/gbees/step/flux.hpp"

/// The phases of a step that advance the masses (see flux.hpp for the scheme): where fluxes are
/// stored the update, which outflow.hpp comes before, else the half step and an update that finds
/// the fluxes.

namespace tessera::gbees::detail {

/// Q: each cell's mass advanced by half a step along all axes.
template <class Context>
struct HalfStep {
  static constexpr bool kVector = true;
  static constexpr int D = Context::D;
  using View = typename Context::View;
  static constexpr const char* label = "tessera::gbees::half_step";
  using Loop = LoopOver<Range::allocated>;
  using Bounds = Blocks<4>;
  Context s;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    const auto key = s.key(c);
    const double own = view.mass[c];
    (*this)(view, c, key, own, s.neighbours(c));
  }

  /// Takes a cell whose key, mass and neighbours are known.
  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         typename Context::KeyWord key, double own,
                                         const NeighbourRows<D>& rows) const {
    const auto* const p = view.mass;
    const double half = 0.5 * view.dt;
    const CellLocation<D> cell = s.velocity.grid.cell(key);
    double sum = 0;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      const double below = s.face_velocity(cell, i, -1, rows.lower(i)),
                   above = s.face_velocity(cell, i, 0, c);
      // addresses are selected, since the signs cannot be predicted
      const HalfStepSides sides(
          below, Inflow(below, above, rows.lower(i) != kNone, rows.upper(i) != kNone));
      const double upwind = p[sides.from_below ? rows.lower(i) : rows.upper(i)];
      const double increment =
          sides.increment(own, upwind, p[sides.also_above ? rows.upper(i) : kNone]);
      sum = compat::fma(increment, half * s.inverse_spacing[i], sum);
    }
    s.half_step(c) = own - sum;
  }
};

/// The two faces of a cell along one axis.
struct AxisFaces {
  Face lower, upper;
};

/// Returns the faces of the cell in row c along axis j, which the fluxes of the reference scheme
/// take. `own`, `own_half_step`: what the cell holds; a, b: rows of the neighbours below and above
/// it, or kNone.
template <class Context>
KOKKOS_FORCEINLINE_FUNCTION AxisFaces faces_along(
    const Context& s, const typename Context::View& view, const CellLocation<Context::D>& cell,
    std::uint32_t c, int j, double own, double own_half_step, std::uint32_t a, std::uint32_t b) {
  const auto* const p = view.mass;
  const double* const q = s.half_step.data();
  AxisFaces faces;
  Face &upper = faces.upper, &lower = faces.lower;
  upper.velocity = s.face_velocity(cell, j, 0, c);
  lower.velocity = s.face_velocity(cell, j, -1, a);
  const bool up = upper.velocity > 0, from_below = lower.velocity > 0;
  const std::uint32_t beyond_above = up ? kNone : s.upper(b, j),
                      beyond_below = from_below ? s.lower(a, j) : kNone;
  const double above = p[b], below = p[a];
  upper.below = lower.above = own;
  upper.above = above;
  lower.below = below;
  upper.half_step = up ? own_half_step : q[b];
  lower.half_step = from_below ? q[a] : own_half_step;
  upper.far = up ? below : p[beyond_above];
  lower.far = from_below ? p[beyond_below] : above;
  upper.has_far = (up ? a : beyond_above) != kNone;
  lower.has_far = (from_below ? beyond_below : b) != kNone;
  upper.has_above = b != kNone;
  lower.has_above = true;
  upper.inflow = up ? lower.velocity : s.face_velocity(cell, j, 1, b);
  lower.inflow = from_below ? s.face_velocity(cell, j, -2, beyond_below) : upper.velocity;
  return faces;
}

/// The fluxes out of the ghosts of a rank, which the ranks that own these cells have found.
/// `direction`: from the ghost.
template <int D>
struct GhostFluxes {
  double* value;
  std::uint32_t room, top;  ///< ghosts are in the rows above room, up to top

  KOKKOS_INLINE_FUNCTION bool holds(std::uint32_t row) const { return row > room; }
  KOKKOS_INLINE_FUNCTION double& operator()(std::uint32_t row, std::uint32_t direction) const {
    return value[std::size_t(top - row) * 2 * D + direction];
  }
};

/// The ghosts where there are no other ranks: none.
struct NoGhosts {};

/// Fluxes and update in one, for a GPU and the reference scheme: each flux is computed by both
/// cells that share the face, which takes less time than to write and gather it. Axes are taken a
/// few at a time, so that their loads are under way together. Ghosts: where to find fluxes that
/// another rank has to compute, since the cells behind the donor are there.
template <class Context, class Ghosts = NoGhosts>
struct FusedUpdate {
  using View = typename Context::View;
  static_assert(Context::scheme == Scheme::reference,
                "the conservative scheme needs the fluxes of the neighbours too");
  static constexpr int D = Context::D;
  static constexpr int kTogether = D % 2 == 0 ? 2 : 1;
  static constexpr const char* label = "tessera::gbees::fused_update";
  using Loop = LoopOver<Range::allocated, kStopNonFinite>;
  using Bounds = Blocks<(D > 3 ? 2 : 3)>;
  Context s;
  Ghosts ghosts = {};

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, StepSums& sums) const {
    const CellLocation<D> cell = s.velocity.grid.cell(s.key(c));
    const double own = view.mass[c], own_half_step = s.half_step(c);
    std::uint32_t a[D], b[D];
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      a[j] = s.lower(c, j);
      b[j] = s.upper(c, j);
    }
    double balance = own;
    TESSERA_UNROLL
    for (int first = 0; first < D; first += kTogether) {
      AxisFaces faces[kTogether];
      TESSERA_UNROLL
      for (int r = 0; r < kTogether; ++r) {
        faces[r] = faces_along(s, view, cell, c, first + r, own, own_half_step, a[first + r],
                               b[first + r]);
      }
      TESSERA_UNROLL
      for (int r = 0; r < kTogether; ++r) {
        const int j = first + r;
        const double courant = view.dt * s.inverse_spacing[j];
        double in = a[j] != kNone ? flux_through<Context::scheme>(faces[r].lower, courant) : 0;
        double out = flux_through<Context::scheme>(faces[r].upper, courant);
        if constexpr (!std::is_same_v<Ghosts, NoGhosts>) {
          const auto axis = static_cast<std::uint32_t>(j);
          if (ghosts.holds(a[j]) && faces[r].lower.velocity > 0) in = ghosts(a[j], 2 * axis + 1);
          if (ghosts.holds(b[j]) && !(faces[r].upper.velocity > 0)) out = ghosts(b[j], 2 * axis);
        }
        balance -= courant * (out - in);
      }
    }
    // a NaN stays one
    const auto next = static_cast<typename Context::Real>(balance < 0 ? 0 : balance);
    view.next[c] = next;
    if (compat::is_finite(next)) {
      sums.mass.add(next);
    } else {
      Kokkos::atomic_fetch_or(&s.state().stop, std::uint32_t(kStopNonFinite));
      s.note_bad(s.key(c));
    }
  }
};

/// p': the balance of the fluxes; sums the mass and, in the conservative scheme, what leaves
/// through missing neighbours.
template <class Context>
struct Update {
  static constexpr bool kVector = true;
  static constexpr int D = Context::D;
  using View = typename Context::View;
  static constexpr const char* label = "tessera::gbees::update";
  using Loop = LoopOver<Range::allocated, kStopNonFinite>;
  using Bounds = Blocks<>;
  Context s;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    double balance = view.mass[c];
    // what leaves through missing lower neighbours
    if constexpr (Context::scheme == Scheme::conservative) balance -= view.next[c];
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      const double courant = view.dt * s.inverse_spacing[j];
      const double upper = s.flux(c, j);
      balance = compat::fma(-courant, upper - s.flux(s.lower(c, j), j), balance);
    }
    // conservative: negative by rounding at most; a NaN stays one
    view.next[c] = static_cast<typename Context::Real>(balance < 0 ? 0 : balance);
  }

  KOKKOS_INLINE_FUNCTION void sum(const View& view, std::uint32_t begin, std::uint32_t end,
                                  StepSums& sums) const {
    double probe = 0;  // not finite when any mass is not
#pragma omp simd reduction(+ : probe)
    for (std::uint32_t c = begin; c < end; ++c) probe += view.next[c];
    if (!compat::is_finite(probe)) {
      report(view, begin, end);
      return;
    }
    sums.mass.add_array(view.next + begin, end - begin);
    if constexpr (Context::scheme == Scheme::conservative)
      sums.lost.add_array(s.half_step.data() + begin, end - begin);
  }

 private:
  KOKKOS_INLINE_FUNCTION void report(const View& view, std::uint32_t begin,
                                     std::uint32_t end) const {
    Kokkos::atomic_fetch_or(&s.state().stop, std::uint32_t(kStopNonFinite));
    for (std::uint32_t c = begin; c < end; ++c) {
      if (!compat::is_finite(view.next[c])) s.note_bad(s.key(c));
    }
  }
};

}  // namespace tessera::gbees::detail
