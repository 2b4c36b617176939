// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/input/tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/config/record_errors.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/expression/parse.hpp"
#include "tessera/core/expression/table_checks.hpp"
#include "tessera/core/io/columns.hpp"
#include "tessera/core/io/files_read.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gbees/orbits/spk.hpp"
#include "tessera/gbees/program/input/numbers.hpp"

namespace tessera::gbees::input {

namespace {

using expression::Interpolation;

// largest error of values between rows, as a share of their range, without a warning
constexpr double kLargestError = 1e-3;

constexpr std::array<const char*, 6> kKernelColumns{"x", "y", "z", "vx", "vy", "vz"};

/// The description of a table in the input.
struct TableText {
  std::string file, time_column = "time";
  Interpolation interpolation = Interpolation::hermite;
  std::vector<std::string> columns{"xm"}, names, rates;
  std::string unit, rate_unit, time_unit;
  double start = 0;
  // Of an SPK kernel.
  std::string target, centre = "earth", epoch;
  double span = 1;  // in the unit of the run

  bool is_kernel() const {
    return file.size() > 4 && file.compare(file.size() - 4, 4, ".bsp") == 0;
  }
};

/// The keys of kernels, which are in km and s of TDB. Other tables do not have them.
void declare_kernel(config::Section& in, const Units& units, TableText& text) {
  std::optional<std::string> target, centre, epoch;
  std::optional<double> span;
  in.get("target", target).doc("of a kernel: the body, a name such as moon or NAIF's number");
  in.get("centre", centre)
      .doc("of a kernel: the body from which it is seen")
      .otherwise(text.centre);
  in.get("epoch", epoch).doc("of a kernel: the epoch in UTC at which the run begins");
  take_units(in, "span", units, time_dimension());
  in.get("span", span).positive().doc("of a kernel: how long from then on it is read");
  if (in.documenting()) return;
  for (const char* key : {"target", "centre", "epoch", "span"}) {
    const bool is_given = in.has(key);
    if (is_given && !text.is_kernel()) in.error(key, "this is a key of SPK kernels (.bsp)");
    if (!is_given && text.is_kernel() && std::string(key) != "centre")
      in.error("file", std::string("an SPK kernel needs '") + key + "'");
  }
  if (!text.is_kernel()) return;
  text.target = target.value_or("");
  text.centre = centre.value_or(text.centre);
  text.epoch = epoch.value_or("");
  text.span = span.value_or(1);
  text.unit = "km";
  text.rate_unit = "km/s";
  text.time_unit = "s";
  if (!units.given)
    in.error("file",
             "an SPK kernel needs the units of the run, as in units: {length: 1000 km, time: 1 h}");
}

/// The keys of other tables.
void declare_units(config::Section& in, TableText& text) {
  in.get("time_column", text.time_column).doc("column of the times, which ascend");
  in.get("unit", text.unit).doc("of the columns: km; empty: that of the run");
  in.get("rate_unit", text.rate_unit).doc("of the rates: km/s; empty: that of the run");
  in.get("time_unit", text.time_unit).doc("of the times: d; empty: that of the run");
  in.get("start", text.start).doc("time in the table, in its unit, at which the run begins");
}

TableText declare(config::Section& in, const Units& units) {
  TableText text;
  in.require("file", text.file)
      .path()
      .doc(
          "text (CSV), numpy (.npy, columns numbered from 1) or HDF5 (.h5, datasets), with a row "
          "for each time; or an SPK kernel of SPICE (.bsp)");
  in.require("columns", text.columns)
      .doc(
          "columns that are functions of the time; those of a kernel are x, y, z, and its rates "
          "vx, vy, vz");
  std::optional<std::vector<std::string>> names, rates;
  in.get("names", names)
      .size(text.columns.size(), "one for each column")
      .doc("of the functions in expressions")
      .otherwise("the columns'");
  text.names = names.value_or(text.columns);
  in.get("rates", rates)
      .size(text.columns.size(), "one for each column")
      .doc("columns of their rates of change, with hermite; they can be used in expressions too")
      .otherwise("from the rows");
  text.rates = rates.value_or(std::vector<std::string>());
  if (text.is_kernel()) text.interpolation = Interpolation::chebyshev;
  config::choose(in, "interpolate", text.interpolation,
                 {{"linear", Interpolation::linear},
                  {"hermite", Interpolation::hermite},
                  {"chebyshev", Interpolation::chebyshev}})
      .doc(
          "between rows: a line; a cubic with the slopes of 'rates' or of the five nearest rows; "
          "the polynomial through the eight nearest rows, for smooth tables with wide steps, and "
          "for kernels by default");
  declare_kernel(in, units, text);
  if (!text.is_kernel()) declare_units(in, text);
  return text;
}

[[noreturn]] void fail(const TableText& text, const std::ostringstream& what) {
  throw Error(ErrorKind::input, text.file + ": " + what.str());
}

void check_times(const TableText& text, const std::vector<double>& times) {
  std::ostringstream what;
  what.precision(12);
  if (times.size() < 2) {
    what << "a table needs two rows at least, and this has " << times.size();
    fail(text, what);
  }
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] > times[i - 1]) continue;
    what << "row " << i + 1 << ": the times of a table ascend, and " << times[i] << " comes after "
         << times[i - 1];
    fail(text, what);
  }
}

