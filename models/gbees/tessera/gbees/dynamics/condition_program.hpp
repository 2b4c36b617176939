// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/gbees/dynamics/equations.hpp"

namespace tessera::gbees {

/// A condition of the state and the time, such as "x < 1 and y > 0", ready for kernels: a function
/// that is 0 or 1, and then its margin (tessera/core/expression/margin.hpp), unless that is too
/// long.
struct ConditionProgram {
  expression::Program program;
  /// Dependence on each coordinate of the grid, and then on the time
  std::vector<bool> depends;
};

/// Compiles a condition in the terms of the dynamics' variables, parameters and definitions; in a
/// frame that is turned, for its coordinates. Throws expression::ParseError when it is wrong or a
/// value rather than a condition.
ConditionProgram compile_condition(const EquationText& text, const std::string& condition,
                                   const Frame& frame = {});

}  // namespace tessera::gbees
