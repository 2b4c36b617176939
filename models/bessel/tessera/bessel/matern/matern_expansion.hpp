// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/bessel/matern/matern_function.hpp"

namespace tessera::bessel::detail {

/// The constants of the expansion of M_nu about zero. With nu = n + delta, the two series
///
///   M = sum_k a_k s^k - s^nu sum_k b_k s^k,  a_k = 1 / (4^k k! (1-nu)_k),  b_k = Gamma(1-nu) /
///                                            (4^(nu+k) k! Gamma(1+nu+k))
///
/// have poles at nu = n in a_{n+k} and b_k that cancel; each such pair is written as C_k s^(n+k)
/// (e^(delta lambda) - 1) / delta.
MaternExpansion matern_expansion(long double nu);

}  // namespace tessera::bessel::detail
