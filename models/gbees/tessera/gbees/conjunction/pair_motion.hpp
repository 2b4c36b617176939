// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/conjunction/pair_model.hpp"

/// The motion of a pair as a function of its twelve normal numbers, on the host, and the linear
/// algebra of what moves it.

namespace tessera::gbees::detail {

using Vector3 = std::array<double, 3>;
using Numbers = std::array<double, 12>;  ///< the normal numbers of a pair

Vector3 cross(const double* a, const double* b);
double dot(const Vector3& a, const Vector3& b);
double norm(const Vector3& a);
Vector3 scaled(const Vector3& a, double factor);

/// Two unit vectors across a direction.
std::array<Vector3, 2> vectors_across(const Vector3& direction);

double norm(const Numbers& z);

/// The relative motion at a time.
RelativePoint relative_motion(const PairModel& model, const Numbers& z, double time);

/// d(relative position)/d(z), 3 x 12, by central differences.
linalg::Matrix position_slopes(const PairModel& model, const Numbers& z, double time);

/// Returns the slopes along the two vectors of a plane, 2 x 12.
linalg::Matrix slopes_in(const std::array<Vector3, 2>& plane, const linalg::Matrix& slopes);

std::vector<double> times(const linalg::Matrix& matrix, const double* vector);

/// The shortest vector with slopes x = target; none where the rows are parallel.
std::optional<std::vector<double>> shortest_vector(const linalg::Matrix& slopes,
                                                   const std::vector<double>& target);

/// The same of twelve numbers.
std::optional<Numbers> shortest(const linalg::Matrix& slopes, const std::vector<double>& target);

/// Twelve orthonormal rows, of which the first two span the same as two given ones, and the third
/// with them a vector. None where the two are parallel.
linalg::Matrix orthonormal_rows(const linalg::Matrix& first, const Numbers& third);

}  // namespace tessera::gbees::detail
