// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/detail/step_state.hpp"

/// The finite-volume step: donor-cell upwind fluxes, corner transport and a limited second-order correction (Hanson et al. 2025, section 2;
/// LeVeque 2002, chapters 6 and 20). The pairwise corner corrections of that scheme, 4 D (D - 1) scattered additions a cell, equal the
/// donor-cell flux of a state that has been advanced by half a step along the other axes; this form needs only neighbours along the axes:
///
///   A_i(k) = dt/(2 dx_i) [ max(v_i(k - e_i), 0) (p(k) - p(k - e_i)) + min(v_i(k), 0) (p(k + e_i) - p(k)) ]
///   Q(k)   = p(k) - sum_i A_i(k)
///   G_j(k) = max(v_j(k), 0) [Q(k) + A_j(k)] + min(v_j(k), 0) [Q(k + e_j) + A_j(k + e_j)] + limited correction
///   p'(k)  = p(k) - sum_j dt/dx_j [ G_j(k) - G_j(k - e_j) ]
///
/// Process noise of spectral density Q_j adds the centred flux Q_j / (2 dx_j) (p(k) - p(k + e_j)) to G_j(k), where a missing cell holds
/// nothing.
///
/// Where a select stands between a product and its sum, the two are fused explicitly: left to itself, a compiler may fuse them in the
/// vector version of a loop and not in its remainder, and then bits depend on where a row lies.
///
/// Above v_j(k) is the velocity through the upper face of cell k along axis j. A bracket with a missing cell is zero. The published code
/// cuts negative p' off at zero and renormalises, which creates up to a few percent of mass between measurements; the conservative scheme
/// limits the outflow of each cell to what it holds instead.

namespace tessera::gbees::detail {

/// The jump `own` across a face, limited by the jump `upwind` of it: the monotonised-central limiter phi(theta) * own with
/// theta = upwind / own, written without a division.
KOKKOS_INLINE_FUNCTION double limited_jump(double own, double upwind) {
  const double central = 0.5 * compat::math::fabs(own + upwind);
  const double sharpest = 2 * compat::min(compat::math::fabs(own), compat::math::fabs(upwind));
  const double size = own * upwind > 0 ? compat::min(central, sharpest) : 0;
  return own > 0 ? size : -size;
}

/// Lax-Wendroff correction of the upwind flux at face velocity v, with courant = dt / dx.
KOKKOS_INLINE_FUNCTION double second_order_correction(double v, double courant, double own, double upwind) {
  const double speed = compat::math::fabs(v);
  return 0.5 * speed * compat::fma(-speed, courant, 1.0) * limited_jump(own, upwind);
}

/// What is known about the face between a cell and the one above it along axis j.
struct Face {
  double velocity;      ///< v, through this face
  double below, above;  ///< mass of the two cells
  double half_step;     ///< Q of the donor, which is the cell that v comes from
  double far;           ///< mass of the cell behind the donor
  double inflow;        ///< velocity through the face between that cell and the donor
  bool has_above, has_far;
};

/// G: the flux through a face, with courant = dt / dx. Values are selected, not branched upon: the signs cannot be predicted.
template <Scheme scheme>
KOKKOS_INLINE_FUNCTION double flux_through(const Face& face, double courant) {
  const double v = face.velocity;
  const bool up = v > 0;
  const double upwind_jump = (up ? face.below : face.above) - face.far;  // towards the face
  const double speed_in = compat::max(up ? face.inflow : -face.inflow, 0.0);
  const double stepped = compat::fma(face.has_far ? 0.5 * courant * speed_in : 0.0, upwind_jump, face.half_step);
  const double correction = second_order_correction(v, courant, face.above - face.below, up ? upwind_jump : -upwind_jump);
  double flux = compat::fma(v, stepped, face.has_above ? correction : 0.0);
  if (scheme == Scheme::conservative) flux = face.has_above ? flux : compat::max(flux, 0.0);
  return up || face.has_above ? flux : 0;
}

/// Q: each cell's mass advanced by half a step along all axes.
template <class State>
struct HalfStep {
  static constexpr bool kVector = true;
  static constexpr int D = State::D;
  using Now = typename State::Now;
  State s;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(kStopAny, s.control().allocated); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c) const {
    const std::uint64_t key = s.key(c);
    const double own = now.mass[c];
    (*this)(now, c, key, own, s.neighbours(c));
  }

