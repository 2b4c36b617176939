// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tessera::bench {

/// F_0..F_N of `count` arguments by libint2's FmEval_Chebyshev7, the orders of an argument side by
/// side, as libint2 gives them. Only where libint2 is installed.
void boys_libint2(int N, const double* x, std::int64_t count, double* F);

}  // namespace tessera::bench
