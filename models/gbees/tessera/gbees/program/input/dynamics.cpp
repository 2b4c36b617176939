// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/config/record_errors.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/dynamics/catalogue.hpp"
#include "tessera/gbees/program/input/forces.hpp"
#include "tessera/gbees/program/input/numbers.hpp"
#include "tessera/gbees/program/input/periods.hpp"
#include "tessera/gbees/program/input/sections.hpp"
#include "tessera/gbees/program/input/tables.hpp"

namespace tessera::gbees::input {

namespace {

const std::vector<std::string> kNames{"lorenz63", "lorenz96", "linear", "ornstein_uhlenbeck",
                                      "poincare", "pcr3bp",   "cr3bp",  "duffing",
                                      "aizawa",   "equations"};

EquationText read_linear(config::Section& in) {
  config::Matrix matrix{{0, 1}, {-1, 0}};
  in.require("matrix", matrix).doc("A in x' = A x + b, a list of rows; 1 to 8 of them");
  if (matrix.empty() || matrix.size() > 8) {
    in.error("matrix", "the matrix has " + std::to_string(matrix.size()) +
                           " rows; 1 to 8 dimensions are possible");
    matrix = {{0, 1}, {-1, 0}};
  } else if (std::any_of(matrix.begin(), matrix.end(),
                         [&](const auto& row) { return row.size() != matrix.size(); })) {
    in.error("matrix", "the matrix is not square");
    matrix.assign(matrix.size(), std::vector<double>(matrix.size(), 0.0));
  }
  std::vector<double> offset(matrix.size(), 0.0);
  in.get("offset", offset).size(matrix.size(), kEachVariable).doc("b in x' = A x + b");
  return linear_equations(matrix, offset);
}

EquationText read_ornstein_uhlenbeck(config::Section& in) {
  std::vector<double> rate{1};
  in.require("rate", rate).doc("of the return to the level, one number a variable; 1 to 8 of them");
  if (rate.empty() || rate.size() > 8) {
    in.error("rate", "'model.rate' has " + std::to_string(rate.size()) +
                         " elements; 1 to 8 dimensions are possible");
    rate = {1};
  }
  std::vector<double> level(rate.size(), 0.0);
  in.get("level", level)
      .size(rate.size(), kEachVariable)
      .doc("x' = rate (level - x), with the noise of model.noise");
  return ornstein_uhlenbeck_equations(rate, level);
}

EquationText read_three_body(config::Section& in, bool planar) {
  // mass ratios of the catalogue of periodic orbits of JPL's Solar System Dynamics group, but for
  // that of Earth and Moon, which the published code has
  static const std::map<std::string, double> ratios{
      {"earth_moon", 1.21505844691978e-2},    {"jupiter_europa", 2.528017528540000e-5},
      {"mars_phobos", 1.611081404409632e-8},  {"saturn_enceladus", 1.901109735892602e-7},
      {"saturn_titan", 2.366393158331484e-4}, {"sun_earth", 3.0542e-6},
      {"sun_mars", 3.227154996101724e-7}};
  std::vector<std::string> known;
  for (const auto& ratio : ratios) known.push_back(ratio.first);
  double mu = ratios.at(planar ? "saturn_enceladus" : "earth_moon");
  std::optional<std::string> primaries;
  in.get("primaries", primaries)
      .one_of(known)
      .doc("the two bodies, instead of mu")
      .otherwise("those of mu");
  if (primaries && in.has("mu")) in.error("primaries", "give either 'mu' or 'primaries', not both");
  if (const auto found = ratios.find(primaries.value_or("")); found != ratios.end())
    mu = found->second;
  in.get("mu", mu).positive().range(0, 0.5).doc(
      "mass of the smaller primary over the sum of both; default: that of the primaries");
  bool bound = true;
  in.get("bound", bound)
      .doc(
          "cells only where the Jacobi constant lies in the range that it has on the initial "
          "cells");
  EquationText text = three_body_equations(planar, mu);
  if (!bound) text.invariant.clear();
  return text;
}

/// Names of numbers, in the units of the run.
void read_parameters(config::Section& in, const Units& units, EquationText& text) {
  config::Section section = in.section(
      "parameters",
      "names of numbers for the equations; 398600.4418 km^3/s^2 where the run has units");
  if (!section.present() || section.documenting()) return;
  for (const std::string& name : section.keys()) {
    config::Quantity quantity;
    section.require(name, quantity);
    const NumberRead number = convert(section, name, quantity, units);
    text.parameters.emplace_back(name, number.value);
    if (number.dimension && units.given) text.dimensions[name] = *number.dimension;
  }
}

void read_definitions(config::Section& in, EquationText& text) {
  config::Section section = in.section(
      "definitions", "names of expressions for the equations, each of the names before it");
  if (!section.present() || section.documenting()) return;
  for (const std::string& name : section.keys()) {
    std::string value;
    section.require(name, value);
    text.definitions.emplace_back(name, value);
  }
}

/// Adds what is known of the dimensions of the state and the time.
void add_dimensions(const Units& units, EquationText& text) {
  if (!units.given || units.variables.size() != text.variables.size()) return;
  for (std::size_t i = 0; i < text.variables.size(); ++i)
    text.dimensions[text.variables[i]] = units.variables[i];
  text.dimensions["t"] = {0, 1, 0};
}

/// The dynamics as the input writes them.
struct ModelText {
  EquationText text;
  bool is_own = false;        ///< equations that it writes itself
  FieldForces forces = {};    ///< of these
  std::size_t of_forces = 0;  ///< definitions that forces have made: the first ones
};

/// Records a mistake in equations where it is in the input.
void report(config::Section& in, const ModelText& model, const EquationError& error) {
  using Part = EquationError::Part;
  const EquationText& text = model.text;
  const int index = static_cast<int>(error.index());
  const auto report_entry = [&](const char* key, const auto& entries, std::size_t offset) {
    in.section(key).error_within(entries[error.index()].first, -1, offset, error.what());
  };
  if (error.part() == Part::variables)
    in.error_within("variables", index, error.offset(), error.what());
  if (error.part() == Part::parameters) report_entry("parameters", text.parameters, 0);
  if (error.part() == Part::tables) in.error("tables", error.what());
  if (error.part() == Part::definitions && error.index() < model.of_forces) {
    in.error("forces", "in '" + text.definitions[error.index()].first + "': " + error.what());
  } else if (error.part() == Part::definitions) {
    report_entry("definitions", text.definitions, error.offset());
  }
  if (error.part() == Part::equations) {
    const bool whole = text.equations.size() != text.variables.size();
    in.error_within("equations", whole ? -1 : index, error.offset(), error.what());
  }
  if (error.part() == Part::invariant)
    in.error_within("invariant", -1, error.offset(), error.what());
  if (error.part() == Part::noise) in.error_within("noise", index, error.offset(), error.what());
}

/// Reads the equations that the input writes itself. Mistakes are recorded where they are.
ModelText read_equations(config::Section& in, const Units& units, std::vector<Table>& tables) {
  ModelText model{{{"x", "y"}, {}, {}, {"y", "-sin(x)"}, {}}, true};
  EquationText& text = model.text;
  in.require("variables", text.variables).doc("names of the state variables, 1 to 8");
  in.require("equations", text.equations)
      .doc(
          "the rate of change of each variable: numbers, names, + - * / ^, the time t, pi and sin "
          "cos tan asin acos atan sinh cosh tanh exp log sqrt abs sign floor pow min max atan2 "
          "hypot, and comparisons (1 or 0), which and, or and not join");
  read_parameters(in, units, text);
  tables = read_tables(in, units, text);
  model.forces = read_forces(in, units, tables, text);
  model.of_forces = text.definitions.size();
  read_definitions(in, text);
  add_dimensions(units, text);
  in.get("invariant", text.invariant)
      .doc(
          "a quantity that the dynamics conserve: cells are created only where it lies in the "
          "range that it has on the initial cells");
  if (in.documenting() && !in.has("equations")) return model;
  try {
    compile(text);
    return model;
  } catch (const EquationError& error) {
    report(in, model, error);
  }
  // something that the other sections can be checked with
  EquationText stand_in;
  for (std::size_t i = 0; i < std::clamp<std::size_t>(text.variables.size(), 1, 8); ++i) {
    const bool is_own =
        i < text.variables.size() && expression::is_name(text.variables[i]) &&
        text.variables[i] != "t" &&
        std::count(text.variables.begin(), text.variables.end(), text.variables[i]) == 1;
    stand_in.variables.push_back(is_own ? text.variables[i] : "variable_" + std::to_string(i + 1));
    stand_in.equations.push_back("0");
  }
  return {stand_in, true};
}

EquationText read_named(config::Section& in, DynamicsParameters& p) {
  if (p.name == "lorenz63") {
    in.get("sigma", p.sigma).doc("x' = sigma (y - x)");
    in.get("b", p.b).doc("y' = -y - x z, z' = -b z + x y - b r");
    in.get("r", p.r).doc("z is shifted by r, so that the attractor is centred");
    return lorenz63_equations(p.sigma, p.b, p.r);
  }
  if (p.name == "lorenz96") {
    int dimension = 6;
    in.get("dimension", dimension).range(4, 8).doc("number of sites");
    in.get("forcing", p.forcing).doc("F in x_i' = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + F");
    return lorenz96_equations(dimension, p.forcing);
  }
  if (p.name == "linear") return read_linear(in);
  if (p.name == "ornstein_uhlenbeck") return read_ornstein_uhlenbeck(in);
  if (p.name == "poincare") {
    double mu = 19.910350621818949;
    in.get("mu", mu).positive().doc("gravitational parameter in L' = 0, l' = mu^2 / L^3");
    return poincare_equations(mu);
  }
  if (p.name == "duffing") {
    double damping = 0.35, amplitude = 0.3, frequency = 1;
    in.get("damping", damping).doc("x'' + damping x' - x + x^3 = amplitude cos(frequency t)");
    in.get("amplitude", amplitude).doc("of the drive");
    in.get("frequency", frequency).doc("of the drive");
    return duffing_equations(damping, amplitude, frequency);
  }
  if (p.name == "aizawa") {
    double a = 0.95, b = 0.7, c = 0.6, d = 3.5, e = 0.25, f = 0.1;
    in.get("a", a).doc("z' = c + a z - z^3/3 - (x^2 + y^2) (1 + e z) + f z x^3");
    in.get("b", b).doc("x' = (z - b) x - d y, y' = d x + (z - b) y");
    in.get("c", c).doc("see a");
    in.get("d", d).doc("see b");
    in.get("e", e).doc("see a");
    in.get("f", f).doc("see a");
    return aizawa_equations(a, b, c, d, e, f);
  }
  return read_three_body(in, p.name == "pcr3bp");
}

/// Tables become names of expressions of every model, forces of equations.
ModelText read_text(config::Section& in, const Units& units, DynamicsParameters& p,
                    std::vector<Table>& tables) {
  if (p.name == "equations") return read_equations(in, units, tables);
  ModelText model{read_named(in, p)};
  tables = read_tables(in, units, model.text);
  return model;
}

/// Whether an expression has a name of the model in it, such as that of a variable.
bool has_name(const std::string& text, const EquationText& model) {
  std::set<std::string> names(model.variables.begin(), model.variables.end());
  names.insert("t");
  for (const auto& entry : model.parameters) names.insert(entry.first);
  for (const auto& entry : model.definitions) names.insert(entry.first);
  for (const auto& entry : model.table_names) names.insert(entry.first);
  std::string word;  // or a number
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.') {
      word += c;
    } else {
      if (names.count(word) > 0) return true;
      word.clear();
    }
  }
  return false;
}

