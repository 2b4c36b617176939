// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tessera::bench {

/// k[i] = e^x[i] K_nu[i](x[i]) by the GNU Scientific Library. Only where it is installed.
void bessel_gsl(const double* nu, const double* x, double* k, std::int64_t count);

/// k[i] = K_nu[i](x[i]) by Boost.Math, without promotion to a wider format. Only where it is
/// installed.
void bessel_boost(const double* nu, const double* x, double* k, std::int64_t count);

}  // namespace tessera::bench
