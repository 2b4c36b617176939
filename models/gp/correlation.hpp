// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/device/kokkos_compat.hpp"

/// Correlation functions M as functions of u >= 0, for use in kernels. Each has
///
///     value(u)                            M(u)
///     derivatives(u, m, slope, by_shape)  M(u), u M'(u) and dM/dshape (0 where there is no shape)
///
/// at a cost that does not depend on the shape. Absolute error of value: 2.3e-16 for the closed forms (one exp), that of
/// bessel::MaternTable (2e-16) for any nu.

namespace tessera::gp {

/// Matern with nu = p + 1/2, p = 0, 1, 2: e^-u times a polynomial.
struct HalfIntegerMatern {
  int p = 0;

  KOKKOS_INLINE_FUNCTION double value(double u) const {
    const double e = compat::math::exp(-u);
    return p == 0 ? e : p == 1 ? (1 + u) * e : (1 + u * (1 + u * (1.0 / 3))) * e;
  }
  KOKKOS_INLINE_FUNCTION void derivatives(double u, double& m, double& slope, double& by_shape) const {
    const double e = compat::math::exp(-u);
    m = p == 0 ? e : p == 1 ? (1 + u) * e : (1 + u * (1 + u * (1.0 / 3))) * e;
    slope = -u * e * (p == 0 ? 1 : p == 1 ? u : u * (1 + u) * (1.0 / 3));
    by_shape = 0;
  }
};

/// exp(-u^exponent), 0 < exponent <= 2.
struct PoweredExponential {
  double exponent = 1;

  KOKKOS_INLINE_FUNCTION double power(double u) const { return exponent == 2 ? u * u : u > 0 ? compat::math::pow(u, exponent) : 0; }
  KOKKOS_INLINE_FUNCTION double value(double u) const { return compat::math::exp(-power(u)); }
  KOKKOS_INLINE_FUNCTION void derivatives(double u, double& m, double& slope, double& by_shape) const {
    const double p = power(u);
    m = compat::math::exp(-p);
    slope = -exponent * p * m;
    by_shape = u > 0 ? -p * compat::math::log(u) * m : 0;
  }
};

}  // namespace tessera::gp
