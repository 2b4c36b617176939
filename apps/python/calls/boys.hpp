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

}  // namespace tessera::python
