// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/data.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <unordered_map>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/io/columns.hpp"
#include "tessera/core/io/csv.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/file_format.hpp"
#include "tessera/core/log/log.hpp"

namespace tessera::stable {

namespace {

/// Refuses an array of several columns, unless it is meant as one.
void require_one_column(const DataSource& source) {
  const io::Shape shape = io::find_array_shape(source.file, source.column);
  if (std::count_if(shape.begin(), shape.end(), [](std::uint64_t extent) { return extent > 1; }) <
      2)
    return;
  std::string extents;
  for (const std::uint64_t extent : shape)
    extents += (extents.empty() ? "" : " x ") + std::to_string(extent);
  const std::string one =
      source.column.empty() && shape.size() == 2
          ? "choose a column (data.column: 1 to " + std::to_string(shape[1]) + ")"
          : "take an array of one axis";
  throw Error(ErrorKind::input,
              source.file + ": an array of " + extents + " values is not one sample",
              one + ", or say that all of them are: data.pool: true");
}

/// Leaves out the rows in which a value is NaN, and their labels if there are any; how many they
/// were.
std::size_t drop_missing(std::vector<std::vector<double>>& columns,
                         std::vector<std::string>& labels) {
  const std::size_t rows = columns.front().size();
  std::size_t kept = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (std::any_of(columns.begin(), columns.end(),
                    [row](const auto& column) { return std::isnan(column[row]); }))
      continue;
    for (auto& column : columns) column[kept] = column[row];
    if (!labels.empty()) std::swap(labels[kept], labels[row]);
    ++kept;
  }
  for (auto& column : columns) column.resize(kept);
  if (!labels.empty()) labels.resize(kept);
  return rows - kept;
}

/// A column of text, or of numbers as text: labels, dates.
std::vector<std::string> read_labels(const std::string& file, const std::string& column) {
  if (io::find_format(file) == io::FileFormat::hdf5) {
    const io::Group root = io::File::open(file).root();
    if (root.has(column) && root.is_text(column)) return root.read<std::string>(column);
  }
  std::vector<std::string> labels;
  const std::vector<double> numbers = io::read_column(file, column);
  for (const double number : numbers) {
    char text[32];
    std::snprintf(text, sizeof text, "%.15g", number);
    labels.emplace_back(text);
  }
  return labels;
}

constexpr const char* kMissingRemedy =
    "mend the file, or leave such rows out with data.missing: drop";

/// Rows of a file: their values, with labels and times as they are written.
struct Rows {
  std::vector<std::vector<double>> columns;  ///< that of the source, and more_columns
  std::vector<std::string> labels, times;
  std::vector<std::size_t> lines;  ///< of a text file; empty for others

