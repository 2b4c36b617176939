// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/gbees/step/halo.hpp"
#include "tessera/gbees/step/launch_runner.hpp"

namespace tessera::gbees::detail {

/// The numbers of a step that all ranks must know before it goes on.
struct Agreement {
  double cfl_time = kNoCrossing;
  std::uint64_t bad_key = ~std::uint64_t(0);
  std::uint32_t stop = 0;
  Agreement& operator+=(const Agreement& other) {
    cfl_time = std::min(cfl_time, other.cfl_time);
    bad_key = std::min(bad_key, other.bad_key);
    stop |= other.stop;
    return *this;
  }
};

/// The numbers of a step that all ranks must know at its end.
struct StepTotals : Agreement {
  std::uint64_t cells = 0, active = 0;
  StepSums sums;
  StepTotals& operator+=(const StepTotals& other) {
    Agreement::operator+=(other);
    cells += other.cells;
    active += other.active;
    sums += other.sums;
    return *this;
  }
};

/// Makes steps and prunes of the cells of one rank among several: what LaunchRunner does, and
/// messages between the phases (Halo). In a step: masses of ghosts; keys of new cells to their
/// owners; new cells that are ghosts elsewhere; fluxes between ranks, where outflows are limited
/// before and after that; and twice what all have to know, the time step and the sums. In a prune:
/// receivers that other ranks own, sums, and the cells that change ranks so that each has as many.
template <class Context, class Directory>
class RanksRunner : public LaunchRunner<Context, Directory> {
  using Base = LaunchRunner<Context, Directory>;
  static constexpr int D = Context::D;

 public:
  using ExecSpace = typename Context::ExecSpace;
  using CellArrays = typename Context::CellArrays;
  using Memory = typename CellArrays::Memory;
  using Ranks = Halo<Context::D, ExecSpace>;

  RanksRunner(const ExecSpace& exec, const Context& s, const StepperState& state, CellArrays& cells,
              Directory& directory, Kokkos::View<char*, Memory>& sort_memory, Ranks& halo,
              StepMemory* memory)
      : Base(exec, s, state, cells, directory, sort_memory),
        m_halo(halo),
        m_memory(memory),
        m_link_ghosts{s, directory, cells.capacity, 0} {}

  /// Returns whether another step follows.
  bool goes_on() const { return m_state.stop == 0; }

  // --- step

  void grow(const Growth<Context, Directory>& grow) {
    m_halo.exchange(MassOfGhosts<Context>{m_s.mass[m_state.parity].data()});
    m_grow.emplace(grow);
    m_grow->s.room = m_s.room;
    Base::grow(*m_grow);
  }

  void barrier() const {}
  void barrier(Written written) {
    if (written == Written::cells) {
      give_new_cells();
      find_new_ghosts();
    }
    if (written == Written::links || written == Written::crossing_times) agree();
    if (!goes_on()) return;
    if (written == Written::fluxes)
      m_halo.exchange(FluxBetweenRanks<Context, false>{m_s, Context::mark_of(m_state)});
    if (written == Written::limited_fluxes)
      m_halo.exchange(FluxBetweenRanks<Context, true>{m_s, 0});
    if constexpr (Context::fused) {
      if (written == Written::half_steps)
        m_halo.exchange(FluxOutOfBorder<Context>{m_s, ghost_fluxes()});
    }
  }

  void minimum(const LinkNewCells<Context, Directory>& phase) const {
    Base::minimum(phase);
    for_ghosts("tessera::gbees::link_ghosts", 2 * D * m_new_ghosts, m_link_ghosts);
  }
  void minimum(const RefreshVelocities<Context>& phase) const {
    Base::minimum(phase);
    for_ghosts("tessera::gbees::refresh_ghosts", m_halo.ghosts(),
               RefreshGhosts<Context>{m_s, m_cells.capacity});
  }
  void minimum(const CrossingTimes<Context>& phase) const { Base::minimum(phase); }

  template <class Phase>
  void for_each(const Phase& phase) const {
    Base::for_each(phase);
  }

  template <class Phase>
  void update(const Phase& phase) {
    if constexpr (Context::fused) {
      Base::update(FusedUpdate<Context, GhostFluxes<D>>{phase.s, ghost_fluxes()});
    } else {
      Base::update(phase);
    }
  }

  void finish(const FinishStep<Context>& finish) {
    if (!goes_on()) {  // what the step has counted is not to count in the next one
      store(m_exec, "tessera::gbees::clear_reductions", m_s.reductions.data(), StepReductions());
      return;
    }
    fetch();
    const StepTotals own{{m_found.cfl_time, m_state.bad_key, m_state.stop},
                         m_state.allocated,
                         m_found.active,
                         m_found.sums};
    const StepTotals all = m_halo.ranks().sum(own);
    m_found.active = static_cast<std::uint32_t>(all.active);
    m_found.sums = all.sums;
    m_state.elsewhere = all.cells - m_state.allocated;
    take(all);
    Base::finish(finish);
    fetch();
  }

