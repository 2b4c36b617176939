// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/orbit_density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/dynamics/state_jacobian.hpp"

namespace tessera::gbees {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// The points and weights of the spherical-radial cubature rule of fifth degree for the standard
/// normal distribution in n dimensions (Stroud, Approximate Calculation of Multiple Integrals,
/// 1971, E_n^{r^2} 5-2), calls `visit(weight, point)` for each.
template <class Visit>
void visit_cubature(std::size_t n, const Visit& visit) {
  const double count = static_cast<double>(n), square = (count + 2) * (count + 2);
  const double far = std::sqrt(count + 2), near = far / std::sqrt(2.0);
  std::vector<double> point(n, 0.0);
  visit(2 / (count + 2), point);
  for (std::size_t i = 0; i < n; ++i) {
    for (const double sign : {1.0, -1.0}) {
      point[i] = sign * far;
      visit((4 - count) / (2 * square), point);
      point[i] = sign * near;
      for (std::size_t j = 0; j < i; ++j) {
        for (const double other : {near, -near}) {
          point[j] = other;
          visit(1 / square, point);
        }
        point[j] = 0;
      }
    }
    point[i] = 0;
  }
}

/// The largest of the differences of second order along the principal axes of the covariance, in
/// standard deviations of the coordinates.
double find_bend(const OrbitCoordinates& coordinates, const GaussianTerm& of_state,
                 const GaussianTerm& linear, double angle) {
  const std::size_t n = of_state.mean.size();
  const linalg::Matrix root = linalg::semidefinite_root(of_state.covariance);
  const linalg::Matrix whitening = linalg::inverse(linalg::scaled_root(linear.covariance));
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> up = of_state.mean, down = up;
    for (std::size_t i = 0; i < n; ++i) {
      up[i] += root[i][k];
      down[i] -= root[i][k];
    }
    up = coordinates.coordinates(up.data(), angle);
    down = coordinates.coordinates(down.data(), angle);
    double square = 0;
    for (const std::vector<double>& row : whitening) {
      double entry = 0;
      for (std::size_t i = 0; i < n; ++i)
        entry += row[i] * (0.5 * (up[i] + down[i]) - linear.mean[i]);
      square += entry * entry;
    }
    largest = std::max(largest, std::sqrt(square));
  }
  return largest;
}

}  // namespace

LinearTerm linearise(const OrbitCoordinates& coordinates, const GaussianTerm& term, double angle) {
  constexpr double kShare = 1e-4;
  const std::string problem = coordinates.problem(term.mean.data());
  if (!problem.empty()) throw Error(ErrorKind::input, problem + " (model.coordinates)");
  LinearTerm linear{{term.weight, coordinates.coordinates(term.mean.data(), angle), {}}};
  const linalg::Matrix jacobian =
      state_jacobian(term.mean, kShare, [&](const std::vector<double>& state) {
        return coordinates.coordinates(state.data(), angle);
      });
  linear.term.covariance = linalg::congruence(jacobian, term.covariance);
  linear.bend = find_bend(coordinates, term, linear.term, angle);
  return linear;
}

OrbitDensity::OrbitDensity(const OrbitCoordinates& coordinates, std::vector<GaussianTerm> terms)
    : m_coordinates(coordinates), m_terms(std::move(terms)) {
  const std::size_t n = m_terms.front().mean.size();
  double total = 0;
  std::vector<double> mean(n, 0.0);
  for (const GaussianTerm& term : m_terms) total += term.weight;
  for (GaussianTerm& term : m_terms) {
    term.weight /= total;
    for (std::size_t i = 0; i < n; ++i) mean[i] += term.weight * term.mean[i];
    const std::string problem = m_coordinates.problem(term.mean.data());
    if (!problem.empty()) throw Error(ErrorKind::input, problem + " (model.coordinates)");
    double log_determinant = 0;
    m_precision.push_back(linalg::inverse_positive_definite(term.covariance, &log_determinant));
    m_log_peak.push_back(std::log(term.weight) -
                         0.5 * (static_cast<double>(n) * std::log(2 * kPi) + log_determinant));
  }
  try {
    m_angle = m_coordinates.coordinates(mean.data())[m_coordinates.angle()];
    for (const GaussianTerm& term : m_terms)
      m_centres.push_back(OrbitDensity::coordinates(term.mean.data()));
    find_moments();
  } catch (const Error& error) {
    throw Error(ErrorKind::input,
                "the initial density reaches states without these coordinates: take others "
                "(model.coordinates), or a narrower density; " +
                    std::string(error.what()));
  }
}

void OrbitDensity::find_moments() {
  const std::size_t n = m_terms.front().mean.size();
  std::vector<std::vector<double>> means;
  m_mean.assign(n, 0.0);
  for (const GaussianTerm& term : m_terms) {
    means.emplace_back(n, 0.0);
    m_covariances.push_back(covariance_of(term, means.back()));
    for (std::size_t i = 0; i < n; ++i) m_mean[i] += term.weight * means.back()[i];
  }
  m_covariance.assign(n, std::vector<double>(n, 0.0));
  for (std::size_t k = 0; k < m_terms.size(); ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        m_covariance[i][j] +=
            m_terms[k].weight *
            (m_covariances[k][i][j] + (means[k][i] - m_mean[i]) * (means[k][j] - m_mean[j]));
      }
    }
  }
}

/// The covariance of the coordinates of one Gaussian, and their mean.
linalg::Matrix OrbitDensity::covariance_of(const GaussianTerm& term,
                                           std::vector<double>& mean) const {
  const std::size_t n = mean.size();
  std::vector<double> weights;
  std::vector<std::vector<double>> points;
  const linalg::Matrix root = linalg::cholesky_factor(term.covariance);
  visit_cubature(n, [&](double weight, const std::vector<double>& z) {
    std::vector<double> x = term.mean;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) x[i] += root[i][j] * z[j];
    }
    weights.push_back(weight);
    points.push_back(coordinates(x.data()));
    for (std::size_t i = 0; i < n; ++i) mean[i] += weight * points.back()[i];
  });
  linalg::Matrix covariance(n, std::vector<double>(n, 0.0));
  for (std::size_t k = 0; k < points.size(); ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j)
        covariance[i][j] += weights[k] * (points[k][i] - mean[i]) * (points[k][j] - mean[j]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) covariance[j][i] = covariance[i][j];
  }
  linalg::cholesky_factor(covariance);  // throws unless it is one
  return covariance;
}

double OrbitDensity::log_density(const double* q) const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  if (!(std::fabs(q[m_coordinates.angle()] - m_angle) <= kPi)) return kNone;
  std::vector<double> x;
  double log_volume = 0;
  try {
    x = m_coordinates.state(q);
    log_volume = m_coordinates.log_jacobian(q);
  } catch (const Error&) {
    return kNone;
  }
  std::vector<double> distance(x.size());
  double largest = kNone, sum = 0;
  for (std::size_t k = 0; k < m_terms.size(); ++k) {
    for (std::size_t i = 0; i < x.size(); ++i) distance[i] = x[i] - m_terms[k].mean[i];
    double form = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double row = 0;
      for (std::size_t j = 0; j < x.size(); ++j) row += m_precision[k][i][j] * distance[j];
      form += row * distance[i];
    }
    const double logarithm = m_log_peak[k] - 0.5 * form;
    if (!(logarithm > largest)) {
      sum += std::exp(logarithm - largest);
    } else {
      sum = 1 + (sum > 0 ? sum * std::exp(largest - logarithm) : 0);
      largest = logarithm;
    }
  }
  return largest + std::log(sum) - log_volume;
}

}  // namespace tessera::gbees
