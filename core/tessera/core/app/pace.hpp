// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace tessera {

/// The pace of a run of even work: the amount that a step takes, so that it lasts a fifth of a
/// second. Between steps a run looks for signals and shows its progress. The first step is the
/// smallest.
class Pace {
 public:
  /// Returns the amount of the next step, out of the work that is left; a multiple of `unit` unless
  /// less is left.
  std::int64_t next(std::int64_t left, std::int64_t unit = 1) const {
    return std::min(left, std::max<std::int64_t>(m_next / unit, 1) * unit);
  }

  /// Records the work and the time of the last step.
  void took(std::int64_t work, double seconds) {
    if (work <= 0) return;
    constexpr double kSeconds = 0.2, kMostGrowth = 16;
    const double per_second = static_cast<double>(work) / std::max(seconds, 1e-9);
    m_next = static_cast<std::int64_t>(
        std::clamp(per_second * kSeconds, 1.0, kMostGrowth * static_cast<double>(work)));
  }

 private:
  std::int64_t m_next = 1;
};

}  // namespace tessera
