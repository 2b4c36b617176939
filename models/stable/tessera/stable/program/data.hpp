// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/stable/fit/series_panel.hpp"

namespace tessera::stable {

/// The source of numbers: a file and its columns (see io::read_columns). A column whose name is
/// empty is not wanted, but for the first.
struct DataSource {
  std::string file, column;
  std::string alpha_column, beta_column, weight_column;
  std::string censored_column;  ///< how the responses of a regression are known
  /// A label for every row; what must ascend within a group
  std::string group_column, time_column;
  std::vector<std::string> more_columns;  ///< others that are read with them
  std::vector<std::string> columns;       ///< each is a series; "all": all columns
  bool drop_missing = false;              ///< leave rows out in which a value is missing
  /// An array of several columns may be taken as one
  bool pool = true;
};

/// The numbers of a file, series one after the other; several where the source has groups or
/// columns. alpha, beta and weight are empty unless their columns are named.
struct Numbers {
  std::string file;  ///< for messages
  std::vector<double> value, alpha, beta, weight;
  std::vector<Series> series;
  std::size_t dropped = 0;  ///< rows left out
};

/// Columns of a source, row by row, with their labels where the source has groups.
struct LabelledRows {
  std::vector<std::vector<double>> columns;
  std::vector<std::string> labels;
};

/// The column of a source and its more_columns, without the rows in which a value is missing where
/// these are to be dropped. Throws Error (file or input).
LabelledRows read_rows_of(const DataSource& source);

/// `allow_missing`: values may be missing, and read as NaN, or infinite. Throws Error (file or
/// input).
Numbers read_numbers(const DataSource& source, bool allow_missing);

}  // namespace tessera::stable