  // --- prune

  /// The directory is needed for one more phase.
  template <class Phases>
  void begin_prune(const Phases&) const {
    fill(m_exec, Base::first_rows(m_cells.receives_flux), std::uint8_t(0));
  }

  void for_each(const MarkReceivers<Context>& phase) const {
    do {
      Base::for_each(phase);
    } while (!m_halo.take_posted());
    const auto asked = m_halo.deliver();
    Kokkos::parallel_for(
        "tessera::gbees::mark_asked", Rows(m_exec, 0, static_cast<std::uint32_t>(asked.extent(0))),
        MarkAsked<Context, Directory>{m_s, m_directory, asked.data(), phase.receives_flux});
  }

  template <class Phase>
  void sum(const Phase& phase, ExactSum& total) const {
    Base::sum(phase, total);
    ExactSum own;
    copy_to_host(m_exec, &own, &total, 1);
    store(m_exec, "tessera::gbees::total", &total, m_halo.ranks().sum(own));
  }

  template <class Phases>
  void select(const Phases& phases) {
    m_directory.clear(m_exec);
    Base::select(phases);
    const std::uint32_t ghosts = m_halo.ghosts();
    fill(m_exec,
         Kokkos::View<std::uint32_t*, Memory>(m_cells.remap.data() + m_cells.capacity + 1 - ghosts,
                                              ghosts),
         kNone);
    move_cells();
  }

  template <class Pack>
  void pack(Pack pack, KeptSums& total) const {
    pack.kept = m_rows_kept;
    Base::pack(pack, total);
    const auto moved =
        allocate<Kokkos::View<KeptSums, Memory>>(m_exec, "tessera::gbees::sum_moved");
    Kokkos::parallel_reduce("tessera::gbees::sum_moved",
                            Rows(m_exec, 0, static_cast<std::uint32_t>(m_received.extent(0))),
                            SumMoved{m_received.data()}, compat::Sum<KeptSums, Memory>(moved));
    KeptSums kept;
    copy_to_host(m_exec, &kept, &total, 1);
    kept += download_scalar(m_exec, moved);
    store(m_exec, "tessera::gbees::total", &total, m_halo.ranks().sum(kept));
  }

  /// Cells that have come from other ranks, to be put behind the rows that were kept; and where the
  /// ranks' parts begin now.
  const Kokkos::View<MovedCell*, Memory>& received() const { return m_received; }
  const std::vector<std::uint64_t>& ranges() const { return m_ranges; }

 private:
  using Base::m_cells;
  using Base::m_directory;
  using Base::m_exec;
  using Base::m_kept;
  using Base::m_reductions;
  using Base::m_rows_kept;
  using Base::m_s;
  using Base::m_state;
  using typename Base::Rows;

  template <class Body>
  void for_ghosts(const char* label, std::uint32_t count, const Body& body) const {
    if (count > 0) Kokkos::parallel_for(label, Rows(m_exec, 0, count), body);
  }

  void fetch() {
    StepMemory memory;
    copy_to_host(m_exec, &memory, m_memory, 1);
    m_state = memory.state;
    m_found = memory.reductions;
  }

  /// Makes what all have found this rank's own.
  void take(const Agreement& all) {
    m_found.cfl_time = all.cfl_time;
    m_state.stop = all.stop;
    m_state.bad_key = all.bad_key;
    store(m_exec, "tessera::gbees::take_state", m_memory, StepMemory{m_state, m_found});
  }

  void agree() {
    fetch();
    take(m_halo.ranks().sum(Agreement{m_found.cfl_time, m_state.bad_key, m_state.stop}));
  }

  GhostFluxes<D> ghost_fluxes() {
    const std::size_t needed = std::size_t(m_halo.ghosts()) * 2 * D;
    if (needed > m_ghost_fluxes.extent(0))
      m_ghost_fluxes = allocate<decltype(m_ghost_fluxes)>(m_exec, "tessera::gbees::ghost_fluxes",
                                                          needed + needed / 2);
    return {m_ghost_fluxes.data(), m_s.room, m_cells.capacity};
  }

  void stop(StopReason reason) {
    m_state.stop |= reason;
    store(m_exec, "tessera::gbees::take_state", m_s.state.data(), m_state);
  }

  /// Cells that growth has reached on other ranks get rows there.
  void give_new_cells() {
    if (!m_halo.take_posted()) {
      Kokkos::parallel_for("tessera::gbees::note_no_room",
                           Kokkos::RangePolicy<ExecSpace>(m_exec, 0, 1),
                           SetNoRoom<decltype(m_s.state)>{m_s.state, true});
    }
    const auto asked = m_halo.deliver();
    Kokkos::parallel_for("tessera::gbees::insert_asked",
                         Rows(m_exec, 0, static_cast<std::uint32_t>(asked.extent(0))),
                         InsertAsked<Context, Directory>{
                             *m_grow, m_s.make_view(m_state, kNoCrossing, 0), asked.data()});
  }

