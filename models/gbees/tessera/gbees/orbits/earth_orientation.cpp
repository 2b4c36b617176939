// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/earth_orientation.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "tessera/core/error.hpp"
#include "tessera/gbees/orbits/kvn.hpp"

namespace tessera::gbees {

namespace {

constexpr double kArcSecond = 3.14159265358979323846 / 648000;
constexpr double kFirstDay = 51544;  // modified Julian date of 2000-01-01

/// The instant of a modified Julian date in UTC, at midnight that behind a leap second.
Epoch epoch_of(double date) {
  const double day = std::floor(date);
  const Epoch near{static_cast<std::int64_t>(day - kFirstDay), 86400 * (date - day)};
  constexpr double kMinute = 60;  // more than TAI is ahead of UTC
  return later(near, leap_seconds(later(near, kMinute)));
}

struct Row {
  double date = 0, x = 0, y = 0, ut1_minus_utc = 0;  ///< x, y: arc seconds
};

/// A number in columns first to last (from 1) of a line; nothing where these are blank.
std::optional<double> in_columns(const std::string& line, std::size_t first, std::size_t last) {
  if (line.size() < last) return std::nullopt;
  std::string text = line.substr(first - 1, last - first + 1);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  double value = 0;
  return !text.empty() && parse_number(text, value) ? std::optional(value) : std::nullopt;
}

/// A row of EOP C04: year, month, day, perhaps hour, date, x, y, UT1 - UTC, ...
std::optional<Row> row_of_c04(const std::string& line) {
  std::istringstream words(line);
  std::vector<double> numbers;
  std::string word;
  double value = 0;
  while (numbers.size() < 8 && words >> word) {
    if (!parse_number(word, value)) return std::nullopt;
    numbers.push_back(value);
  }
  const std::size_t date = numbers.size() > 3 && numbers[3] < 24 ? 4 : 3;
  if (numbers.size() < date + 4) return std::nullopt;
  return Row{numbers[date], numbers[date + 1], numbers[date + 2], numbers[date + 3]};
}

enum class Form { none, finals, c04 };

/// The form of a table by its first row of numbers: C04 begins with a year of four digits.
Form form_of(const std::string& line) {
  std::istringstream words(line);
  std::string first;
  words >> first;
  const bool is_number = !first.empty() && std::all_of(first.begin(), first.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  if (!is_number) return Form::none;
  if (first.size() == 4) return Form::c04;
  return in_columns(line, 8, 15) ? Form::finals : Form::none;
}

}  // namespace

EarthOrientation EarthOrientationTable::at(const Epoch& epoch) const {
  const auto above =
      std::upper_bound(epochs.begin(), epochs.end(), epoch,
                       [](const Epoch& a, const Epoch& b) { return seconds_between(a, b) > 0; });
  const bool is_last =
      above == epochs.end() && std::abs(seconds_between(epochs.back(), epoch)) < 1e-6;
  if (above == epochs.begin() || (above == epochs.end() && !is_last)) {
    throw Error(ErrorKind::input,
                path + " has rows from " + format_epoch(epochs.front(), TimeSystem::utc, 0) +
                    " to " + format_epoch(epochs.back(), TimeSystem::utc, 0) + ", and none for " +
                    format_epoch(epoch, TimeSystem::utc, 0),
                "fetch a table that covers it, or leave out earth_orientation");
  }
  const auto n = static_cast<std::size_t>(above - epochs.begin()) - 1;
  if (is_last) return rows[n];
  const double share =
      seconds_between(epochs[n], epoch) / seconds_between(epochs[n], epochs[n + 1]);
  const auto between = [&](double first, double second) {
    return first + share * (second - first);
  };
  const double ut1_minus_tai = between(rows[n].ut1_minus_utc - leap_seconds(epochs[n]),
                                       rows[n + 1].ut1_minus_utc - leap_seconds(epochs[n + 1]));
  return {ut1_minus_tai + leap_seconds(epoch), between(rows[n].x, rows[n + 1].x),
          between(rows[n].y, rows[n + 1].y)};
}

SharedOrientation read_earth_orientation(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::file, "cannot read '" + path + "': " + std::strerror(errno));
  const auto table = std::make_shared<EarthOrientationTable>();
  table->path = path;
  Form form = Form::none;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const auto fail = [&](const std::string& what) -> Error {
      return {ErrorKind::input, path + ":" + std::to_string(number) + ": " + what};
    };
    if (form == Form::none) form = form_of(line);
    if (form == Form::none) continue;  // headings
    std::optional<Row> row;
    if (form == Form::c04) {
      if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#') continue;
      row = row_of_c04(line);
      if (!row) throw fail("a row of EOP C04 has a date, x, y and UT1 - UTC");
    } else {
      const auto date = in_columns(line, 8, 15), x = in_columns(line, 19, 27),
                 y = in_columns(line, 38, 46), ut1 = in_columns(line, 59, 68);
      if (!date) throw fail("a row of finals2000A has a modified Julian date in columns 8 to 15");
      if (!ut1 || !x || !y) continue;
      row = Row{*date, *x, *y, *ut1};
    }
    if (!(std::abs(row->ut1_minus_utc) < 1) || !(std::abs(row->x) < 2) || !(std::abs(row->y) < 2))
      throw fail("UT1 - UTC is below 1 s, and polar motion below 2 arc seconds");
    if (row->date < 41317) continue;  // before 1972, when leap seconds began
    const Epoch epoch = epoch_of(row->date);
    if (!table->epochs.empty() && !(seconds_between(table->epochs.back(), epoch) > 0))
      throw fail("the dates of a table ascend");
    table->epochs.push_back(epoch);
    table->rows.push_back({row->ut1_minus_utc, kArcSecond * row->x, kArcSecond * row->y});
  }
  if (table->rows.empty()) {
    throw Error(ErrorKind::input,
                path +
                    " holds no table of the Earth's orientation: neither finals2000A nor EOP "
                    "C04 of the IERS");
  }
  return table;
}

CartesianState inertial_state(ReferenceFrame frame, const CartesianState& state, const Epoch& epoch,
                              const SharedOrientation& table) {
  const bool needs_table = table && frame == ReferenceFrame::itrf;
  return inertial_state(frame, state, epoch, needs_table ? table->at(epoch) : EarthOrientation{});
}

std::string ignored_by(ReferenceFrame frame, const SharedOrientation& table) {
  return table ? std::string() : ignored_by(frame);
}

}  // namespace tessera::gbees
