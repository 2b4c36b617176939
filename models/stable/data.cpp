// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/data.hpp"

#include <algorithm>

#include "tessera/core/error.hpp"
#include "tessera/core/io/csv.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/npy.hpp"

namespace tessera::stable {

namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

Numbers read_columns(const DataSource& data, bool allow_missing) {
  io::CsvOptions options;
  options.allow_missing = allow_missing;
  for (const std::string& name : {data.column, data.alpha_column, data.beta_column, data.weight_column}) {
    if (!name.empty() && std::find(options.columns.begin(), options.columns.end(), name) == options.columns.end())
      options.columns.push_back(name);
  }
  if (data.column.empty()) options.columns.clear();  // all, of which the first is taken
  const io::Table table = io::read_csv(data.file, options);
  Numbers numbers;
  numbers.value = data.column.empty() ? (table.columns.empty() ? std::vector<double>() : table.columns.front()) : table.column(data.column);
  if (!data.alpha_column.empty()) numbers.alpha = table.column(data.alpha_column);
  if (!data.beta_column.empty()) numbers.beta = table.column(data.beta_column);
  if (!data.weight_column.empty()) numbers.weight = table.column(data.weight_column);
  return numbers;
}

}  // namespace

Numbers read_numbers(const DataSource& data, bool allow_missing) {
  Numbers numbers;
  const bool columns = !data.alpha_column.empty() || !data.beta_column.empty() || !data.weight_column.empty();
  const bool array = ends_with(data.file, ".npy"), hdf5 = ends_with(data.file, ".h5") || ends_with(data.file, ".hdf5");
  if ((array || hdf5) && (columns || !data.column.empty())) {
    throw Error(ErrorKind::input, data.file + ": columns are for CSV files", "remove the column names, or give a CSV file");
  }
  if (array) {
    numbers.value = io::read_npy<double>(data.file).values;
  } else if (hdf5) {
    if (data.dataset.empty())
      throw Error(ErrorKind::input, data.file + ": no dataset named", "set problem.data.dataset, for example to results/x");
    const io::Group root = io::File::open(data.file).root();
    if (!root.has(data.dataset)) throw Error(ErrorKind::input, data.file + " holds no dataset '" + data.dataset + "'");
    numbers.value = root.read<double>(data.dataset);
  } else {
    numbers = read_columns(data, allow_missing);
  }
  if (numbers.value.empty())
    throw Error(ErrorKind::input, data.file + " holds no values", "check the file and the name of the column or dataset");
  numbers.file = data.file;
  return numbers;
}

}  // namespace tessera::stable
