// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io {

/// A table of numbers whose first line names the columns.
struct Table {
  std::string path;
  /// The names of the columns that were read, in their order in the file
  std::vector<std::string> names;
  /// Names of the columns of the file that were not read
  std::vector<std::string> others;
  std::vector<std::vector<double>> columns;  ///< one per name, all of the same length
  /// One per name of CsvOptions::text_columns, in that order
  std::vector<std::vector<std::string>> texts;
  /// Number of the line of each row, from 1; only with text columns
  std::vector<std::size_t> lines;

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }

  /// Throws Error (input) when there is none of that name; lists those there are.
  const std::vector<double>& column(const std::string& name) const;
};

struct CsvOptions {
  /// The columns of numbers to read; the others may then hold anything. "" is the first one that
  /// has a name. Empty: all that have a name but the columns of text.
  std::vector<std::string> columns;

  /// Allows a value to be missing (see read_csv); it then reads as NaN.
  bool allow_missing = false;

  /// The advice to the user about a value that is missing and may not be.
  std::string missing_remedy = "give the value or remove the row";

  /// Allows the line of names to be missing: when the first line holds numbers only, the columns
  /// are named "1", "2", ...
  bool allow_unnamed = false;

  /// Columns to read as they are written, without quotes.
  std::vector<std::string> text_columns{};
};

/// Returns whether a field stands for a value that is missing: "" (an empty one), NaN, NA, N/A,
/// #N/A, <NA>, NaT, NULL, None, "-" or ".", in capitals or not.
bool is_missing_mark(std::string_view field);

/// Reads a text file with a header line and a row of numbers per line.
///
/// Columns are separated by commas, semicolons, tabs or blanks, whichever the header uses. Lines
/// that begin with `#` and empty lines are skipped; names and values may be quoted; numbers are
/// decimal or C's hexadecimal floats (0x1.8p+3); a byte-order mark and Windows line ends are
/// accepted. A column without a name, such as the index that pandas and R write first, is passed
/// over; so are the names of rows where R writes a header of one name less. Values that are missing
/// are spelt as is_missing_mark() says. Throws Error (file) when the file cannot be read, and Error
/// (input) with file, line and column for a value that is no finite number, a row with a wrong
/// number of values, a column that is missing or there twice, and a file that is no text in UTF-8:
/// compressed, in UTF-16, or of another format.
Table read_csv(const std::string& path, const CsvOptions& options = {});

}  // namespace tessera::io
