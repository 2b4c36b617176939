// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/detail/flux.hpp"
#include "tessera/gbees/detail/loop.hpp"

/// The phases of a step that advance the masses: half step, fluxes, limit of the outflow, update (see flux.hpp for the scheme).

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

  /// The same for a cell whose key, mass and neighbours are known.
  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, typename Context::KeyWord key, double own,
                                         const NeighbourRows<D>& rows) const {
    const auto* const p = view.mass;
    const double half = 0.5 * view.dt;
    const CellLocation<D> cell = s.velocity.grid.cell(key);
    double sum = 0;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      const double below = s.face_velocity(cell, i, -1, rows.lower(i)), above = s.face_velocity(cell, i, 0, c);
      // One upwind side, but where the flow converges; addresses and factors are selected, since the signs cannot be predicted.
      const bool from_below = below > 0;
      const std::uint32_t upwind = from_below ? rows.lower(i) : rows.upper(i);
      const double speed_in = upwind != kNone ? (from_below ? below : compat::max(-above, 0.0)) : 0.0;
      const bool converging = from_below && above < 0;
      const std::uint32_t b = converging ? rows.upper(i) : kNone;
      const double increment = compat::fma(b != kNone ? above : 0.0, p[b] - own, speed_in * (own - p[upwind]));
      sum = compat::fma(increment, half * s.inverse_spacing[i], sum);
    }
    s.half_step(c) = own - sum;
  }
};

/// G: the flux through each cell's upper faces.
template <class Context>
struct FaceFlux {
  static constexpr bool kVector = true;
  static constexpr int D = Context::D;
  using View = typename Context::View;
  static constexpr const char* label = "tessera::gbees::face_flux";
  using Loop = LoopOver<Range::allocated>;
  using Bounds = Blocks<3>;
  Context s;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    const auto* const p = view.mass;
    const CellLocation<D> cell = s.velocity.grid.cell(s.key(c));
    const double own = p[c];
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      Face face;
      face.velocity = s.face_velocity(cell, j, 0, c);
      const bool up = face.velocity > 0;
      const std::uint32_t b = s.upper(c, j);
      const std::uint32_t donor = up ? c : b;
      const std::uint32_t far = s.links(donor, 2 * j + (up ? 0 : 1));
      face.below = own;
      face.above = p[b];
      face.half_step = s.half_step(donor);
      face.far = p[far];
      face.inflow = s.face_velocity(cell, j, up ? -1 : 1, up ? far : b);
      face.has_above = b != kNone;
      face.has_far = far != kNone;
      double flux = flux_through<Context::scheme>(face, view.dt * s.inverse_spacing[j]);
      if (Context::scheme == Scheme::conservative) flux = compat::fma(s.diffusion[j], own - face.above, flux);  // process noise
      s.flux(c, j) = static_cast<typename Context::Real>(flux);
    }
  }
};

