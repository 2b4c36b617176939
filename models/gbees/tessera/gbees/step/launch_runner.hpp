// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/core/device/sort.hpp"
#include "tessera/gbees/step/moments.hpp"
#include "tessera/gbees/step/prune.hpp"
#include "tessera/gbees/step/space_filling_curve.hpp"
#include "tessera/gbees/step/step.hpp"

namespace tessera::gbees::detail {

/// The cells that grow in a step.
template <class Context>
struct GrowingCells {
  /// Rows of these cells, and directions in which they send mass
  typename Context::template Array<std::uint32_t*> row, directions;
};

/// Growth by kernels, first part: lists the active cells that have not grown, and counts all active
/// cells. A team at a time, for a team's one addition to the length of the list. A warp looks at a
/// run of rows and lists them in their order, so that the threads of the second part work on
/// neighbours.
template <class Context>
struct SelectGrowing {
  /// Cells that a thread looks at together, for their loads to be under way together
  static constexpr int kTogether = 32;
  static constexpr std::uint32_t kWarp = compat::is_gpu_v<typename Context::ExecSpace> ? 32 : 1;
  using View = typename Context::View;
  Context s;
  GrowingCells<Context> list;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    const View view = s.template view<LoopOver<Range::existing>>();
    const auto rank = static_cast<std::uint32_t>(team.team_rank()), lane = rank % kWarp;
    const std::uint64_t end = view.first + view.size,
                        tile =
                            std::uint64_t(kTogether) * static_cast<std::uint32_t>(team.team_size());
    std::uint32_t active = 0;
    // All threads of a team make the same turns.
    for (std::uint64_t begin = view.first + tile * static_cast<std::uint32_t>(team.league_rank());
         begin < end; begin += tile * static_cast<std::uint32_t>(team.league_size())) {
      // the first row of this thread; its next is a warp further
      const std::uint64_t first = begin + std::uint64_t(rank - lane) * kTogether + lane;
      // bit k: cell k of this thread grows
      std::uint32_t growing = 0;
      TESSERA_UNROLL
      for (int k = 0; k < kTogether; ++k) {
        const std::uint64_t i = first + std::uint64_t(k) * kWarp;
        // row 0 holds no mass
        const std::uint32_t c = i < end ? static_cast<std::uint32_t>(i) : kNone;
        active += view.mass[c] * view.scale >= s.threshold ? 1 : 0;
        growing |= (s.grows(view, c) ? 1u : 0u) << k;
      }
      const int count = compat::popcount(growing);
      const int position = team.team_scan(count, &s.reductions().growing);
      list_rows(first, growing, compat::warp_broadcast(static_cast<std::uint32_t>(position)));
      int list_begin = position, list_end = position + count;
      team.team_broadcast(list_begin, 0);
      team.team_broadcast(list_end, team.team_size() - 1);  // a barrier too: the rows are there
      for (int entry = list_begin + static_cast<int>(rank); entry < list_end;
           entry += team.team_size()) {
        const std::uint32_t c = list.row(entry);
        s.grown(c) = 1;
        list.directions(entry) =
            s.template outflow_directions<Context::AskedBy::step>(view, c, s.key(c));
      }
    }
    compat::warp_add(&s.reductions().active, active);
  }

 private:
  /// Lists the growing cells of a warp from `position` on, in the order of their rows.
  KOKKOS_INLINE_FUNCTION void list_rows(std::uint64_t first, std::uint32_t growing,
                                        std::uint32_t position) const {
    if (compat::warp_ballot(growing != 0) == 0) return;
    for (int k = 0; k < kTogether; ++k) {
      const std::uint32_t together = compat::warp_ballot((growing >> k & 1) != 0);
      const std::uint32_t entry =
          position +
          static_cast<std::uint32_t>(compat::popcount(together & compat::warp_lanes_below()));
      if (growing >> k & 1)
        list.row(entry) = static_cast<std::uint32_t>(first + std::uint64_t(k) * kWarp);
      position += static_cast<std::uint32_t>(compat::popcount(together));
    }
  }
};

