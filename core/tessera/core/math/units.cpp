// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/math/units.hpp"

#include <cctype>
#include <cmath>
#include <map>
#include <sstream>
#include <vector>

#include "tessera/core/names.hpp"

namespace tessera {

namespace {

constexpr double kPi = 3.14159265358979323846;

const std::map<std::string, Unit>& named_units() {
  static const Dimension length{1, 0, 0}, time{0, 1, 0}, mass{0, 0, 1}, force{1, -2, 1};
  static const std::map<std::string, Unit> known{
      {"m", {1, length}},
      {"km", {1e3, length}},
      {"cm", {1e-2, length}},
      {"mm", {1e-3, length}},
      {"au", {149597870700.0, length}},
      {"s", {1, time}},
      {"min", {60, time}},
      {"h", {3600, time}},
      {"d", {86400, time}},
      {"day", {86400, time}},
      {"days", {86400, time}},
      {"yr", {31557600, time}},
      {"kg", {1, mass}},
      {"g", {1e-3, mass}},
      {"t", {1e3, mass}},
      {"N", {1, force}},
      {"Pa", {1, {-1, -2, 1}}},
      {"J", {1, {2, -2, 1}}},
      {"W", {1, {2, -3, 1}}},
      {"Hz", {1, {0, -1, 0}}},
      {"rad", {1, {}}},
      {"deg", {kPi / 180, {}}},
      {"arcmin", {kPi / 10800, {}}},
      {"arcsec", {kPi / 648000, {}}},
  };
  return known;
}

/// Reads the factors of a unit one after the other.
class UnitParser {
 public:
  explicit UnitParser(const std::string& text) : m_text(text) {}

  Unit whole() {
    Unit unit;
    bool divides = false;
    skip_blanks();
    if (at_end()) throw UnitError("the unit is empty", m_at);
    while (true) {
      const Unit next = factor();
      unit.size = divides ? unit.size / next.size : unit.size * next.size;
      unit.dimension = divides ? unit.dimension / next.dimension : unit.dimension * next.dimension;
      skip_blanks();
      if (at_end()) return unit;
      divides = false;
      if (m_text[m_at] == '/' || m_text[m_at] == '*') divides = m_text[m_at++] == '/';
      skip_blanks();
      if (at_end()) throw UnitError("the unit ends too early", m_at);
    }
  }

 private:
  bool at_end() const { return m_at >= m_text.size(); }
  void skip_blanks() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0) ++m_at;
  }

  /// A name, or 1, and its power.
  Unit factor() {
    const std::size_t begin = m_at;
    Unit unit;
    if (m_text[m_at] == '1') {
      ++m_at;
    } else {
      while (!at_end() && std::isalpha(static_cast<unsigned char>(m_text[m_at])) != 0) ++m_at;
      const std::string name = m_text.substr(begin, m_at - begin);
      if (name.empty())
        throw UnitError(std::string("expected the name of a unit, found '") + m_text[m_at] + "'",
                        m_at);
      const auto found = named_units().find(name);
      if (found == named_units().end())
        throw UnitError("unknown unit '" + name + "'" + hint(name), begin);
      unit = found->second;
    }
    const int power = exponent();
    return {std::pow(unit.size, power), unit.dimension.to_the(power)};
  }

  int exponent() {
    const std::size_t begin = m_at;
    const bool is_marked = !at_end() && m_text[m_at] == '^';
    if (is_marked) ++m_at;
    bool is_negative = false;
    if (!at_end() && (m_text[m_at] == '-' || m_text[m_at] == '+'))
      is_negative = m_text[m_at++] == '-';
    if (at_end() || std::isdigit(static_cast<unsigned char>(m_text[m_at])) == 0) {
      if (m_at > begin) throw UnitError("expected a whole power such as 2 or -2", m_at);
      return 1;
    }
    const int power = m_text[m_at++] - '0';
    if (!at_end() &&
        (std::isdigit(static_cast<unsigned char>(m_text[m_at])) != 0 || m_text[m_at] == '.')) {
      throw UnitError("expected a whole power from -9 to 9", begin);
    }
    return is_negative ? -power : power;
  }

  static std::string hint(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& entry : named_units()) names.push_back(entry.first);
    const std::string suggestion = nearest_name(name, names);
    return suggestion.empty() ? " (known: " + join_names(names, names.size()) + ")"
                              : " (did you mean '" + suggestion + "'?)";
  }

  const std::string& m_text;
  std::size_t m_at = 0;
};

}  // namespace

bool operator==(const Dimension& a, const Dimension& b) {
  constexpr double kRounding = 1e-9;
  return std::fabs(a.length - b.length) < kRounding && std::fabs(a.time - b.time) < kRounding &&
         std::fabs(a.mass - b.mass) < kRounding;
}

std::string describe(const Dimension& dimension) {
  if (dimension.is_number()) return "a number";
  std::string above, below;
  const auto add = [&](const char* name, double power) {
    if (power == 0) return;
    std::ostringstream factor;
    factor << name;
    if (std::fabs(power) != 1) factor << '^' << std::fabs(power);
    if (power > 0) {
      above += (above.empty() ? "" : "*") + factor.str();
    } else {
      below += "/" + factor.str();
    }
  };
  add("mass", dimension.mass);
  add("length", dimension.length);
  add("time", dimension.time);
  return (above.empty() ? "1" : above) + below;
}

Unit parse_unit(const std::string& text) { return UnitParser(text).whole(); }

}  // namespace tessera
