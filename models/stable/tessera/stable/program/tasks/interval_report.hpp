// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/stable/fit/intervals.hpp"

/// Intervals and covariance matrices in results files.
namespace tessera::stable {

/// Intervals of all kinds; those that are not wanted are empty, else there is one for each
/// quantity.
struct IntervalReport {
  double level = NAN;
  std::vector<Quantity> quantities;
  std::vector<Interval> wald, bootstrap;
  std::vector<ProfileInterval> profile;
};

void write_intervals(const io::Group& results, const FitResult& fit, const IntervalReport& report);

/// Writes both covariance matrices.
void write_covariance(const io::Group& results, const FitResult& fit);

}  // namespace tessera::stable
