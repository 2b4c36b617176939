// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/core/expression/tables.hpp"

namespace tessera::expression {

/// About how far a table's values between its rows are off, beside their range: it is told by leaving out every second row, and foretold
/// from that where the error is small enough for its order to show. Zero of fewer than three rows, which cannot tell. Where rows are
/// joined by lines it is that of most rows, for few kinks may be what is meant.
double estimate_interpolation_error(const std::vector<double>& times, const std::vector<double>& values, Interpolation interpolation,
                                    const std::vector<double>& slopes = {});

}  // namespace tessera::expression
