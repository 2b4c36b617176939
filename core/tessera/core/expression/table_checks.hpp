// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/core/expression/tables.hpp"

namespace tessera::expression {

/// Estimates how far a table's values between its rows are off, beside their range. Every second
/// row is left out for it; where the error found there is small enough for its order to show, that
/// of the whole table is extrapolated. The longest intervals decide, however close to each other
/// other rows are. Fewer than three rows cannot tell: zero. Where lines join the rows the result is
/// the error at most rows, for a few kinks may be meant.
double estimate_interpolation_error(const std::vector<double>& times,
                                    const std::vector<double>& values, Interpolation interpolation,
                                    const std::vector<double>& slopes = {});

/// Returns the number of first rows on which the values until time t depend: those before it and
/// some behind it, by the interval in which it lies.
std::size_t count_rows_until(double t, const std::vector<double>& times,
                             Interpolation interpolation, bool has_slopes);

}  // namespace tessera::expression