/// Whether a text can be no number with a unit: it begins with a name, or multiplies.
bool is_expression(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" +-(");
  if (begin == std::string::npos) return false;
  const auto first = static_cast<unsigned char>(text[begin]);
  return std::isalpha(first) || first == '_' ||
         text.find('*') < std::min(text.find(' '), text.size());
}

/// The spectral densities of white noise where they are expressions of the model's names; empty
/// where they are numbers.
std::vector<std::string> read_noise_of_state(config::Section& in, const EquationText& model) {
  if (in.documenting() || in.form("noise") != config::Form::list) return {};
  std::vector<std::string> noise;
  in.get("noise", noise).size(model.variables.size(), kEachVariable);
  const bool is_any = std::any_of(noise.begin(), noise.end(), [&](const std::string& text) {
    return has_name(text, model) || is_expression(text);
  });
  return is_any && noise.size() == model.variables.size() ? noise : std::vector<std::string>();
}

/// Reads noise that depends on the state or the time into the text of the dynamics; returns whether
/// there is any.
bool take_noise_of_state(config::Section& in, const ModelText& model, DynamicsParameters& p) {
  const std::vector<std::string> noise = read_noise_of_state(in, model.text);
  if (noise.empty()) return false;
  if (p.orbit) {
    in.error(
        "noise",
        "noise that depends on the state is not taken over to the coordinates of an orbit: set "
        "model.coordinates: cartesian");
    return true;
  }
  p.text.noise = noise;
  try {
    compile(p.text);
  } catch (const EquationError& error) {
    if (error.part() == EquationError::Part::noise) report(in, model, error);
    p.text.noise.clear();
  }
  return true;
}