/// Makes the step positive and conservative: where more would flow out of a cell than it holds, its outward fluxes are scaled down to
/// what it holds. A flux has one donor, by its sign, so no two cells change the same flux; the receiver looks at the sign only.
/// Leaves in `next` what flows out through missing lower neighbours.
template <class Context>
struct LimitOutflow {
  static constexpr int D = Context::D;
  using View = typename Context::View;
  static constexpr const char* label = "tessera::gbees::limit_outflow";
  using Loop = LoopOver<Range::allocated>;
  using Bounds = Blocks<(Context::stores_velocity ? 3 : 4)>;
  Context s;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    double beyond_edge = 0, outflow = 0;
    if constexpr (Context::stores_velocity) beyond_edge = outflow_beyond_edge(view, c);
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      const double courant = view.dt * s.inverse_spacing[j];
      const std::uint32_t a = s.lower(c, j);
      outflow += courant * compat::max<double>(s.flux(c, j), 0.0);
      outflow -= courant * compat::min<double>(s.flux(a, j), 0.0);
      if constexpr (!Context::stores_velocity) {
        if (a == kNone) beyond_edge += courant * outflow_below(view.mass, c, j, courant);
      }
    }
    outflow += beyond_edge;
    if (outflow > view.mass[c]) {
      const double share = view.mass[c] / outflow;
      beyond_edge *= share;
      TESSERA_UNROLL
      for (int j = 0; j < D; ++j) {
        const std::uint32_t a = s.lower(c, j);
        if (s.flux(c, j) > 0) s.flux(c, j) = static_cast<typename Context::Real>(s.flux(c, j) * share);
        if (s.flux(a, j) < 0) s.flux(a, j) = static_cast<typename Context::Real>(s.flux(a, j) * share);
      }
    }
    view.next[c] = static_cast<typename Context::Real>(beyond_edge);
  }

 private:
  /// What flows down through all lower faces that have no cell below. Velocities that are stored take long to find where they are not, and
  /// few are: threads of a warp find them together, each for its next axis, before there is anything else to keep in registers.
  KOKKOS_INLINE_FUNCTION double outflow_beyond_edge(const View& view, std::uint32_t c) const {
    const std::uint32_t loses = s.loses_below[c];
    std::uint32_t missing = 0;  // lower neighbours to which mass would flow
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      const bool flows = (loses >> j & 1) != 0 || s.diffusion[j] > 0;
      missing |= (flows && s.lower(c, j) == kNone ? 1u : 0u) << j;
    }
    double sum = 0;
    for (; missing != 0; missing &= missing - 1) {
      const int j = compat::countr_zero(missing);
      const double courant = view.dt * s.inverse_spacing[j];
      sum += courant * outflow_below(view.mass, c, j, courant);
    }
    return sum;
  }

  /// What flows down through the lower face along axis j when there is no cell below: not negative.
  KOKKOS_INLINE_FUNCTION double outflow_below(const typename Context::Real* p, std::uint32_t c, int j, double courant) const {
    const double own = p[c], diffused = s.diffusion[j] * own;
    const CellLocation<D> cell = s.velocity.grid.cell(s.key(c));
    const double v = s.velocity.lower(cell, j);
    if (!(v < 0)) return diffused;
    const std::uint32_t b = s.upper(c, j);
    double donor = s.half_step(c);
    if (b != kNone) donor += 0.5 * courant * compat::min(s.face_velocity(cell, j, 0, c), 0.0) * (p[b] - own);
    return compat::max(-v * donor, 0.0) + diffused;
  }
};

