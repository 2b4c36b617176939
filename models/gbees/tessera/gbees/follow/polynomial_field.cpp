// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/follow/polynomial_field.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"

namespace tessera::gbees {

namespace {

using expression::Graph;
using expression::NodeId;
using expression::Op;

constexpr int kDegree = 4;
constexpr std::size_t kMostTerms = 220;

}  // namespace

PolynomialField::PolynomialField(std::size_t variables, int degree)
    : m_variables(variables), m_monomials{{}} {
  std::vector<std::pair<std::size_t, std::size_t>> last{{0, 0}};  // and a variable to begin with
  for (int d = 0; d < degree; ++d) {
    std::vector<std::pair<std::size_t, std::size_t>> next;
    for (const auto& [of, first] : last) {
      for (std::size_t v = first; v < variables; ++v) {
        next.emplace_back(m_monomials.size(), v);
        m_monomials.push_back({of, v});
      }
    }
    last = std::move(next);
  }
}

std::size_t PolynomialField::places_needed(std::size_t variables) {
  constexpr std::size_t kOfTerm = 3;
  int degree = kDegree;
  while (PolynomialField(variables, degree).m_monomials.size() > kMostTerms) --degree;
  return kOfTerm * PolynomialField(variables, degree).m_monomials.size();
}

std::vector<double> PolynomialField::terms(const std::vector<double>& y) const {
  std::vector<double> values{1};
  for (std::size_t k = 1; k < m_monomials.size(); ++k)
    values.push_back(values[m_monomials[k].of] * y[m_monomials[k].variable]);
  return values;
}

std::vector<double> PolynomialField::operator()(const std::vector<double>& y) const {
  const std::vector<double> values = terms(y);
  std::vector<double> sums(m_variables, 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    for (std::size_t a = 0; a < m_variables; ++a) sums[a] += m_coefficients[k][a] * values[k];
  }
  return sums;
}

/// The derivative of the field along a step.
std::vector<double> PolynomialField::slope_along(const std::vector<double>& y,
                                                 const std::vector<double>& step) const {
  const std::vector<double> values = terms(y);
  std::vector<double> slopes{0}, sums(m_variables, 0.0);
  for (std::size_t k = 1; k < m_monomials.size(); ++k) {
    const auto [of, v] = m_monomials[k];
    slopes.push_back(slopes[of] * y[v] + values[of] * step[v]);
    for (std::size_t a = 0; a < m_variables; ++a) sums[a] += m_coefficients[k][a] * slopes[k];
  }
  return sums;
}

/// Finds the coefficients with the least sum of squared differences from values at places.
void PolynomialField::fit(const Places& places, const Places& values) {
  const std::size_t size = m_monomials.size();
  linalg::Matrix normal(size, std::vector<double>(size, 0.0));
  linalg::Matrix right(size, std::vector<double>(m_variables, 0.0));
  for (std::size_t p = 0; p < places.size(); ++p) {
    const std::vector<double> row = terms(places[p]);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) normal[i][j] += row[i] * row[j];
      for (std::size_t a = 0; a < m_variables; ++a) right[i][a] += row[i] * values[p][a];
    }
  }
  m_coefficients = linalg::product(linalg::inverse_positive_definite(normal), right);
}

/// Returns where the field leads in a time of one, by Runge-Kutta steps of fourth order.
std::vector<double> PolynomialField::carried(std::vector<double> y) const {
  constexpr int kSteps = 4;
  constexpr double h = 1.0 / kSteps;
  const auto moved = [&](const std::vector<double>& rate, double by) {
    std::vector<double> there = y;
    for (std::size_t a = 0; a < y.size(); ++a) there[a] += by * rate[a];
    return there;
  };
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<double> k1 = (*this)(y), k2 = (*this)(moved(k1, h / 2)),
                              k3 = (*this)(moved(k2, h / 2)), k4 = (*this)(moved(k3, h));
    for (std::size_t a = 0; a < y.size(); ++a)
      y[a] += h / 6 * (k1[a] + 2 * k2[a] + 2 * k3[a] + k4[a]);
  }
  return y;
}

std::optional<PolynomialField> PolynomialField::of_map(const Places& places, const Places& images,
                                                       const Places& tests,
                                                       const Places& test_images, double fault) {
  const std::size_t n = places[0].size();
  Places moved = images;
  for (std::size_t p = 0; p < moved.size(); ++p) {
    for (std::size_t a = 0; a < n; ++a) moved[p][a] -= places[p][a];
  }
  for (int degree = 3; degree <= kDegree; ++degree) {
    PolynomialField field(n, degree);
    if (field.m_monomials.size() > kMostTerms) return std::nullopt;
    try {
      field.fit(places, moved);
      Places logarithm = moved;
      for (std::size_t p = 0; p < moved.size(); ++p) {
        const std::vector<double> slope = field.slope_along(places[p], field(places[p]));
        for (std::size_t a = 0; a < n; ++a) logarithm[p][a] -= 0.5 * slope[a];
      }
      field.fit(places, logarithm);
    } catch (const Error&) {  // of numbers that are none
      return std::nullopt;
    }
    double most = 0;
    for (std::size_t p = 0; p < tests.size(); ++p) {
      const std::vector<double> there = field.carried(tests[p]);
      for (std::size_t a = 0; a < n; ++a) {
        const double off = std::fabs(there[a] - test_images[p][a]);
        most = off <= most ? most : off;
      }
    }
    if (most < fault) return field;
  }
  return std::nullopt;
}

/// Horner's form: higher monomials are added before those that they are made of.
std::vector<NodeId> PolynomialField::nodes(Graph& graph, double factor) const {
  std::vector<NodeId> components;
  for (std::size_t a = 0; a < m_variables; ++a) {
    std::vector<NodeId> sums;
    for (const std::vector<double>& row : m_coefficients)
      sums.push_back(graph.constant(factor * row[a]));
    for (std::size_t k = m_monomials.size() - 1; k > 0; --k) {
      const auto [of, variable] = m_monomials[k];
      const NodeId part =
          graph.binary(Op::multiply, graph.input(static_cast<int>(variable)), sums[k]);
      sums[of] = graph.binary(Op::add, part, sums[of]);
    }
    components.push_back(sums[0]);
  }
  return components;
}

Places normal_places(std::size_t variables, std::size_t count, double deviation, unsigned seed) {
  constexpr double kTurn = 6.283185307179586476925;
  std::mt19937_64 generator(seed);
  const auto uniform = [&] { return (static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53; };
  Places places(count, std::vector<double>(variables));
  for (std::vector<double>& place : places) {
    for (double& entry : place) {
      const double radius = std::sqrt(-2 * std::log(uniform()));
      entry = deviation * radius * std::cos(kTurn * uniform());
    }
  }
  return places;
}

}  // namespace tessera::gbees
