// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/garch/backtest.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::stable {

KupiecTest test_exceedances(std::int64_t exceedances, std::int64_t days, double probability) {
  if (!(exceedances >= 0 && exceedances <= days && days > 0 && probability > 0 && probability < 1))
    return {NAN, NAN};
  const double n = static_cast<double>(days), k = static_cast<double>(exceedances), share = k / n;
  const auto term = [](double count, double seen, double expected) {
    return count == 0 ? 0 : count * std::log(seen / expected);
  };
  const double statistic =
      std::max(0.0, 2 * (term(k, share, probability) + term(n - k, 1 - share, 1 - probability)));
  return {statistic, std::erfc(std::sqrt(0.5 * statistic))};
}

}  // namespace tessera::stable