  /// The same for a cell whose key, mass and neighbours are known.
  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c, std::uint64_t key, double own,
                                         const NeighbourRows<D>& rows) const {
    const auto* const p = now.mass;
    const double half = 0.5 * now.dt;
    const CellPlace<D> cell = s.velocity.grid.cell(key);
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
template <class State>
struct FaceFlux {
  static constexpr bool kVector = true;
  static constexpr int D = State::D;
  using Now = typename State::Now;
  State s;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(kStopAny, s.control().allocated); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c) const {
    const auto* const p = now.mass;
    const CellPlace<D> cell = s.velocity.grid.cell(s.key(c));
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
      double flux = flux_through<State::scheme>(face, now.dt * s.inverse_spacing[j]);
      if (State::scheme == Scheme::conservative) flux = compat::fma(s.diffusion[j], own - face.above, flux);  // process noise
      s.flux(c, j) = static_cast<typename State::Real>(flux);
    }
  }
};

/// Makes the step positive and conservative: where more would flow out of a cell than it holds, its outward fluxes are scaled down to
/// what it holds. A flux has one donor, by its sign, so no two cells change the same flux; the receiver looks at the sign only.
/// Leaves in `next` what flows out through missing lower neighbours.
template <class State>
struct LimitOutflow {
  static constexpr int D = State::D;
  using Now = typename State::Now;
  State s;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(kStopAny, s.control().allocated); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c) const {
    double beyond_edge = 0, outflow = 0;
    std::uint32_t missing = 0;  // lower neighbours whose velocity is not stored
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      const double courant = now.dt * s.inverse_spacing[j];
      const std::uint32_t a = s.lower(c, j);
      outflow += courant * compat::max<double>(s.flux(c, j), 0.0);
      outflow -= courant * compat::min<double>(s.flux(a, j), 0.0);
      if (a != kNone) continue;
      if constexpr (State::stores_velocity) {
        missing |= 1u << j;
      } else {
        beyond_edge += courant * outflow_below(now.mass, c, j, courant);
      }
    }
    // Velocities that are not stored take long to find, and few are wanted: threads of a warp come here together, each for its next axis.
    for (; missing != 0; missing &= missing - 1) {
      const int j = compat::countr_zero(missing);
      const double courant = now.dt * s.inverse_spacing[j];
      beyond_edge += courant * outflow_below(now.mass, c, j, courant);
    }
    outflow += beyond_edge;
    if (outflow > now.mass[c]) {
      const double share = now.mass[c] / outflow;
      beyond_edge *= share;
      TESSERA_UNROLL
      for (int j = 0; j < D; ++j) {
        const std::uint32_t a = s.lower(c, j);
        if (s.flux(c, j) > 0) s.flux(c, j) = static_cast<typename State::Real>(s.flux(c, j) * share);
        if (s.flux(a, j) < 0) s.flux(a, j) = static_cast<typename State::Real>(s.flux(a, j) * share);
      }
    }
    now.next[c] = static_cast<typename State::Real>(beyond_edge);
  }

 private:
  /// What flows down through the lower face along axis j when there is no cell below: not negative.
  KOKKOS_INLINE_FUNCTION double outflow_below(const typename State::Real* p, std::uint32_t c, int j, double courant) const {
    const double own = p[c], diffused = s.diffusion[j] * own;
    const CellPlace<D> cell = s.velocity.grid.cell(s.key(c));
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
template <class State>
struct FusedUpdate {
  using Now = typename State::Now;
  static_assert(State::scheme == Scheme::reference, "the conservative scheme needs the fluxes of the neighbours too");
  static constexpr int D = State::D;
  static constexpr int kTogether = D % 2 == 0 ? 2 : 1;
  State s;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(kStopAny & ~kStopNonFinite, s.control().allocated); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c, StepSums& sums) const {
    const auto* const p = now.mass;
    const double* const q = s.half_step.data();
    const CellPlace<D> cell = s.velocity.grid.cell(s.key(c));
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
        const double courant = now.dt * s.inverse_spacing[first + r];
        const double in = a[first + r] != kNone ? flux_through<State::scheme>(lower[r], courant) : 0;
        balance -= courant * (flux_through<State::scheme>(upper[r], courant) - in);
      }
    }
    const auto next = static_cast<typename State::Real>(balance < 0 ? 0 : balance);  // a NaN stays one
    now.next[c] = next;
    if (compat::is_finite(next)) {
      sums.mass.add(next);
    } else {
      Kokkos::atomic_fetch_or(&s.control().stop, std::uint32_t(kStopNonFinite));
      Kokkos::atomic_fetch_min(&s.control().bad_key, s.key(c));
    }
  }
};