/// The spectral density of white noise, as rows; a list has the diagonal.
linalg::Matrix read_noise(config::Section& in, const Units& units, std::size_t dimension) {
  const char* const doc =
      "spectral density Q of white noise that drives the variables, dx = f dt + Q^(1/2) dW: a "
      "number for each, or rows where it is correlated; or an expression for each of the names in "
      "the model where it depends on the state or the time (in the sense of Ito)";
  const ElementDimensions known = variable_dimensions(units);
  if (in.form("noise") == config::Form::rows) {
    ElementDimensions roots;  // of the dimensions of the diagonal
    for (const std::optional<Dimension>& variable : known)
      roots.push_back(*variable / Dimension{0, 0.5, 0});
    take_matrix_units(in, "noise", units, roots);
    std::optional<config::Matrix> noise;
    in.get("noise", noise).size(dimension, kEachPair).doc(doc).otherwise("none");
    if (!noise || in.has_errors()) return {};
    const bool is_noise =
        config::record_errors(in, "noise", [&] { linalg::semidefinite_root(*noise); });
    return is_noise ? *noise : linalg::Matrix();
  }
  ElementDimensions of_noise;
  for (const std::optional<Dimension>& variable : known)
    of_noise.push_back(variable->to_the(2) / Dimension{0, 1, 0});
  take_units(in, "noise", units, of_noise);
  std::optional<std::vector<double>> noise;
  in.get("noise", noise).size(dimension, kEachVariable).non_negative().doc(doc).otherwise("none");
  return noise ? linalg::diagonal(*noise) : linalg::Matrix();
}

