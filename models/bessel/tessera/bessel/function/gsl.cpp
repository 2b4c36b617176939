// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/bessel/function/gsl.hpp"

#include <limits>

#ifdef TESSERA_HAVE_GSL
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_bessel.h>
#endif

namespace tessera::bessel {

#ifdef TESSERA_HAVE_GSL

bool has_gsl() { return true; }

double log_bessel_k_gsl(double nu, double x) {
  // GSL's own handler of errors ends the program.
  static const bool off = (gsl_set_error_handler_off(), true);
  static_cast<void>(off);
  gsl_sf_result result;
  const int status = gsl_sf_bessel_lnKnu_e(nu, x, &result);
  return status == GSL_SUCCESS ? result.val : std::numeric_limits<double>::quiet_NaN();
}

#else

bool has_gsl() { return false; }

double log_bessel_k_gsl(double, double) { return std::numeric_limits<double>::quiet_NaN(); }

#endif

}  // namespace tessera::bessel
