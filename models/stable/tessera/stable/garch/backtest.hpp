// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// Kupiec's test of a value at risk (J. Derivatives 3 (1995) 73): whether losses exceed it as often
/// as they should.
///
///     LR = -2 ln [(1 - p)^{n - k} p^k] + 2 ln [(1 - k/n)^{n - k} (k/n)^k],
///
/// k exceedances in n days, each of probability p where the value at risk is right; chi-squared
/// with one degree of freedom.
///
/// Domain: 0 <= k <= n, n > 0, 0 < p < 1; anything else gives NaN.
///
/// Accuracy: that of log; p-values are those of the asymptotic distribution.
///
/// Errors: none.
///
/// Example (tests/install/examples/stable.cpp):
///
///     const stable::KupiecTest test = stable::test_exceedances(17, 1000, 0.01);
namespace tessera::stable {

struct KupiecTest {
  double statistic, p_value;
};

KupiecTest test_exceedances(std::int64_t exceedances, std::int64_t days, double probability);

}  // namespace tessera::stable
