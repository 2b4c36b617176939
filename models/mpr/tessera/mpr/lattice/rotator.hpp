// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/mpr/lattice/elementary.hpp"

/// One spin of the modified planar rotator: functions of scalars for use in kernels.
///
///   H = - sum_<ij> w_ij cos(theta_i - theta_j),   theta in [0, pi],   law exp(-H / T)
///
/// Zukovic, Borovsky, Lach, Hristopulos, Math. Geosci. 52 (2020) 123-143, with q = 1/2 and theta =
/// q phi. A spin is held as the unit vector (cos theta, sin theta) of the upper half plane, and (0,
/// 0) stands for a site that is not there: sums over neighbours then need no mask. The energy of
/// site i is -h_i . s_i, with the local field h_i = sum_j w_ij s_j.
///
/// Example (tests/install/examples/mpr.cpp):
///
///     const mpr::Proposal<double> proposal{mpr::kPi, 1.44269504088896340736 / temperature};  // turns of at most pi / 2, log2(e) / T
///     mpr::Rotor<double> spin{0, 1};                                                         // theta = pi / 2
///     for (std::uint64_t step = 0; step < 400; ++step) {
///       const auto bits = tessera::Philox(7, static_cast<std::uint32_t>(chain)).bits(step, 0);
///       const double u = tessera::Philox::uniform(bits, 0), v = tessera::Philox::uniform(bits, 1);
///       double energy_change;
///       int accepted;
///       spin = mpr::updated(spin, field, proposal, u, v, energy_change, accepted);
///       sum += mpr::angle(spin);
///     }
///
/// Accuracy (tests/unit/mpr_rotator.cpp): angles to 3e-6 (float) and 1e-11 (double);
/// over-relaxation keeps the energy, and is its own inverse, to 3e-6 and 1e-14; a turned spin has
/// unit length to 4e-6 and 1e-12.

namespace tessera::mpr {

inline constexpr double kPi = 3.14159265358979323846;

template <class Real>
struct alignas(2 * sizeof(Real)) Rotor {
  Real x = 0, y = 0;  ///< cos theta, sin theta
};

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real dot(const Rotor<Real>& a, const Rotor<Real>& b) {
  return a.x * b.x + a.y * b.y;
}

/// The angle in [0, pi] of a vector of the upper half plane, of any length above 1e-6; pi / 2 for
/// shorter ones. Absolute error 3e-7 (float), 1e-11 (double).
KOKKOS_FORCEINLINE_FUNCTION float angle(const Rotor<float>& v) {
  const float square = dot(v, v);
  const float length = square * detail::reciprocal_root(square);
  const float angle = static_cast<float>(0.5 * kPi) -
                      2.0f * detail::atan_small(v.x * detail::reciprocal(length + v.y));
  return square > 1e-12f ? angle : static_cast<float>(0.5 * kPi);
}
KOKKOS_FORCEINLINE_FUNCTION double angle(const Rotor<double>& v) {
  const double length = compat::math::sqrt(dot(v, v));
  const double t = -v.x / (length + v.y);
  const double angle =
      4.0 * detail::atan_small(t / (1.0 + compat::math::sqrt(1.0 + t * t))) + 0.5 * kPi;
  return length > 1e-6 ? angle : 0.5 * kPi;
}

/// The spin reflected at the direction of its field, theta' = 2 Theta_h - theta, where that lies in
/// [0, pi]; else the spin unchanged.
///
/// The energy is the same, the map is its own inverse and keeps volume, so it leaves the Gibbs law
/// alone. (The paper's Eq. 6 reflects at the mean direction of 2 theta_j, which does not keep the
/// energy; and taking theta' modulo pi turns the sign of cos(theta' - Theta_h).)
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotor<Real> over_relaxed(const Rotor<Real>& spin,
                                                     const Rotor<Real>& field) {
  const Real square = dot(field, field), along = dot(field, spin);
  const Real factor = (along + along) * detail::reciprocal(square);
  const Rotor<Real> reflected{factor * field.x - spin.x, factor * field.y - spin.y};
  const bool keep = reflected.y >= Real(0) && square > Real(1e-12);
  return {keep ? reflected.x : spin.x, keep ? reflected.y : spin.y};
}

/// The paper's Eq. 6: with phi = 2 theta, the spin reflected at the mean direction of the phi_j of
/// its neighbours, modulo 2 pi. It changes the energy, and the law with it. doubled: the sum of
/// (cos 2 theta_j, sin 2 theta_j); where it vanishes the spin stays.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotor<Real> over_relaxed_as_published(const Rotor<Real>& spin,
                                                                  const Rotor<Real>& doubled) {
  const Real square = dot(doubled, doubled), inverse = detail::reciprocal_root(square);
  // theta' = Phi - theta, where Phi is the direction of `doubled`
  Real x = (doubled.x * spin.x + doubled.y * spin.y) * inverse,
       y = (doubled.y * spin.x - doubled.x * spin.y) * inverse;
  detail::point_up(x, y);
  const bool has_direction = square > Real(1e-12);
  return {has_direction ? x : spin.x, has_direction ? y : spin.y};
}

/// The vector of twice the angle; of a site that is not there the zero vector.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotor<Real> doubled(const Rotor<Real>& spin) {
  return {spin.x * spin.x - spin.y * spin.y, Real(2) * spin.x * spin.y};
}

/// The spin turned by `angle`, |angle| <= pi / 2, modulo pi.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotor<Real> turned(const Rotor<Real>& spin, Real angle) {
  Real c, s;
  detail::cosine_sine(angle, c, s);
  Real x = spin.x * c - spin.y * s, y = spin.y * c + spin.x * s;
  detail::point_up(x, y);
  return {x, y};
}

/// One Newton step towards unit length.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotor<Real> unit(const Rotor<Real>& spin) {
  const Real factor = Real(1.5) - Real(0.5) * dot(spin, spin);
  return {factor * spin.x, factor * spin.y};
}

/// The parameters of an update besides the spin: the widest turn (pi / a) and log2(e) / T.
template <class Real>
struct Proposal {
  Real reach;
  Real inverse_temperature;
};

/// The Metropolis step of Algorithm 1, with a uniform turn in (-reach / 2, reach / 2). u and v are
/// uniform in [0, 1). Sets the change of energy (0 when the step is rejected) and whether it was
/// accepted (0 or 1).
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotor<Real> metropolis(const Rotor<Real>& from,
                                                   const Rotor<Real>& field,
                                                   const Proposal<Real>& proposal, Real u, Real v,
                                                   Real& energy_change, int& accepted) {
  const Rotor<Real> to = turned(from, u * proposal.reach - Real(0.5) * proposal.reach);
  // -change of energy, without cancellation
  const Real gain = field.x * (to.x - from.x) + field.y * (to.y - from.y);
  const Real exponent = gain * proposal.inverse_temperature;
  const bool taken = detail::probability(exponent) > v;
  accepted = taken ? 1 : 0;
  energy_change = taken ? -gain : Real(0);
  return unit(Rotor<Real>{taken ? to.x : from.x, taken ? to.y : from.y});
}

/// The hybrid update of Algorithm 1: over-relaxation, then a Metropolis step.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotor<Real> updated(const Rotor<Real>& spin, const Rotor<Real>& field,
                                                const Proposal<Real>& proposal, Real u, Real v,
                                                Real& energy_change, int& accepted) {
  return metropolis(over_relaxed(spin, field), field, proposal, u, v, energy_change, accepted);
}

}  // namespace tessera::mpr
