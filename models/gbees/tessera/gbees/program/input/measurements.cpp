// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/config/record_errors.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/columns.hpp"
#include "tessera/core/io/growing_files.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/names.hpp"
#include "tessera/gbees/dynamics/function_dimension.hpp"
#include "tessera/gbees/orbits/tdm.hpp"
#include "tessera/gbees/program/input/numbers.hpp"
#include "tessera/gbees/program/input/periods.hpp"
#include "tessera/gbees/program/input/sections.hpp"

namespace tessera::gbees::input {

namespace {

constexpr double kTurn = 6.283185307179586;

using TableNames = std::vector<std::pair<std::string, int>>;

/// The errors of an instrument.
struct Errors {
  config::Matrix covariance;  ///< Gaussian
  std::vector<double> scale;  ///< of Student's distribution, or empty
  double degrees = 0;         ///< of freedom of that

  std::string description(std::size_t quantity) const {
    std::ostringstream text;
    if (scale.empty()) {
      text << "variance " << covariance[quantity][quantity];
    } else {
      text << "scale " << scale[quantity] << ", " << degrees << " degrees of freedom";
    }
    return text.str();
  }
};

/// An instrument: the quantities that it measures, their errors, and which are angles.
struct Instrument {
  std::vector<std::string> names;       ///< as the input has them
  std::vector<std::string> quantities;  ///< as expressions
  ElementDimensions dimensions;         ///< of the quantities, where they are known
  std::vector<double> period;
  TableNames table_names;  ///< of an observer that moves
  Errors errors;
  std::string place;  ///< in the input
};

/// Returns how many variables are positions: all of two or three, or the first half of four or six.
std::size_t count_positions(const std::vector<std::string>& variables) {
  const std::size_t d = variables.size();
  return d == 4 || d == 6 ? d / 2 : d;
}

/// Who observes: the coordinates, and how fast they change, as expressions; those that are not
/// there are zero.
struct Observer {
  std::vector<std::string> position, velocity;
  TableNames table_names;  ///< names in them of functions of the tables
};

/// Range, directions and range rate about an observer as expressions, for states that are
/// positions, or positions and then velocities.
class Geometry {
 public:
  Geometry(const std::vector<std::string>& variables, Observer observer)
      : m_observer(std::move(observer)) {
    const std::size_t d = variables.size(), places = count_positions(variables);
    if (places < 2 || places > 3) return;
    const auto less = [](const std::string& of, const std::vector<std::string>& all,
                         std::size_t i) {
      return "(" + of + " - (" + (i < all.size() ? all[i] : "0") + "))";
    };
    std::string squares, rate;
    for (std::size_t i = 0; i < places; ++i) {
      m_offset.push_back(less(variables[i], m_observer.position, i));
      squares += (i > 0 ? " + " : "") + m_offset[i] + "^2";
      if (places == d) continue;
      const std::string& speed = variables[places + i];
      rate += (i > 0 ? " + " : "") + m_offset[i] + "*" +
              (m_observer.velocity.empty() ? speed : less(speed, m_observer.velocity, i));
    }
    m_range = "sqrt(" + squares + ")";
    if (places < d) m_rate = "(" + rate + ")/" + m_range;
  }

  /// Returns the quantities that there are here, as definitions, without names that are taken.
  std::vector<std::pair<std::string, std::string>> definitions(const EquationText& text) const {
    std::vector<std::pair<std::string, std::string>> known;
    const auto is_taken = [&](const std::string& name) {
      const auto has_name = [&](const auto& entry) { return entry.first == name; };
      return std::count(text.variables.begin(), text.variables.end(), name) > 0 ||
             std::any_of(text.parameters.begin(), text.parameters.end(), has_name) ||
             std::any_of(text.definitions.begin(), text.definitions.end(), has_name);
    };
    for (const char* name :
         {"range", "azimuth", "elevation", "right_ascension", "declination", "range_rate"}) {
      if (!expression(name).empty() && !is_taken(name)) known.emplace_back(name, expression(name));
    }
    return known;
  }

  /// The quantity of that name; empty when there is none of it here.
  std::string expression(const std::string& name) const {
    if (name == "range") return m_range;
    if (name == "range_rate") return m_rate;
    if (is_round(name) && !m_offset.empty())
      return "atan2(" + m_offset[1] + ", " + m_offset[0] + ")";
    if ((name == "elevation" || name == "declination") && m_offset.size() == 3)
      return "atan2(" + m_offset[2] + ", hypot(" + m_offset[0] + ", " + m_offset[1] + "))";
    return {};
  }