/// FaceFlux and Update in one, for a GPU and the reference scheme: each flux is computed by both cells that share the face, which takes
/// less time than to write and gather it. Axes are taken a few at a time, so that their loads are under way together.
template <class Context>
struct FusedUpdate {
  using View = typename Context::View;
  static_assert(Context::scheme == Scheme::reference, "the conservative scheme needs the fluxes of the neighbours too");
  static constexpr int D = Context::D;
  static constexpr int kTogether = D % 2 == 0 ? 2 : 1;
  static constexpr const char* label = "tessera::gbees::fused_update";
  using Loop = LoopOver<Range::allocated, kStopNonFinite>;
  using Bounds = Blocks<(D > 3 ? 2 : 3)>;
  Context s;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, StepSums& sums) const {
    const auto* const p = view.mass;
    const double* const q = s.half_step.data();
    const CellLocation<D> cell = s.velocity.grid.cell(s.key(c));
    const double own = p[c], own_half_step = q[c];
    std::uint32_t a[D], b[D];
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      a[j] = s.lower(c, j);
      b[j] = s.upper(c, j);
    }
    double balance = own;
    TESSERA_UNROLL
    for (int first = 0; first < D; first += kTogether) {
      Face upper[kTogether], lower[kTogether];
      TESSERA_UNROLL
      for (int r = 0; r < kTogether; ++r) {
        const int j = first + r;
        upper[r].velocity = s.face_velocity(cell, j, 0, c);
        lower[r].velocity = s.face_velocity(cell, j, -1, a[j]);
        const bool up = upper[r].velocity > 0, from_below = lower[r].velocity > 0;
        const std::uint32_t beyond_above = up ? kNone : s.upper(b[j], j), beyond_below = from_below ? s.lower(a[j], j) : kNone;
        const double above = p[b[j]], below = p[a[j]];
        upper[r].below = lower[r].above = own;
        upper[r].above = above;
        lower[r].below = below;
        upper[r].half_step = up ? own_half_step : q[b[j]];
        lower[r].half_step = from_below ? q[a[j]] : own_half_step;
        upper[r].far = up ? below : p[beyond_above];
        lower[r].far = from_below ? p[beyond_below] : above;
        upper[r].has_far = (up ? a[j] : beyond_above) != kNone;
        lower[r].has_far = (from_below ? beyond_below : b[j]) != kNone;
        upper[r].has_above = b[j] != kNone;
        lower[r].has_above = true;
        upper[r].inflow = up ? lower[r].velocity : s.face_velocity(cell, j, 1, b[j]);
        lower[r].inflow = from_below ? s.face_velocity(cell, j, -2, beyond_below) : upper[r].velocity;
      }
      TESSERA_UNROLL
      for (int r = 0; r < kTogether; ++r) {
        const double courant = view.dt * s.inverse_spacing[first + r];
        const double in = a[first + r] != kNone ? flux_through<Context::scheme>(lower[r], courant) : 0;
        balance -= courant * (flux_through<Context::scheme>(upper[r], courant) - in);
      }
    }
    const auto next = static_cast<typename Context::Real>(balance < 0 ? 0 : balance);  // a NaN stays one
    view.next[c] = next;
    if (compat::is_finite(next)) {
      sums.mass.add(next);
    } else {
      Kokkos::atomic_fetch_or(&s.state().stop, std::uint32_t(kStopNonFinite));
      s.note_bad(s.key(c));
    }
  }
};

/// p': the balance of the fluxes; sums the mass and, in the conservative scheme, what left through missing neighbours.
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
    double balance = view.mass[c], lost = 0;
    if constexpr (Context::scheme == Scheme::conservative) {
      lost = view.next[c];
      balance -= lost;
    }
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      const double courant = view.dt * s.inverse_spacing[j];
      const double upper = s.flux(c, j);
      if constexpr (Context::scheme == Scheme::conservative) {
        lost = compat::fma(s.upper(c, j) == kNone ? courant : 0.0, compat::max(upper, 0.0), lost);
      }
      balance = compat::fma(-courant, upper - s.flux(s.lower(c, j), j), balance);
    }
    // conservative: negative by rounding at most; a NaN stays one
    view.next[c] = static_cast<typename Context::Real>(balance < 0 ? 0 : balance);
    if constexpr (Context::scheme == Scheme::conservative) s.half_step(c) = lost;
  }

  KOKKOS_INLINE_FUNCTION void sum(const View& view, std::uint32_t begin, std::uint32_t end, StepSums& sums) const {
    double probe = 0;  // not finite when any mass is not
#pragma omp simd reduction(+ : probe)
    for (std::uint32_t c = begin; c < end; ++c) probe += view.next[c];
    if (!compat::is_finite(probe)) {
      report(view, begin, end);
      return;
    }
    sums.mass.add_array(view.next + begin, end - begin);
    if constexpr (Context::scheme == Scheme::conservative) sums.lost.add_array(s.half_step.data() + begin, end - begin);
  }

 private:
  KOKKOS_INLINE_FUNCTION void report(const View& view, std::uint32_t begin, std::uint32_t end) const {
    Kokkos::atomic_fetch_or(&s.state().stop, std::uint32_t(kStopNonFinite));
    for (std::uint32_t c = begin; c < end; ++c) {
      if (!compat::is_finite(view.next[c])) s.note_bad(s.key(c));
    }
  }
};

}  // namespace tessera::gbees::detail