/// p': the balance of the fluxes; sums the mass and, in the conservative scheme, what left through missing neighbours.
template <class State>
struct Update {
  static constexpr bool kVector = true;
  static constexpr int D = State::D;
  using Now = typename State::Now;
  State s;

  KOKKOS_INLINE_FUNCTION Now now() const {
    // the last bit is set by this kernel itself
    return s.now(kStopAny & ~kStopNonFinite, s.control().allocated);
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c) const {
    double balance = now.mass[c], lost = 0;
    if constexpr (State::scheme == Scheme::conservative) {
      lost = now.next[c];
      balance -= lost;
    }
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) {
      const double courant = now.dt * s.inverse_spacing[j];
      const double upper = s.flux(c, j);
      if constexpr (State::scheme == Scheme::conservative) {
        lost = compat::fma(s.upper(c, j) == kNone ? courant : 0.0, compat::max(upper, 0.0), lost);
      }
      balance = compat::fma(-courant, upper - s.flux(s.lower(c, j), j), balance);
    }
    // conservative: negative by rounding at most; a NaN stays one
    now.next[c] = static_cast<typename State::Real>(balance < 0 ? 0 : balance);
    if constexpr (State::scheme == Scheme::conservative) s.half_step(c) = lost;
  }

  KOKKOS_INLINE_FUNCTION void sum(const Now& now, std::uint32_t begin, std::uint32_t end, StepSums& sums) const {
    double probe = 0;  // not finite when any mass is not
#pragma omp simd reduction(+ : probe)
    for (std::uint32_t c = begin; c < end; ++c) probe += now.next[c];
    if (!compat::is_finite(probe)) {
      report(now, begin, end);
      return;
    }
    sums.mass.add_array(now.next + begin, end - begin);
    if constexpr (State::scheme == Scheme::conservative) sums.lost.add_array(s.half_step.data() + begin, end - begin);
  }

 private:
  KOKKOS_INLINE_FUNCTION void report(const Now& now, std::uint32_t begin, std::uint32_t end) const {
    Kokkos::atomic_fetch_or(&s.control().stop, std::uint32_t(kStopNonFinite));
    for (std::uint32_t c = begin; c < end; ++c) {
      if (!compat::is_finite(now.next[c])) Kokkos::atomic_fetch_min(&s.control().bad_key, s.key(c));
    }
  }
};

/// Closes the step: time, scale, counters, history and the reasons to stop.
template <class State>
struct FinishStep {
  State s;
  typename State::template Array<StepRecord*> history;
  std::uint32_t prune_every;

  KOKKOS_INLINE_FUNCTION void operator()(int) const {
    Control now = s.control();
    close(now, s.findings(), true);
    s.control() = now;
    s.findings() = Findings();
  }

  /// The same for copies of the state, whose members are then read and written together; the history is written only if it `records`.
  KOKKOS_INLINE_FUNCTION void close(Control& now, const Findings& found, bool records) const {
    if (now.stop) return;
    const double dt = s.step_size(now, found.cfl_time);
    if (records && now.batch_steps > 0 && now.segment_steps % prune_every != 0) {  // else the prune has counted
      history(now.batch_steps - 1).cells_active = found.active;
    }

    const double left = now.interval - now.interval_time;
    const bool clipped = dt >= left;
    now.dt = dt;
    now.cfl_time = s.time_varying() ? kNoCrossing : compat::min(now.cfl_time, found.cfl_time);
    now.time += dt;
    // The published code adds and compares; landing on the end exactly spares a last step of rounding size.
    now.interval_time = clipped && State::scheme == Scheme::conservative ? now.interval : now.interval_time + dt;
    now.cells = now.allocated;
    now.max_cells = compat::max(now.max_cells, now.cells);
    now.cell_steps += now.cells;
    now.parity ^= 1;
    ++now.steps;
    ++now.segment_steps;

    const double total = found.sums.mass.value();
    if constexpr (State::scheme == Scheme::reference) {
      now.lost_mass += 1 - total * now.scale;
      now.scale = 1 / total;
      now.mass = 1;
    } else {
      now.lost_mass += found.sums.lost.value() * now.scale;
      now.mass = total * now.scale;
    }
    if (records) history(now.batch_steps) = StepRecord{now.time, dt, now.mass, now.lost_mass, now.cells, 0};
    ++now.batch_steps;

    if (!(now.interval_time < now.interval)) now.stop |= kStopInterval;
    if (now.segment_steps % prune_every == 0) now.stop |= kStopPrune;
    if (!(now.stop & kStopPrune)) now.velocity_time = now.time;
    if (!(total > 0)) now.stop |= kStopEmpty;
  }
};

}  // namespace tessera::gbees::detail
