// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
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

template <class Tally>
KOKKOS_INLINE_FUNCTION void add_approach(Tally& tally, const PairModel& model, double weight,
                                         const Approach& approach) {
  if (!(approach.least2 < model.radius * model.radius)) return;
  ++tally.hits;
  if (approach.starts_inside) ++tally.starts_inside;
  if (approach.enters) ++tally.entries;
  add_weight(tally, model, weight, approach);
}

/// Numbers of the pairs that a search of few points does not decide on, in any order.
template <class ExecSpace>
struct UndecidedPairs {
  Kokkos::View<std::uint32_t*, ExecSpace> numbers;
  Kokkos::View<std::uint32_t, ExecSpace> count;

  UndecidedPairs(const ExecSpace& exec, std::uint64_t most)
      : numbers(allocate<decltype(numbers)>(exec, "tessera::gbees::undecided_pairs", most)),
        count(allocate_zeros<decltype(count)>(exec, "tessera::gbees::undecided_count")) {}

  KOKKOS_INLINE_FUNCTION void add(std::uint32_t n) const {
    numbers(Kokkos::atomic_fetch_add(&count(), 1u)) = n;
  }
};

/// What kernels know of the pairs that are counted. The model is an argument of a kernel: a GPU
/// reads those at no cost.
template <class ExecSpace, class Tally>
struct PairSource {
  static constexpr bool kIsImportance = std::is_same_v<Tally, PairTally>;
  PairModel model;
  Philox random;
  std::uint64_t first;
  UndecidedPairs<ExecSpace> undecided;

  KOKKOS_INLINE_FUNCTION PairDraw draw(std::uint32_t n) const {
    return DrawPair<kIsImportance>(model, random)(first + n);
  }

  /// Adds pair n to a tally if a search of few points decides on it, else to those that are not.
  /// `kIsLong`: the window has several intervals.
  template <bool kIsLong>
  KOKKOS_INLINE_FUNCTION void tally_pair(std::uint32_t n, const PairDraw& pair,
                                         Tally& tally) const {
    const TwoBodyOrbit a(model.mu, pair.elements), b(model.mu, pair.elements + 6);
    if (!a.is_bound() || !b.is_bound()) {
      ++tally.unbound;
      return;
    }
    Approach approach{0, 0, false, false};
    bool is_found;
    if constexpr (kIsLong) {
      is_found = MeetingSearch(model.mu, a, b, model.window, model.radius).find(approach);
    } else {
      is_found = ClosestApproach(a, b, model.window, model.radius).find_single(approach);
    }
    if (is_found) {
      add_approach(tally, model, pair.weight, approach);
    } else {
      undecided.add(n);
    }
  }
};

/// Draws pairs and adds them to a tally, for a window of one interval.
template <class ExecSpace, class Tally>
struct TallyShort {
  PairSource<ExecSpace, Tally> source;

  KOKKOS_FUNCTION void operator()(std::uint32_t n, Tally& tally) const {
    source.template tally_pair<false>(n, source.draw(n), tally);
  }
};

/// Pairs that are drawn. Where a search takes many points, a kernel that draws and another that
/// searches are faster than one: their codes fit the instruction cache of a GPU.
template <class ExecSpace>
struct PairBatch {
  Kokkos::View<double* [12], Kokkos::LayoutLeft, ExecSpace> elements;
  Kokkos::View<double*, ExecSpace> weight;  ///< of importance sampling; else empty

  PairBatch(const ExecSpace& exec, std::uint64_t most, bool is_importance)
      : elements(allocate<decltype(elements)>(exec, "tessera::gbees::pair_elements", most)),
        weight(allocate<decltype(weight)>(exec, "tessera::gbees::pair_weight",
                                          is_importance ? most : 0)) {}
};

/// Draws pairs number begin, begin + 1, ... of a source.
template <class ExecSpace, class Tally>
struct DrawBatch {
  PairSource<ExecSpace, Tally> source;
  std::uint32_t begin;
  PairBatch<ExecSpace> batch;

  KOKKOS_FUNCTION void operator()(std::uint32_t n) const {
    const PairDraw pair = source.draw(begin + n);
    for (int i = 0; i < 12; ++i) batch.elements(n, i) = pair.elements[i];
    if constexpr (source.kIsImportance) batch.weight(n) = pair.weight;
  }
};

/// Adds them to a tally, for a window of several intervals.
template <class ExecSpace, class Tally>
struct TallyBatch {
  PairSource<ExecSpace, Tally> source;
  std::uint32_t begin;
  PairBatch<ExecSpace> batch;

  KOKKOS_FUNCTION void operator()(std::uint32_t n, Tally& tally) const {
    PairDraw pair;
    for (int i = 0; i < 12; ++i) pair.elements[i] = batch.elements(n, i);
    if constexpr (source.kIsImportance) pair.weight = batch.weight(n);
    source.template tally_pair<true>(begin + n, pair, tally);
  }
};

