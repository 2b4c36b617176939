// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/grid/loop.hpp"
#include "tessera/gbees/step/grow.hpp"

/// The phases of a prune (tessera/gbees/step/prune.hpp).

namespace tessera::gbees::detail {

/// Marks each neighbour that receives flux from an active cell; the dual of growth.
template <class Context, typename Context::AskedBy by = Context::AskedBy::prune>
struct MarkReceivers {
  static constexpr const char* label = "tessera::gbees::mark_receivers";
  static constexpr int D = Context::D;
  static constexpr bool is_gpu = compat::is_gpu_v<typename Context::ExecSpace>;
  using Loop = LoopOverCells;
  using View = typename Context::View;
  Context s;
  typename Context::template Array<std::uint8_t*> receives_flux;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    if (!(view.mass[c] * view.scale >= s.threshold)) return;
    const auto key = s.key(c);
    std::uint64_t position = 0;
    if constexpr (!Context::is_wide) {
      if (s.division != nullptr) position = curve_position<D, is_gpu>(key);
    }
    for_each_receiver<D>(s.template outflow_directions<by>(view, c, key), [&](int d, int e) {
      const std::uint32_t neighbour = e < 0 ? s.links(c, d) : edge_neighbour(s.links, c, d, e);
      if (neighbour != kNone) receives_flux(neighbour) = 1;  // every writer writes the same
      if constexpr (!Context::is_wide) {
        if (s.division != nullptr) post_if_elsewhere(c, key, position, d, e);
      }
    });
  }

 private:
  /// Tells the rank that owns an edge neighbour that it receives flux, where only the cells between
  /// the two are known here.
  KOKKOS_INLINE_FUNCTION void post_if_elsewhere(std::uint32_t c, std::uint64_t key,
                                                std::uint64_t position, int d, int e) const {
    position = s.neighbour_position(key, position, d);
    key = s.neighbour(key, d);
    if (e >= 0) {
      position = s.neighbour_position(key, position, e);
      key = s.neighbour(key, e);
    }
    if (s.division->is_own(position)) return;
    if (s.links(c, d) == kNone && (e < 0 || s.links(c, e) == kNone)) return;
    s.division->post_to_owner(key, position);
  }
};

/// Candidates, the cells below the threshold that receive no flux, are removed when they lie below
/// a cut. The conservative scheme removes them all. The published code removes them in ascending
/// order of probability, p_1 <= p_2 <= ..., while p_i < threshold (1 - S_i) with S_i = p_1 + ... +
/// p_i. Two sums stand in for the order. All below threshold (1 - S) are removed, S the sum of all
/// candidates, for no S_i is larger.
KOKKOS_INLINE_FUNCTION double certain_cut(double threshold, const ExactSum& candidates) {
  return threshold * (1 - candidates.value());
}

/// The first of the few candidates between that cut and the threshold is removed if p < threshold
/// (1 - S' - p), S' the sum of those below the cut. The same bound serves for those after it: it is
/// too high for them by a share `threshold` of itself for each one before.
KOKKOS_INLINE_FUNCTION double published_cut(double threshold, const PruneReductions& found) {
  return compat::max(certain_cut(threshold, found.candidates),
                     threshold * (1 - found.removable.value()) / (1 + threshold));
}

/// Sums the probability of the candidates: of all, or of those below the cut that the sum of all
/// gives.
template <class Context>
struct SumCandidates {
  static constexpr const char* label = "tessera::gbees::sum_candidates";
  using Loop = LoopOverCells;
  using View = typename Context::View;
  Context s;
  typename Context::template Array<std::uint8_t*> receives_flux;
  const ExactSum* candidates;  ///< sum of all; or null

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, ExactSum& sum) const {
    const double probability = view.mass[c] * view.scale;
    if (receives_flux(c) || !(probability < s.threshold)) return;
    if (candidates == nullptr || probability < certain_cut(s.threshold, *candidates))
      sum.add(probability);
  }
};

/// Lists the rows to keep, in their present order. A scan, so deterministic.
template <class Context>
struct SelectKept {
  Context s;
  typename Context::template Array<std::uint8_t*> receives_flux;
  typename Context::template Array<std::uint32_t*> kept;
  const PruneReductions* found;  ///< reference scheme: gives the cut; or null

  /// Selects row i + 1 by the masses and the scale that the caller has read.
  KOKKOS_INLINE_FUNCTION void operator()(const typename Context::View& view, std::uint32_t i,
                                         std::uint32_t& position, bool final) const {
    const std::uint32_t c = i + 1;
    const double probability = view.mass[c] * view.scale;
    const bool is_candidate = !receives_flux(c) && probability < s.threshold;
    const bool keep =
        !is_candidate || (found != nullptr && !(probability < published_cut(s.threshold, *found)));
    if (final && keep) kept(position) = c;
    if (keep) ++position;
  }
};

