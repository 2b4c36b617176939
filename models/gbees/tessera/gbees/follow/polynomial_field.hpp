// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tessera/core/expression/graph.hpp"
#include "tessera/core/linalg/symmetric.hpp"

namespace tessera::gbees {

/// Points, each a list of coordinates.
using Places = std::vector<std::vector<double>>;

/// Polynomials of some variables, one for each component of a field of velocities.
class PolynomialField {
 public:
  /// The field that leads places to their images in a time of one, within `fault` of `test_images`
  /// from the `tests`; nothing where no polynomial of few terms does. Images must be near: the
  /// logarithm of the map is taken to second order.
  static std::optional<PolynomialField> of_map(const Places& places, const Places& images,
                                               const Places& tests, const Places& test_images,
                                               double fault);

  /// How many places a fit needs.
  static std::size_t places_needed(std::size_t variables);

  /// The polynomials as nodes, times a factor, of the first inputs of a graph.
  std::vector<expression::NodeId> nodes(expression::Graph& graph, double factor) const;

  std::vector<double> operator()(const std::vector<double>& y) const;

 private:
  /// A monomial: an earlier one times a variable. The first is one.
  struct Monomial {
    std::size_t of = 0, variable = 0;
  };

  PolynomialField(std::size_t variables, int degree);
  void fit(const Places& places, const Places& values);
  std::vector<double> terms(const std::vector<double>& y) const;
  std::vector<double> slope_along(const std::vector<double>& y,
                                  const std::vector<double>& step) const;
  std::vector<double> carried(std::vector<double> y) const;

  std::size_t m_variables;
  std::vector<Monomial> m_monomials;
  linalg::Matrix m_coefficients;  // a row for each monomial, a column for each component
};

/// Places of a Gaussian of mean 0 and this deviation, always the same.
Places normal_places(std::size_t variables, std::size_t count, double deviation, unsigned seed);

}  // namespace tessera::gbees
