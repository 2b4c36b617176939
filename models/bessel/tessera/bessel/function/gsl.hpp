// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::bessel {

/// Returns whether this build has the GNU Scientific Library.
bool has_gsl();

/// log K_nu(x) by the GNU Scientific Library (gsl_sf_bessel_lnKnu), on the host alone; NaN where
/// GSL has no value, and everywhere in a build without GSL. For any number of threads.
double log_bessel_k_gsl(double nu, double x);

}  // namespace tessera::bessel
