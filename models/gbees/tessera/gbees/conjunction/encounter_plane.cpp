// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/conjunction/encounter_plane.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::gbees {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// The probability of a < z < b for a standard normal z, with its digits in the tails.
double normal_between(double a, double b) {
  const double root = std::sqrt(0.5);
  if (a > 0) return 0.5 * (std::erfc(a * root) - std::erfc(b * root));
  if (b < 0) return 0.5 * (std::erfc(-b * root) - std::erfc(-a * root));
  return 1 - 0.5 * (std::erfc(-a * root) + std::erfc(b * root));
}

/// The probability of |z - middle| < half. A narrow interval is taken by the series about its
/// middle, since the error functions would cancel.
double normal_in(double middle, double half) {
  if (half > 1e-3) return normal_between(middle - half, middle + half);
  const double m2 = middle * middle, h2 = half * half;
  const double bend = (m2 - 1) * h2 / 6 + ((m2 - 6) * m2 + 3) * h2 * h2 / 120;
  return 2 * half * std::exp(-0.5 * m2) / std::sqrt(2 * kPi) * (1 + bend);
}

/// Gauss-Legendre's rule of ten points on an interval.
template <class F>
double gauss(const F& f, double low, double high) {
  constexpr std::array<double, 5> at{0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                     0.8650633666889845, 0.9739065285171717};
  constexpr std::array<double, 5> weight{0.2955242247147529, 0.2692667193099963, 0.2190863625159821,
                                         0.1494513491505806, 0.0666713443086881};
  const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
  double sum = 0;
  for (std::size_t i = 0; i < at.size(); ++i)
    sum += weight[i] * (f(middle - half * at[i]) + f(middle + half * at[i]));
  return half * sum;
}

}  // namespace

double disc_probability(const double* mean, const linalg::Matrix& covariance, double radius) {
  const linalg::Eigen eigen = linalg::eigen_decomposition(covariance);
  double along[2], deviation[2];
  for (std::size_t i = 0; i < 2; ++i) {
    along[i] = eigen.vectors[0][i] * mean[0] + eigen.vectors[1][i] * mean[1];
    deviation[i] = std::sqrt(std::max(eigen.values[i], 0.0));
  }
  if (!(deviation[1] > 0)) return std::hypot(mean[0], mean[1]) < radius ? 1 : 0;
  // x = radius sin(a) along the longer axis; the chord across has the half length radius cos(a).
  const auto chord = [&](double angle) {
    const double half = radius * std::cos(angle), x = radius * std::sin(angle);
    const double z = (x - along[1]) / deviation[1];
    const double across = deviation[0] > 0 ? normal_in(along[0] / deviation[0], half / deviation[0])
                                           : (std::fabs(along[0]) < half ? 1.0 : 0.0);
    return std::exp(-0.5 * z * z) / (deviation[1] * std::sqrt(2 * kPi)) * across * half;
  };
  // Only the part of the disc that is near the mean counts: beyond are less than 1e-340.
  constexpr double kFar = 40;
  const double low = std::max((along[1] - kFar * deviation[1]) / radius, -1.0),
               high = std::min((along[1] + kFar * deviation[1]) / radius, 1.0);
  if (!(low < high)) return 0;
  const double first = std::asin(low), last = std::asin(high);
  // Pieces in which the integrand changes by a few powers of e at most.
  double changes = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const double size = std::max(deviation[i], 1e-3 * radius);
    if (deviation[i] > 0) changes += radius / size * (2 + (std::fabs(along[i]) + radius) / size);
  }
  const int pieces = static_cast<int>(std::min(20000.0, 16 + 2 * changes));
  const double length = (last - first) / pieces;
  double sum = 0;
  for (int n = 0; n < pieces; ++n)
    sum += gauss(chord, first + n * length, first + (n + 1) * length);
  return sum;
}

}  // namespace tessera::gbees