  /// "panel.csv:17" or "panel.npy: row 16".
  std::string place(const std::string& file, std::size_t row) const {
    return lines.empty() ? file + ": row " + std::to_string(row + 1)
                         : file + ":" + std::to_string(lines[row]);
  }
};

std::vector<std::string> column_names(const DataSource& source) {
  std::vector<std::string> names{source.column};
  names.insert(names.end(), source.more_columns.begin(), source.more_columns.end());
  return names;
}

Rows read_rows(const DataSource& source, bool allow_missing) {
  Rows rows;
  const std::vector<std::string> names = column_names(source);
  if (io::find_format(source.file) != io::FileFormat::other) {
    rows.columns = io::read_columns(source.file, names, allow_missing, kMissingRemedy);
    rows.labels = read_labels(source.file, source.group_column);
    if (!source.time_column.empty()) rows.times = read_labels(source.file, source.time_column);
    for (const auto* column : {&rows.labels, &rows.times}) {
      if (!column->empty() && column->size() != rows.columns.front().size()) {
        throw Error(ErrorKind::input, source.file + ": " + std::to_string(column->size()) +
                                          " labels or times for " +
                                          std::to_string(rows.columns.front().size()) + " values");
      }
    }
    return rows;
  }
  if (source.column.empty()) {
    throw Error(ErrorKind::input, source.file + ": the column of the values is not named",
                "name it by data.column");
  }
  io::CsvOptions options;
  options.allow_missing = allow_missing;
  options.missing_remedy = kMissingRemedy;
  options.allow_unnamed = true;
  options.columns = names;
  options.text_columns = {source.group_column};
  if (!source.time_column.empty()) options.text_columns.push_back(source.time_column);
  io::Table table = io::read_csv(source.file, options);
  for (const std::string& name : names) rows.columns.push_back(table.column(name));
  rows.labels = std::move(table.texts[0]);
  if (!source.time_column.empty()) rows.times = std::move(table.texts[1]);
  rows.lines = std::move(table.lines);
  return rows;
}

void require_groups(const DataSource& source, const Rows& rows) {
  const auto none = std::find_if(rows.labels.begin(), rows.labels.end(), io::is_missing_mark);
  if (none == rows.labels.end()) return;
  const auto row = static_cast<std::size_t>(none - rows.labels.begin());
  throw Error(ErrorKind::input,
              rows.place(source.file, row) + ": no group in column '" + source.group_column + "'" +
                  (none->empty() ? std::string() : ": '" + *none + "' marks a missing one"),
              "write the group of each row, or take the row out");
}

/// Returns whether a comes before b: numbers by their size, other texts (2026-11-23) by their
/// letters.
bool comes_before(const std::string& a, const std::string& b) {
  char *end_a = nullptr, *end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  return *end_a == 0 && *end_b == 0 && !a.empty() && !b.empty() ? x < y : a < b;
}

/// Returns whether a text orders by its letters as it does by time: numbers, and dates that begin
/// with a year of four digits.
bool orders_by_letters(const std::string& time) {
  char* end = nullptr;
  std::strtod(time.c_str(), &end);
  if (!time.empty() && *end == 0) return true;
  const auto is_digit = [&](std::size_t k) {
    return k < time.size() && time[k] >= '0' && time[k] <= '9';
  };
  const auto has_separator = [&](std::size_t k) {
    return k < time.size() && (time[k] == '-' || time[k] == '/' || time[k] == '.');
  };
  if (!is_digit(0)) return true;  // "Q1", names: as they are written
  for (const std::size_t k : {0u, 1u, 2u, 3u}) {
    if (!is_digit(k)) return false;
  }
  return time.size() == 4 || is_digit(4) || (has_separator(4) && is_digit(5) && is_digit(6));
}

void require_ascending_times(const DataSource& source, const Rows& rows) {
  std::unordered_map<std::string, std::size_t> last;
  for (std::size_t row = 0; row < rows.times.size(); ++row) {
    if (!orders_by_letters(rows.times[row])) {
      throw Error(ErrorKind::input,
                  rows.place(source.file, row) + ": the time '" + rows.times[row] +
                      "' in column '" + source.time_column +
                      "' does not tell which of two comes first",
                  "write dates as 2026-11-23, or give numbers");
    }
    const auto [found, is_new] = last.try_emplace(rows.labels[row], row);
    if (!is_new && !comes_before(rows.times[found->second], rows.times[row])) {
      throw Error(ErrorKind::input,
                  rows.place(source.file, row) + ": '" + rows.times[row] + "' in column '" +
                      source.time_column + "' does not come after '" + rows.times[found->second] +
                      "' of the same group '" + rows.labels[row] + "'",
                  "sort the rows by time, and write dates as 2026-11-23");
    }
    found->second = row;
  }
}

/// The relation of the values of a column to the numbers of the rows.
enum class RowNumbers {
  none,
  alike,  ///< whole numbers that ascend, as an 'id' does
  /// They count the rows from 0 or 1, or are whole numbers under the name that pandas or R gives an
  /// index
  counted
};

RowNumbers find_row_numbers(const std::string& name, const std::vector<double>& values) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (std::any_of(values.begin(), values.end(),
                  [](double value) { return value != std::floor(value); }))
    return RowNumbers::none;
  for (const char* index : {"", "rownames", "row.names", "index", "unnamed: 0"}) {
    if (lower == index) return RowNumbers::counted;
  }
  if (values.size() < 3 ||
      std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) != values.end())
    return RowNumbers::none;
  const bool counts = (values.front() == 0 || values.front() == 1) &&
                      values.back() == values.front() + static_cast<double>(values.size() - 1);
  return counts ? RowNumbers::counted : RowNumbers::alike;
}

