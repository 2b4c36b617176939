// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

/// Temperature and couplings of the model from the correlations of neighbouring samples. Host
/// functions.

namespace tessera::mpr {

/// Specific energy e(T) = <H> / N_GP of the unconditional model with equal couplings of next
/// neighbours on a rectangle with open boundaries: `sites` sites and `pairs` neighbouring pairs.
///
/// Up to T = 0.05 the spin-wave law -1 + T (sites - 1) / (2 pairs), exact at low T; above, a
/// monotone cubic through values simulated on 128 x 128 sites (inputs/mpr/specific_energy.yaml)
/// with a correction for the boundary. Error below 8e-4 for L >= 32 and 0 < T <= 20; T -> infinity:
/// -4 / pi^2.
double specific_energy(double temperature, double sites, double pairs);

/// The temperature at which specific_energy is `energy`; infinity for energies at or above -4 /
/// pi^2, never below 1e-9.
double temperature_at_energy(double energy, double sites, double pairs);

/// Means of cos(theta_i - theta_j) over pairs of samples, and the numbers of pairs.
struct PairMeans {
  std::array<double, 3> nearest{1, 1, 1};   ///< along x, y, z
  std::array<double, 3> second{1, 1, 1};    ///< two apart along x, y, z
  std::array<double, 3> diagonal{1, 1, 1};  ///< in the planes xy, xz, yz
  std::array<double, 3> nearest_count{}, second_count{}, diagonal_count{};
};

/// The couplings along the axes, of mean 1, at which the harmonic model gives each axis its mean
/// square difference: A_a E_a / T is the share of axis a in the energy, average over wave numbers
/// of A_a (1 - cos k_a) / sum_b A_b (1 - cos k_b). An axis without sample pairs gets the mean of
/// the others.
std::array<double, 3> axis_couplings(const PairMeans& means, int dimension);

/// The temperature by equipartition: half of it is the energy of a site, sum over pairs of w_ij (1
/// - cos), with the weights of couplings.hpp. Not below 1e-9.
double equipartition_temperature(const PairMeans& means, const std::array<double, 3>& axis,
                                 double beta, int dimension);

}  // namespace tessera::mpr
