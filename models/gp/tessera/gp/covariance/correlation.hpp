// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "tessera/bessel/matern.hpp"
#include "tessera/bessel/paper.hpp"
#include "tessera/core/device/hardware.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

/// Correlation functions M as functions of s = u^2 >= 0, for use in kernels. Each has
///
///     value(s)                               M
///     derivatives(s, m, u_dm_du, dm_dshape)  M, u dM/du and dM/dshape (0 where there is no shape)
///
/// Absolute error of value: 2.3e-16 for the closed forms, 2e-16 for any other nu
/// (bessel::MaternTable).

namespace tessera::gp {

/// Matern of any smoothness, from a table. The table must outlive the kernels that use this.
struct Matern {
  bessel::MaternFunction function;

  KOKKOS_INLINE_FUNCTION double value(double s) const { return function.at_square(s); }
  KOKKOS_INLINE_FUNCTION void derivatives(double s, double& m, double& u_dm_du,
                                          double& dm_dshape) const {
    const bessel::MaternJet jet = function.jet_at_square(s);
    m = jet.m;
    u_dm_du = 2 * jet.s_dm_ds;
    dm_dshape = jet.dm_dnu;
  }
};

/// Matern by the algorithm of Geng et al. with a fixed number of bins, which sets its error; to
/// compare estimates. It has no derivatives: they are NaN.
struct PaperMatern {
  double nu = 0.5;
  double log_factor = 0;  ///< (1 - nu) log 2 - log Gamma(nu)
  int bins = 40;

  KOKKOS_INLINE_FUNCTION double value(double s) const {
    if (s == 0) return 1;
    const double u = compat::math::sqrt(s);
    return compat::math::exp(log_factor + nu * compat::math::log(u) +
                             bessel::log_bessel_k_paper(nu, u, bins));
  }
  KOKKOS_INLINE_FUNCTION void derivatives(double s, double& m, double& u_dm_du,
                                          double& dm_dshape) const {
    m = value(s);
    u_dm_du = dm_dshape = s == 0 ? 0 : NAN;
  }
};

/// Matern by the Bessel function of the GNU Scientific Library, on the host; to compare estimates.
/// It has no derivatives: they are NaN.
struct GslMatern {
  double nu = 0.5;
  double log_factor = 0;  ///< (1 - nu) log 2 - log Gamma(nu)

  KOKKOS_INLINE_FUNCTION double value(double s) const {
    if (s == 0) return 1;
#if TESSERA_ON_GPU
    return NAN;
#else
    const double u = compat::math::sqrt(s);
    return compat::math::exp(log_factor + nu * compat::math::log(u) +
                             bessel::log_bessel_k_gsl(nu, u));
#endif
  }
  KOKKOS_INLINE_FUNCTION void derivatives(double s, double& m, double& u_dm_du,
                                          double& dm_dshape) const {
    m = value(s);
    u_dm_du = dm_dshape = s == 0 ? 0 : NAN;
  }
};

/// Matern with nu = p + 1/2, p = 0, 1, 2: e^-u times a polynomial.
struct HalfIntegerMatern {
  int p = 0;

  KOKKOS_INLINE_FUNCTION double value(double s) const {
    const double u = compat::math::sqrt(s), e = compat::math::exp(-u);
    return p == 0 ? e : p == 1 ? (1 + u) * e : (1 + u + s * (1.0 / 3)) * e;
  }
  KOKKOS_INLINE_FUNCTION void derivatives(double s, double& m, double& u_dm_du,
                                          double& dm_dshape) const {
    const double u = compat::math::sqrt(s), e = compat::math::exp(-u);
    m = p == 0 ? e : p == 1 ? (1 + u) * e : (1 + u + s * (1.0 / 3)) * e;
    u_dm_du = -e * (p == 0 ? u : p == 1 ? s : s * (1 + u) * (1.0 / 3));
    dm_dshape = 0;
  }
};

/// exp(-u^exponent), 0 < exponent <= 2.
struct PoweredExponential {
  double exponent = 1;

  KOKKOS_INLINE_FUNCTION double power(double s) const {
    return exponent == 2 ? s : s > 0 ? compat::math::pow(s, 0.5 * exponent) : 0;
  }
  KOKKOS_INLINE_FUNCTION double value(double s) const { return compat::math::exp(-power(s)); }
  KOKKOS_INLINE_FUNCTION void derivatives(double s, double& m, double& u_dm_du,
                                          double& dm_dshape) const {
    const double p = power(s);
    m = compat::math::exp(-p);
    u_dm_du = -exponent * p * m;
    dm_dshape = s > 0 ? -0.5 * p * compat::math::log(s) * m : 0;
  }
};

}  // namespace tessera::gp
