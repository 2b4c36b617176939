// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/host_copy.hpp"
#include "tessera/gbees/conjunction/count_pairs.hpp"
#include "tessera/gbees/conjunction/draw_pair.hpp"

namespace tessera::gbees {

namespace detail {

/// Adds one pair to a tally.
template <class ExecSpace>
struct TallyPair {
  Kokkos::View<const PairModel, ExecSpace> model;
  Philox random;
  std::uint64_t first;

  KOKKOS_FUNCTION void operator()(std::uint64_t n, PairTally& tally) const {
    const PairModel& m = model();
    const PairDraw pair = DrawPair(m, random)(first + n);
    ++tally.pairs;
    const TwoBodyOrbit a(m.mu, pair.elements), b(m.mu, pair.elements + 6);
    if (!a.is_bound() || !b.is_bound()) {
      ++tally.unbound;
      return;
    }
    const Approach approach = ClosestApproach(a, b, m.window, m.radius).find();
    if (!(approach.least2 < m.radius * m.radius)) return;
    ++tally.hits;
    if (approach.starts_inside) ++tally.starts_inside;
    if (approach.enters) ++tally.entries;
    if (m.is_importance)
      tally.add_weight(pair.weight, m.usual_scale, approach.starts_inside, approach.enters);
  }
};

/// Keeps one pair.
template <class ExecSpace>
struct KeepPair {
  Kokkos::View<const PairModel, ExecSpace> model;
  Philox random;
  std::uint64_t first;
  Kokkos::View<double*, ExecSpace> distance, time, weight;

  KOKKOS_FUNCTION void operator()(std::uint64_t n) const {
    constexpr double kNoMiss = 1e12;  // m: a radius with which the search never ends early
    const PairModel& m = model();
    const PairDraw pair = DrawPair(m, random)(first + n);
    const TwoBodyOrbit a(m.mu, pair.elements), b(m.mu, pair.elements + 6);
    Approach approach{0, 0, false, false};
    const bool is_bound = a.is_bound() && b.is_bound();
    if (is_bound) approach = ClosestApproach(a, b, m.window, kNoMiss).find();
    distance(n) = compat::math::sqrt(is_bound ? approach.least2 : -1.0);
    time(n) = approach.time;
    weight(n) = pair.weight;
  }
};

template <class ExecSpace>
Kokkos::View<PairModel, ExecSpace> upload_model(const ExecSpace& exec, const PairModel& model) {
  const Kokkos::View<PairModel, ExecSpace> on_device(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::gbees::conjunction_model"));
  copy_from_host(exec, on_device.data(), &model, 1);
  return on_device;
}

}  // namespace detail

template <class ExecSpace>
PairTally count_pairs(const ExecSpace& exec, const PairModel& model, const Philox& random,
                      std::uint64_t first, std::uint64_t count) {
  const auto on_device = detail::upload_model(exec, model);
  const Kokkos::View<PairTally, ExecSpace> tally(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::gbees::pair_tally"));
  Kokkos::parallel_reduce(
      "tessera::gbees::count_pairs",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint64_t>>(exec, 0, count),
      detail::TallyPair<ExecSpace>{on_device, random, first},
      compat::Sum<PairTally, ExecSpace>(tally));
  return download_scalar(exec, tally);
}

template <class ExecSpace>
PairRecords record_pairs(const ExecSpace& exec, const PairModel& model, const Philox& random,
                         std::uint64_t first, std::uint64_t count) {
  using Numbers = Kokkos::View<double*, ExecSpace>;
  const auto on_device = detail::upload_model(exec, model);
  const auto n = static_cast<std::size_t>(count);
  const auto distance = allocate<Numbers>(exec, "tessera::gbees::pair_distance", n);
  const auto time = allocate<Numbers>(exec, "tessera::gbees::pair_time", n);
  const auto weight = allocate<Numbers>(exec, "tessera::gbees::pair_weight", n);
  Kokkos::parallel_for(
      "tessera::gbees::record_pairs",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint64_t>>(exec, 0, count),
      detail::KeepPair<ExecSpace>{on_device, random, first, distance, time, weight});
  return {download(exec, distance), download(exec, time), download(exec, weight)};
}

}  // namespace tessera::gbees
