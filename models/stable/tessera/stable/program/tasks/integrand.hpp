// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "tessera/stable/program/tasks/curves.hpp"

namespace tessera::stable {

/// Appends the integrand g e^-g of Nolan's integral for distribution k at every point of the
/// curves, at `integrand` places evenly over the range of theta, and these places. Points to the
/// left of zeta are reflected, as the paper reflects them; NaN where a formula takes the place of
/// the integral.
void append_integrand(const Parameters& p, std::size_t k, Curves& curves);

}  // namespace tessera::stable
