// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tessera/core/expression/linearization.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/dynamics/equation_graph.hpp"
#include "tessera/gbees/dynamics/step_bounds.hpp"
#include "tessera/gbees/follow/flow_noise.hpp"
#include "tessera/gbees/follow/polynomial_field.hpp"

namespace tessera::gbees {

/// A frame that moves with the flow of dynamics: x = m(t) + A(t) y with dm/dt = f(m, t) and dA/dt =
/// J(m, t) A, where J is the Jacobian of f. Of the dynamics there is left in y what no linear map
/// can do: dy/dt = A^-1 (f(m + A y, t) - f(m, t) - J(m, t) A y), which is zero for linear systems.
///
/// Where the density moves by less than kMostMoved in y from the beginning to some time, however
/// far it goes to and fro meanwhile (the short-period terms of an orbit in elements), the flow ends
/// there at the latest, and its dynamics are a steady field that leads to the same places:
/// polynomials, fitted to trajectories. They are short and do not change, so steps are as long as
/// that little motion allows. This asks for dynamics that do not depend on the time, and for no
/// noise but that of the state behind the coordinates of an orbit.
///
/// m and A are integrated on the host by a Runge-Kutta method of order 8 with error control
/// (Fehlberg; Boost.Odeint), to 1e-12 of a standard deviation a step or to rounding. Between the
/// steps, tables interpolate them for kernels by polynomials of degree 7.
class Flow {
 public:
  /// Follows the flow from a frame at `begin` to `end`, at most for kMostRows steps or until noise
  /// has brought a variance of kMostNoise along some y, or, of dynamics that are not linear, the
  /// frame has become kFlattest times flatter than wide. Nothing between may be a jump of the
  /// dynamics. `pieces`: no step of the integration goes over the end of one, or is longer than one
  /// allows. Throws
  /// expression::NotDifferentiable, and Error (numerical) where the frame leaves the finite
  /// numbers.
  Flow(const EquationText& text, const Frame& frame, const FlowNoise& noise, double begin,
       double end, const std::vector<BoundedPiece>& pieces = {});

  static constexpr std::size_t kMostRows = 8192;
  static constexpr double kMostNoise = 0.1, kFlattest = 1e7;
  static constexpr double kMostMoved = 0.3;  ///< by a steady field, rms of the density, along an y

  double begin() const { return m_rows.front().time; }
  double end() const { return m_rows.back().time; }

  /// The times between the steps of the integration, which are as close as the flow varies.
  std::vector<double> times() const;

  /// The frame at a time within.
  Frame at(double t) const;

  /// The covariance in y that noise brings from the beginning to a time: the integral of A^-1 Q
  /// A^-T. Zero without noise.
  linalg::Matrix noise_until(double t) const;

  /// Whether the flow has ended since the frame is flat.
  bool is_flat() const { return m_is_flat; }

  /// Whether the dynamics of y are a steady field.
  bool is_steady() const { return m_steady.has_value(); }

  /// Whether the dynamics are linear in the state.
  bool is_linear() const { return m_is_linear; }

  /// Dynamics of y, whose tables reach from begin() to end(). Throws EquationError where an
  /// expression becomes too long, and Error (numerical) where A cannot be inverted.
  EquationProgram compile() const;

 private:
  using State = std::vector<double>;  // m, A and the noise's integral, row by row
  struct Row {
    double time;
    State state;
  };

  void rates(const State& state, State& rate, double t) const;
  State advanced(const Row& from, double to) const;
  State state_at(double t) const;
  linalg::Matrix axes_of(const State& state) const;
  void integrate(double end, const std::vector<BoundedPiece>& pieces);
  bool has_noise() const { return m_noise.is_any(); }
  double largest_noise(const State& state) const;
  bool is_flat(const State& state) const;
  std::size_t size_of_rests() const;
  std::vector<expression::NodeId> rests(expression::Graph& graph,
                                        const std::vector<expression::NodeId>& point,
                                        const std::vector<expression::NodeId>& step) const;
  std::vector<expression::NodeId> differences(expression::Graph& graph,
                                              const std::vector<expression::NodeId>& point,
                                              const std::vector<expression::NodeId>& step) const;
  double rounding_of_differences() const;
  void find_steady_field();
  std::vector<double> image(const std::vector<double>& place, double end, const State& to,
                            const linalg::Matrix& back) const;
  Places images(const Places& places, double end) const;
  linalg::Matrix linear_part(const Row& row) const;
  std::vector<Row> rows_for_linear_part() const;

  std::size_t m_dimension;
  EquationGraph m_equations;
  std::shared_ptr<const expression::TableSet> m_tables;
  std::unique_ptr<expression::Linearization> m_linearization;
  FlowNoise m_noise;
  std::vector<double> m_scale;     // of each variable: its standard deviation at the beginning
  double m_first = 0, m_last = 0;  // times that the dynamics are asked for lie between
  std::vector<Row> m_rows;
  std::optional<PolynomialField> m_steady;  // of a time of end() - begin()
  std::size_t m_size_of_rests = 0;
  bool m_is_linear = false, m_is_flat = false;
};

}  // namespace tessera::gbees