  /// New cells become ghosts where they share faces with the parts of other ranks. A step that will
  /// be made again needs none.
  void find_new_ghosts() {
    do {
      launch_for(m_exec, m_state.cells / 8, PostNewBorder<Context>{m_s});
    } while (!m_halo.take_posted());
    fetch();
    const std::uint64_t count = m_halo.announce_border();
    m_new_ghosts = 0;
    if (!goes_on()) return;
    if (m_state.allocated + count > m_s.room) {
      m_state.allocated += static_cast<std::uint32_t>(count);  // what is needed
      return stop(kStopNoRoom);
    }
    const auto ghosts = m_halo.add_ghosts(m_cells.capacity);
    m_new_ghosts = ghosts.count;
    m_s.room -= m_new_ghosts;
    m_link_ghosts.top = ghosts.top;
    m_link_ghosts.ghosts = ghosts.count;
    for_ghosts("tessera::gbees::make_ghosts", m_new_ghosts,
               MakeGhosts<Context, Directory>{m_s, m_directory, ghosts.cell,
                                              m_s.mass[m_state.parity].data(), ghosts.top});
  }

  /// Divides the rows that are kept, which are in order, evenly among the ranks: takes out those
  /// that are to go elsewhere, and gets others.
  void move_cells() {
    const parallel::Communicator& ranks = m_halo.ranks();
    const std::vector<std::int64_t> counts = ranks.all_gather(std::vector<std::int64_t>{m_kept});
    std::int64_t total = 0, before = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      total += counts[r];
      if (static_cast<int>(r) < ranks.rank()) before += counts[r];
    }
    const auto of_rank = [&](int r) {  // own rows that are in a rank's part
      const parallel::Range part = ranks.share_of(r, total);
      const auto own = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at - before, 0, m_kept);
      };
      return parallel::Range{own(part.begin), own(part.end)};
    };
    std::vector<std::size_t> going;
    for (int r = 0; r < ranks.size(); ++r)
      going.push_back(r == ranks.rank() ? 0 : static_cast<std::size_t>(of_rank(r).size()));
    const std::vector<std::size_t> coming = ranks.all_to_all(going);
    const auto moved = allocate<Kokkos::View<MovedCell*, Memory>>(m_exec, "tessera::gbees::moved",
                                                                  parallel::sum_of(going));
    m_received = allocate<Kokkos::View<MovedCell*, Memory>>(m_exec, "tessera::gbees::received",
                                                            parallel::sum_of(coming));
    const auto view = m_s.make_view(m_state, kNoCrossing, m_state.cells);
    std::size_t first = 0;
    for (int r = 0; r < ranks.size(); ++r) {
      const auto count = static_cast<std::uint32_t>(going[static_cast<std::size_t>(r)]);
      if (count == 0) continue;
      Kokkos::parallel_for("tessera::gbees::take_out", Rows(m_exec, 0, count),
                           TakeOut<Context>{m_s, view, m_cells.kept.data() + of_rank(r).begin,
                                            moved.data() + first});
      first += count;
    }
    m_halo.messages().exchange(moved.data(), going, m_received.data(), coming);
    const parallel::Range stay = of_rank(ranks.rank());
    m_rows_kept = decltype(m_rows_kept)(m_cells.kept.data() + stay.begin,
                                        static_cast<std::size_t>(stay.size()));
    m_kept = static_cast<std::uint32_t>(stay.size());
    find_ranges(coming);
  }

  /// Cells have come in order from each rank, and those that stay are in order.
  void find_ranges(const std::vector<std::size_t>& coming) {
    std::uint64_t least = ~std::uint64_t(0);
    const auto look_at = [&](const std::uint64_t* key) {
      std::uint64_t host = 0;
      copy_to_host(m_exec, &host, key, 1);
      least = std::min(least, curve_position<D, Ranks::is_gpu>(host));
    };
    std::size_t first = 0;
    for (const std::size_t count : coming) {
      if (count > 0) look_at(&m_received.data()[first].key);
      first += count;
    }
    if (m_kept > 0) {
      std::uint32_t row = 0;
      copy_to_host(m_exec, &row, m_rows_kept.data(), 1);
      look_at(m_s.key.data() + row);
    }
    m_ranges = m_halo.ranks().all_gather(std::vector<std::uint64_t>{least});
    m_ranges[0] = 0;
  }

  Ranks& m_halo;
  StepMemory* m_memory;  // that the state and the reductions are in
  LinkGhosts<Context, Directory> m_link_ghosts;
  std::optional<Growth<Context, Directory>> m_grow;  // of the present step
  StepReductions m_found;
  std::uint32_t m_new_ghosts = 0;
  Kokkos::View<double*, Memory> m_ghost_fluxes;  // where fluxes are not stored
  Kokkos::View<MovedCell*, Memory> m_received;
  std::vector<std::uint64_t> m_ranges;
};

}  // namespace tessera::gbees::detail