/// Growth by kernels, second part: the listed cells insert their receivers. Item w is lane w / n of
/// the cell w % n of the list of n, so that no thread inserts many neighbours one after the other.
template <class Context, class Directory>
struct InsertReceivers {
  static constexpr const char* label = "tessera::gbees::insert_receivers";
  static constexpr int D = Context::D;
  // the phase itself gives these reasons
  using Loop = LoopOver<Range::growing, kStopNoRoom | kStopRange>;
  using View = typename Context::View;
  using Bounds = Blocks<6>;  // look-ups and exchanges wait for memory: many threads
  using Index = std::uint64_t;
  Context s;
  Growth<Context, Directory> grow;
  GrowingCells<Context> list;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint64_t item) const {
    const std::uint64_t length = view.size / kLanes<D>;
    const std::uint32_t c = list.row(item % length), directions = list.directions(item % length);
    const auto key = s.key(c);
    for_each_receiver_of_lane<D>(static_cast<std::uint32_t>(item / length), directions,
                                 [&](int d, int e) {
                                   NewCell<typename Context::KeyWord> cell;
                                   if (grow.is_missing(c, d, e) && grow.insert(key, d, e, cell))
                                     grow.assign_row(view, cell, grow.take_rows(1) + 1);
                                 });
  }
};

/// Growth on a CPU, whose threads look at one cell after the other.
template <class Context, class Directory>
struct GrowCells {
  static constexpr const char* label = "tessera::gbees::grow";
  using Loop = LoopOver<Range::existing>;
  using View = typename Context::View;
  Context s;
  Growth<Context, Directory> grow;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         std::uint32_t& active) const {
    grow.grow_cell(view, c, active,
                   [&](const auto& cell) { grow.assign_row(view, cell, grow.take_rows(1) + 1); });
  }
};

template <class Context>
struct FinishOnce {
  FinishStep<Context> finish;
  KOKKOS_INLINE_FUNCTION void operator()(int) const { finish(); }
};

/// A scan and a reduction over the rows of a prune, whose number the host knows.
template <class Context>
struct SelectRows {
  SelectKept<Context> select;
  typename Context::View view;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i, std::uint32_t& position,
                                         bool final) const {
    select(view, i, position, final);
  }
};
template <class Pack, class View>
struct PackRows {
  Pack pack;
  View view;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i, KeptSums& sums) const {
    pack(view, i, sums);
  }
};

/// Makes steps and prunes by one kernel launch, or a few, for each phase. Everything is
/// asynchronous but the number of rows that a prune keeps. A GPU's stream orders the phases, so
/// that barriers cost nothing.
template <class Context, class Directory>
class LaunchRunner {
 public:
  static constexpr bool kLinksInFluxes = false;
  using ExecSpace = typename Context::ExecSpace;
  using CellArrays = typename Context::CellArrays;
  using Memory = typename CellArrays::Memory;

  /// `state`: as the host knows it.
  LaunchRunner(const ExecSpace& exec, const Context& s, const StepperState& state,
               CellArrays& cells, Directory& directory, Kokkos::View<char*, Memory>& sort_memory)
      : m_exec(exec),
        m_s(s),
        m_state(state),
        m_cells(cells),
        m_directory(directory),
        m_sort_memory(sort_memory),
        m_reductions(s.reductions.data()),
        m_rows_kept(cells.kept) {}

  void barrier() const {}
  void barrier(Written) const {}
  bool has_new_cells() const { return true; }  // the device knows

  // --- step

