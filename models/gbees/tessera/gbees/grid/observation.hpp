// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/core/expression/program.hpp"
#include "tessera/core/linalg/symmetric.hpp"

namespace tessera::gbees {

/// The factor by which an observation multiplies a density: the likelihood L(x) of what was
/// observed, as a function of the state.
struct Observation {
  enum class Kind {
    gaussian,  ///< z = h(x) + e was measured, with a Gaussian error e of up to 8 quantities
    /// z = h(x) + e was measured, and the errors e_a / s_a are independent with Student's
    /// distribution of some degrees of freedom
    student,
    likelihood,  ///< L(x) = h(x)
    /// Nothing was seen, where h(x) is the probability of a detection: L(x) = 1 - h(x)
    missed,
  };
  Kind kind = Kind::gaussian;
  expression::Program h;       ///< functions of the grid's coordinates and then the time
  std::vector<double> values;  ///< z: what was measured
  linalg::Matrix covariance;   ///< of e (of Student's errors without a variance, s_a^2)
  /// Periods of quantities that are angles, 0 for others; empty: none is. Residuals then lie within
  /// half a period
  std::vector<double> period;
  std::vector<double> scale;  ///< s, of Student's errors
  double degrees = 0;         ///< of freedom, of Student's errors
  std::string description;    ///< for messages: "range = 1.2, variance 0.1"
  std::string place;          ///< for messages: "input.yaml:12:3", or empty

  Observation() = default;

  /// An observation of functions of the state that compile_functions (equations.hpp) has made from
  /// text, with the covariance of their errors:
  ///
  ///     Observation(compile_functions(names, {"1 - cos(angle)"}), {0.045}, {{1e-6}})
  Observation(expression::Program functions, std::vector<double> values_,
              linalg::Matrix covariance_, std::vector<double> period_ = {})
      : h(std::move(functions)),
        values(std::move(values_)),
        covariance(std::move(covariance_)),
        period(std::move(period_)) {
    for (const double value : values)
      description += (description.empty() ? "values " : ", ") + std::to_string(value);
  }

  /// Observes one coordinate, numbered from 0.
  Observation(int axis, double value, double variance)
      : values{value},
        covariance{{variance}},
        description("variable " + std::to_string(axis + 1) + " = " + std::to_string(value)) {
    expression::Instruction copy;
    copy.a = copy.b = static_cast<std::uint8_t>(axis);
    h.code = {copy};
    h.begin = {0, 1};
  }

  /// Observes functions of the state with errors of Student's distribution: these have heavy tails,
  /// for sensors that are at times far off.
  static Observation student(expression::Program functions, std::vector<double> values,
                             std::vector<double> scale, double degrees,
                             std::vector<double> period = {}) {
    linalg::Matrix covariance(scale.size(), std::vector<double>(scale.size(), 0.0));
    for (std::size_t a = 0; a < scale.size(); ++a) {
      covariance[a][a] = scale[a] * scale[a] * (degrees > 2 ? degrees / (degrees - 2) : 1);
    }
    Observation observation(std::move(functions), std::move(values), std::move(covariance),
                            std::move(period));
    observation.kind = Kind::student;
    observation.scale = std::move(scale);
    observation.degrees = degrees;
    return observation;
  }

  /// Observes by any likelihood that is finite and not negative.
  static Observation likelihood(expression::Program function) {
    Observation observation;
    observation.kind = Kind::likelihood;
    observation.h = std::move(function);
    observation.description = "a likelihood";
    return observation;
  }

  /// An observation of a detection that did not happen, where it would have had this probability.
  static Observation missed(expression::Program probability) {
    Observation observation = likelihood(std::move(probability));
    observation.kind = Kind::missed;
    observation.description = "a missed detection";
    return observation;
  }

  /// Returns whether quantities were measured; otherwise h is the likelihood's one function.
  bool has_values() const { return kind == Kind::gaussian || kind == Kind::student; }
};

}  // namespace tessera::gbees