/// Leaves the first of all columns of a file out where it counts the rows: it is no series.
void leave_out_row_numbers(const std::string& file, std::vector<std::string>& names,
                           std::vector<std::vector<double>>& columns) {
  if (columns.size() < 2) return;
  const RowNumbers numbers = find_row_numbers(names[0], columns[0]);
  if (numbers == RowNumbers::none) return;
  const std::string what = file + ": the first column, '" + names[0] + "', ";
  if (numbers == RowNumbers::alike) {
    logging::warning(what +
                     "ascends as numbers of rows do, and is taken with the others. Name the "
                     "columns by data.columns");
    return;
  }
  logging::warning(what + "counts the rows and is left out. Name the columns by data.columns");
  names.erase(names.begin());
  columns.erase(columns.begin());
}

/// All columns of a file with their names.
Panel read_series(const DataSource& source) {
  const bool all = source.columns.size() == 1 && source.columns[0] == "all";
  if (io::find_format(source.file) == io::FileFormat::other) {
    io::CsvOptions options;
    options.allow_missing = options.allow_unnamed = true;
    if (!all) options.columns = source.columns;
    io::Table table = io::read_csv(source.file, options);
    if (all) leave_out_row_numbers(source.file, table.names, table.columns);
    return stack_columns(table.columns, table.names);
  }
  const io::Shape shape = io::find_array_shape(source.file, source.column);
  if (shape.size() != 2) {
    throw Error(ErrorKind::input,
                source.file + ": a panel by columns needs an array of two axes, series by columns");
  }
  const std::vector<double> values = io::read_columns(source.file, {source.column}, true).front();
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  for (std::uint64_t c = 0; c < shape[1]; ++c) {
    const std::string number = std::to_string(c + 1);
    if (!all &&
        std::find(source.columns.begin(), source.columns.end(), number) == source.columns.end())
      continue;
    names.push_back(number);
    std::vector<double>& column = columns.emplace_back();
    for (std::uint64_t r = 0; r < shape[0]; ++r) column.push_back(values[r * shape[1] + c]);
  }
  for (const std::string& name : source.columns) {
    if (!all && std::find(names.begin(), names.end(), name) == names.end()) {
      throw Error(ErrorKind::input, source.file + ": there is no column '" + name +
                                        "'; the array has " + std::to_string(shape[1]) +
                                        ", counted from 1");
    }
  }
  if (all) leave_out_row_numbers(source.file, names, columns);
  return stack_columns(columns, names);
}

Numbers read_panel(const DataSource& source) {
  Panel panel;
  if (source.columns.empty()) {
    const Rows rows = read_rows(source, true);
    const std::vector<double>& values = rows.columns.front();
    require_ascending_times(source, rows);
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (!std::isinf(values[row])) continue;
      throw Error(ErrorKind::input, rows.place(source.file, row) + ": the value in column '" +
                                        source.column + "' is infinite");
    }
    require_groups(source, rows);
    panel = group_rows(values, rows.labels);
  } else {
    panel = read_series(source);
    for (const Series& series : panel.series) {
      for (std::int64_t i = 0; i < series.count; ++i) {
        if (!std::isinf(panel.values[static_cast<std::size_t>(series.begin + i)])) continue;
        throw Error(ErrorKind::input, source.file + ": row " + std::to_string(i + 1) +
                                          " of column '" + series.label + "' is infinite");
      }
    }
  }
  Numbers numbers;
  numbers.file = source.file;
  if (source.drop_missing) numbers.dropped = drop_missing(panel);
  if (panel.values.empty())
    throw Error(ErrorKind::input, source.file + " holds no values",
                "check the file and the names of its columns");
  numbers.value = std::move(panel.values);
  numbers.series = std::move(panel.series);
  return numbers;
}