  /// Returns whether the quantity of that name goes round, as an angle does.
  static bool is_round(const std::string& name) {
    return name == "azimuth" || name == "right_ascension";
  }

  const TableNames& table_names() const { return m_observer.table_names; }

 private:
  Observer m_observer;
  std::vector<std::string> m_offset;
  std::string m_range, m_rate;
};

/// The covariance of Gaussian errors of quantities of these dimensions from 'variance', 'variances'
/// or 'covariance'.
config::Matrix read_covariance(config::Section& in, const Units& units,
                               const ElementDimensions& of_quantities) {
  const std::size_t count = of_quantities.size();
  for (const char* key : {"variance", "variances"}) take_units(in, key, units, of_quantities, 2);
  take_matrix_units(in, "covariance", units, of_quantities);
  std::optional<config::Matrix> covariance;
  std::optional<double> variance;
  std::optional<std::vector<double>> variances;
  double required = 1;
  const bool is_required = count == 1 && !in.has("variances") && !in.has("covariance");
  const bool has_variance =
      (is_required ? in.require("variance", required, "covariance") : in.get("variance", variance))
          .positive()
          .doc("of the error, of one quantity")
          .given();
  if (is_required) variance = required;
  const bool has_variances = in.get("variances", variances)
                                 .size(count, kEachQuantity)
                                 .positive()
                                 .doc("of the errors, when they are independent")
                                 .given();
  const bool has_covariance = in.get("covariance", covariance)
                                  .size(count, kEachPair)
                                  .doc("of the errors, a list of rows")
                                  .given();
  config::Matrix result(count, std::vector<double>(count, 0.0));
  for (std::size_t i = 0; i < count; ++i) result[i][i] = 1;
  if (in.documenting()) return result;
  if (has_variance + has_variances + has_covariance > 1 ||
      (count > 1 && !has_variances && !has_covariance)) {
    in.error("",
             count == 1
                 ? "a measurement takes one of 'variance', 'variances' and 'covariance'"
                 : "a measurement of several quantities needs either 'variances' or 'covariance'");
  } else if (covariance) {
    if (config::record_errors(in, "covariance",
                              [&] { linalg::inverse_positive_definite(*covariance); }))
      result = *covariance;
  } else if (variance) {
    result[0][0] = *variance;
  } else if (variances) {
    for (std::size_t i = 0; i < count; ++i) result[i][i] = (*variances)[i];
  }
  return result;
}

/// Scales and degrees of freedom of errors of Student's distribution.
void read_student(config::Section& in, const Units& units, const ElementDimensions& of_quantities,
                  Errors& errors) {
  const std::size_t count = of_quantities.size();
  for (const char* key : {"scale", "scales"}) take_units(in, key, units, of_quantities);
  std::optional<double> degrees, scale;
  std::optional<std::vector<double>> scales;
  in.get("degrees", degrees)
      .positive()
      .doc("of freedom, with Student's distribution; the fewer, the heavier the tails");
  in.get("scale", scale)
      .positive()
      .doc("of the error, of one quantity: divided by it, it has Student's distribution");
  in.get("scales", scales)
      .size(count, kEachQuantity)
      .positive()
      .doc("of the errors, which are independent then");
  if (in.documenting()) return;
  if (!in.has("degrees")) in.error("", "errors of Student's distribution need 'degrees'");
  if (in.has("scale") == in.has("scales") || (in.has("scale") && count > 1)) {
    in.error("", count == 1 ? "errors of Student's distribution need a 'scale'"
                            : "errors of Student's distribution need 'scales'");
  }
  errors.degrees = degrees.value_or(1);
  errors.scale =
      scales && scales->size() == count ? *scales : std::vector<double>(count, scale.value_or(1));
  for (const char* key : {"variance", "variances", "covariance"}) {
    if (in.has(key))
      in.error(key,
               std::string("errors of Student's distribution have a 'scale', not a '") + key + "'");
  }
}

Errors read_errors(config::Section& in, const Units& units,
                   const ElementDimensions& of_quantities) {
  Errors errors;
  bool is_student = false;
  config::choose(in, "distribution", is_student, {{"gaussian", false}, {"student", true}})
      .doc(
          "of the errors: Gaussian, or Student's, with heavy tails, for sensors that are at times "
          "far off");
  if (is_student || in.documenting()) read_student(in, units, of_quantities, errors);
  if (is_student && in.documenting()) {
    in.write_out("degrees", "4");
    in.write_out("scale", "1");
  }
  if (!is_student) errors.covariance = read_covariance(in, units, of_quantities);
  return errors;
}

/// An observer who moves: `centre: {table: NAME}`.
Observer read_moving_observer(config::Section in, const DynamicsParameters& dynamics,
                              const std::vector<Table>& tables) {
  Observer observer;
  std::string name;
  in.require("table", name);
  in.finish();
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& table) { return table.name == name; });
  if (found == tables.end()) {
    in.error("table", "there is no table '" + name + "' in model.tables");
    return observer;
  }
  const std::size_t places = count_positions(dynamics.state);
  if (found->functions.size() != places) {
    in.error("table", "the table '" + name + "' has " + std::to_string(found->functions.size()) +
                          " columns, and the state has " + std::to_string(places) + " positions");
    return observer;
  }
  for (std::size_t i = 0; i < places; ++i) {
    observer.position.push_back(found->names[i]);
    observer.velocity.push_back("_observer_rate_" + std::to_string(i + 1));
    observer.table_names.emplace_back(observer.velocity.back(), found->rates[i]);
  }
  return observer;
}

