// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/gbees/dynamics/equinoctial.hpp"
#include "tessera/gbees/dynamics/polar.hpp"

namespace tessera::gbees {

/// Coordinates in which an orbit nearly rests, chosen at run time: those of equinoctial.hpp for a
/// state of six variables, and of polar.hpp for a planar one of four. A state is Cartesian,
/// positions and then velocities; units are those of the run, angles are in radians.
class OrbitCoordinates {
 public:
  enum class Kind { equinoctial, polar };

  /// Throws Error (input) where equinoctial elements have no field, mu = 0.
  OrbitCoordinates(Kind kind, const CentralField& field);

  /// Returns the names, dimensions and meanings of the variables.
  const std::vector<VariableMeaning>& variables() const;

  /// Returns which variable is an angle that grows without bound.
  std::size_t angle() const { return m_kind == Kind::polar ? 1 : 5; }

  /// Returns the same dynamics in these coordinates. Throws EquationError.
  EquationText equations(const EquationText& text) const;

  /// Says why these coordinates do not suit a state, and which do; empty: they suit.
  std::string problem(const double* state) const;

  /// Returns the coordinates of a state, with the turn of the angle that is nearest to `angle`.
  /// Throws Error (numerical) where there are none.
  std::vector<double> coordinates(const double* state, double angle = 0) const;

  /// Returns the state at these coordinates. Throws Error (numerical) where there is none.
  std::vector<double> state(const double* coordinates) const;

  /// Returns the logarithm of |d(coordinates)/d(state)|: a density of states is that of coordinates
  /// times the determinant.
  double log_jacobian(const double* coordinates) const;

 private:
  Kind m_kind;
  CentralField m_field;
};

}  // namespace tessera::gbees
