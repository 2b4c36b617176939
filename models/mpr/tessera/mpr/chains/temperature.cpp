// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/chains/temperature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/mpr/chains/specific_energy_table.hpp"
#include "tessera/mpr/lattice/rotator.hpp"

namespace tessera::mpr {

namespace {

constexpr double kUncorrelated = -4 / (kPi * kPi);  // of independent angles, uniform in [0, pi]
constexpr double kColdest = 1e-9;
constexpr double kSpinWave = 0.05;

double table_prefactor() { return (128.0 + 1) / (4 * 128.0); }

/// Piecewise cubic Hermite interpolation in log T with Fritsch-Carlson gradients: monotone where
/// the values are.
double interpolated(double temperature) {
  constexpr int n = detail::kTableSize;
  const double x = std::log(temperature);
  // proportional to 1 / T from the last value to the limit
  if (temperature >= detail::kTemperature[n - 1]) {
    return kUncorrelated + (detail::kSpecificEnergy[n - 1] - kUncorrelated) *
                               detail::kTemperature[n - 1] / temperature;
  }
  const auto at = [](int i) { return std::log(detail::kTemperature[i]); };
  int i = 0;
  while (i + 2 < n && temperature > detail::kTemperature[i + 1]) ++i;
  const auto secant = [&](int k) {
    return (detail::kSpecificEnergy[k + 1] - detail::kSpecificEnergy[k]) / (at(k + 1) - at(k));
  };
  const auto gradient = [&](int k) {
    if (k == 0) return secant(0);
    if (k == n - 1) return secant(n - 2);
    const double left = secant(k - 1), right = secant(k);
    return left * right <= 0 ? 0.0 : 2 * left * right / (left + right);
  };
  const double h = at(i + 1) - at(i), t = (x - at(i)) / h;
  const double a = detail::kSpecificEnergy[i], b = detail::kSpecificEnergy[i + 1];
  return a + (b - a) * t * t * (3 - 2 * t) +
         h * t * (1 - t) * (gradient(i) * (1 - t) - gradient(i + 1) * t);
}

/// The share of each axis in the energy of the harmonic model, from a midpoint rule over wave
/// numbers.
std::array<double, 3> shares(const std::array<double, 3>& axis, int dimension) {
  const int n = dimension == 3 ? 40 : 400;
  std::array<double, 3> sum{};
  for (int k = 0; k < (dimension == 3 ? n : 1); ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const std::array<double, 3> energy{
            axis[0] * (1 - std::cos(kPi * (i + 0.5) / n)),
            axis[1] * (1 - std::cos(kPi * (j + 0.5) / n)),
            dimension == 3 ? axis[2] * (1 - std::cos(kPi * (k + 0.5) / n)) : 0.0};
        const double total = energy[0] + energy[1] + energy[2];
        for (int a = 0; a < 3; ++a) sum[a] += energy[a] / total;
      }
    }
  }
  const double points = std::pow(static_cast<double>(n), dimension);
  for (double& s : sum) s /= points;
  return sum;
}

}  // namespace

double specific_energy(double temperature, double sites, double pairs) {
  const double prefactor = (sites - 1) / (2 * pairs);
  if (temperature <= kSpinWave) return -1 + temperature * prefactor;
  return interpolated(temperature) +
         (prefactor - table_prefactor()) * temperature * std::exp(-temperature);
}

double temperature_at_energy(double energy, double sites, double pairs) {
  if (energy >= kUncorrelated) return std::numeric_limits<double>::infinity();
  double low = kColdest, high = 1e6;
  if (specific_energy(low, sites, pairs) >= energy) return low;
  for (int step = 0; step < 200 && high > low * (1 + 1e-14); ++step) {
    const double middle = std::sqrt(low * high);
    (specific_energy(middle, sites, pairs) < energy ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

std::array<double, 3> axis_couplings(const PairMeans& means, int dimension) {
  std::array<double, 3> spread{}, axis{1, 1, 1};
  double sum = 0;
  int known = 0;
  for (int a = 0; a < dimension; ++a) {
    if (means.nearest_count[a] == 0) continue;
    spread[a] = std::max(1 - means.nearest[a], 1e-14);
    sum += spread[a];
    ++known;
  }
  if (known == 0) return axis;
  for (int a = 0; a < dimension; ++a) {
    if (means.nearest_count[a] == 0) spread[a] = sum / known;
  }
  for (int step = 0; step < 60; ++step) {
    const std::array<double, 3> share = shares(axis, dimension);
    double mean = 0, change = 0;
    std::array<double, 3> next{};
    for (int a = 0; a < dimension; ++a) {
      next[a] = share[a] / spread[a];
      mean += next[a] / dimension;
    }
    for (int a = 0; a < dimension; ++a) {
      // the plain iteration overshoots where axes differ much
      next[a] = std::sqrt(axis[a] * next[a] / mean);
      change = std::max(change, std::fabs(next[a] / axis[a] - 1));
    }
    double scale = 0;
    for (int a = 0; a < dimension; ++a) scale += next[a] / dimension;
    for (int a = 0; a < dimension; ++a) axis[a] = next[a] / scale;
    if (change < 1e-6) break;
  }
  return axis;
}

double equipartition_temperature(const PairMeans& means, const std::array<double, 3>& axis,
                                 double beta, int dimension) {
  double degree = 0, energy = 0;
  for (int a = 0; a < dimension; ++a) degree += 2 * axis[a];
  int plane = 0;
  for (int a = 0; a < dimension; ++a) {
    energy += axis[a] * (1 + 2 * beta * degree) * (1 - means.nearest[a]);
    energy -= beta * axis[a] * axis[a] * (1 - means.second[a]);
    for (int b = a + 1; b < dimension; ++b)
      energy -= 4 * beta * axis[a] * axis[b] * (1 - means.diagonal[plane++]);
  }
  return std::max(2 * energy, kColdest);
}

}  // namespace tessera::mpr
