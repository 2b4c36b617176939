// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/step/step_context.hpp"

/// The finite-volume step: donor-cell upwind fluxes, corner transport and a limited second-order
/// correction (Hanson et al. 2025, section 2; LeVeque 2002, chapters 6 and 20). The pairwise corner
/// corrections of that scheme, 4 D (D - 1) scattered additions a cell, equal the donor-cell flux of
/// a state that has been advanced by half a step along the other axes; this form needs only
/// neighbours along the axes:
///
///   A_i(k) = dt/(2 dx_i) [ max(v_i(k - e_i), 0) (p(k) - p(k - e_i)) + min(v_i(k), 0) (p(k + e_i) - p(k)) ]
///   Q(k)   = p(k) - sum_i A_i(k)
///   G_j(k) = max(v_j(k), 0) [Q(k) + A_j(k)] + min(v_j(k), 0) [Q(k + e_j) + A_j(k + e_j)] + limited correction
///   p'(k)  = p(k) - sum_j dt/dx_j [ G_j(k) - G_j(k - e_j) ]
///
/// Process noise of spectral density Q_j adds the centred flux (Q_j(k) p(k) - Q_j(k + e_j) p(k +
/// e_j)) / (2 dx_j) to G_j(k), where a missing cell holds nothing: that of dx = f dt + Q^(1/2) dW
/// in the sense of Ito, with Q at the centres of the cells. It moves no mean, and adds the
/// expectation of Q dt to the variance, both exactly.
///
/// Where a select stands between a product and its sum, the two are fused explicitly: left to
/// itself, a compiler may fuse them in the vector version of a loop and not in its remainder, and
/// then bits depend on where a row lies.
///
/// Above v_j(k) is the velocity through the upper face of cell k along axis j. A bracket with a
/// missing cell is zero. The published code cuts negative p' off at zero and renormalises, which
/// creates up to a few percent of mass between measurements; the conservative scheme limits the
/// outflow of each cell to what it holds instead.

namespace tessera::gbees::detail {

/// The flow into a cell along one axis.
struct Inflow {
  /// Speeds of what enters through the lower and the upper face; 0 without a neighbour there
  double below, above;

  KOKKOS_FORCEINLINE_FUNCTION Inflow(double v_lower, double v_upper, bool has_below, bool has_above)
      : below(has_below & (v_lower > 0) ? v_lower : 0.0),
        above(has_above & (v_upper < 0) ? -v_upper : 0.0) {}
};

/// The flow through a cell along one axis in the half step: it enters from one side, the upwind
/// one, but where it converges.
struct HalfStepSides {
  bool from_below;  ///< the upwind side is the lower one
  bool also_above;  ///< flow enters from above too
  /// Speed of what enters from the upwind side, and velocity of what enters from above then
  double upwind, above;

  KOKKOS_FORCEINLINE_FUNCTION HalfStepSides(double v_lower, const Inflow& inflow)
      : from_below(v_lower > 0),
        also_above(from_below & (inflow.above > 0)),
        upwind(from_below ? inflow.below : inflow.above),
        above(from_below ? -inflow.above : 0.0) {}

  /// A_i in units of dt / (2 dx_i), by the cell's mass and those of its neighbours.
  KOKKOS_FORCEINLINE_FUNCTION double increment(double own, double upwind_mass,
                                               double mass_above) const {
    return compat::fma(above, mass_above - own, upwind * (own - upwind_mass));
  }
};

/// The jump `own` across a face, limited by the jump `upwind` of it: the monotonised-central
/// limiter phi(theta) * own with theta = upwind / own, written without a division.
KOKKOS_FORCEINLINE_FUNCTION double limited_jump(double own, double upwind) {
  const double central = 0.5 * compat::math::fabs(own + upwind);
  const double sharpest = 2 * compat::min(compat::math::fabs(own), compat::math::fabs(upwind));
  const double size = own * upwind > 0 ? compat::min(central, sharpest) : 0;
  return own > 0 ? size : -size;
}

/// What a face needs to know of the cell that the flow through it leaves, its donor.
struct Donor {
  double speed;      ///< |v| through the face
  double own;        ///< mass of the donor
  double behind;     ///< mass of the cell behind it
  double ahead;      ///< mass of the cell beyond the face
  double speed_in;   ///< of the flow from the cell behind into the donor; 0 without that cell
  double half_step;  ///< Q of the donor
  bool has_ahead;    ///< there is a cell beyond the face
};

/// G, positive in the direction of the flow: the flux out of a donor, with its Lax-Wendroff
/// correction, with courant = dt / dx. Values are selected, not branched upon: the signs cannot be
/// predicted.
template <Scheme scheme>
KOKKOS_FORCEINLINE_FUNCTION double flux_out_of(const Donor& donor, double courant) {
  const double behind = donor.own - donor.behind;
  const double stepped = compat::fma(0.5 * courant * donor.speed_in, behind, donor.half_step);
  const double correction = 0.5 * donor.speed * compat::fma(-donor.speed, courant, 1.0) *
                            limited_jump(donor.ahead - donor.own, behind);
  const double flux = compat::fma(donor.speed, stepped, donor.has_ahead ? correction : 0.0);
  if (scheme == Scheme::reference) return flux;
  return !donor.has_ahead & (flux < 0) ? 0.0 : flux;
}

/// The data of the face between a cell and the one above it along axis j.
struct Face {
  double velocity;      ///< v, through this face
  double below, above;  ///< mass of the two cells
  double half_step;     ///< Q of the donor, which is the cell that v comes from
  double far;           ///< mass of the cell behind the donor
  double inflow;        ///< velocity through the face between that cell and the donor
  bool has_above, has_far;
};

/// G: the flux through a face.
template <Scheme scheme>
KOKKOS_FORCEINLINE_FUNCTION double flux_through(const Face& face, double courant) {
  const bool up = face.velocity > 0;
  const double speed_in = compat::max(up ? face.inflow : -face.inflow, 0.0);
  const Donor donor{compat::math::fabs(face.velocity),
                    up ? face.below : face.above,
                    face.far,
                    up ? face.above : face.below,
                    face.has_far ? speed_in : 0.0,
                    face.half_step,
                    face.has_above};
  const double flux = flux_out_of<scheme>(donor, courant);
  return up ? flux : face.has_above ? -flux : 0;
}

}  // namespace tessera::gbees::detail