/// Returns the column of values of a text file where none is named: the first, or the one after the
/// first where that counts the rows; "" for a file with one column. Reports the choice where there
/// are several.
std::string choose_column(const DataSource& source) {
  io::CsvOptions options;
  options.columns = {""};  // the others may hold texts
  options.allow_missing = options.allow_unnamed = true;
  const io::Table table = io::read_csv(source.file, options);
  if (table.others.empty()) return {};
  const RowNumbers numbers = find_row_numbers(table.names[0], table.columns[0]);
  const bool skips = numbers == RowNumbers::counted;
  const std::string name = skips ? table.others[0] : table.names[0];
  std::vector<std::string> names{table.names[0]};
  names.insert(names.end(), table.others.begin(), table.others.end());
  std::string all;
  for (const std::string& each : names) all += (all.empty() ? "'" : ", '") + each + "'";
  const std::string text =
      source.file + ": the values are those of column '" + name + "' of " + all;
  if (skips) {
    logging::warning(text + "; the first column counts the rows. Name a column by data.column");
  } else if (numbers == RowNumbers::alike) {
    logging::warning(text + "; they ascend as numbers of rows do. Name a column by data.column");
  } else {
    logging::info(text + " (data.column names another one)");
  }
  return name;
}

}  // namespace

LabelledRows read_rows_of(const DataSource& source) {
  LabelledRows found;
  if (source.group_column.empty()) {
    found.columns =
        io::read_columns(source.file, column_names(source), source.drop_missing, kMissingRemedy);
  } else {
    Rows rows = read_rows(source, source.drop_missing);
    require_groups(source, rows);
    found = {std::move(rows.columns), std::move(rows.labels)};
  }
  if (source.drop_missing) {
    const std::size_t dropped = drop_missing(found.columns, found.labels);
    if (dropped > 0)
      logging::info(source.file + ": " + std::to_string(dropped) +
                    (dropped == 1 ? " row" : " rows") + " with missing values left out");
  }
  return found;
}

Numbers read_numbers(const DataSource& given, bool allow_missing) {
  if (!given.group_column.empty() || !given.columns.empty()) return read_panel(given);
  DataSource source = given;
  if (source.column.empty() && io::find_format(source.file) == io::FileFormat::other)
    source.column = choose_column(source);
  Numbers numbers;
  numbers.file = source.file;
  std::vector<std::string> names{source.column};
  std::vector<std::vector<double>*> destinations{&numbers.value};
  for (const auto& [name, destination] : {std::pair{&source.alpha_column, &numbers.alpha},
                                          std::pair{&source.beta_column, &numbers.beta},
                                          std::pair{&source.weight_column, &numbers.weight}}) {
    if (name->empty()) continue;
    names.push_back(*name);
    destinations.push_back(destination);
  }
  std::vector<std::vector<double>> columns =
      io::read_columns(source.file, names, allow_missing || source.drop_missing, kMissingRemedy);
  if (!source.pool) require_one_column(source);
  std::vector<std::string> no_labels;
  if (source.drop_missing) numbers.dropped = drop_missing(columns, no_labels);
  if (columns.front().empty())
    throw Error(ErrorKind::input, source.file + " holds no values",
                "check the file and the name of the column or dataset");
  for (std::size_t k = 0; k < columns.size(); ++k) *destinations[k] = std::move(columns[k]);
  numbers.series = {{"", 0, static_cast<std::int64_t>(numbers.value.size())}};
  return numbers;
}

}  // namespace tessera::stable
