// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/conjunction/pair_motion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"

namespace tessera::gbees::detail {

using linalg::Matrix;

Vector3 cross(const double* a, const double* b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double norm(const Vector3& a) { return std::sqrt(dot(a, a)); }

Vector3 scaled(const Vector3& a, double factor) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}

std::array<Vector3, 2> vectors_across(const Vector3& direction) {
  const Vector3 d = scaled(direction, 1 / norm(direction));
  std::size_t least = 0;
  for (std::size_t i = 1; i < 3; ++i) least = std::fabs(d[i]) < std::fabs(d[least]) ? i : least;
  Vector3 axis{};
  axis[least] = 1;
  const Vector3 first = cross(d.data(), axis.data());
  const Vector3 unit = scaled(first, 1 / norm(first));
  return {unit, cross(d.data(), unit.data())};
}

RelativePoint relative_motion(const PairModel& model, const Numbers& z, double time) {
  double elements[12];
  for (std::size_t i = 0; i < 12; ++i) {
    elements[i] = model.mean[i];
    for (std::size_t j = 0; j < 12; ++j) elements[i] += model.spread[i][j] * z[j];
  }
  return relative_point(TwoBodyOrbit(model.mu, elements), TwoBodyOrbit(model.mu, elements + 6),
                        time);
}

Matrix position_slopes(const PairModel& model, const Numbers& z, double time) {
  constexpr double kStep = 1e-2;
  Matrix slopes(3, std::vector<double>(12));
  for (std::size_t j = 0; j < 12; ++j) {
    Numbers up = z, down = z;
    up[j] += kStep;
    down[j] -= kStep;
    const RelativePoint a = relative_motion(model, up, time);
    const RelativePoint b = relative_motion(model, down, time);
    for (std::size_t i = 0; i < 3; ++i) slopes[i][j] = (a.r[i] - b.r[i]) / (2 * kStep);
  }
  return slopes;
}

std::vector<double> times(const Matrix& matrix, const double* vector) {
  std::vector<double> result;
  for (const std::vector<double>& row : matrix)
    result.push_back(std::inner_product(row.begin(), row.end(), vector, 0.0));
  return result;
}

std::optional<std::vector<double>> shortest_vector(const Matrix& slopes,
                                                   const std::vector<double>& target) {
  Matrix gram = linalg::product(slopes, linalg::transpose(slopes));
  try {
    gram = linalg::inverse(gram);
  } catch (const Error&) {  // singular to rounding
    return {};
  }
  const std::vector<double> weights = times(gram, target.data());
  return times(linalg::transpose(slopes), weights.data());
}

std::optional<Numbers> shortest(const Matrix& slopes, const std::vector<double>& target) {
  const auto z = shortest_vector(slopes, target);
  if (!z) return {};
  Numbers result{};
  std::copy(z->begin(), z->end(), result.begin());
  return result;
}

double norm(const Numbers& z) {
  return std::sqrt(std::inner_product(z.begin(), z.end(), z.begin(), 0.0));
}

Matrix slopes_in(const std::array<Vector3, 2>& plane, const Matrix& slopes) {
  Matrix across(2, std::vector<double>(12, 0.0));
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 12; ++j) across[k][j] += plane[k][i] * slopes[i][j];
    }
  }
  return across;
}

Matrix orthonormal_rows(const Matrix& first, const Numbers& third) {
  Matrix rows;
  const auto add = [&](std::vector<double> row) {
    const double before = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& other : rows) {
        const double along = std::inner_product(row.begin(), row.end(), other.begin(), 0.0);
        for (std::size_t i = 0; i < row.size(); ++i) row[i] -= along * other[i];
      }
    }
    const double size = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    if (!(size > 1e-7 * before)) return false;
    for (double& value : row) value /= size;
    rows.push_back(row);
    return true;
  };
  for (const std::vector<double>& row : first) {
    if (!add(row)) return {};
  }
  add({third.begin(), third.end()});  // unless it is in their plane
  // Axes fill the rest; those that are farthest from what there is come first.
  while (rows.size() < 12) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t axis = 0; axis < 12; ++axis) {
      double rest = 1;
      for (const std::vector<double>& row : rows) rest -= row[axis] * row[axis];
      if (rest > most) {
        most = rest;
        best = axis;
      }
    }
    std::vector<double> row(12, 0.0);
    row[best] = 1;
    if (!add(row)) return {};
  }
  return rows;
}

}  // namespace tessera::gbees::detail
