// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/sort.hpp"
#include "tessera/gbees/detail/grow.hpp"
#include "tessera/gbees/detail/index_range.hpp"

/// The prune: cells below the threshold that no active cell feeds are removed, and the remaining rows are put in an order that keeps
/// neighbours close in memory.

namespace tessera::gbees::detail {

/// Sets `fed` for each neighbour that an active cell sends mass to; the dual of Grow.
template <class State>
struct MarkFed {
  static constexpr int D = State::D;
  using Now = typename State::Now;
  State s;
  typename State::template Array<std::uint8_t*> fed;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(0, s.control().cells); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c) const {
    if (!(now.mass[c] * now.scale >= s.threshold)) return;
    for_each_fed_neighbour<D>(s.outflow_directions(now, c, s.key(c)), [&](int d, int e) {
      const std::uint32_t neighbour = e < 0 ? s.links(c, d) : edge_neighbour(s.links, c, d, e);
      if (neighbour != kNone) fed(neighbour) = 1;  // every writer writes the same
    });
  }
};

/// Cells below the cut are removed when nothing feeds them. The published code removes candidates in ascending order while
/// p / (1 - mass removed so far) < threshold, which comes to a cut lowered by the mass of those removed.
KOKKOS_INLINE_FUNCTION double lowered_cut(double threshold, const ExactSum* removed) {
  return removed == nullptr ? threshold : threshold * (1 - removed->value());
}

/// Sums the probability of the unfed cells below the cut.
template <class State>
struct SumCandidates {
  using Now = typename State::Now;
  State s;
  typename State::template Array<std::uint8_t*> fed;
  const ExactSum* removed;  ///< lowers the cut; or null

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(0, s.control().cells); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c, ExactSum& sum) const {
    const double probability = now.mass[c] * now.scale;
    if (!fed(c) && probability < lowered_cut(s.threshold, removed)) sum.add(probability);
  }
};

/// Turns the key of a cell into a number below 2^bits() that is close for cells that are close in space.
template <int D, bool is_gpu>
class Locality;

/// On a GPU: the bits of the indices interleaved (Morton order).
template <int D>
class Locality<D, true> {
 public:
  static constexpr int bits() { return CellKey<D>::bits * D; }

  KOKKOS_INLINE_FUNCTION std::uint64_t operator()(std::uint64_t key) const {
    std::uint64_t order = 0;
    int position = 0;
    for (int bit = 0; bit < CellKey<D>::bits; ++bit) {
      for (int i = D - 1; i >= 0; --i, ++position) order |= (key >> (CellKey<D>::shift(i) + bit) & 1) << position;
    }
    return order;
  }
};

/// On a CPU, whose caches hold whole lines of the grid: in the order of the keys, without the bits that the cells present do not need, for
/// a sort takes 8 bits at a time.
template <int D>
class Locality<D, false> {
 public:
  Locality() = default;
  explicit Locality(const IndexRange<D>& range) {
    for (int i = D - 1; i >= 0; --i) {
      m_low[i] = range.low[i];
      m_shift[i] = m_bits;
      for (std::int64_t rest = std::int64_t(range.high[i]) - range.low[i]; rest > 0; rest >>= 1) ++m_bits;
    }
  }

  int bits() const { return m_bits; }

  KOKKOS_INLINE_FUNCTION std::uint64_t operator()(std::uint64_t key) const {
    std::uint64_t order = 0;
    for (int i = 0; i < D; ++i) order |= static_cast<std::uint64_t>(CellKey<D>::index(key, i) - m_low[i]) << m_shift[i];
    return order;
  }

 private:
  int m_low[D] = {}, m_shift[D] = {}, m_bits = 0;
};

/// Lists the rows to keep, in their present order, and what to sort them by. A scan, so deterministic.
template <class State>
struct SelectKept {
  static constexpr int D = State::D;
  State s;
  typename State::template Array<std::uint8_t*> fed;
  typename State::template Array<std::uint32_t*> kept;
  std::uint64_t* order;  ///< or null
  Locality<D, compat::is_gpu_v<typename State::ExecSpace>> locality;
  const ExactSum* removed;  ///< lowers the cut; or null
  const typename State::Real* mass;
  double scale;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i, std::uint32_t& position, bool final) const {
    const std::uint32_t c = i + 1;
    const bool keep = fed(c) || !(mass[c] * scale < lowered_cut(s.threshold, removed));
    if (final && keep) {
      kept(position) = c;
      if (order != nullptr) order[position] = locality(s.key(c));
    }
    if (keep) ++position;
  }
};

/// Moves the kept rows to their new places: key, probability (scaled) and flag, and enters them into the directory, which is empty, and
/// into `remap`, which is kNone for the other rows.
template <class State>
struct PackKept {
  State s;
  typename State::CellArrays::Directory directory;
  typename State::template Array<std::uint32_t*> kept, remap;
  typename State::template Array<std::uint64_t*> new_key;
  typename State::template Array<std::uint8_t*> new_grown;
  const typename State::Real* mass;
  typename State::Real* new_mass;
  double scale;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i, PackSums& sums) const {
    const std::uint32_t c = kept(i);
    const std::uint64_t key = s.key(c);
    const auto stored = static_cast<typename State::Real>(mass[c] * scale);
    const double probability = stored;
    remap(c) = i + 1;
    new_key(i + 1) = key;
    new_mass[i + 1] = stored;
    new_grown(i + 1) = s.grown(c) && probability >= s.threshold;
    const auto place = directory.template insert<true>(key);
    if (place.slot != State::CellArrays::Directory::kInvalid) {
      directory.value(place.slot) = i + 1;
    } else {
      Kokkos::atomic_fetch_or(&s.control().stop, std::uint32_t(kStopNoRoom));
    }
    sums.mass.add(probability);
    sums.crossing_time = compat::min(sums.crossing_time, s.checked_crossing_time(key, i + 1));
  }
};

/// Links of the kept rows in some directions, translated to the new numbers: into columns of their own, for the rows change places.
template <class Links, class Rows>
struct RelinkKept {
  Links links;
  Rows kept, remap;
  std::uint32_t* column;
  std::size_t rows;
  int begin, end;  ///< directions
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    const std::uint32_t c = kept(i);
    for (int d = begin; d < end; ++d) column[(d - begin) * rows + i] = remap(links(c, d));  // remap(kNone) is kNone
  }
};

/// Puts the columns where they belong.
template <class Links>
struct StoreLinks {
  Links links;
  const std::uint32_t* column;
  std::size_t rows;
  int begin, end;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    for (int d = begin; d < end; ++d) links(i + 1, d) = column[(d - begin) * rows + i];
  }
};

}  // namespace tessera::gbees::detail
