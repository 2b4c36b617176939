// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "apps/python/calls/numbers.hpp"
#include "tessera/core/device/backend.hpp"

namespace tessera::python {

/// F_0 ... F_{n_max} of n arguments, one array of n numbers an order, one after the other. Throws
/// Error (input) for an order outside 0..40.
void require_boys_order(int n_max);
template <class Real>
void boys(Backend backend, int n_max, const In<Real>& x, const Out<Real>& F, std::size_t n,
          const Between& between);

/// Rys quadrature of erfc(omega r) / r, or erf(omega r) / r, of order `order`: arrays of n numbers
/// for each root, then for each weight. Throws Error (input) for an order outside
/// 1..32.
void require_rys_order(int order);
void rys(Backend backend, int order, const In<double>& x, const In<double>& rho,
         const In<double>& omega, bool short_range, const Out<double>& result, std::size_t n,
         const Between& between);

}  // namespace tessera::python
