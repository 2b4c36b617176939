// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/bessel/points.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/io/csv.hpp"

namespace tessera::bessel {

namespace {

std::vector<double> make_grid(const std::vector<double>& grid, bool logarithmic) {
  const double a = grid[0], b = grid[1];
  const auto n = static_cast<std::size_t>(grid[2]);
  std::vector<double> x(n, a);
  for (std::size_t i = 1; i < n; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(n - 1);
    x[i] = i + 1 == n ? b : logarithmic ? a * std::pow(b / a, share) : a + (b - a) * share;
  }
  return x;
}

/// The grid that `key` of the section describes; empty when it is wrong.
std::vector<double> checked_grid(config::Section& in, const std::string& key, bool logarithmic, const std::vector<double>& grid,
                                 const NumbersOptions& options) {
  if (grid.size() != 3) return {};
  const double count = grid[2];
  if (count != std::floor(count) || count < 1 || count > 1e9) {
    in.error(key, "the third number of '" + in.path() + "." + key + "' says how many points: a whole number from 1 to 1e9");
  } else if (logarithmic && !(grid[0] > 0 && grid[1] > 0)) {
    in.error(key, "a logarithmic grid needs ends greater than 0");
  } else if (std::min(grid[0], grid[1]) < options.low || std::max(grid[0], grid[1]) > options.high) {
    in.error(key, "the grid leaves the range " + std::to_string(options.low) + " to " + std::to_string(options.high));
  } else {
    return make_grid(grid, logarithmic);
  }
  return {};
}

std::vector<double> read_mapping(config::Section& problem, const std::string& key, const NumbersOptions& options) {
  config::Section in = problem.section(key, options.doc);
  std::vector<double> even, ratios;
  (options.logarithmic ? ratios : even) = options.grid;
  std::string file, column;
  const bool has_even = in.get("linspace", even).size(3).doc("[first, last, number]: evenly spaced, ends included").given();
  const bool has_ratios = in.get("logspace", ratios).size(3).doc("[first, last, number]: by even ratios, ends included").given();
  in.get("file", file).path().doc("CSV file with a column of numbers");
  in.get("column", column).doc("its name; the first if empty");
  if (has_even + has_ratios + !file.empty() > 1) in.error("", "give one of 'linspace', 'logspace' and 'file'");
  if (!column.empty() && file.empty()) in.error("column", "'column' belongs to 'file'");
  in.finish();
  if (in.documenting()) return {};
  if (!file.empty()) return read_column(in, "file", file, column);
  const bool logarithmic = has_ratios || (!has_even && options.logarithmic);
  return checked_grid(in, logarithmic ? "logspace" : "linspace", logarithmic, logarithmic ? ratios : even, options);
}

}  // namespace

std::vector<double> read_column(config::Section& in, const std::string& key, const std::string& file, const std::string& column) {
  io::CsvOptions options;
  if (!column.empty()) options.columns = {column};
  options.allow_missing = true;
  options.allow_unnamed = true;
  try {
    const io::Table table = io::read_csv(file, options);
    if (table.rows() == 0) throw Error(ErrorKind::input, file + ": there are no numbers in this file");
    return column.empty() ? table.columns.front() : table.column(column);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    in.error(key, error.what());
    return {};
  }
}

std::vector<double> read_numbers(config::Section& in, const std::string& key, const NumbersOptions& options) {
  switch (in.form(key)) {
    case config::Form::scalar: {
      double value = options.grid[0];
      in.get(key, value).range(options.low, options.high).doc(options.doc);
      return {value};
    }
    case config::Form::list: {
      std::vector<double> values;
      in.get(key, values).range(options.low, options.high).doc(options.doc);
      if (values.empty()) in.error(key, "'" + in.path() + "." + key + "' is empty");
      return values;
    }
    default:
      return read_mapping(in, key, options);
  }
}

}  // namespace tessera::bessel
