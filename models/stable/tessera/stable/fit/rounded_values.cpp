// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/fit/rounded_values.hpp"

#include <cmath>
#include <map>
#include <string>

#include "tessera/core/error.hpp"

namespace tessera::stable {

CountedValues count_values(const std::vector<double>& values, const std::vector<double>& weights,
                           double tick) {
  if (!(tick > 0 && std::isfinite(tick)))
    throw Error(ErrorKind::input, "stable: a tick of " + std::to_string(tick),
                "give a positive one");
  std::map<double, double> counts;  // by the number of the multiple
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double multiple = std::round(values[i] / tick);
    if (!(std::fabs(values[i] - multiple * tick) <= 1e-6 * tick + 1e-12 * std::fabs(values[i]))) {
      throw Error(ErrorKind::input, "stable: value " + std::to_string(i + 1) + " is " +
                                        std::to_string(values[i]) + ", no multiple of the tick " +
                                        std::to_string(tick));
    }
    counts[multiple] += weights.empty() ? 1 : weights[i];
  }
  CountedValues found;
  for (const auto& [multiple, count] : counts) {
    found.values.push_back(multiple * tick);
    found.counts.push_back(count);
  }
  return found;
}

}  // namespace tessera::stable
