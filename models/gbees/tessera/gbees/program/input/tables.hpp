// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"
#include "tessera/core/expression/tables.hpp"
#include "tessera/gbees/dynamics/equations.hpp"
#include "tessera/gbees/dynamics/units.hpp"
#include "tessera/gbees/orbits/epoch.hpp"

/// Tables of the input: functions of the time.

namespace tessera::gbees::input {

/// A table whose functions have been added to a TableSet.
struct Table {
  std::string name;
  std::string file;
  /// Times of its first and its last row, in those of the run
  double first = 0, last = 0;
  std::size_t rows = 0;        ///< 0: it could not be read
  std::vector<int> functions;  ///< of its columns, by their numbers in the set
  std::vector<int> rates;      ///< of their rates of change
  /// Names of the columns in expressions, then of the rates that have one
  std::vector<std::string> names;
  std::optional<Dimension> dimension;       ///< of the columns, where it is known
  std::optional<Dimension> rate_dimension;  ///< of their rates
  /// Columns of the file: the times, in those of the run, the values and, where given, the rates
  std::vector<std::vector<double>> columns = {};
  expression::Interpolation interpolation = expression::Interpolation::hermite;
  std::string epoch = {};  ///< of a kernel or an ephemeris: in UTC, at which the run begins
};

/// Declares and reads the keys of a table in `in` itself, and the file. What is wrong is recorded,
/// and the functions are zero then.
Table read_table(config::Section& in, const std::string& name, const Units& units,
                 expression::TableSet& set);

/// The `tables:` of the model, which become names of its equations.
std::vector<Table> read_tables(config::Section& model, const Units& units, EquationText& text);

/// Records at `file` where a table does not cover the times from `begin` to `end`; `what` says of
/// whom they are.
void check_cover(config::Section& in, const Table& table, double begin, double end,
                 const std::string& what);

/// Records at `epoch` where that of a kernel or an ephemeris is not the epoch of the message with
/// which the run begins.
void check_epoch(config::Section& in, const Table& table, const std::optional<Epoch>& epoch);

}  // namespace tessera::gbees::input