/// A column in the units of the run.
std::vector<double> scaled(const std::vector<double>& values, double factor) {
  std::vector<double> result;
  for (const double value : values) result.push_back(value * factor);
  return result;
}

/// The least and the greatest of values, and the largest without its sign.
struct Range {
  double least = 0, greatest = 0, largest = 0;

  explicit Range(const std::vector<double>& values) {
    const auto [first, last] = std::minmax_element(values.begin(), values.end());
    least = *first;
    greatest = *last;
    largest = std::max(std::fabs(least), std::fabs(greatest));
  }
  double width() const { return greatest - least; }
};

/// Rows of a kernel over a span in s: the times since the epoch, and the columns that are named. So
/// many that the interpolation is good to 1e-10 of the largest value of each column.
std::vector<std::vector<double>> kernel_columns(const TableText& text,
                                                const std::vector<std::string>& names,
                                                double span) {
  constexpr double kGoodEnough = 1e-10;
  constexpr std::size_t kFirst = 32, kMost = std::size_t{1} << 17;
  io::FilesRead::global().add_file(text.file);
  const SpkKernel kernel(text.file);
  const int target = parse_body(text.target), centre = parse_body(text.centre);
  const Epoch epoch = parse_epoch(text.epoch, TimeSystem::utc);
  std::vector<std::size_t> wanted;
  for (std::size_t k = 1; k < names.size(); ++k) {
    const bool is_rate = k > text.columns.size();
    const auto first = kKernelColumns.begin() + (is_rate ? 3 : 0);
    const auto found = std::find(first, first + 3, names[k]);
    if (found == first + 3) {
      throw Error(ErrorKind::input,
                  text.file + " has no column '" + names[k] + "': those of " +
                      (is_rate ? "its rates are vx, vy, vz" : "a kernel are x, y, z"));
    }
    wanted.push_back(static_cast<std::size_t>(found - kKernelColumns.begin()));
  }
  std::vector<std::vector<double>> columns;
  for (std::size_t steps = kFirst; steps <= kMost; steps *= 2) {
    columns.assign(names.size(), {});
    for (std::size_t n = 0; n <= steps; ++n) {
      const double time = span * static_cast<double>(n) / static_cast<double>(steps);
      const CartesianState state = kernel.state(target, centre, later(epoch, time));
      columns[0].push_back(time);
      for (std::size_t k = 0; k < wanted.size(); ++k)
        columns[1 + k].push_back(state[wanted[k]] / 1000);
    }
    double worst = 0;
    for (std::size_t k = 0; k < text.columns.size(); ++k) {
      const std::size_t rate = text.rates.empty() ? 0 : 1 + text.columns.size() + k;
      const Range range(columns[1 + k]);
      const double share = expression::estimate_interpolation_error(
          columns[0], columns[1 + k], text.interpolation,
          rate == 0 ? std::vector<double>() : columns[rate]);
      if (range.width() > 0) worst = std::max(worst, share * range.width() / range.largest);
    }
    if (worst < kGoodEnough) break;
  }
  return columns;
}

}  // namespace

