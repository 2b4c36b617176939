// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <sstream>

#include "tessera/core/error.hpp"
#include "tessera/core/io/bytes.hpp"
#include "tessera/gbees/orbits/kvn.hpp"
#include "tessera/gbees/orbits/mean_elements.hpp"

namespace tessera::gbees {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::size_t kLength = 69;  // columns

struct Line {
  int number = 0;
  std::string text;
};

/// A line of two-line elements. Columns are counted from 1.
class ElementLine {
 public:
  ElementLine(const std::string& path, const Line& line) : m_path(path), m_line(line) {
    if (m_line.text.size() < kLength)
      throw error("the line has " + std::to_string(m_line.text.size()) +
                  " columns, and a line of two-line elements has 69");
    int sum = 0;
    for (std::size_t n = 0; n + 1 < kLength; ++n) {
      const char c = m_line.text[n];
      sum += c == '-' ? 1 : c >= '0' && c <= '9' ? c - '0' : 0;
    }
    if (m_line.text[kLength - 1] != '0' + sum % 10)
      throw error("the checksum in column 69 is '" + m_line.text.substr(kLength - 1, 1) +
                  "', and that of the line is " + std::to_string(sum % 10));
  }

  int number() const { return m_line.number; }

  std::string columns(std::size_t first, std::size_t last) const {
    std::string text = m_line.text.substr(first - 1, last - first + 1);
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
  }

  double value(std::size_t first, std::size_t last, const std::string& what) const {
    return parsed(columns(first, last), first, last, what);
  }

  /// A number whose point stands before its first digit.
  double fraction(std::size_t first, std::size_t last, const std::string& what) const {
    return parsed("0." + columns(first, last), first, last, what);
  }

  /// A number as -12345-6, which is -0.12345e-6.
  double power(std::size_t first, std::size_t last, const std::string& what) const {
    std::string text = columns(first, last);
    const bool is_negative = !text.empty() && text.front() == '-';
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.erase(0, 1);
    const std::size_t sign = text.find_first_of("+-");
    if (sign != std::string::npos) text.insert(sign, "e");
    return (is_negative ? -1 : 1) * parsed("0." + text, first, last, what);
  }

  Error error(const std::string& what) const {
    return {ErrorKind::input, m_path + ":" + std::to_string(m_line.number) + ": " + what,
            "the file may be damaged: fetch it again"};
  }

 private:
  double parsed(const std::string& text, std::size_t first, std::size_t last,
                const std::string& what) const {
    double number = 0;
    if (parse_number(text, number)) return number;
    throw error("columns " + std::to_string(first) + " to " + std::to_string(last) + " (" + what +
                ") hold no number: '" + m_line.text.substr(first - 1, last - first + 1) + "'");
  }

  const std::string& m_path;
  const Line& m_line;
};

std::vector<Line> lines_of(const std::string& path) {
  std::istringstream stream(io::read_bytes(path));
  std::vector<Line> lines;
  int number = 0;
  for (std::string text; std::getline(stream, text);) {
    ++number;
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
    if (!text.empty() && text.front() != '#') lines.push_back({number, text});
  }
  return lines;
}

/// The epoch of a year of two digits and a day of the year from 1 with its fraction.
Epoch epoch_of(const ElementLine& line) {
  const int short_year = static_cast<int>(line.value(19, 20, "year"));
  const double day = line.value(21, 32, "day of the year");
  if (!(day >= 1 && day < 367)) throw line.error("the day of the year is 1 to 366");
  const int year = short_year + (short_year < 57 ? 2000 : 1900);
  const Epoch first = parse_epoch(std::to_string(year) + "-01-01T00:00:00", TimeSystem::utc);
  const double whole = std::floor(day - 1);
  // A day has 86400 s here: leap seconds are at the ends of half-years.
  const Epoch near = later(first, 86400 * whole + 86400 * (day - 1 - whole));
  return later(near, leap_seconds(near) - leap_seconds(first));
}

}  // namespace

MeanElementSet read_tle(const std::string& path) {
  const std::vector<Line> lines = lines_of(path);
  const auto fail = [&](int number, const std::string& what, const std::string& remedy) -> Error {
    return {ErrorKind::input, path + ":" + std::to_string(number) + ": " + what, remedy};
  };
  const auto begins = [&](std::size_t n, char digit) {
    return n < lines.size() && lines[n].text.size() > 1 && lines[n].text[0] == digit &&
           lines[n].text[1] == ' ';
  };
  MeanElementSet set;
  set.path = path;
  const std::size_t at = begins(0, '1') ? 0 : 1;
  if (!begins(at, '1') || !begins(at + 1, '2')) {
    throw fail(lines.empty() ? 1 : lines.front().number,
               "the file holds no two-line elements: a line for the name or none, and lines that "
               "begin with 1 and 2",
               "give an object's two lines, or an OMM");
  }
  if (lines.size() > at + 2)
    throw fail(lines[at + 2].number, "the file holds more than one object",
               "give the object a file of its own");
  if (at == 1) set.object_name = lines[0].text.substr(begins(0, '0') ? 2 : 0);
  const ElementLine first(path, lines[at]), second(path, lines[at + 1]);
  if (first.columns(3, 7) != second.columns(3, 7))
    throw second.error("line 2 is of object " + second.columns(3, 7) + ", and line 1 of " +
                       first.columns(3, 7));
  const std::string type = first.columns(63, 63);
  if (!type.empty() && type != "0" && type != "2") {
    throw fail(first.number(), "the ephemeris type in column 63 is " + type + ", and SGP4 has 0",
               "fetch elements of SGP4: those of SGP4-XP (4) are of another theory");
  }
  set.object_id = first.columns(10, 17);
  if (set.object_name.empty()) set.object_name = first.columns(3, 7);
  set.line = first.number();
  constexpr double kDegree = kPi / 180, kTurnADay = 2 * kPi / 1440;
  MeanElements& e = set.elements;
  e.epoch = epoch_of(first);
  e.drag = first.power(54, 61, "B*");
  e.inclination = kDegree * second.value(9, 16, "inclination");
  e.node = kDegree * second.value(18, 25, "right ascension of the node");
  e.eccentricity = second.fraction(27, 33, "eccentricity");
  e.perigee = kDegree * second.value(35, 42, "argument of perigee");
  e.anomaly = kDegree * second.value(44, 51, "mean anomaly");
  e.mean_motion = kTurnADay * second.value(53, 63, "mean motion");
  set.line = second.number();
  set.state_at(e.epoch);  // throws where the elements are of no orbit
  set.line = first.number();
  return set;
}

}  // namespace tessera::gbees
