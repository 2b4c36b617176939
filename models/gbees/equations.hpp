// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/config/section.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/expression/parse.hpp"
#include "tessera/core/expression/program.hpp"
#include "tessera/gbees/dynamics.hpp"

namespace tessera::gbees {

/// Dynamics dx/dt = f(x, t) as text (core/expression/parse.hpp). `t` is the time.
struct EquationText {
  std::vector<std::string> variables;                            ///< 1 to 8 names
  std::vector<std::pair<std::string, double>> parameters;        ///< names of numbers
  std::vector<std::pair<std::string, std::string>> definitions;  ///< names of expressions, each of what stands before it
  std::vector<std::string> equations;                            ///< the rate of change of each variable
  std::string invariant;                                         ///< a quantity that the dynamics conserve, or empty
};

/// What is wrong with an EquationText, and where.
class EquationError : public Error {
 public:
  enum class Part { variables, parameters, definitions, equations, invariant };
  EquationError(Part part, std::size_t index, std::size_t offset, const std::string& what)
      : Error(ErrorKind::input, what), m_part(part), m_index(index), m_offset(offset) {}
  Part part() const { return m_part; }
  std::size_t index() const { return m_index; }    ///< of the variable, parameter, definition or equation
  std::size_t offset() const { return m_offset; }  ///< of the character in it

 private:
  Part m_part;
  std::size_t m_index, m_offset;
};

/// Where a grid lies: coordinates y along its axes stand for x = centre + axes * y. Without axes the grid is not turned and y is x itself.
struct Frame {
  std::vector<double> centre;
  config::Matrix axes;  ///< rows of the matrix R, whose columns are the directions of the grid's axes; orthogonal, or empty

  bool is_turned() const { return !axes.empty(); }

  /// The point x that y stands for.
  std::vector<double> position(const double* y) const;

  /// The coordinates y of a point x.
  std::vector<double> coordinates(const double* x) const;
};

/// Dynamics ready to run: the code of the components of f, and of the invariant.
struct EquationProgram {
  expression::Program program;
  int dimension = 0;
  bool time_varying = false;
  bool bounded = false;

  /// With code in memory that the kernels can read.
  template <int N>
  Equations<N> dynamics(const expression::Instruction* code) const {
    Equations<N> equations;
    equations.functions = program.functions<N + 1>(code);
    equations.time_varying = time_varying;
    equations.bounded = bounded;
    return equations;
  }
};

/// Dynamics of equations with their code in the memory of an execution space; `owner` keeps that alive.
template <class ExecSpace, int N>
struct LoadedEquations {
  Equations<N> dynamics;
  std::shared_ptr<const void> owner;

  explicit LoadedEquations(const EquationProgram& program) {
    const auto code = upload(ExecSpace(), "tessera::gbees::equations", program.program.code);
    owner = std::make_shared<const Kokkos::View<expression::Instruction*, ExecSpace>>(code);
    dynamics = program.dynamics<N>(code.data());
  }
};

/// Compiles the equations; in a frame that is turned, for its coordinates: dy/dt = R^T f(centre + R y, t). Throws EquationError.
EquationProgram compile(const EquationText& text, const Frame& frame = {});

/// Compiles functions of the state (and the time), such as measurements, in the terms of the same variables, parameters and definitions.
/// In a frame that is turned they take its coordinates. Throws expression::ParseError when one of them is wrong.
expression::Program compile_functions(const EquationText& text, const std::vector<std::string>& functions, const Frame& frame = {});

}  // namespace tessera::gbees