/// The centre of range, directions and range rate.
Geometry read_geometry(config::Section& in, const Parameters& p, const std::vector<Table>& tables) {
  const DynamicsParameters& dynamics = p.dynamics;
  if (in.form("centre") == config::Form::mapping) {
    return {dynamics.state, read_moving_observer(in.section("centre"), dynamics, tables)};
  }
  std::vector<double> centre;
  const bool is_three_body = dynamics.name == "pcr3bp" || dynamics.name == "cr3bp";
  if (is_three_body) centre = {1 - dynamics.text.parameters.front().second};
  take_units(in, "centre", p.units, variable_dimensions(p.state_units));
  in.get("centre", centre)
      .doc(
          "of range, directions and range rate; default: the smaller primary, or the origin. "
          "{table: NAME}, of one in model.tables: an observer who moves");
  Observer observer;
  for (const double place : centre) {
    std::ostringstream number;
    number.precision(17);
    number << place;
    observer.position.push_back(number.str());
  }
  return {dynamics.state, observer};
}

/// The dynamics' names, and those of an observer.
EquationText with_names(EquationText text, const TableNames& names) {
  text.table_names.insert(text.table_names.end(), names.begin(), names.end());
  return text;
}

/// The period of a variable, or 0.
double period_of(const DynamicsParameters& dynamics, const std::string& variable) {
  const auto found = std::find(dynamics.variables.begin(), dynamics.variables.end(), variable);
  if (dynamics.circles.empty() || found == dynamics.variables.end()) return 0;
  return dynamics.circles[static_cast<std::size_t>(found - dynamics.variables.begin())].period;
}

/// Records an error where quantities do not have the periods of the variables, and warns where
/// errors are so large that the way round a circle is not short.
void check_periods_of(config::Section& in, const EquationText& text, const Parameters& p,
                      bool has_quantities, const Instrument& instrument) {
  if (p.dynamics.circles.empty() || in.has_errors() || in.documenting()) return;
  for (std::size_t i = 0; i < instrument.quantities.size(); ++i) {
    const std::string change = find_change(compile_functions(text, {instrument.quantities[i]}), 0,
                                           instrument.period[i], p);
    if (change.empty()) continue;
    in.error_within(has_quantities ? "quantities" : "variable",
                    has_quantities ? static_cast<int>(i) : -1, 0,
                    "'" + instrument.names[i] + "' is not the same all round a circle: it is " +
                        change + "; give its 'period', or measure its sine and cosine");
    return;
  }
  constexpr double kLarge = 1.0 / 6;  // of a period, half of which is three deviations then
  for (std::size_t i = 0; i < instrument.quantities.size(); ++i) {
    const Errors& errors = instrument.errors;
    const double deviation =
        errors.scale.empty() ? std::sqrt(errors.covariance[i][i]) : errors.scale[i];
    if (!(instrument.period[i] > 0 && deviation > kLarge * instrument.period[i])) continue;
    std::ostringstream message;
    message << in.place() << ": errors of " << deviation << " of '" << instrument.names[i]
            << "' are large beside its period of " << instrument.period[i]
            << ": they go the shortest way round, and do not add up over turns; give such a "
               "measurement by its 'likelihood', for example exp(k*cos(angle - value))";
    logging::warning(message.str());
  }
}

