// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::bessel {

/// K_nu(x) on the host in the widest format of the compiler (80 bits on x86), to compare other
/// results with.
struct ExtendedBesselK {
  long double log_k, dlog_k_dx, dlog_k_dnu;
};

/// Evaluates K by the trapezoidal rule about the peak of the integrand, a way of its own: no
/// series, no recurrence in the order. The result has log K to 1e-18 max(1, |log K|), derivatives
/// to a relative 1e-17; 0 <= nu <= 200, x >= 1e-300, some microseconds (more below x = 1e-3).
ExtendedBesselK bessel_k_extended(double nu, double x);

}  // namespace tessera::bessel
