// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::boys {

/// n numbers from a to b, both included: evenly spaced, or by even ratios (a, b > 0).
std::vector<double> linspace(double a, double b, std::size_t n);
std::vector<double> logspace(double a, double b, std::size_t n);

/// One column of a text file: by its name, or by its number from 1 where the file has no line of names; empty: the first. Missing values
/// and NaN read as NaN. Throws Error (file) when the file cannot be read and Error (input) with file, line and column for what is wrong in
/// it.
std::vector<double> read_arguments(const std::string& path, const std::string& column);

/// A table of reference values: a column of arguments, then F_0, F_1, ... Returns F_0..F_{n_max} argument by argument. Throws Error (input)
/// when there are not as many rows as arguments, fewer orders, or other arguments than `x`.
std::vector<double> read_reference(const std::string& path, const std::vector<double>& x, int n_max);

}  // namespace tessera::boys