Instrument read_instrument(config::Section& in, const Parameters& p,
                           const std::vector<Table>& tables) {
  const DynamicsParameters& dynamics = p.dynamics;
  Instrument instrument;
  instrument.place = in.place();
  std::string variable;
  const bool is_required = !in.has("quantities");
  if (is_required) variable = dynamics.state.back();
  (is_required ? in.require("variable", variable, "quantities") : in.get("variable", variable))
      .doc("the one quantity that is measured: as in 'quantities'");
  in.get("quantities", instrument.names)
      .doc(
          "what is measured: variables, expressions of them, or range, azimuth, elevation, "
          "right_ascension, declination, range_rate");
  const bool has_variable = !variable.empty(), has_quantities = !instrument.names.empty();
  if (has_variable && has_quantities)
    in.error("", "a measurement needs either 'variable' or 'quantities'");
  if (!has_quantities) instrument.names = {variable};
  if (instrument.names.empty() || instrument.names.size() > 8) {
    in.error("quantities", "1 to 8 quantities can be measured at a time");
    instrument.names = {dynamics.state.back()};
  }
  const Geometry geometry = read_geometry(in, p, tables);
  instrument.table_names = geometry.table_names();
  const EquationText text = with_names(dynamics.text, instrument.table_names);
  for (std::size_t i = 0; i < instrument.names.size(); ++i) {
    const std::string& name = instrument.names[i];
    const std::string known = geometry.expression(name);
    const bool is_own =
        std::find(dynamics.state.begin(), dynamics.state.end(), name) != dynamics.state.end();
    instrument.quantities.push_back(!is_own && !known.empty() ? known : name);
    instrument.period.push_back(is_own                     ? period_of(dynamics, name)
                                : Geometry::is_round(name) ? kTurn
                                                           : 0);
    if (in.documenting()) continue;
    try {
      compile_functions(text, {instrument.quantities.back()});
    } catch (const expression::ParseError& error) {
      in.error_within(has_quantities ? "quantities" : "variable",
                      has_quantities ? static_cast<int>(i) : -1, error.offset(), error.what());
      instrument.quantities.back() = dynamics.state.back();
    } catch (const Error& error) {
      in.error(has_quantities ? "quantities" : "variable", error.what());
      instrument.quantities.back() = dynamics.state.back();
    }
  }
  for (const std::string& quantity : instrument.quantities)
    instrument.dimensions.push_back(function_dimension(text, quantity));
  std::vector<double> period = instrument.period;
  take_units(in, "period", p.units, instrument.dimensions);
  in.get("period", period)
      .size(instrument.names.size(), kEachQuantity)
      .non_negative()
      .doc(
          "of each quantity that is an angle, 0 for the others; azimuth and right_ascension have 2 "
          "pi by themselves, and variables in model.periods theirs. Errors go the shortest way "
          "round");
  if (period.size() == instrument.period.size()) instrument.period = period;
  instrument.errors = read_errors(in, p.units, instrument.dimensions);
  check_periods_of(in, text, p, has_quantities, instrument);
  return instrument;
}

MeasurementParameters measure(const Instrument& instrument, double time,
                              const std::vector<double>& values) {
  MeasurementParameters m;
  m.time = time;
  m.quantities = instrument.quantities;
  m.table_names = instrument.table_names;
  m.period = instrument.period;
  m.kind =
      instrument.errors.scale.empty() ? Observation::Kind::gaussian : Observation::Kind::student;
  m.covariance = instrument.errors.covariance;
  m.scale = instrument.errors.scale;
  m.degrees = instrument.errors.degrees;
  m.values = values;
  m.place = instrument.place;
  std::ostringstream text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text << (i > 0 ? ", " : "") << instrument.names[i] << " = " << values[i] << ", "
         << instrument.errors.description(i);
  }
  m.description = text.str();
  return m;
}

