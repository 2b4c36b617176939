// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/boys/program/reference.hpp"

#include <cmath>
#include <cstdio>

#include "tessera/core/error.hpp"
#include "tessera/core/io/csv.hpp"

namespace tessera::boys {

namespace {

io::Table read_table(const std::string& path) {
  io::CsvOptions options;
  options.allow_missing = true;
  options.allow_unnamed = true;
  return io::read_csv(path, options);
}

std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  return digits;
}

}  // namespace

std::vector<double> read_reference(const std::string& path, const std::vector<double>& x,
                                   int n_max) {
  const io::Table table = read_table(path);
  const std::size_t orders = static_cast<std::size_t>(n_max) + 1;
  if (table.columns.size() < orders + 1) {
    throw Error(ErrorKind::input,
                path + ": the reference has " + std::to_string(table.columns.size()) +
                    " columns, but x and F_0..F_" + std::to_string(n_max) + " take " +
                    std::to_string(orders + 1),
                "lower problem.n_max or give a reference with more orders");
  }
  if (table.rows() != x.size()) {
    throw Error(ErrorKind::input,
                path + ": the reference has " + std::to_string(table.rows()) + " rows for " +
                    std::to_string(x.size()) + " arguments",
                "give one row per argument, in the same order");
  }
  std::vector<double> values;
  values.reserve(x.size() * orders);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double argument = table.columns[0][i];
    if (argument != x[i] && !(std::isnan(argument) && std::isnan(x[i]))) {
      throw Error(ErrorKind::input,
                  path + ": row " + std::to_string(i + 1) +
                      " of the reference is for x = " + text(argument) + ", but argument " +
                      std::to_string(i + 1) + " is " + text(x[i]),
                  "give the reference at the arguments themselves, in the same order");
    }
    for (std::size_t n = 0; n < orders; ++n) values.push_back(table.columns[n + 1][i]);
  }
  return values;
}

}  // namespace tessera::boys