/// Adds the pairs that are not decided on, which it draws again.
template <class ExecSpace, class Tally>
struct TallyUndecided {
  PairSource<ExecSpace, Tally> source;

  KOKKOS_FUNCTION void operator()(std::uint32_t k, Tally& tally) const {
    const PairModel& model = source.model;
    const PairDraw pair = source.draw(source.undecided.numbers(k));
    const TwoBodyOrbit a(model.mu, pair.elements), b(model.mu, pair.elements + 6);
    add_approach(tally, model, pair.weight,
                 ClosestApproach(a, b, model.window, model.radius).find());
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

/// Makes the sum over pairs number `first` to `first + count - 1`.
template <class Tally, class ExecSpace>
class TallyPairs {
 public:
  TallyPairs(const ExecSpace& exec, const PairModel& model, const Philox& random,
             std::uint64_t first, std::uint64_t count)
      : m_exec(exec),
        m_count(static_cast<std::uint32_t>(count)),
        m_source{model, random, first, UndecidedPairs<ExecSpace>(exec, count)} {}

  Tally sum() const {
    Tally sum = m_source.model.window.intervals > 1
                    ? sum_batches()
                    : reduce(TallyShort<ExecSpace, Tally>{m_source}, m_count);
    const std::uint32_t left = download_scalar(m_exec, m_source.undecided.count);
    if (left > 0) sum += reduce(TallyUndecided<ExecSpace, Tally>{m_source}, left);
    return sum;
  }

 private:
  static constexpr std::uint32_t kBatch = 1 << 21;  ///< pairs of 96 bytes, or 104

  using Index = Kokkos::IndexType<std::uint32_t>;
  /// A search gets 128 registers a thread of a GPU: with more of them fewer threads are resident,
  /// which costs more than what is spilled.
  using Search = Kokkos::RangePolicy<ExecSpace, Index, Kokkos::LaunchBounds<256, 2>>;

  template <class Functor>
  Tally reduce(const Functor& functor, std::uint32_t count) const {
    const Kokkos::View<Tally, ExecSpace> tally(
        Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::gbees::pair_tally"));
    reduce(functor, count, tally);
    return download_scalar(m_exec, tally);
  }

  template <class Functor>
  void reduce(const Functor& functor, std::uint32_t count,
              const Kokkos::View<Tally, ExecSpace>& tally) const {
    Kokkos::parallel_reduce("tessera::gbees::tally_pairs", Search(m_exec, 0, count), functor,
                            compat::Sum<Tally, ExecSpace>(tally));
  }

  Tally sum_batches() const {
    const PairBatch<ExecSpace> batch(m_exec, std::min(m_count, kBatch), m_source.kIsImportance);
    const std::uint32_t batches = (m_count + kBatch - 1) / kBatch;
    const auto tallies =
        allocate<Kokkos::View<Tally*, ExecSpace>>(m_exec, "tessera::gbees::pair_tallies", batches);
    for (std::uint32_t k = 0; k < batches; ++k) {
      const std::uint32_t begin = k * kBatch, n = std::min(kBatch, m_count - begin);
      Kokkos::parallel_for("tessera::gbees::draw_pairs",
                           Kokkos::RangePolicy<ExecSpace, Index>(m_exec, 0, n),
                           DrawBatch<ExecSpace, Tally>{m_source, begin, batch});
      reduce(TallyBatch<ExecSpace, Tally>{m_source, begin, batch}, n, Kokkos::subview(tallies, k));
    }
    Tally sum;
    for (const Tally& tally : download(m_exec, tallies)) sum += tally;
    return sum;
  }

  const ExecSpace& m_exec;
  std::uint32_t m_count;
  PairSource<ExecSpace, Tally> m_source;
};

}  // namespace detail

template <class ExecSpace>
PairTally count_pairs(const ExecSpace& exec, const PairModel& model, const Philox& random,
                      std::uint64_t first, std::uint64_t count) {
  constexpr std::uint64_t kMost = 1 << 25;  // whose numbers fill 128 MB
  PairTally tally;
  for (std::uint64_t done = 0; done < count; done += kMost) {
    const std::uint64_t now = std::min(kMost, count - done);
    if (model.is_importance) {
      tally +=
          detail::TallyPairs<PairTally, ExecSpace>(exec, model, random, first + done, now).sum();
    } else {
      const detail::PairCounts counts =
          detail::TallyPairs<detail::PairCounts, ExecSpace>(exec, model, random, first + done, now)
              .sum();
      tally.hits += counts.hits;
      tally.starts_inside += counts.starts_inside;
      tally.entries += counts.entries;
      tally.unbound += counts.unbound;
    }
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
