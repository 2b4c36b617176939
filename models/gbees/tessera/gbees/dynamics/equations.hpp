// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/expression/loaded_program.hpp"
#include "tessera/core/expression/parse.hpp"
#include "tessera/core/expression/program.hpp"
#include "tessera/core/expression/switches.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/dynamics/dynamics.hpp"

namespace tessera::gbees {

/// Dynamics dx/dt = f(x, t) as text (tessera/core/expression/parse.hpp). `t` is the time.
struct EquationText {
  std::vector<std::string> variables;                      ///< 1 to 8 names
  std::vector<std::pair<std::string, double>> parameters;  ///< names of numbers
  /// Names of expressions, each of what stands before it
  std::vector<std::pair<std::string, std::string>> definitions;
  /// The rate of change of each variable
  std::vector<std::string> equations;
  /// A quantity that the dynamics conserve, or empty
  std::string invariant;
  std::shared_ptr<const expression::TableSet> tables = {};  ///< functions of the time
  /// Names of the functions of `tables`, by their numbers
  std::vector<std::pair<std::string, int>> table_names = {};
  /// Dimensions of names, `t` too, where they are known and to be checked
  expression::Dimensions dimensions = {};
  /// The spectral density Q of white noise that drives each variable, dx = f dt + Q^(1/2) dW in the
  /// sense of Ito, where it depends on the state or the time; or empty
  std::vector<std::string> noise = {};
};

/// A mistake in an EquationText, and its place.
class EquationError : public Error {
 public:
  enum class Part { variables, parameters, tables, definitions, equations, invariant, noise };
  EquationError(Part part, std::size_t index, std::size_t offset, const std::string& what)
      : Error(ErrorKind::input, what), m_part(part), m_index(index), m_offset(offset) {}
  Part part() const { return m_part; }
  /// Number of the variable, parameter, table, definition or equation
  std::size_t index() const { return m_index; }
  std::size_t offset() const { return m_offset; }  ///< of the character in it

 private:
  Part m_part;
  std::size_t m_index, m_offset;
};

/// The place and the orientation of a grid: coordinates y along its axes stand for x = centre +
/// axes * y. Without axes the grid is not turned and y is x itself.
struct Frame {
  std::vector<double> centre;
  /// Rows of the matrix A, whose columns are the grid's axes; or empty
  linalg::Matrix axes;
  /// Rows of its inverse; empty where the axes are orthogonal and of unit length
  linalg::Matrix inverse = {};

  /// A frame with any axes. It is degenerate where they are not independent to 1e-10, each variable
  /// in units of its spread.
  static Frame of_axes(std::vector<double> centre, linalg::Matrix axes);

  /// Whether y cannot be told from x: coordinates() and all that is along the axes are no numbers.
  bool is_degenerate() const;

  bool is_turned() const { return !axes.empty(); }

  /// The element of the inverse of A in row a, column i.
  double inverse_at(std::size_t a, std::size_t i) const {
    return inverse.empty() ? axes[i][a] : inverse[a][i];
  }

  /// The volume of x by that of y, as a logarithm: ln |det A|.
  double log_volume() const;

  /// The point x that y stands for.
  std::vector<double> position(const double* y) const;

  /// The coordinates y of a point x.
  std::vector<double> coordinates(const double* x) const;

  /// The covariance of y, as rows, where `covariance` is that of x.
  linalg::Matrix covariance_along_axes(const linalg::Matrix& covariance) const;

  /// The standard deviations along the axes, of a covariance of x, row by row.
  std::vector<double> deviations(const double* covariance) const;

  /// The covariance of x, row by row, where `covariance` is that of y.
  std::vector<double> covariance(const double* covariance) const;
};

/// The times for which equations are loaded.
enum class EquationTimes {
  any,       ///< each call may have another
  of_steps,  ///< those of take_time, which finds once what depends on the time alone
};

/// Dynamics ready to run: the code of the components of f, of the invariant and of the noise.
struct EquationProgram {
  expression::Program program;
  expression::TimedProgram timed;  ///< the same, for EquationTimes::of_steps
  int dimension = 0;
  bool time_varying = false;
  std::uint32_t varying = 0;  ///< bit i: component i, along axis i of the grid, does
  bool bounded = false;
  int first_noise = 0;                                       ///< Equations::first_noise
  std::shared_ptr<const expression::TimeSwitches> switches;  ///< of dynamics that vary in time

  /// Equations for any times, with code in memory that the kernels can read: on a host the
  /// program's own.
  template <int N>
  Equations<N> dynamics(const expression::Instruction* code) const {
    return dynamics<N>(program.functions<N + 1>(code), {});
  }

  template <int N>
  Equations<N> dynamics(const expression::Functions<N + 1>& functions,
                        const expression::Prologue& prologue) const {
    Equations<N> equations;
    equations.functions = functions;
    equations.prologue = prologue;
    equations.time_varying = time_varying;
    equations.varying = varying;
    equations.bounded = bounded;
    equations.first_noise = first_noise;
    return equations;
  }
};

/// Dynamics of equations with their code in the memory of an execution space; `owner` keeps that
/// alive. Those for a propagator are `of_steps`, and not shared with another.
template <class ExecSpace, int N>
struct LoadedEquations {
  Equations<N> dynamics;
  std::shared_ptr<const void> owner;

  explicit LoadedEquations(const EquationProgram& program,
                           EquationTimes times = EquationTimes::of_steps) {
    const char* const label = "tessera::gbees::equations";
    if (times == EquationTimes::of_steps) {
      const auto loaded = std::make_shared<const expression::LoadedTimedProgram<ExecSpace>>(
          ExecSpace(), label, program.timed);
      dynamics =
          program.dynamics<N>(loaded->template functions<N + 1>(program.timed), loaded->prologue());
      owner = loaded;
    } else {
      const auto loaded = std::make_shared<const expression::LoadedProgram<ExecSpace>>(
          ExecSpace(), label, program.program);
      dynamics = program.dynamics<N>(loaded->template functions<N + 1>(program.program), {});
      owner = loaded;
    }
  }
};

/// Compiles the equations; in a frame that is turned, for its coordinates: dy/dt = A^-1 f(centre +
/// A y, t). Throws EquationError, also where noise depends on the state and the axes of the frame
/// are not those of the variables.
EquationProgram compile(const EquationText& text, const Frame& frame = {});

/// Compiles functions of the state (and the time), such as measurements, in the terms of the same
/// variables, parameters and definitions. In a frame that is turned they take its coordinates.
/// `at`: the one time at which tables are wanted, as numbers; without it they are functions of the
/// time. Throws expression::ParseError when one of them is wrong.
expression::Program compile_functions(const EquationText& text,
                                      const std::vector<std::string>& functions,
                                      const Frame& frame = {}, std::optional<double> at = {});

/// Returns functions of the state and the time as those of a frame's coordinates and the time.
expression::Program along_axes(const expression::Program& functions, const Frame& frame);

}  // namespace tessera::gbees