Table read_table(config::Section& in, const std::string& name, const Units& units,
                 expression::TableSet& set) {
  const TableText text = declare(in, units);
  const Dimension time_dimension{0, 1, 0};
  const UnitRead time_unit = read_unit(in, "time_unit", text.time_unit, units, time_dimension);
  const UnitRead unit = read_unit(in, "unit", text.unit, units);
  Table table{name, text.file, 0, 0, 0, {}, {}, text.names, unit.dimension, {}};
  if (text.is_kernel()) table.epoch = text.epoch;
  if (unit.dimension) table.rate_dimension = *unit.dimension / time_dimension;
  const UnitRead rate_unit =
      read_unit(in, "rate_unit", text.rate_unit, units, table.rate_dimension);
  table.names.insert(table.names.end(), text.rates.begin(), text.rates.end());
  if (!text.rates.empty() && text.interpolation != Interpolation::hermite)
    in.error("rates", "'rates' belong to 'interpolate: hermite'");
  if (text.columns.empty()) in.error("columns", "a table needs a column");
  const auto add = [&](const std::vector<double>& times, const std::vector<double>& values,
                       const std::vector<double>& slopes) {
    table.functions.push_back(set.add(times, values, text.interpolation, slopes));
    table.rates.push_back(set.add_rate(table.functions.back()));
  };
  const auto look = [&](std::size_t column, const std::vector<double>& times,
                        const std::vector<double>& values, const std::vector<double>& slopes) {
    const double error =
        expression::estimate_interpolation_error(times, values, text.interpolation, slopes);
    const Range range(values);
    constexpr double kRounding = 1e-12;
    if (!(error > kLargestError) || !(range.width() > kRounding * range.largest)) return;
    std::ostringstream what;
    what.precision(2);
    what << in.place("file") << ": the rows of " << text.file << " are far apart for its column '"
         << text.columns[column] << "': between them values are off by about "
         << error * range.width() << ", or " << 100 * error
         << " % of their range, as leaving out every second row shows; give rows that are closer "
            "to each other"
         << (slopes.empty() && text.interpolation == Interpolation::hermite ? ", or their rates"
                                                                            : "");
    logging::warning(what.str());
  };
  const auto read = [&] {
    std::vector<std::string> names{text.time_column};
    names.insert(names.end(), text.columns.begin(), text.columns.end());
    names.insert(names.end(), text.rates.begin(), text.rates.end());
    const std::vector<std::vector<double>> columns =
        text.is_kernel() ? kernel_columns(text, names, text.span / time_unit.factor)
                         : io::read_columns(text.file, names);
    check_times(text, columns[0]);
    std::vector<double> times;
    for (const double time : columns[0]) times.push_back((time - text.start) * time_unit.factor);
    const std::size_t count = text.columns.size();
    for (std::size_t k = 0; k < count; ++k) {
      const bool has_rate = !text.rates.empty();
      const std::vector<double> values = scaled(columns[1 + k], unit.factor);
      const std::vector<double> slopes =
          has_rate ? scaled(columns[1 + count + k], rate_unit.factor) : std::vector<double>();
      add(times, values, slopes);
      look(k, times, values, slopes);
    }
    table.interpolation = text.interpolation;
    table.columns = columns;
    table.columns[0] = times;
    table.first = times.front();
    table.last = times.back();
    table.rows = times.size();
  };
  if (in.has_errors() || text.file.empty() || !config::record_errors(in, "file", read)) {
    for (std::size_t k = 0; k < text.columns.size(); ++k) add({0, 1}, {0, 0}, {});
  }
  return table;
}

std::vector<Table> read_tables(config::Section& model, const Units& units, EquationText& text) {
  std::vector<Table> tables;
  config::Section all =
      model.section("tables", "functions of the time from files, by names of the user's own");
  if (!all.present()) return tables;
  const auto set = std::make_shared<expression::TableSet>();
  for (const std::string& name :
       all.documenting() && all.keys().empty() ? std::vector<std::string>{"NAME"} : all.keys()) {
    config::Section in = all.section(name);
    const Table table = read_table(in, name, units, *set);
    in.finish();
    if (all.documenting()) continue;
    tables.push_back(table);
    const std::size_t columns = table.functions.size();
    for (std::size_t k = 0; k < table.names.size(); ++k) {
      const bool is_rate = k >= columns;
      const std::string& entry = table.names[k];
      if (is_rate && !expression::is_name(entry)) continue;
      text.table_names.emplace_back(entry, is_rate ? table.rates[k - columns] : table.functions[k]);
      const std::optional<Dimension>& dimension = is_rate ? table.rate_dimension : table.dimension;
      if (dimension) text.dimensions[entry] = *dimension;
    }
  }
  text.tables = set;
  return tables;
}

void check_cover(config::Section& in, const Table& table, double begin, double end,
                 const std::string& what) {
  if (table.rows == 0) return;
  const double rounding = 1e-12 * (std::fabs(begin) + std::fabs(end));
  std::ostringstream text;
  if (table.first > begin + rounding) {
    text << table.file << ": row 1 is at t = " << table.first << ", after the beginning of " << what
         << " at t = " << begin;
  } else if (table.last < end - rounding) {
    text << table.file << ": row " << table.rows << ", the last, is at t = " << table.last
         << ", before the end of " << what << " at t = " << end;
  } else {
    return;
  }
  in.error("file", text.str());
}

void check_epoch(config::Section& in, const Table& table, const std::optional<Epoch>& epoch) {
  if (table.rows == 0 || table.epoch.empty() || !epoch) return;
  constexpr double kSame = 1e-3;  // s
  if (std::fabs(seconds_between(parse_epoch(table.epoch, TimeSystem::utc), *epoch)) < kSame) return;
  in.error("epoch", "the run begins with its message at " +
                        format_epoch(*epoch, TimeSystem::utc, 6) + ": give that epoch here");
}

}  // namespace tessera::gbees::input
