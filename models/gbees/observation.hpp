// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/core/expression/program.hpp"
#include "tessera/core/linalg/symmetric.hpp"

namespace tessera::gbees {

/// A measurement z = h(x) + e of up to 8 quantities at once, with a Gaussian error e.
struct Observation {
  expression::Program h;       ///< the quantities, functions of the grid's coordinates and then the time
  std::vector<double> values;  ///< z: what was measured
  linalg::Matrix covariance;   ///< of e
  std::vector<double> period;  ///< of quantities that are angles, 0 for others; empty: none is. Residuals then lie within half a period
  std::string description;     ///< for messages: "range = 1.2, variance 0.1"

  Observation() = default;

  /// Of functions of the state that compile_functions (equations.hpp) has made from text, with the covariance of their errors:
  ///
  ///     Observation(compile_functions(names, {"1 - cos(angle)"}), {0.045}, {{1e-6}})
  Observation(expression::Program functions, std::vector<double> values_, linalg::Matrix covariance_, std::vector<double> period_ = {})
      : h(std::move(functions)), values(std::move(values_)), covariance(std::move(covariance_)), period(std::move(period_)) {
    for (const double value : values) description += (description.empty() ? "values " : ", ") + std::to_string(value);
  }

  /// Of one coordinate, numbered from 0.
  Observation(int axis, double value, double variance)
      : values{value}, covariance{{variance}}, description("variable " + std::to_string(axis + 1) + " = " + std::to_string(value)) {
    expression::Instruction copy;
    copy.a = copy.b = static_cast<std::uint8_t>(axis);
    copy.result = expression::kRegisters - 1;
    h.code = {copy};
    h.begin = {0, 1};
  }
};

}  // namespace tessera::gbees
