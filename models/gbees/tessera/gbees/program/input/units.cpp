// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <string>

#include "tessera/core/config/scalar.hpp"
#include "tessera/gbees/program/input/numbers.hpp"

namespace tessera::gbees::input {

namespace {

const Dimension kLength{1, 0, 0}, kTime{0, 1, 0}, kMass{0, 0, 1};

/// Parses a unit that begins at character `at` of what `key` holds (of its element `item`).
std::optional<Unit> parse(config::Section& in, const std::string& key, int item,
                          const std::string& text, std::size_t at) {
  try {
    return parse_unit(text);
  } catch (const UnitError& error) {
    in.error_within(key, item, at + error.offset(), error.what());
    return std::nullopt;
  }
}

/// Describes what is wrong with a unit in this place; empty: nothing.
std::string problem_of(const Unit& unit, const std::string& text, const Units& units,
                       const std::optional<Dimension>& expected) {
  if (expected && !(unit.dimension == *expected)) {
    return "this must be " + describe(*expected) + ", and '" + text + "' is " +
           describe(unit.dimension);
  }
  if (!units.given && !unit.dimension.is_number()) {
    return "what is a '" + text +
           "' in this run? Say what its numbers are in, for example units: {length: 1 km, time: 1 "
           "s}";
  }
  return {};
}

/// Converts the unit that the text names, and checks it where the dimension is known.
UnitRead convert_unit(config::Section& in, const std::string& key, const std::string& text,
                      std::size_t at, const Units& units,
                      const std::optional<Dimension>& expected) {
  const std::optional<Unit> unit = parse(in, key, -1, text, at);
  if (!unit) return {};
  const std::string problem = problem_of(*unit, text, units, expected);
  if (!problem.empty()) {
    in.error_within(key, -1, at, problem);
    return {};
  }
  return {unit->size / units.size(unit->dimension), unit->dimension};
}

/// One of the units of the run: its size in metres, seconds or kilograms.
double read_base(config::Section& in, const std::string& key, const char* unit,
                 const Dimension& dimension, const std::string& doc, std::string* text = nullptr) {
  config::Quantity quantity{1, unit, 2};
  const bool is_given = in.get(key, quantity).doc(doc).given();
  if (text != nullptr)
    *text = (quantity.number == 1 ? "" : config::yaml_text(quantity.number) + " ") + quantity.unit;
  if (!(quantity.number > 0)) {
    in.error(key, "a unit must be greater than 0");
    return 1;
  }
  if (quantity.unit.empty()) {
    in.error(key, "give a number and a unit, for example '" + key + ": 1 " + unit + "'");
    return 1;
  }
  const std::optional<Unit> read =
      is_given ? parse(in, key, -1, quantity.unit, quantity.unit_at) : parse_unit(unit);
  if (!read) return 1;
  if (!(read->dimension == dimension)) {
    in.error_within(key, -1, quantity.unit_at,
                    "this must be " + describe(dimension) + ", and '" + quantity.unit + "' is " +
                        describe(read->dimension));
    return 1;
  }
  return quantity.number * read->size;
}

}  // namespace

NumberRead convert(config::Section& in, const std::string& key, const config::Quantity& quantity,
                   const Units& units, const std::optional<Dimension>& expected) {
  if (quantity.unit.empty()) return {quantity.number, expected};
  const UnitRead unit = convert_unit(in, key, quantity.unit, quantity.unit_at, units, expected);
  return {quantity.number * unit.factor, unit.dimension};
}

UnitRead read_unit(config::Section& in, const std::string& key, const std::string& text,
                   const Units& units, const std::optional<Dimension>& expected) {
  if (text.empty()) return {1, expected};
  return convert_unit(in, key, text, 0, units, expected);
}

namespace {

/// `expected(row, column)`: the dimension of an element, where it is known.
template <class Expected>
void convert_elements(config::Section& in, const std::string& key, const Units& units,
                      const Expected& expected) {
  in.convert_units(key,
                   [&](const config::Quantity& quantity, std::size_t row,
                       std::size_t column) -> config::Conversion {
                     try {
                       const Unit unit = parse_unit(quantity.unit);
                       const std::string problem =
                           problem_of(unit, quantity.unit, units, expected(row, column));
                       if (!problem.empty()) return {0, problem, quantity.unit_at};
                       return {quantity.number * (unit.size / units.size(unit.dimension))};
                     } catch (const UnitError& error) {
                       return {0, error.what(), quantity.unit_at + error.offset()};
                     }
                   });
}

std::optional<Dimension> element(const ElementDimensions& of_elements, std::size_t i) {
  if (of_elements.size() == 1) return of_elements[0];
  return i < of_elements.size() ? of_elements[i] : std::nullopt;
}

}  // namespace

void take_units(config::Section& in, const std::string& key, const Units& units,
                const ElementDimensions& of_elements, double power) {
  convert_elements(in, key, units, [&](std::size_t row, std::size_t) {
    const std::optional<Dimension> known = element(of_elements, row);
    return known ? std::optional(known->to_the(power)) : std::nullopt;
  });
}

void take_matrix_units(config::Section& in, const std::string& key, const Units& units,
                       const ElementDimensions& of_elements) {
  convert_elements(in, key, units, [&](std::size_t row, std::size_t column) {
    const std::optional<Dimension> first = element(of_elements, row),
                                   second = element(of_elements, column);
    return first && second ? std::optional(*first * *second) : std::nullopt;
  });
}

ElementDimensions time_dimension() { return {kTime}; }

ElementDimensions variable_dimensions(const Units& units) {
  return {units.variables.begin(), units.variables.end()};
}

Units read_units(config::Section& root) {
  Units units;
  config::Section in = root.section(
      "units", "what the numbers of the run are in: numbers may then have units, 3.5 km");
  units.given = in.present() && !in.documenting();
  if (!in.present()) return units;
  units.length = read_base(in, "length", "m", kLength, "a length of one");
  units.time = read_base(in, "time", "s", kTime, "a time of one", &units.time_text);
  units.mass = read_base(in, "mass", "kg", kMass, "a mass of one");
  std::optional<std::vector<std::string>> variables;
  in.get("variables", variables)
      .doc(
          "a unit of each variable, such as km/s: its dimension, for checks of the equations, and "
          "what results are said to be in")
      .otherwise("not known");
  in.finish();
  for (std::size_t i = 0; variables && i < variables->size(); ++i) {
    const std::string& text = (*variables)[i];
    const std::optional<Unit> unit = parse(in, "variables", static_cast<int>(i), text, 0);
    if (!unit) continue;
    const double factor = units.size(unit->dimension) / unit->size;
    const bool is_one = std::fabs(factor - 1) < 1e-14;
    units.variables.push_back(unit->dimension);
    units.variable_texts.push_back((is_one ? "" : config::yaml_text(factor) + " ") + text);
  }
  if (in.documenting()) units = {};
  return units;
}

void check_variable_units(config::Section& root, std::size_t variables, Units& units) {
  if (units.variables.empty() || units.variables.size() == variables) return;
  root.section("units").error("variables", "there are " + std::to_string(units.variables.size()) +
                                               " units of " + std::to_string(variables) +
                                               " variables: give one for each");
  units.variables.clear();
  units.variable_texts.clear();
}

}  // namespace tessera::gbees::input