/// Moves the kept rows to their new numbers: key, probability (scaled) and flag, and enters them
/// into the directory, which is empty, and into `remap`, which is kNone for the other rows.
/// Velocities that are stored are found again, or move later (VelocityColumns).
template <class Context, class Directory, bool finds_velocities = true>
struct PackKept {
  using View = typename Context::View;
  Context s;
  Directory directory;
  typename Context::template Array<std::uint32_t*> kept, remap;
  typename Context::template Array<typename Context::KeyWord*> new_key;
  typename Context::template Array<std::uint8_t*> new_grown;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t i, KeptSums& sums) const {
    const std::uint32_t c = kept(i);
    const auto key = s.key(c);
    const auto stored = static_cast<typename Context::Real>(view.mass[c] * view.scale);
    const double probability = stored;
    remap(c) = i + 1;
    new_key(i + 1) = key;
    view.next[i + 1] = stored;
    new_grown(i + 1) = s.grown(c) && probability >= s.threshold;
    if (directory.insert_new(key, i + 1).failed())
      Kokkos::atomic_fetch_or(&s.state().stop, std::uint32_t(kStopNoRoom));
    sums.mass.add(probability);
    const double time =
        finds_velocities ? s.checked_crossing_time(key, i + 1) : s.stored_crossing_time[c];
    sums.crossing_time = compat::min(sums.crossing_time, time);
  }
};

// --- what moves with the rows after they are packed, as columns of 32 bits a row

/// The links, which take the new numbers.
template <class Context>
struct LinkColumns {
  static constexpr const char *label_take = "tessera::gbees::translate_links",
                              *label_store = "tessera::gbees::store_links";
  static constexpr int kCount = 2 * Context::D;
  Context s;
  typename Context::template Array<std::uint32_t*> remap;
  // remap(kNone) is kNone
  KOKKOS_INLINE_FUNCTION std::uint32_t take(std::uint32_t c, int d) const {
    return remap(s.links(c, d));
  }
  KOKKOS_INLINE_FUNCTION void store(std::uint32_t c, int d, std::uint32_t link) const {
    s.links(c, d) = link;
  }
};

/// Stored velocities that do not vary in time, and what follows from them: the crossing time and
/// `loses_below`.
template <class Context>
struct VelocityColumns {
  static constexpr const char *label_take = "tessera::gbees::take_velocities",
                              *label_store = "tessera::gbees::store_velocities";
  static constexpr int kOfVelocity = sizeof(typename Context::Real) / sizeof(std::uint32_t),
                       kTime = kOfVelocity * Context::D, kLosing = kTime + 2,
                       kCount = Context::scheme == Scheme::conservative ? kLosing + 1 : kLosing;
  Context s;
  KOKKOS_INLINE_FUNCTION std::uint32_t take(std::uint32_t c, int k) const {
    return k == kLosing ? s.loses_below[c] : *word(c, k);
  }
  KOKKOS_INLINE_FUNCTION void store(std::uint32_t c, int k, std::uint32_t value) const {
    if (k == kLosing) {
      s.loses_below[c] = static_cast<std::uint8_t>(value);
    } else {
      *word(c, k) = value;
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION std::uint32_t* word(std::uint32_t c, int k) const {
    if (k >= kTime)
      return reinterpret_cast<std::uint32_t*>(s.stored_crossing_time + c) + (k - kTime);
    return reinterpret_cast<std::uint32_t*>(&s.stored(c, k / kOfVelocity)) + k % kOfVelocity;
  }
};

/// Some of the columns of the kept rows, in their new order: into memory of their own, for the rows
/// change numbers.
template <class Columns, class Rows>
struct TakeColumns {
  Columns columns;
  Rows kept;
  std::uint32_t* taken;
  std::size_t rows;
  int begin, end;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    const std::uint32_t c = kept(i);
    for (int k = begin; k < end; ++k) taken[(k - begin) * rows + i] = columns.take(c, k);
  }
};

/// Puts these columns where they belong.
template <class Columns>
struct StoreColumns {
  Columns columns;
  const std::uint32_t* taken;
  std::size_t rows;
  int begin, end;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    for (int k = begin; k < end; ++k) columns.store(i + 1, k, taken[(k - begin) * rows + i]);
  }
};

}  // namespace tessera::gbees::detail
