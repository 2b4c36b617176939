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

}  // namespace detail

template <class ExecSpace>
PairTally count_pairs(const ExecSpace& exec, const PairModel& model, const Philox& random,
                      std::uint64_t first, std::uint64_t count) {
  const Kokkos::View<PairModel, ExecSpace> on_device(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::gbees::conjunction_model"));
  copy_from_host(exec, on_device.data(), &model, 1);
  const Kokkos::View<PairTally, ExecSpace> tally(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::gbees::pair_tally"));
  Kokkos::parallel_reduce(
      "tessera::gbees::count_pairs",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint64_t>>(exec, 0, count),
      detail::TallyPair<ExecSpace>{on_device, random, first},
      compat::Sum<PairTally, ExecSpace>(tally));
  return download_scalar(exec, tally);
}

}  // namespace tessera::gbees
