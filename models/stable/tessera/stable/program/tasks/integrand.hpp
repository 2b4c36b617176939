// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/stable/program/tasks/blocks.hpp"
#include "tessera/stable/program/tasks/curves.hpp"

namespace tessera::stable {

/// The integrand of Nolan's integral for some points, one after the other, and its places.
struct Integrand {
  std::vector<double> theta, value;
};

/// Returns the integrand g e^-g of the paper's density for distribution k at these points of the
/// curves, at `integrand` places evenly over the range of theta. Points to the left of zeta are
/// reflected, as the paper reflects them; NaN where a formula takes the place of the integral.
Integrand make_integrand(const Parameters& p, const Curves& curves, std::size_t k,
                         const PointRange& points);

}  // namespace tessera::stable
