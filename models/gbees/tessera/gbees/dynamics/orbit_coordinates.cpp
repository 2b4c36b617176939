// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/dynamics/orbit_coordinates.hpp"

#include <algorithm>

#include "tessera/core/error.hpp"

namespace tessera::gbees {

namespace {

template <std::size_t N>
std::array<double, N> make_array(const double* values) {
  std::array<double, N> array{};
  std::copy(values, values + N, array.begin());
  return array;
}

template <std::size_t N>
std::vector<double> make_vector(const std::array<double, N>& array) {
  return {array.begin(), array.end()};
}

}  // namespace

OrbitCoordinates::OrbitCoordinates(Kind kind, const CentralField& field)
    : m_kind(kind), m_field(field) {
  if (kind == Kind::polar || field.mu > 0) return;
  throw Error(ErrorKind::input,
              "equinoctial elements need the gravitational parameter of the body at the origin: "
              "give a force of the kind 'two_body' with mu > 0, or take Cartesian coordinates");
}

const std::vector<VariableMeaning>& OrbitCoordinates::variables() const {
  return m_kind == Kind::polar ? polar_variables() : equinoctial_variables();
}

EquationText OrbitCoordinates::equations(const EquationText& text) const {
  return m_kind == Kind::polar ? polar_equations(text, m_field)
                               : equinoctial_equations(text, m_field);
}

std::string OrbitCoordinates::problem(const double* state) const {
  return m_kind == Kind::polar ? polar_problem(state) : equinoctial_problem(m_field, state);
}

std::vector<double> OrbitCoordinates::coordinates(const double* state, double angle) const {
  return m_kind == Kind::polar ? make_vector(polar_coordinates(state, angle))
                               : make_vector(equinoctial_elements(m_field, state, angle));
}

std::vector<double> OrbitCoordinates::state(const double* coordinates) const {
  return m_kind == Kind::polar
             ? make_vector(polar_state(make_array<4>(coordinates)))
             : make_vector(equinoctial_state(m_field, make_array<6>(coordinates)));
}

double OrbitCoordinates::log_jacobian(const double* coordinates) const {
  return m_kind == Kind::polar ? 0 : equinoctial_log_jacobian(m_field, make_array<6>(coordinates));
}

}  // namespace tessera::gbees
