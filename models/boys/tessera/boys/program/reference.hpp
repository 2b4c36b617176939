// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::boys {

/// A table of reference values: a column of arguments, then F_0, F_1, ... Returns F_0..F_{n_max}
/// argument by argument. Throws Error (input) when there are not as many rows as arguments, fewer
/// orders, or other arguments than `x`.
std::vector<double> read_reference(const std::string& path, const std::vector<double>& x,
                                   int n_max);

}  // namespace tessera::boys
