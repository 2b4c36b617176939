// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/gbees/conjunction/count_pairs.hpp"
#include "tessera/gbees/conjunction/draw_pair.hpp"
#include "tessera/gbees/conjunction/meeting_search.hpp"

namespace tessera::gbees {

namespace detail {

/// What directly drawn pairs come to, each of which counts once: a sum of few numbers, which
/// threads keep in registers.
struct PairCounts {
  std::uint64_t hits = 0, starts_inside = 0, entries = 0, unbound = 0;

  KOKKOS_INLINE_FUNCTION PairCounts& operator+=(const PairCounts& other) {
    hits += other.hits;
    starts_inside += other.starts_inside;
    entries += other.entries;
    unbound += other.unbound;
    return *this;
  }
};

KOKKOS_INLINE_FUNCTION void add_weight(PairCounts&, const PairModel&, double, const Approach&) {}
KOKKOS_INLINE_FUNCTION void add_weight(PairTally& tally, const PairModel& model, double weight,
                                       const Approach& approach) {
  tally.add_weight(weight, model.usual_scale, approach.starts_inside, approach.enters);
}

/// Adds one pair to a tally. `kIsLong`: the window has several intervals. The model is an argument
/// of the kernel: a GPU reads those at no cost.
template <class Tally, bool kIsLong>
struct TallyPair {
  static constexpr bool kIsImportance = std::is_same_v<Tally, PairTally>;
  PairModel model;
  Philox random;
  std::uint64_t first;

  KOKKOS_FUNCTION void operator()(std::uint64_t n, Tally& tally) const {
    const PairDraw pair = DrawPair<kIsImportance>(model, random)(first + n);
    const TwoBodyOrbit a(model.mu, pair.elements), b(model.mu, pair.elements + 6);
    if (!a.is_bound() || !b.is_bound()) {
      ++tally.unbound;
      return;
    }
    const Approach approach = find(a, b);
    if (!(approach.least2 < model.radius * model.radius)) return;
    ++tally.hits;
    if (approach.starts_inside) ++tally.starts_inside;
    if (approach.enters) ++tally.entries;
    add_weight(tally, model, pair.weight, approach);
  }

  KOKKOS_FUNCTION Approach find(const TwoBodyOrbit& a, const TwoBodyOrbit& b) const {
    if constexpr (kIsLong) {
      return MeetingSearch(model.mu, a, b, model.window, model.radius).find();
    } else {
      return ClosestApproach(a, b, model.window, model.radius).find();
    }
  }
};

/// Keeps one pair.
template <class ExecSpace>
struct KeepPair {
  PairModel model;
  Philox random;
  std::uint64_t first;
  Kokkos::View<double*, ExecSpace> distance, time, weight;

  KOKKOS_FUNCTION void operator()(std::uint64_t n) const {
    constexpr double kNoMiss = 1e12;  // m: a radius with which the search never ends early
    const PairDraw pair = model.is_importance ? DrawPair<true>(model, random)(first + n)
                                              : DrawPair<false>(model, random)(first + n);
    const TwoBodyOrbit a(model.mu, pair.elements), b(model.mu, pair.elements + 6);
    Approach approach{0, 0, false, false};
    const bool is_bound = a.is_bound() && b.is_bound();
    if (is_bound) approach = ClosestApproach(a, b, model.window, kNoMiss).find();
    distance(n) = compat::math::sqrt(is_bound ? approach.least2 : -1.0);
    time(n) = approach.time;
    weight(n) = pair.weight;
  }
};

template <class Tally, class ExecSpace, class Functor>
Tally reduce_pairs(const ExecSpace& exec, const Functor& functor, std::uint64_t count) {
  const Kokkos::View<Tally, ExecSpace> tally(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::gbees::pair_tally"));
  Kokkos::parallel_reduce(
      "tessera::gbees::count_pairs",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint64_t>>(exec, 0, count), functor,
      compat::Sum<Tally, ExecSpace>(tally));
  return download_scalar(exec, tally);
}

/// The sum over pairs number `first` to `first + count - 1`. Windows of one interval have a kernel
/// of their own, which needs fewer registers.
template <class Tally, class ExecSpace>
Tally tally_pairs(const ExecSpace& exec, const PairModel& model, const Philox& random,
                  std::uint64_t first, std::uint64_t count) {
  return model.window.intervals > 1
             ? reduce_pairs<Tally>(exec, TallyPair<Tally, true>{model, random, first}, count)
             : reduce_pairs<Tally>(exec, TallyPair<Tally, false>{model, random, first}, count);
}

}  // namespace detail

template <class ExecSpace>
PairTally count_pairs(const ExecSpace& exec, const PairModel& model, const Philox& random,
                      std::uint64_t first, std::uint64_t count) {
  PairTally tally;
  if (model.is_importance) {
    tally = detail::tally_pairs<PairTally>(exec, model, random, first, count);
  } else {
    const auto counts = detail::tally_pairs<detail::PairCounts>(exec, model, random, first, count);
    tally.hits = counts.hits;
    tally.starts_inside = counts.starts_inside;
    tally.entries = counts.entries;
    tally.unbound = counts.unbound;
  }
  tally.pairs = count;
  return tally;
}

template <class ExecSpace>
PairRecords record_pairs(const ExecSpace& exec, const PairModel& model, const Philox& random,
                         std::uint64_t first, std::uint64_t count) {
  using Numbers = Kokkos::View<double*, ExecSpace>;
  const auto n = static_cast<std::size_t>(count);
  const auto distance = allocate<Numbers>(exec, "tessera::gbees::pair_distance", n);
  const auto time = allocate<Numbers>(exec, "tessera::gbees::pair_time", n);
  const auto weight = allocate<Numbers>(exec, "tessera::gbees::pair_weight", n);
  Kokkos::parallel_for(
      "tessera::gbees::record_pairs",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint64_t>>(exec, 0, count),
      detail::KeepPair<ExecSpace>{model, random, first, distance, time, weight});
  return {download(exec, distance), download(exec, time), download(exec, weight)};
}

}  // namespace tessera::gbees
