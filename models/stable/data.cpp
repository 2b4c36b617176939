// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/data.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/io/columns.hpp"

namespace tessera::stable {

namespace {

/// Refuses an array of several columns, unless it is meant as one.
void require_one_column(const DataSource& source) {
  const io::Shape shape = io::find_array_shape(source.file, source.column);
  if (std::count_if(shape.begin(), shape.end(), [](std::uint64_t extent) { return extent > 1; }) < 2) return;
  std::string extents;
  for (const std::uint64_t extent : shape) extents += (extents.empty() ? "" : " x ") + std::to_string(extent);
  const std::string one = source.column.empty() && shape.size() == 2
                              ? "choose a column (data.column: 1 to " + std::to_string(shape[1]) + ")"
                              : "take an array of one axis";
  throw Error(ErrorKind::input, source.file + ": an array of " + extents + " values is not one sample",
              one + ", or say that all of them are: data.pool: true");
}

/// Leaves out the rows in which a value is NaN; how many they were.
std::size_t drop_missing(std::vector<std::vector<double>>& columns) {
  const std::size_t rows = columns.front().size();
  std::size_t kept = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (std::any_of(columns.begin(), columns.end(), [row](const auto& column) { return std::isnan(column[row]); })) continue;
    for (auto& column : columns) column[kept] = column[row];
    ++kept;
  }
  for (auto& column : columns) column.resize(kept);
  return rows - kept;
}

}  // namespace

Numbers read_numbers(const DataSource& source, bool allow_missing) {
  Numbers numbers;
  numbers.file = source.file;
  std::vector<std::string> names{source.column};
  std::vector<std::vector<double>*> destinations{&numbers.value};
  for (const auto& [name, destination] : {std::pair{&source.alpha_column, &numbers.alpha}, std::pair{&source.beta_column, &numbers.beta},
                                          std::pair{&source.weight_column, &numbers.weight}}) {
    if (name->empty()) continue;
    names.push_back(*name);
    destinations.push_back(destination);
  }
  std::vector<std::vector<double>> columns = io::read_columns(source.file, names, allow_missing || source.drop_missing,
                                                              "mend the file, or leave such rows out with data.missing: drop");
  if (!source.pool) require_one_column(source);
  if (source.drop_missing) numbers.dropped = drop_missing(columns);
  if (columns.front().empty())
    throw Error(ErrorKind::input, source.file + " holds no values", "check the file and the name of the column or dataset");
  for (std::size_t k = 0; k < columns.size(); ++k) *destinations[k] = std::move(columns[k]);
  return numbers;
}

}  // namespace tessera::stable
