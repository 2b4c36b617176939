// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gbees/particles/ensemble.hpp"
#include "tessera/gbees/particles/ensemble_kernels.hpp"
#include "tessera/gbees/particles/kalman.hpp"

namespace tessera::gbees::detail {

template <class ExecSpace>
Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>> each_particle(
    const ExecSpace& exec, std::size_t count) {
  return {exec, 0, static_cast<std::uint32_t>(count)};
}

/// Sums over the weights of all ranks, in units of the largest weight.
struct WeightSums {
  double log_largest = 0, total = 0, squares = 0;
};

template <class ExecSpace, class Numbers>
WeightSums sum_weights(const ExecSpace& exec, const parallel::Communicator& ranks,
                       const Numbers& log_weight) {
  WeightSums sums;
  Kokkos::parallel_reduce(
      "tessera::gbees::largest_weight", each_particle(exec, log_weight.extent(0)),
      LargestWeight<Numbers>{log_weight}, Kokkos::Max<double>(sums.log_largest));
  sums.log_largest = largest_of(ranks, sums.log_largest);
  if (!std::isfinite(sums.log_largest)) return sums;  // none is left
  const auto found =
      sum_over_particles(exec, ranks, static_cast<std::uint32_t>(log_weight.extent(0)),
                         SumSquaredWeights<Numbers>{log_weight, sums.log_largest});
  sums.total = found[0];
  sums.squares = found[1];
  return sums;
}

template <class ExecSpace, int D>
std::vector<double> weigh(Ensemble<ExecSpace, D>& ensemble,
                          const std::vector<Observation>& observations, double time) {
  using Points = typename Ensemble<ExecSpace, D>::Points;
  using Numbers = typename Ensemble<ExecSpace, D>::Numbers;
  const ExecSpace& exec = ensemble.exec;
  const parallel::Communicator& ranks = ensemble.division.ranks;
  const std::size_t count = ensemble.points.extent(0);
  const auto weight = allocate<Numbers>(exec, "tessera::gbees::log_weight", count);
  copy(exec, weight.data(), ensemble.log_weight.data(), count);
  const auto logarithm = [](const WeightSums& sums) {
    return sums.log_largest + std::log(sums.total);
  };
  double before = logarithm(sum_weights(exec, ranks, weight));
  std::vector<double> log_evidence;
  for (const Observation& observation : observations) {
    const LikelihoodData<D, ExecSpace> data(observation);
    Kokkos::parallel_for(
        "tessera::gbees::weigh_particles", each_particle(exec, count),
        WeighParticles<D, Points, Numbers>{data.likelihood, ensemble.points, weight, time});
    const WeightSums sums = sum_weights(exec, ranks, weight);
    if (!(sums.total > 0)) {
      throw Error(ErrorKind::numerical,
                  (observation.place.empty() ? "" : observation.place + ": ") +
                      "the measurement (" + observation.description +
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
  const WeightSums sums = sum_weights(ensemble.exec, ensemble.division.ranks, ensemble.log_weight);
  return sums.total * sums.total / sums.squares;
}

inline parallel::Range common(const parallel::Range& a, const parallel::Range& b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// Ancestors for each rank in turn, so that no rank needs memory for more than it has.
template <class ExecSpace, int D>
void resample(Ensemble<ExecSpace, D>& ensemble, double uniform) {
  using Points = typename Ensemble<ExecSpace, D>::Points;
  using Numbers = typename Ensemble<ExecSpace, D>::Numbers;
  using Words = Kokkos::View<std::uint64_t*, ExecSpace>;
  const ExecSpace& exec = ensemble.exec;
  const ParticleDivision& division = ensemble.division;
  const parallel::Communicator& ranks = division.ranks;
  const std::size_t count = ensemble.points.extent(0);
  const WeightSums sums = sum_weights(exec, ranks, ensemble.log_weight);
  const auto cumulative = allocate<Words>(exec, "tessera::gbees::cumulative_weights", count);
  std::uint64_t own_weight = 0;
  Kokkos::parallel_scan("tessera::gbees::cumulate_weights", each_particle(exec, count),
                        CumulateWeights<Numbers, Words>{ensemble.log_weight, sums.log_largest,
                                                        sums.total, cumulative},
                        own_weight);
  std::vector<std::uint64_t> weight_before{0};  // of each rank, and of none
  for (const std::uint64_t weight : ranks.all_gather(std::vector<std::uint64_t>{own_weight})) {
    weight_before.push_back(weight_before.back() + weight);
  }
  const Selection selection{uniform, division.total, weight_before.back()};
  const auto descendants = [&](int rank) {  // of a rank's particles
    const auto r = static_cast<std::size_t>(rank);
    return parallel::Range{static_cast<std::int64_t>(selection.first_from(weight_before[r])),
                           static_cast<std::int64_t>(selection.first_from(weight_before[r + 1]))};
  };
  const auto points = allocate<Points>(exec, "tessera::gbees::particles", count);
  const parallel::Range own = division.own();
  const auto take = [&](const parallel::Range& part, const Points& to, std::int64_t row) {
    Kokkos::parallel_for(
        "tessera::gbees::take_ancestors",
        each_particle(exec, static_cast<std::size_t>(part.size())),
        TakeAncestors<D, Points, Words>{
            ensemble.points, to, cumulative, weight_before[static_cast<std::size_t>(ranks.rank())],
            selection, static_cast<std::uint64_t>(part.begin), static_cast<std::uint32_t>(row)});
  };
  const parallel::Range kept = common(descendants(ranks.rank()), own);
  if (kept.size() > 0) take(kept, points, kept.begin - own.begin);
  for (int turn = 1; turn < ranks.size(); ++turn) {
    const int to = (ranks.rank() + turn) % ranks.size(),
              from = (ranks.rank() + ranks.size() - turn) % ranks.size();
    const parallel::Range going = common(descendants(ranks.rank()), division.of(to)),
                          coming = common(descendants(from), own);
    const auto leaving =
        allocate<Points>(exec, "tessera::gbees::leaving", static_cast<std::size_t>(going.size()));
    if (going.size() > 0) take(going, leaving, 0);
    std::vector<double> sent(leaving.span()), received(D * static_cast<std::size_t>(coming.size()));
    copy_to_host(exec, sent.data(), leaving.data(), sent.size());
    std::vector<std::size_t> numbers_to(static_cast<std::size_t>(ranks.size()), 0),
        numbers_from = numbers_to;
    numbers_to[static_cast<std::size_t>(to)] = sent.size();
    numbers_from[static_cast<std::size_t>(from)] = received.size();
    ranks.exchange(sent.data(), numbers_to, received.data(), numbers_from);
    const auto arrived = static_cast<std::size_t>(coming.size());
    for (std::size_t i = 0; i < D && arrived > 0; ++i) {
      copy_from_host(exec,
                     points.data() + i * count + static_cast<std::size_t>(coming.begin - own.begin),
                     received.data() + i * arrived, arrived);
    }
  }
  exec.fence();  // before the particles go
  ensemble.points = points;
  fill(exec, ensemble.log_weight, 0.0);
}

/// The first of all members, on every rank.
template <class ExecSpace, int D, class Points>
Vector<D> first_member(const ExecSpace& exec, const parallel::Communicator& ranks,
                       const Points& points) {
  Vector<D> first{};
  for (int i = 0; i < D && ranks.is_root(); ++i)
    copy_to_host(exec, &first[i], points.data() + static_cast<std::size_t>(i) * points.extent(0),
                 1);
  ranks.broadcast(&first[0], D);
  return first;
}

/// The update by one observation, of members that are nobody else's.
template <class ExecSpace, int D, class Points>
double assimilate_one(const ExecSpace& exec, const ParticleDivision& division, const Points& points,
                      const Observation& observation, double time, const Philox& random,
                      std::uint64_t draw) {
  const parallel::Communicator& ranks = division.ranks;
  const auto count = static_cast<std::uint32_t>(points.extent(0));
  const auto members = static_cast<double>(division.total);
  const LikelihoodData<D, ExecSpace> data(observation);
  const int quantities = data.likelihood.count;
  const auto difference =
      allocate<Differences<Points>>(exec, "tessera::gbees::member_differences", count);
  const auto first = allocate_zeros<Kokkos::View<double*, ExecSpace>>(
      exec, "tessera::gbees::first_residuals", kMostQuantities);
  Kokkos::parallel_for("tessera::gbees::find_differences", each_particle(exec, count),
                       FindDifferences<D, Points>{data.likelihood, points,
                                                  first_member<ExecSpace, D>(exec, ranks, points),
                                                  difference, first, time});
  const auto sums =
      sum_over_particles(exec, ranks, count, SumMembers<D, Points>{points, difference, quantities});
  const auto first_number = static_cast<std::uint64_t>(division.own().begin);
  MoveMembers<D, Points> move{points, difference, {},     quantities,   {},
                              {},     {},         random, first_number, draw};
  for (int i = 0; i < D; ++i) move.mean.x[i] = sums[static_cast<std::size_t>(i)] / members;
  for (int a = 0; a < quantities; ++a)
    move.mean.difference[a] = sums[static_cast<std::size_t>(D + a)] / members;

  const auto m = static_cast<std::size_t>(quantities);
  linalg::Matrix cross(D, std::vector<double>(m)), total(observation.covariance);
  std::vector<double> innovation;
  std::vector<double> residual_of_first = download(exec, first);
  ranks.broadcast(residual_of_first.data(), residual_of_first.size());
  for (std::size_t a = 0; a < m; ++a) {
    const auto products =
        sum_over_particles(exec, ranks, count,
                           SumCrossProducts<D, Points>{points, difference, move.mean, quantities,
                                                       static_cast<int>(a)});
    for (std::size_t i = 0; i < D; ++i) cross[i][a] = products[i] / (members - 1);
    for (std::size_t b = 0; b < m; ++b) total[a][b] += products[D + b] / (members - 1);
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
std::vector<double> assimilate(Ensemble<ExecSpace, D>& ensemble,
                               const std::vector<Observation>& observations, double time,
                               const Philox& random, std::uint64_t first_draw) {
  using Points = typename Ensemble<ExecSpace, D>::Points;
  const auto points =
      allocate<Points>(ensemble.exec, "tessera::gbees::particles", ensemble.points.extent(0));
  copy(ensemble.exec, points.data(), ensemble.points.data(), ensemble.points.span());
  std::vector<double> log_evidence;
  for (const Observation& observation : observations) {
    log_evidence.push_back(assimilate_one<ExecSpace, D>(ensemble.exec, ensemble.division, points,
                                                        observation, time, random,
                                                        first_draw + 4 * log_evidence.size()));
  }
  ensemble.points = points;
  return log_evidence;
}

}  // namespace tessera::gbees::detail
