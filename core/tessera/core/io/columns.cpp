// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/columns.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/io/csv.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/file_format.hpp"
#include "tessera/core/io/npy.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/names.hpp"

namespace tessera::io {

namespace {

using Columns = std::vector<std::vector<double>>;

[[noreturn]] void fail(const std::string& path, const std::string& what,
                       const std::string& remedy = {}) {
  throw Error(ErrorKind::input, path + ": " + what, remedy);
}

Columns read_datasets(const std::string& path, const std::vector<std::string>& names) {
  const bool unnamed = std::find(names.begin(), names.end(), "") != names.end();
  if (unnamed)
    fail(path, "no dataset named", "name it by its path in the file, for example results/x");
  const Group root = File::open(path).root();
  Columns columns;
  for (const std::string& name : names) {
    if (!root.has(name))
      fail(path, "there is no dataset '" + name + "'",
           "name it by its path in the file, for example results/x");
    columns.push_back(root.read<double>(name));
  }
  return columns;
}

/// The number of a column that a name stands for, from 1; 0 when it stands for none.
std::size_t column_number(const std::string& name) {
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  return problem == std::errc() && end == name.data() + name.size() ? number : 0;
}

Columns read_array_columns(const std::string& path, const std::vector<std::string>& names) {
  const Array<double> array = read_npy<double>(path);
  const std::size_t count = array.shape.size() == 2   ? array.shape[1]
                            : array.shape.size() == 1 ? 1
                                                      : 0;
  Columns columns;
  for (const std::string& name : names) {
    if (name.empty()) {
      columns.push_back(array.values);
      continue;
    }
    if (count == 0)
      fail(path, "the array has " + std::to_string(array.shape.size()) +
                     " axes; columns need one or two");
    const std::size_t number = column_number(name);
    if (number < 1 || number > count) {
      fail(path,
           "there is no column '" + name + "'; the array has " + std::to_string(count) +
               (count == 1 ? " column" : " columns") + ", counted from 1",
           "name columns by their numbers");
    }
    std::vector<double>& values = columns.emplace_back();
    values.reserve(array.shape[0]);
    for (std::size_t i = number - 1; i < array.values.size(); i += count)
      values.push_back(array.values[i]);
  }
  return columns;
}

Columns read_text(const std::string& path, const std::vector<std::string>& names,
                  bool allow_missing, const std::string& missing_remedy) {
  CsvOptions options;
  options.allow_missing = allow_missing;
  if (!missing_remedy.empty()) options.missing_remedy = missing_remedy;
  options.allow_unnamed = true;
  for (const std::string& name : names) {
    const bool known =
        std::find(options.columns.begin(), options.columns.end(), name) != options.columns.end();
    if (!known) options.columns.push_back(name);
  }
  const Table table = read_csv(path, options);
  if (table.rows() == 0)
    fail(path, "there are no numbers in this file: no row stands below the names of its columns");
  const bool asks_for_first = std::find(names.begin(), names.end(), "") != names.end();
  if (asks_for_first && !table.others.empty()) {
    constexpr std::size_t kMostListed = 6;
    std::vector<std::string> listed(
        table.others.begin(), table.others.begin() + std::min(table.others.size(), kMostListed));
    if (listed.size() < table.others.size()) listed.push_back("...");
    logging::info("'" + path + "': no column is named, so '" + table.names[0] +
                  "' is read, the first; the others are " + join_names(listed));
  }
  Columns columns;
  for (const std::string& name : names)
    columns.push_back(name.empty() ? table.columns[0] : table.column(name));
  return columns;
}

}  // namespace

Columns read_columns(const std::string& path, const std::vector<std::string>& names,
                     bool allow_missing, const std::string& missing_remedy) {
  const FileFormat format = find_format(path);
  const Columns columns = format == FileFormat::hdf5 ? read_datasets(path, names)
                          : format == FileFormat::npy
                              ? read_array_columns(path, names)
                              : read_text(path, names, allow_missing, missing_remedy);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::vector<double>& values = columns[k];
    if (values.size() != columns[0].size()) {
      fail(path, "'" + names[k] + "' has " + std::to_string(values.size()) + " values, and '" +
                     names[0] + "' " + std::to_string(columns[0].size()));
    }
    const auto bad = std::find_if(values.begin(), values.end(),
                                  [&](double x) { return !allow_missing && !std::isfinite(x); });
    if (bad != values.end()) {
      fail(path,
           "value " + std::to_string(bad - values.begin() + 1) +
               (names[k].empty() ? "" : " of '" + names[k] + "'") + " is not a finite number",
           missing_remedy);
    }
  }
  return columns;
}

Shape find_array_shape(const std::string& path, const std::string& name) {
  const FileFormat format = find_format(path);
  if (format == FileFormat::hdf5 && !name.empty()) return File::open(path).root().shape(name);
  if (format == FileFormat::npy && name.empty()) return read_npy<double>(path).shape;
  return {};
}

std::vector<double> read_column(const std::string& path, const std::string& name,
                                bool allow_missing) {
  std::vector<double> values = std::move(read_columns(path, {name}, allow_missing).front());
  if (values.empty()) fail(path, "there are no numbers in this file");
  return values;
}

}  // namespace tessera::io
