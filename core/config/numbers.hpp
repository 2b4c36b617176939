// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"

namespace tessera::config {

/// `count` numbers from `first` to `last`, both included: evenly spaced, or by even ratios. Number i of evenly spaced ones is
/// first + (last - first) f with f = i / (count - 1), or, with `product_first`, first + ((last - first) i) / (count - 1), which may differ
/// in the last bit.
struct Range {
  double first = 0, last = 0;
  std::size_t count = 0;  ///< 0: no range
  bool logarithmic = false;
  bool product_first = false;

  std::vector<double> numbers() const;
};

/// What a list of numbers may be, and what it is when the input says nothing.
struct NumbersOptions {
  std::string doc;
  double low = -std::numeric_limits<double>::infinity();  ///< limits of the numbers in the input
  double high = std::numeric_limits<double>::infinity();
  Range fallback;             ///< its `product_first` holds for ranges in the input, too
  bool limits_files = false;  ///< whether the limits hold for the numbers of a file, too
};

/// Reads `key`, whose value is spelt in one of these ways, the same in every input:
///
///     key: 0.5                               one number
///     key: [0, 0.5, 2]                       a list
///     key: {linspace: [0, 10, 101]}          101 numbers from 0 to 10, evenly spaced
///     key: {logspace: [0.001, 100, 401]}     401 numbers from 0.001 to 100, by even ratios
///     key: {file: data.csv, column: x}       a column of a text file or an .npy array (see io::read_columns)
///     key: {file: data.h5, dataset: /x}      a dataset of an HDF5 file
///
/// A column may have missing values, which read as NaN. What is wrong is recorded in the section; a file that cannot be read is an Error
/// (file). Counts are checked before memory is taken: at most 1e9 numbers.
std::vector<double> read_numbers(Section& in, const std::string& key, const NumbersOptions& options);

/// A file with a column, of which other keys of the section are independent.
struct ColumnSource {
  std::string file, column;  ///< the column's name or number, or the path of a dataset
};

/// Declares `file`, `column` and `dataset` in `in` itself, for sections that hold them among others.
ColumnSource read_column_source(Section& in, const std::string& doc);

/// The numbers of that column; what is wrong in the file is recorded at `key` of the section.
std::vector<double> load_column(Section& in, const ColumnSource& source, const std::string& key = "file");

}  // namespace tessera::config