  void grow(const Growth<Context, Directory>& grow) const {
    const std::uint64_t n = m_state.cells;
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      constexpr int kTeam = 256;
      const int teams = static_cast<int>(
          std::min<std::uint64_t>(n / (kTeam * SelectGrowing<Context>::kTogether) + 1, 16384));
      const GrowingCells<Context> growing{m_cells.kept, m_cells.remap};
      Kokkos::parallel_for("tessera::gbees::select_growing",
                           Kokkos::TeamPolicy<ExecSpace>(m_exec, teams, kTeam),
                           SelectGrowing<Context>{grow.s, growing});
      launch_for(m_exec, n, InsertReceivers<Context, Directory>{grow.s, grow, growing});
    } else {
      using Active = Kokkos::View<std::uint32_t, Memory>;
      launch_reduce(m_exec, n, GrowCells<Context, Directory>{grow.s, grow},
                    Kokkos::Sum<std::uint32_t, Memory>(Active(&m_reductions->active)));
    }
  }

  template <class Phase>
  void minimum(const Phase& phase) const {
    launch_reduce(
        m_exec, m_state.cells, phase,
        Kokkos::Min<double, Memory>(Kokkos::View<double, Memory>(&m_reductions->cfl_time)));
  }

  template <class Phase>
  void for_each(const Phase& phase) const {
    launch_for(m_exec, m_state.cells, phase);
  }

  void for_each(const MarkReceivers<Context>& phase) const {
    if constexpr (Context::stores_velocity) {
      using ByStored = MarkReceivers<Context, Context::AskedBy::prune_by_stored>;
      if (moves_velocities())
        return launch_for(m_exec, m_state.cells, ByStored{phase.s, phase.receives_flux});
    }
    launch_for(m_exec, m_state.cells, phase);
  }

  template <class Phases, class Phase>
  void for_each_linked(const Phases&, const Phase& phase) const {
    for_each(phase);
  }

  template <class Phase>
  void update(const Phase& phase) const {
    launch_reduce(
        m_exec, m_state.cells, phase,
        compat::Sum<StepSums, Memory>(Kokkos::View<StepSums, Memory>(&m_reductions->sums)));
  }

  void finish(const FinishStep<Context>& finish) const {
    Kokkos::parallel_for("tessera::gbees::finish_step",
                         Kokkos::RangePolicy<ExecSpace>(m_exec, 0, 1), FinishOnce<Context>{finish});
  }

  // --- prune

  template <class Phases>
  void begin_prune(const Phases&) const {
    fill(m_exec, first_rows(m_cells.receives_flux), std::uint8_t(0));
    m_directory.clear(m_exec);
  }

  template <class Phase>
  void sum(const Phase& phase, ExactSum& total) const {
    launch_reduce(m_exec, m_state.cells, phase,
                  compat::Sum<ExactSum, Memory>(Kokkos::View<ExactSum, Memory>(&total)));
  }

  /// A GPU with few rows gains nothing by having neighbours close in memory. Ranks divide the order
  /// among them.
  template <class Phases>
  void select(const Phases& phases) {
    constexpr std::uint32_t kSortFrom = 1u << 18;
    const auto view = m_s.make_view(m_state, kNoCrossing, m_state.cells);
    Kokkos::parallel_scan("tessera::gbees::select_kept", Rows(m_exec, 0, m_state.cells),
                          SelectRows<Context>{phases.select_kept, view}, m_kept);
    if (!compat::is_gpu_v<ExecSpace> || m_kept >= kSortFrom || m_s.division != nullptr) sort_kept();
    fill(m_exec, first_rows(m_cells.remap), kNone);
  }

  template <class D>
  void pack(const PackKept<Context, D>& pack, KeptSums& total) const {
    if constexpr (Context::stores_velocity) {
      if (moves_velocities())
        return pack_by(PackKept<Context, D, false>{pack.s, pack.directory, pack.kept, pack.remap,
                                                   pack.new_key, pack.new_grown},
                       total);
    }
    pack_by(pack, total);
  }

  template <class Phases>
  void renumber_links(const Phases&) const {
    move_columns(LinkColumns<Context>{m_s, m_cells.remap});
    if constexpr (Context::stores_velocity) {
      if (moves_velocities()) move_columns(VelocityColumns<Context>{m_s});
    }
  }

  /// The host finishes the prune when it knows the sums.
  template <class Phases>
  void finish_prune(const Phases&) const {}

  std::uint32_t kept() const { return m_kept; }

 protected:
  using Rows = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>;
  using Curve =
      SpaceFillingCurve<Context::D, compat::is_gpu_v<ExecSpace>, typename Context::KeyWord>;

  /// Returns whether velocities are stored that move with their rows in a prune: where nothing
  /// varies in time.
  bool moves_velocities() const { return Context::stores_velocity && !m_s.time_varying(); }

  template <class Pack>
  void pack_by(const Pack& pack, KeptSums& total) const {
    const auto view = m_s.make_view(m_state, kNoCrossing, m_state.cells);
    Kokkos::parallel_reduce("tessera::gbees::pack_kept", Rows(m_exec, 0, m_kept),
                            PackRows<Pack, typename Context::View>{pack, view},
                            compat::Sum<KeptSums, Memory>(Kokkos::View<KeptSums, Memory>(&total)));
  }

  /// Moves columns to the new rows, as many at a time as there is room for: in the fluxes where
  /// they are stored, else in the old masses.
  template <class Columns>
  void move_columns(const Columns& columns) const {
    using Real = typename Context::Real;
    constexpr int kInMasses = sizeof(Real) / sizeof(std::uint32_t),
                  kInFluxes = Context::D * kInMasses;
    const int together = m_cells.stores_fluxes ? kInFluxes : kInMasses;
    const std::size_t count = std::size_t(together) * m_kept;
    // the mass of row 0 stays
    std::uint32_t* const taken =
        m_cells.stores_fluxes
            ? lend<std::uint32_t>(m_cells.flux, 0, count).data()
            : lend<std::uint32_t>(m_cells.mass[m_state.parity], kInMasses, count).data();
    for (int begin = 0; begin < Columns::kCount; begin += together) {
      const int end = std::min(begin + together, Columns::kCount);
      Kokkos::parallel_for(Columns::label_take, Rows(m_exec, 0, m_kept),
                           TakeColumns<Columns, decltype(m_rows_kept)>{columns, m_rows_kept, taken,
                                                                       m_kept, begin, end});
      Kokkos::parallel_for(Columns::label_store, Rows(m_exec, 0, m_kept),
                           StoreColumns<Columns>{columns, taken, m_kept, begin, end});
    }
  }

  /// Row 0 and those of the cells.
  template <class View>
  View first_rows(const View& array) const {
    return View(array.data(), m_state.cells + 1);
  }

  /// Sorts the rows to keep along a space-filling curve, 32 bits of it at a time: a sort keeps the
  /// order of equal keys.
  void sort_kept() const {
    const auto key = m_cells.sort_keys(m_kept), other_key = m_cells.sort_scratch(m_kept);
    using Keys = std::remove_const_t<decltype(key)>;
    const SortScratch<ExecSpace, std::uint32_t> scratch{other_key.data(), m_cells.remap.data(),
                                                        m_sort_memory};
    const Curve curve = find_curve();
    for (int word = 0; 32 * word < curve.bits(); ++word) {
      Kokkos::parallel_for("tessera::gbees::sort_keys", Rows(m_exec, 0, m_kept),
                           FillSortKeys<Context, Keys>{m_s.key, m_cells.kept, key, curve, word});
      sort_by_key(m_exec, key.data(), m_cells.kept.data(), m_kept,
                  std::min(curve.bits() - 32 * word, 32), scratch);
    }
  }

  Curve find_curve() const {
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      return {};
    } else {
      const auto range = allocate<Kokkos::View<IndexRange<Context::D>, Memory>>(
          m_exec, "tessera::gbees::index_range");
      launch_reduce(m_exec, m_state.cells, FindIndexRange<Context>{m_s},
                    compat::Sum<IndexRange<Context::D>, Memory>(range));
      m_exec.fence();
      return Curve(range(), m_s.division == nullptr);
    }
  }

  ExecSpace m_exec;
  Context m_s;
  StepperState m_state;
  CellArrays& m_cells;
  Directory& m_directory;
  Kokkos::View<char*, Memory>& m_sort_memory;
  StepReductions* m_reductions;
  typename Context::template Array<std::uint32_t*> m_rows_kept;  ///< the first m_kept are
  std::uint32_t m_kept = 0;
};

}  // namespace tessera::gbees::detail
