// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gsl/gsl_sf_bessel.h>

#include "tests/benchmark/bessel_peer.hpp"

namespace tessera::bench {

void bessel_gsl(const double* nu, const double* x, double* k, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) k[i] = gsl_sf_bessel_Knu_scaled(nu[i], x[i]);
}

}  // namespace tessera::bench