/// A likelihood, or the probability of a detection that was missed, under that key; none where the
/// input does not give it.
std::optional<MeasurementParameters> read_likelihood(config::Section& in, const Parameters& p,
                                                     const std::vector<Table>& tables) {
  std::optional<std::string> likelihood, missed;
  in.get("likelihood", likelihood)
      .doc(
          "instead of what was measured: the likelihood of what was seen, any expression of the "
          "state that is not negative");
  in.get("missed", missed)
      .doc(
          "instead of what was measured: nothing was seen, where a detection would have had this "
          "probability");
  if (in.documenting() || (!in.has("likelihood") && !in.has("missed"))) return std::nullopt;
  const char* const key = in.has("likelihood") ? "likelihood" : "missed";
  for (const char* other :
       {"missed", "variable", "quantities", "period", "distribution", "degrees", "scale", "scales",
        "variance", "variances", "covariance", "value", "values"}) {
    if (other != std::string(key) && in.has(other)) {
      in.error(other, std::string("a measurement that is given by its '") + key + "' has no '" +
                          other + "'");
    }
  }
  MeasurementParameters m;
  m.kind = likelihood ? Observation::Kind::likelihood : Observation::Kind::missed;
  const Geometry geometry = read_geometry(in, p, tables);
  m.definitions = geometry.definitions(p.dynamics.text);
  m.table_names = geometry.table_names();
  m.quantities = {likelihood ? *likelihood : missed.value_or("0")};
  m.description = key + (" = " + m.quantities[0]);
  m.place = in.place(key);
  EquationText text = with_names(p.dynamics.text, m.table_names);
  text.definitions.insert(text.definitions.end(), m.definitions.begin(), m.definitions.end());
  try {
    const expression::Program program = compile_functions(text, m.quantities);
    if (program.code.size() == 1 && program.code[0].op == expression::Op::copy &&
        program.code[0].a == expression::Instruction::kImmediate) {
      in.error(key, "this is the same everywhere, and tells nothing of the state");
    }
    const std::string change = p.dynamics.circles.empty() ? "" : find_change(program, 0, 0, p);
    if (!change.empty()) {
      in.error(key, "this is not the same all round a circle (model.periods): it is " + change +
                        "; write it with the sine and cosine of that variable");
    }
  } catch (const expression::ParseError& error) {
    in.error_within(key, -1, error.offset(), error.what());
  } catch (const Error& error) {
    in.error(key, error.what());
  }
  return m;
}

constexpr const char* kNotBetweenSegments =
    "with time.segments a measurement must come at the end of a segment and before that of the "
    "last";

/// The time of measurement number `index` of the list.
double read_time(config::Section& in, const Parameters& p, std::size_t index) {
  const bool is_divided = !p.segments.empty();
  double time = is_divided ? p.segment_ends()[std::min(index, p.segments.size() - 1)] : 0.5 * p.end;
  take_units(in, "time", p.units, time_dimension());
  const bool is_given = (is_divided ? in.get("time", time) : in.require("time", time))
                            .positive()
                            .doc(
                                "when; before the end. Not needed with time.segments: the first "
                                "comes after the first segment, and so on")
                            .given();
  if (in.documenting()) return time;
  if (time >= p.end && (!is_divided || is_given))
    in.error("time", "a measurement must come before time.end");
  if (!is_divided) return time;
  const double end = end_of_segment(p, time);
  if (std::isfinite(end)) return end;
  if (!is_given) {
    in.error(
        "", "measurement " + std::to_string(index + 1) + " has no place: between the " +
                std::to_string(p.segments.size()) + " segments of time.segments " +
                (p.segments.size() == 2 ? "is 1" : "are " + std::to_string(p.segments.size() - 1)));
  } else if (time < p.end) {
    in.error("time", kNotBetweenSegments);
  }
  return time;
}

void read_list(config::Section& root, const Parameters& p, const std::vector<Table>& tables,
               std::vector<MeasurementParameters>& measurements) {
  double before = 0;
  for (config::Section& in : root.list("measurements", "what was observed, and when")) {
    std::optional<double> value;
    const double time = read_time(in, p, measurements.size());
    const auto check_order = [&] {
      if (time < before) in.error("time", "measurements must be in the order of their times");
      before = time;
    };
    if (std::optional<MeasurementParameters> likelihood = read_likelihood(in, p, tables)) {
      likelihood->time = time;
      check_order();
      measurements.push_back(*likelihood);
      if (!in.has_errors()) in.finish();
      continue;
    }
    const Instrument instrument = read_instrument(in, p, tables);
    std::optional<std::vector<double>> several;
    for (const char* key : {"value", "values"}) take_units(in, key, p.units, instrument.dimensions);
    const bool has_values = in.get("values", several)
                                .size(instrument.names.size(), kEachQuantity)
                                .doc("what was measured, of several quantities")
                                .given();
    const bool has_value = in.get("value", value).doc("what was measured, of one quantity").given();
    if (!in.documenting()) {
      if (has_value == has_values || (has_value && instrument.names.size() != 1)) {
        in.error("", instrument.names.size() == 1
                         ? "a measurement needs 'value'"
                         : "a measurement of several quantities needs 'values'");
      }
      const std::vector<double> values =
          several && !has_value ? *several
                                : std::vector<double>(instrument.names.size(), value.value_or(0));
      check_order();
      measurements.push_back(measure(instrument, time, values));
    }
    in.finish();
  }
}

