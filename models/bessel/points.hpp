// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"

namespace tessera::bessel {

/// What the value of a key of numbers may be, and its default.
struct NumbersOptions {
  std::string doc;
  double low = 0, high = 0;  ///< limits; of numbers in the input, not of those in a file
  std::vector<double> grid;  ///< [first, last, number]: the default, a number where first = last
  bool logarithmic = false;  ///< of the default
};

/// Reads `key`: a number, a list of numbers, {linspace: [a, b, n]}, {logspace: [a, b, n]} or {file, column}. What is wrong is recorded in
/// the section; a file that cannot be read is an Error (file).
std::vector<double> read_numbers(config::Section& in, const std::string& key, const NumbersOptions& options);

/// A column of a CSV file, NaN where a value is missing; what is wrong in the file is recorded at `key` of the section.
std::vector<double> read_column(config::Section& in, const std::string& key, const std::string& file, const std::string& column);

}  // namespace tessera::bessel
