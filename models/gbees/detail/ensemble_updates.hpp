// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gbees/detail/ensemble.hpp"
#include "tessera/gbees/detail/ensemble_kernels.hpp"
#include "tessera/gbees/kalman.hpp"

namespace tessera::gbees::detail {

template <class ExecSpace>
Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>> each_particle(const ExecSpace& exec, std::size_t count) {
  return {exec, 0, static_cast<std::uint32_t>(count)};
}

/// Of weights, in units of the largest.
struct WeightSums {
  double log_largest = 0, total = 0, squares = 0;
};

template <class ExecSpace, class Numbers>
WeightSums sum_weights(const ExecSpace& exec, const Numbers& log_weight) {
  WeightSums sums;
  Kokkos::parallel_reduce("tessera::gbees::largest_weight", each_particle(exec, log_weight.extent(0)), LargestWeight<Numbers>{log_weight},
                          Kokkos::Max<double>(sums.log_largest));
  if (!std::isfinite(sums.log_largest)) return sums;  // none is left
  const auto found =
      sum_over_particles(exec, static_cast<std::uint32_t>(log_weight.extent(0)), SumSquaredWeights<Numbers>{log_weight, sums.log_largest});
  sums.total = found[0];
  sums.squares = found[1];
  return sums;
}

template <class ExecSpace, int D>
std::vector<double> weigh(Ensemble<ExecSpace, D>& ensemble, const std::vector<Observation>& observations, double time) {
  using Points = typename Ensemble<ExecSpace, D>::Points;
  using Numbers = typename Ensemble<ExecSpace, D>::Numbers;
  const ExecSpace& exec = ensemble.exec;
  const std::size_t count = ensemble.points.extent(0);
  const auto weight = allocate<Numbers>(exec, "tessera::gbees::log_weight", count);
  copy(exec, weight.data(), ensemble.log_weight.data(), count);
  const auto logarithm = [](const WeightSums& sums) { return sums.log_largest + std::log(sums.total); };
  double before = logarithm(sum_weights(exec, weight));
  std::vector<double> log_evidence;
  for (const Observation& observation : observations) {
    const LikelihoodData<D, ExecSpace> data(observation);
    Kokkos::parallel_for("tessera::gbees::weigh_particles", each_particle(exec, count),
                         WeighParticles<D, Points, Numbers>{data.likelihood, ensemble.points, weight, time});
    const WeightSums sums = sum_weights(exec, weight);
    if (!(sums.total > 0)) {
      throw Error(ErrorKind::numerical,
                  (observation.place.empty() ? "" : observation.place + ": ") + "the measurement (" + observation.description +
                      ") leaves no particle of the particle filter",
                  "take more of validate.filters.particle.particles, or leave that filter out");
    }
    log_evidence.push_back(logarithm(sums) - before + data.log_peak);
    before = logarithm(sums);
  }
  ensemble.log_weight = weight;
  return log_evidence;
}

template <class ExecSpace, int D>
double effective_number(const Ensemble<ExecSpace, D>& ensemble) {
  const WeightSums sums = sum_weights(ensemble.exec, ensemble.log_weight);
  return sums.total * sums.total / sums.squares;
}

template <class ExecSpace, int D>
void resample(Ensemble<ExecSpace, D>& ensemble, double uniform) {
  using Points = typename Ensemble<ExecSpace, D>::Points;
  using Numbers = typename Ensemble<ExecSpace, D>::Numbers;
  using Words = Kokkos::View<std::uint64_t*, ExecSpace>;
  const ExecSpace& exec = ensemble.exec;
  const std::size_t count = ensemble.points.extent(0);
  const WeightSums sums = sum_weights(exec, ensemble.log_weight);
  const auto cumulative = allocate<Words>(exec, "tessera::gbees::cumulative_weights", count);
  Kokkos::parallel_scan("tessera::gbees::cumulate_weights", each_particle(exec, count),
                        CumulateWeights<Numbers, Words>{ensemble.log_weight, sums.log_largest, sums.total, cumulative});
  const auto points = allocate<Points>(exec, "tessera::gbees::particles", count);
  Kokkos::parallel_for("tessera::gbees::take_ancestors", each_particle(exec, count),
                       TakeAncestors<D, Points, Words>{ensemble.points, points, cumulative, uniform});
  exec.fence();  // before the particles go
  ensemble.points = points;
  fill(exec, ensemble.log_weight, 0.0);
}

/// The update by one observation, of members that are nobody else's.
template <class ExecSpace, int D, class Points>
double assimilate_one(const ExecSpace& exec, const Points& points, const Observation& observation, double time, const Philox& random,
                      std::uint64_t draw) {
  const auto count = static_cast<std::uint32_t>(points.extent(0));
  const LikelihoodData<D, ExecSpace> data(observation);
  const int quantities = data.likelihood.count;
  const auto difference = allocate<Differences<Points>>(exec, "tessera::gbees::member_differences", count);
  const auto first = allocate_zeros<Kokkos::View<double*, ExecSpace>>(exec, "tessera::gbees::first_residuals", kMostQuantities);
  Kokkos::parallel_for("tessera::gbees::find_differences", each_particle(exec, count),
                       FindDifferences<D, Points>{data.likelihood, points, difference, first, time});
  const auto sums = sum_over_particles(exec, count, SumMembers<D, Points>{points, difference, quantities});
  MoveMembers<D, Points> move{points, difference, {}, quantities, {}, {}, {}, random, draw};
  for (int i = 0; i < D; ++i) move.mean.x[i] = sums[static_cast<std::size_t>(i)] / count;
  for (int a = 0; a < quantities; ++a) move.mean.difference[a] = sums[static_cast<std::size_t>(D + a)] / count;

  const auto m = static_cast<std::size_t>(quantities);
  linalg::Matrix cross(D, std::vector<double>(m)), total(observation.covariance);
  std::vector<double> innovation;
  const std::vector<double> residual_of_first = download(exec, first);
  for (std::size_t a = 0; a < m; ++a) {
    const auto products =
        sum_over_particles(exec, count, SumCrossProducts<D, Points>{points, difference, move.mean, quantities, static_cast<int>(a)});
    for (std::size_t i = 0; i < D; ++i) cross[i][a] = products[i] / (count - 1);
    for (std::size_t b = 0; b < m; ++b) total[a][b] += products[D + b] / (count - 1);
    const double period = observation.period.empty() ? 0 : observation.period[a];
    innovation.push_back(shortest_way(-residual_of_first[a] - move.mean.difference[a], period));
  }
  const KalmanUpdate update = kalman_update(cross, total, innovation);
  const linalg::Matrix root = linalg::cholesky_factor(observation.covariance);
  for (std::size_t a = 0; a < m; ++a) {
    move.innovation[a] = innovation[a];
    for (std::size_t i = 0; i < D; ++i) move.gain[i][a] = update.gain[i][a];
    for (std::size_t b = 0; b <= a; ++b) move.root[a][b] = root[a][b];
  }
  Kokkos::parallel_for("tessera::gbees::move_members", each_particle(exec, count), move);
  exec.fence();  // before the data go
  return update.log_evidence;
}

template <class ExecSpace, int D>
std::vector<double> assimilate(Ensemble<ExecSpace, D>& ensemble, const std::vector<Observation>& observations, double time,
                               const Philox& random, std::uint64_t first_draw) {
  using Points = typename Ensemble<ExecSpace, D>::Points;
  const auto points = allocate<Points>(ensemble.exec, "tessera::gbees::particles", ensemble.points.extent(0));
  copy(ensemble.exec, points.data(), ensemble.points.data(), ensemble.points.span());
  std::vector<double> log_evidence;
  for (const Observation& observation : observations) {
    log_evidence.push_back(
        assimilate_one<ExecSpace, D>(ensemble.exec, points, observation, time, random, first_draw + 4 * log_evidence.size()));
  }
  ensemble.points = points;
  return log_evidence;
}

}  // namespace tessera::gbees::detail
