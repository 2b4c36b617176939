// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/bessel/function/first_kind.hpp"
#include "tessera/bessel/function/recurrence.hpp"

/// The modified Bessel function of the second kind (Macdonald's function) of real order,
///
///   K_nu(x) = int_0^inf e^(-x cosh t) cosh(nu t) dt,   |nu| <= 10^6, x > 0,
///
/// its logarithm, its exponentially scaled form and its derivatives, for double and float, inside
/// any kernel or host code; in float |nu| <= 200. The order nearest to zero that differs from nu by
/// an integer comes from the trapezoidal rule with a step in closed form (x >= 0.1) or Temme's
/// series (below), the others from the recurrence in the order, which is stable upwards. In double
/// K of orders from 60 on comes from the uniform expansion, with its exponent in 32 digits.
///
/// Accuracy in double, on every backend: e^x K_nu(x) to a relative 5e-15, from nu = 60 on to 2e-15;
/// log K_nu(x) to 1.2e-15 max(1, |log K|) + 6e-15; d log K / dx to a relative 2e-15; d log K / dnu
/// to a relative 1e-14 for nu >= 0.1, and below, where it vanishes with nu, to 1e-12. In float: e^x
/// K to 2e-6 for nu <= 20, 5e-6 beyond. On processors without fused multiply-add (x86-64-v2) e^x K
/// and log K have twice these errors for 20 < nu < 60 and for x > 140.
///
/// NaN gives NaN, x < 0 and infinite nu NaN, x = 0 gives +inf, x = inf gives 0 (logarithm -inf), K
/// is even in nu and d log K / dnu odd;
/// |nu| > 10^6 (float: 200) gives NaN. No call fails otherwise.
///
/// Example (tests/install/examples/bessel.cpp):
///
///     const double k = bessel::bessel_k(0.5, x);      // one value, here in a kernel
///     const auto all = bessel::bessel_k_all(0.5, x);  // with its logarithm and derivatives
///
/// The modified Bessel function of the first kind, I_nu(x), |nu| <= 10^6, x >= 0, has the same
/// forms. It comes from the power series where nu^2 + x^2 < 25^2, and elsewhere from the uniform
/// expansion, with its exponent in 32 digits. For nu < 0 it is I_|nu| + 2/pi sin(pi |nu|) K_|nu|.
///
/// Accuracy in double, on every backend, for nu >= 0: e^-x I_nu(x) to a relative 3e-15, log I_nu(x)
/// to 2e-15 max(1, |log I|), d log I / dx to a relative 3e-15, d log I / dnu to 4e-15 max(1, |d log
/// I / dnu|). For nu < 0, where I has zeros, the error of I_nu is 5e-15 (I_|nu| + |I_nu -
/// I_|nu||). In float, I is computed in double and rounded.
///
/// NaN gives NaN, x < 0 and |nu| > 10^6 NaN. I_0(0) = 1, and I_nu(0) = 0 for nu > 0, with logarithm
/// -inf. x = inf gives inf, and 0 for the scaled form. The logarithm is NaN where I < 0, which
/// needs nu < 0.
///
/// Example (tests/install/examples/bessel.cpp):
///
///     const double log_i = bessel::log_bessel_i(nu, kappa);  // I itself is about e^53277
///     const double cosine = bessel::dlog_bessel_i_dx(nu, kappa) - nu / kappa;
namespace tessera::bessel {

/// Largest orders of K, of K in float, and of I.
inline constexpr double kMaxOrder = detail::kMaxOrderOfK<double>;
inline constexpr float kMaxOrderInFloat = detail::kMaxOrderOfK<float>;
inline constexpr double kMaxOrderOfI = detail::kMaxOrderOfI;

/// K_nu(x) in every form, from one evaluation.
template <class Real>
struct BesselK {
  Real k;           ///< K_nu(x)
  Real k_scaled;    ///< e^x K_nu(x)
  Real log_k;       ///< log K_nu(x), also where K over- or underflows
  Real dlog_k_dx;   ///< d log K / dx = nu/x - K_{nu+1} / K_nu
  Real dlog_k_dnu;  ///< d log K / dnu
};

/// Evaluates all forms of K_nu(x).
template <class Real>
KOKKOS_INLINE_FUNCTION BesselK<Real> bessel_k_all(Real nu, Real x) {
  const auto e = detail::evaluate<Real, true>(nu, x);
  return {e.value(), e.scaled(), e.logarithm(), e.dlog_dx(), e.dlog_dnu()};
}

/// K_nu(x).
template <class Real>
KOKKOS_INLINE_FUNCTION Real bessel_k(Real nu, Real x) {
  return detail::evaluate<Real, false>(nu, x).value();
}

/// e^x K_nu(x).
template <class Real>
KOKKOS_INLINE_FUNCTION Real bessel_k_scaled(Real nu, Real x) {
  return detail::evaluate<Real, false>(nu, x).scaled();
}

/// log K_nu(x).
template <class Real>
KOKKOS_INLINE_FUNCTION Real log_bessel_k(Real nu, Real x) {
  return detail::evaluate<Real, false>(nu, x).logarithm();
}

/// d K_nu(x) / dx.
template <class Real>
KOKKOS_INLINE_FUNCTION Real bessel_k_dx(Real nu, Real x) {
  const auto e = detail::evaluate<Real, false>(nu, x);
  return e.value() * e.dlog_dx();
}

/// d K_nu(x) / dnu.
template <class Real>
KOKKOS_INLINE_FUNCTION Real bessel_k_dnu(Real nu, Real x) {
  const auto e = detail::evaluate<Real, true>(nu, x);
  return e.value() * e.dlog_dnu();
}

/// d log K_nu(x) / dx.
template <class Real>
KOKKOS_INLINE_FUNCTION Real dlog_bessel_k_dx(Real nu, Real x) {
  return detail::evaluate<Real, false>(nu, x).dlog_dx();
}

/// d log K_nu(x) / dnu.
template <class Real>
KOKKOS_INLINE_FUNCTION Real dlog_bessel_k_dnu(Real nu, Real x) {
  return detail::evaluate<Real, true>(nu, x).dlog_dnu();
}

/// I_nu(x) in every form, from one evaluation.
template <class Real>
struct BesselI {
  Real i;           ///< I_nu(x)
  Real i_scaled;    ///< e^-x I_nu(x)
  Real log_i;       ///< log I_nu(x), also where I over- or underflows
  Real dlog_i_dx;   ///< d log I / dx = nu/x + I_{nu+1} / I_nu
  Real dlog_i_dnu;  ///< d log |I| / dnu
};

/// Evaluates all forms of I_nu(x).
template <class Real>
KOKKOS_INLINE_FUNCTION BesselI<Real> bessel_i_all(Real nu, Real x) {
  const auto e = detail::evaluate_first_kind<true, true>(nu, x);
  return {static_cast<Real>(e.value(false)), static_cast<Real>(e.value(true)),
          static_cast<Real>(e.logarithm()), static_cast<Real>(e.dlog_dx()),
          static_cast<Real>(e.dlog_dnu())};
}

/// I_nu(x).
template <class Real>
KOKKOS_INLINE_FUNCTION Real bessel_i(Real nu, Real x) {
  return static_cast<Real>(detail::evaluate_first_kind<false, false>(nu, x).value(false));
}

/// e^-x I_nu(x).
template <class Real>
KOKKOS_INLINE_FUNCTION Real bessel_i_scaled(Real nu, Real x) {
  return static_cast<Real>(detail::evaluate_first_kind<false, false>(nu, x).value(true));
}

/// log I_nu(x).
template <class Real>
KOKKOS_INLINE_FUNCTION Real log_bessel_i(Real nu, Real x) {
  return static_cast<Real>(detail::evaluate_first_kind<false, false>(nu, x).logarithm());
}

/// d I_nu(x) / dx.
template <class Real>
KOKKOS_INLINE_FUNCTION Real bessel_i_dx(Real nu, Real x) {
  const auto e = detail::evaluate_first_kind<true, false>(nu, x);
  return static_cast<Real>(e.value(false) * e.dlog_dx());
}

/// d I_nu(x) / dnu.
template <class Real>
KOKKOS_INLINE_FUNCTION Real bessel_i_dnu(Real nu, Real x) {
  const auto e = detail::evaluate_first_kind<false, true>(nu, x);
  return static_cast<Real>(e.value(false) * e.dlog_dnu());
}

/// d log |I_nu(x)| / dnu.
template <class Real>
KOKKOS_INLINE_FUNCTION Real dlog_bessel_i_dnu(Real nu, Real x) {
  return static_cast<Real>(detail::evaluate_first_kind<false, true>(nu, x).dlog_dnu());
}

/// d log I_nu(x) / dx.
template <class Real>
KOKKOS_INLINE_FUNCTION Real dlog_bessel_i_dx(Real nu, Real x) {
  return static_cast<Real>(detail::evaluate_first_kind<true, false>(nu, x).dlog_dx());
}

/// The modified spherical Bessel functions k_n(x) = sqrt(pi / (2x)) K_{n+1/2}(x) and i_n(x) =
/// sqrt(pi / (2x)) I_{n+1/2}(x), for real n >= 0 and x > 0, in double. At x = 0 k_n is infinite,
/// i_0 is 1 and i_n is 0 for n > 0. Accuracy: that of K and I. They are 0 or infinite only where
/// the result is beyond the numbers.
KOKKOS_INLINE_FUNCTION double spherical_bessel_k(double n, double x) {
  auto e = detail::evaluate<double, false>(n + 0.5, x);
  e.pair.k0 *= detail::spherical_factor(x);
  return e.value();
}
KOKKOS_INLINE_FUNCTION double spherical_bessel_i(double n, double x) {
  if (x == 0 && n >= 0) return n == 0 ? 1 : 0;
  auto e = detail::evaluate_first_kind<false, false>(n + 0.5, x);
  e.one.factor *= detail::spherical_factor(x);
  return e.value(false);
}

}  // namespace tessera::bessel