bool is_tracking_file(const std::string& file) {
  return file.size() > 4 && file.compare(file.size() - 4, 4, ".tdm") == 0;
}

/// The times and columns of a tracking data message, in the units of the run.
std::vector<std::vector<double>> read_tracking_columns(const std::string& file,
                                                       const std::vector<std::string>& columns,
                                                       const Parameters& p) {
  if (!p.initial.epoch) {
    throw Error(ErrorKind::input, file +
                                      " has times of the calendar, and the run has none: let it "
                                      "begin with a message, 'initial: {file: x.opm}'");
  }
  const TrackingMessage message = read_tdm(file);
  if (!message.unknown.empty()) {
    logging::warning(file + ": keywords that CCSDS does not have for it are not used: " +
                     join_names(message.unknown, 20));
  }
  TrackingTable read = tracking_table(message, columns, *p.initial.epoch);
  for (const std::string& note : read.notes) logging::warning(note);
  std::vector<std::vector<double>>& table = read.columns;
  for (double& time : table[0]) time /= p.units.time;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const double size = columns[k] == "range"        ? p.units.length
                        : columns[k] == "range_rate" ? p.units.length / p.units.time
                                                     : 1;
    for (double& value : table[1 + k]) value /= size;
  }
  return std::move(table);
}

void read_measurement_table(config::Section& root, const Parameters& p,
                            const std::vector<Table>& tables,
                            std::vector<MeasurementParameters>& measurements) {
  config::Section in =
      root.section("measurement_table", "measurements of one kind at many times, from a file");
  if (!in.present()) return;
  std::string file;
  in.require("file", file)
      .path()
      .doc(
          "text (CSV), numpy (.npy, columns numbered from 1), HDF5 (.h5, datasets), or a tracking "
          "data message of CCSDS (.tdm; of a run that begins with a message) with range, "
          "range_rate, azimuth, elevation, right_ascension, declination");
  const Instrument instrument = read_instrument(in, p, tables);
  std::string time_column = "time";
  in.get("time_column", time_column).doc("column of the times");
  std::vector<std::string> columns = instrument.names;
  in.get("columns", columns)
      .size(instrument.names.size(), kEachQuantity)
      .doc("columns of the quantities; default: their names");
  in.finish();
  if (file.empty() || in.documenting() || columns.size() != instrument.names.size()) return;
  config::record_errors(in, "file", [&] {
    std::vector<std::string> names{time_column};
    names.insert(names.end(), columns.begin(), columns.end());
    const bool is_message = is_tracking_file(file);
    const std::vector<std::vector<double>> table =
        is_message ? read_tracking_columns(file, columns, p) : io::read_columns(file, names);
    if (!root.has("study") && !is_message) io::let_grow(file);  // of which a study takes all
    if (table[0].empty()) {
      logging::warning(in.place("file") + ": " + file +
                       " has no rows: the run takes no measurement from it; leave "
                       "measurement_table out, or give it rows");
    }
    for (std::size_t r = 0; r < table[0].size(); ++r) {
      double time = table[0][r];
      if (!(time > 0 && time < p.end)) {
        std::ostringstream text;
        text << file << ": the measurement " << r + 1 << " at time " << time
             << " lies outside the run, which goes from 0 to " << p.end;
        throw Error(ErrorKind::input, text.str());
      }
      if (!p.segments.empty()) time = end_of_segment(p, time);
      if (!std::isfinite(time))
        throw Error(ErrorKind::input,
                    file + ", measurement " + std::to_string(r + 1) + ": " + kNotBetweenSegments);
      std::vector<double> values;
      for (std::size_t k = 1; k < table.size(); ++k) values.push_back(table[k][r]);
      measurements.push_back(measure(instrument, time, values));
    }
  });
}

}  // namespace

double end_of_segment(const Parameters& p, double time) {
  for (const double end : p.segment_ends()) {
    if (std::fabs(time - end) <= 1e-12 * p.end && end < p.end) return end;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<MeasurementParameters> read_measurements(config::Section& root, const Parameters& p,
                                                     const std::vector<Table>& tables) {
  std::vector<MeasurementParameters> measurements;
  read_list(root, p, tables, measurements);
  read_measurement_table(root, p, tables, measurements);
  std::stable_sort(measurements.begin(), measurements.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return measurements;
}

}  // namespace tessera::gbees::input