/// The one name of a force, or none. Records an error where there are several.
std::string only_force(config::Section& in, const char* kind,
                       const std::vector<std::string>& names) {
  if (names.size() > 1) {
    in.error("coordinates", "there are " + std::to_string(names.size()) + " forces of the kind '" +
                                kind +
                                "', and these coordinates are of an orbit about one body: write "
                                "the others as definitions, or take 'cartesian'");
  }
  return names.size() == 1 ? names.front() : "";
}

/// Replaces the dynamics by the same ones in coordinates of an orbit.
void change_coordinates(config::Section& in, OrbitCoordinates::Kind kind, const ModelText& model,
                        DynamicsParameters& p) {
  const std::string two_body = only_force(in, "two_body", model.forces.two_body),
                    j2 = only_force(in, "j2", model.forces.j2);
  if (in.has_errors()) return;
  config::record_errors(in, "coordinates", [&] {
    try {
      const OrbitCoordinates orbit(
          kind, two_body.empty() ? CentralField() : find_central_field(p.text, two_body, j2));
      const EquationText changed = orbit.equations(p.text);
      compile(changed);
      p.text = changed;
      p.orbit = orbit;
    } catch (const EquationError& error) {
      if (!model.is_own) throw;
      report(in, model, error);
    }
  });
  p.variables = p.text.variables;
}

}  // namespace

DynamicsParameters read_dynamics(config::Section& root, const Units& units,
                                 std::vector<Table>& tables) {
  DynamicsParameters p;
  config::Section in = root.section("model", "the dynamics dx/dt = f(x, t) that carry the density");
  if (in.has("equations")) p.name = "equations";
  in.get("name", p.name).one_of(kNames).doc("which dynamics; 'equations' when there are equations");
  if (in.has("equations") && p.name != "equations") {
    in.error("name", "give either 'equations' or the name of other dynamics");
    p.name = "equations";
  }
  const ModelText model = read_text(in, units, p, tables);
  p.text = model.text;
  p.state = p.variables = p.text.variables;
  p.dimension = static_cast<int>(p.variables.size());
  p.circles = read_periods(in, p.text);
  std::optional<OrbitCoordinates::Kind> coordinates;
  config::choose(in, "coordinates", coordinates,
                 {{"cartesian", std::nullopt},
                  {"equinoctial", OrbitCoordinates::Kind::equinoctial},
                  {"polar", OrbitCoordinates::Kind::polar}})
      .doc(
          "the variables of the grid, where the input gives positions and velocities, x, y, z, vx, "
          "vy, vz or x, y, vx, vy: these (cartesian), generalised equinoctial elements of the "
          "orbit, or of a planar state polar ones, in which orbits nearly rest. The forces "
          "'two_body' and 'j2' are those of the body. The rest of the input stays as it is, but "
          "for grid.spacing and grid.factor; results are in both");
  if (coordinates && !p.circles.empty()) {
    in.error("coordinates",
             "variables on circles (model.periods) are not changed to the coordinates of an orbit: "
             "set model.coordinates: cartesian, or leave the periods out");
    coordinates.reset();
  }
  if (coordinates) change_coordinates(in, *coordinates, model, p);
  if (!take_noise_of_state(in, model, p)) p.noise = read_noise(in, units, p.state.size());
  in.finish();
  return p;
}

}  // namespace tessera::gbees::input
