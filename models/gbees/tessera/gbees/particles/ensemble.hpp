// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

#include "tessera/core/random.hpp"
#include "tessera/gbees/grid/observation.hpp"
#include "tessera/gbees/particles/particle_sums.hpp"

/// The updates of particles by measurements in a filter. They are compiled once for each execution
/// space and number of dimensions, in files of their own that are generated from
/// instantiate_ensemble.cpp.in.

namespace tessera::gbees::detail {

/// The particles of this rank and the logarithms of their weights, which need not be normalised.
template <class ExecSpace, int D>
struct Ensemble {
  using Points = Kokkos::View<double* [D], Kokkos::LayoutLeft, ExecSpace>;
  using Numbers = Kokkos::View<double*, ExecSpace>;
  ExecSpace exec;
  Points points;
  Numbers log_weight;
  ParticleDivision division;
};

// All ranks call these together. They keep the ensemble as it was when they throw.

/// Multiplies the weights by the likelihoods of observations, one after the other. Tells the
/// logarithm of the evidence of each: of the mean likelihood, weighted. Throws Error (numerical)
/// where no weight is left.
template <class ExecSpace, int D>
std::vector<double> weigh(Ensemble<ExecSpace, D>& ensemble,
                          const std::vector<Observation>& observations, double time);

/// 1 / sum of the squared normalised weights.
template <class ExecSpace, int D>
double effective_number(const Ensemble<ExecSpace, D>& ensemble);

/// Systematic resampling (Kitagawa, J. Comput. Graph. Stat. 5 (1996) 1): of N particles number j
/// becomes the one in which the cumulative weight passes (j + uniform) / N of the whole. Weights
/// are equal then. Cumulative weights are sums of integers, in units of 2^-62 of the whole: no
/// matter in which order.
template <class ExecSpace, int D>
void resample(Ensemble<ExecSpace, D>& ensemble, double uniform);

/// The update of the ensemble Kalman filter with perturbed measurements (Burgers, van Leeuwen,
/// Evensen, Mon. Wea. Rev. 126 (1998) 1719) by observations with Gaussian errors, one after the
/// other: each member x moves by K (z + e - h(x)), with the gain K from the members' covariances
/// (of N members, divided by N - 1) and e from random.bits(member, first_draw + 4 observation + 0,
/// 1, 2, 3). Tells the logarithm of the evidence of each, ln N(z; mean of h, Cov h + R).
template <class ExecSpace, int D>
std::vector<double> assimilate(Ensemble<ExecSpace, D>& ensemble,
                               const std::vector<Observation>& observations, double time,
                               const Philox& random, std::uint64_t first_draw);

}  // namespace tessera::gbees::detail
