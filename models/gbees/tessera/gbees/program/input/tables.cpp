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
#include "tessera/core/names.hpp"
#include "tessera/gbees/orbits/ephemeris.hpp"
#include "tessera/gbees/orbits/spk.hpp"
#include "tessera/gbees/program/input/numbers.hpp"

namespace tessera::gbees::input {

namespace {

using expression::Interpolation;

// largest error of values between rows, as a share of their range, without a warning
constexpr double kLargestError = 1e-3;

constexpr std::array<const char*, 6> kOrbitColumns{"x", "y", "z", "vx", "vy", "vz"};

/// The description of a table in the input.
struct TableText {
  std::string file, time_column = "time";
  Interpolation interpolation = Interpolation::hermite;
  std::vector<std::string> columns{"xm"}, names, rates;
  std::string unit, rate_unit, time_unit;
  double start = 0;
  // An SPK kernel has all of these, an orbit ephemeris message the last two.
  std::string target, centre = "earth", epoch;
  std::optional<double> span;  // in the unit of the run; of a kernel there is one

  bool is_kernel() const { return ends_in(".bsp"); }
  bool is_ephemeris() const { return ends_in(".oem"); }
  bool is_orbit() const { return is_kernel() || is_ephemeris(); }

 private:
  bool ends_in(const char* ending) const {
    return file.size() > 4 && file.compare(file.size() - 4, 4, ending) == 0;
  }
};

/// The keys of kernels and of ephemerides, which are in km and s. Other tables do not have them.
void declare_orbit(config::Section& in, const Units& units, TableText& text) {
  std::optional<std::string> target, centre, epoch;
  in.get("target", target).doc("of a kernel: the body, a name such as moon or NAIF's number");
  in.get("centre", centre)
      .doc("of a kernel: the body from which it is seen")
      .otherwise(text.centre);
  in.get("epoch", epoch)
      .doc("of a kernel or an ephemeris: the epoch in UTC at which the run begins");
  take_units(in, "span", units, time_dimension());
  in.get("span", text.span)
      .positive()
      .doc("of a kernel or an ephemeris: how long from then on it is read")
      .otherwise("until the last row of an ephemeris");
  if (in.documenting()) return;
  for (const char* key : {"target", "centre"}) {
    if (in.has(key) && !text.is_kernel()) in.error(key, "this is a key of SPK kernels (.bsp)");
  }
  for (const char* key : {"epoch", "span"}) {
    if (in.has(key) && !text.is_orbit())
      in.error(key, "this is a key of SPK kernels (.bsp) and ephemerides (.oem)");
  }
  if (!text.is_orbit()) return;
  const std::string name = text.is_kernel() ? "an SPK kernel" : "an ephemeris";
  if (text.is_kernel() && !in.has("target")) in.error("file", name + " needs 'target'");
  if (!in.has("epoch")) in.error("file", name + " needs 'epoch'");
  if (text.is_kernel() && !in.has("span")) in.error("file", name + " needs 'span'");
  text.target = target.value_or("");
  text.centre = centre.value_or(text.centre);
  text.epoch = epoch.value_or("");
  text.unit = "km";
  text.rate_unit = "km/s";
  text.time_unit = "s";
  if (!units.given) {
    in.error("file",
             name + " needs the units of the run, as in units: {length: 1000 km, time: 1 h}");
  }
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
          "for each time; an SPK kernel of SPICE (.bsp); or an orbit ephemeris message (.oem)");
  in.require("columns", text.columns)
      .doc(
          "columns that are functions of the time; those of a kernel and of an ephemeris are x, y, "
          "z, and their rates vx, vy, vz");
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
  if (text.is_orbit()) text.interpolation = Interpolation::chebyshev;
  config::choose(in, "interpolate", text.interpolation,
                 {{"linear", Interpolation::linear},
                  {"hermite", Interpolation::hermite},
                  {"chebyshev", Interpolation::chebyshev}})
      .doc(
          "between rows: a line; a cubic with the slopes of 'rates' or of the five nearest rows; "
          "the polynomial through the eight nearest rows, for smooth tables with wide steps, and "
          "for kernels and ephemerides by default, of which many rows are taken");
  declare_orbit(in, units, text);
  if (!text.is_orbit()) declare_units(in, text);
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

/// Which components of a state the columns of an orbit are, the times left out.
std::vector<std::size_t> components_of(const TableText& text,
                                       const std::vector<std::string>& names) {
  std::vector<std::size_t> wanted;
  for (std::size_t k = 1; k < names.size(); ++k) {
    const bool is_rate = k > text.columns.size();
    const auto first = kOrbitColumns.begin() + (is_rate ? 3 : 0);
    const auto found = std::find(first, first + 3, names[k]);
    if (found == first + 3) {
      throw Error(ErrorKind::input, text.file + " has no column '" + names[k] + "': those of " +
                                        (is_rate            ? "its rates are vx, vy, vz"
                                         : text.is_kernel() ? "a kernel are x, y, z"
                                                            : "an ephemeris are x, y, z"));
    }
    wanted.push_back(static_cast<std::size_t>(found - kOrbitColumns.begin()));
  }
  return wanted;
}

/// The largest error between the rows of an orbit, beside the largest value of its column. The
/// estimate takes functions as smooth: half the rows are off by 2^order times as much. About
/// corners they are off by twice as much.
double largest_error(const TableText& text, const std::vector<std::vector<double>>& columns,
                     bool has_corners) {
  const int order = text.interpolation == Interpolation::linear    ? 2
                    : text.interpolation == Interpolation::hermite ? 4
                                                                   : 8;
  double worst = 0;
  for (std::size_t k = 0; k < text.columns.size(); ++k) {
    const std::size_t rate = text.rates.empty() ? 0 : 1 + text.columns.size() + k;
    const Range range(columns[1 + k]);
    const double share =
        expression::estimate_interpolation_error(columns[0], columns[1 + k], text.interpolation,
                                                 rate == 0 ? std::vector<double>() : columns[rate]);
    if (range.width() > 0) worst = std::max(worst, share * range.width() / range.largest);
  }
  return has_corners ? std::ldexp(worst, order - 1) : worst;
}

/// Rows of an orbit: the times in s since the epoch, and the columns that are named, in km. The
/// intervals between `nodes` are cut in as many parts each, from `parts` on, as make the
/// interpolation good to 1e-10 of the largest value of each column, or to 1e-9 where the states
/// have corners at the nodes.
template <class StateAfter>
std::vector<std::vector<double>> orbit_columns(const TableText& text,
                                               const std::vector<std::string>& names,
                                               const std::vector<double>& nodes, std::size_t parts,
                                               bool has_corners, const StateAfter& state_after) {
  constexpr double kToTell = 1e-6;
  const double good_enough = has_corners ? 1e-9 : 1e-10;
  constexpr std::size_t kMost = std::size_t{1} << 17;
  const std::vector<std::size_t> wanted = components_of(text, names);
  const std::size_t intervals = nodes.size() - 1;
  for (;; parts *= 2) {
    std::vector<std::vector<double>> columns(names.size());
    for (std::size_t n = 0; n <= intervals * parts; ++n) {
      const std::size_t i = std::min(n / parts, intervals - 1);
      const auto part = static_cast<double>(n - i * parts);
      const double time = n == intervals * parts ? nodes.back()
                                                 : nodes[i] + (nodes[i + 1] - nodes[i]) * part /
                                                                  static_cast<double>(parts);
      const CartesianState state = state_after(time);
      columns[0].push_back(time);
      for (std::size_t k = 0; k < wanted.size(); ++k)
        columns[1 + k].push_back(state[wanted[k]] / 1000);
    }
    const double worst = largest_error(text, columns, has_corners);
    if (worst < good_enough) return columns;
    if (2 * intervals * parts <= kMost) continue;
    if (worst > kToTell) {
      std::ostringstream what;
      what.precision(2);
      what << text.file << ": between " << columns[0].size()
           << " rows, the most that are taken, values are off by up to " << worst
           << " of the largest; an interpolation of low degree has corners at its rows: write the "
              "file with closer rows or a higher degree, or give a shorter 'span'";
      logging::warning(what.str());
    }
    return columns;
  }
}

/// Rows of a kernel over a span in s.
std::vector<std::vector<double>> kernel_columns(const TableText& text,
                                                const std::vector<std::string>& names,
                                                double span) {
  io::FilesRead::global().add_file(text.file);
  const SpkKernel kernel(text.file);
  const int target = parse_body(text.target), centre = parse_body(text.centre);
  const Epoch epoch = parse_epoch(text.epoch, TimeSystem::utc);
  return orbit_columns(text, names, {0, span}, 32, false, [&](double time) {
    return kernel.state(target, centre, later(epoch, time));
  });
}

/// The one segment of an ephemeris whose states are its table, with what is to be said of it told.
EphemerisSegment ephemeris_segment(const TableText& text) {
  Ephemeris ephemeris = read_oem(text.file);
  for (const std::string& note : ephemeris.notes) logging::warning(note);
  if (!ephemeris.unknown.empty()) {
    logging::warning(text.file + ": keywords that CCSDS does not have for it are not used: " +
                     join_names(ephemeris.unknown, 20));
  }
  if (ephemeris.segments.size() != 1) {
    throw Error(ErrorKind::input,
                text.file + " has " + std::to_string(ephemeris.segments.size()) +
                    " segments, and a table is read from files of one",
                "give each segment a file and a table of its own");
  }
  return std::move(ephemeris.segments.front());
}

/// Rows of an orbit ephemeris message from the epoch on, over a span in s or until its last row, by
/// the interpolation that it names.
std::vector<std::vector<double>> ephemeris_columns(const TableText& text,
                                                   const std::vector<std::string>& names,
                                                   const std::optional<double>& span) {
  constexpr std::size_t kFewest = 32, kParts = 4;
  io::FilesRead::global().add_file(text.file);
  const EphemerisSegment segment = ephemeris_segment(text);
  const Epoch epoch = parse_epoch(text.epoch, TimeSystem::utc);
  const auto after = [&](const Epoch& other) { return seconds_between(epoch, other); };
  const auto state_after = [&](double time) {
    try {
      return segment.state_at(later(epoch, time));
    } catch (const Error& error) {
      throw Error(error.kind(), text.file + ": " + error.what());
    }
  };
  const double begin = segment.usable_begin ? after(*segment.usable_begin) : -HUGE_VAL;
  const double end = segment.usable_end ? after(*segment.usable_end) : HUGE_VAL;
  const double last = span.value_or(std::min(after(segment.epochs.back()), end));
  if (!(last > 0)) {
    throw Error(ErrorKind::input, text.file + ": 'epoch' is not before its end, at " +
                                      format_epoch(later(epoch, last), TimeSystem::utc) + " UTC");
  }
  for (const double time : {0.0, last}) state_after(time);  // says whether they are in its span
  // Its polynomials join at its rows: these are nodes, with the one before and the one behind.
  std::vector<double> nodes{0};
  for (const Epoch& row : segment.epochs) {
    const double time = after(row);
    if (time < begin || time > end) continue;
    if (time <= 0) nodes = {time};
    if (time > 0 && nodes.back() < last) nodes.push_back(time);
  }
  if (nodes.back() < last) nodes.push_back(last);
  std::size_t parts = kParts;
  while ((nodes.size() - 1) * parts < kFewest) parts *= 2;
  return orbit_columns(text, names, nodes, parts, true, state_after);
}

}  // namespace

Table read_table(config::Section& in, const std::string& name, const Units& units,
                 expression::TableSet& set) {
  const TableText text = declare(in, units);
  const Dimension time_dimension{0, 1, 0};
  const UnitRead time_unit = read_unit(in, "time_unit", text.time_unit, units, time_dimension);
  const UnitRead unit = read_unit(in, "unit", text.unit, units);
  Table table{name, text.file, 0, 0, 0, {}, {}, text.names, unit.dimension, {}};
  if (text.is_orbit()) table.epoch = text.epoch;
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
    const std::optional<double> span =
        text.span ? std::optional(*text.span / time_unit.factor) : std::nullopt;
    const std::vector<std::vector<double>> columns =
        text.is_kernel()      ? kernel_columns(text, names, span.value_or(1))
        : text.is_ephemeris() ? ephemeris_columns(text, names, span)
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
