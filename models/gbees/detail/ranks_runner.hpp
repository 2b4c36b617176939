// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/gbees/detail/halo.hpp"
#include "tessera/gbees/detail/launch_runner.hpp"

namespace tessera::gbees::detail {

/// What all ranks must know of a step before it goes on.
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

/// The same at its end.
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

/// Makes steps and prunes of the cells of one rank among several: what LaunchRunner does, and messages between the phases (Halo). In a
/// step: masses of ghosts; keys of new cells to their owners; new cells that are ghosts elsewhere; fluxes between ranks, before and after
/// outflows are limited; and twice what all have to know, the time step and the sums. In a prune: receivers that other ranks own, sums,
/// and the cells that change ranks so that each has as many.
template <class Context, class Directory>
class RanksRunner : public LaunchRunner<Context, Directory> {
  using Base = LaunchRunner<Context, Directory>;
  static constexpr int D = Context::D;

 public:
  using ExecSpace = typename Context::ExecSpace;
  using CellArrays = typename Context::CellArrays;
  using Memory = typename CellArrays::Memory;
  using Ranks = Halo<Context::D, ExecSpace>;

  RanksRunner(const ExecSpace& exec, const Context& s, const StepperState& state, CellArrays& cells, Directory& directory,
              Kokkos::View<char*, Memory>& sort_memory, Ranks& halo)
      : Base(exec, s, state, cells, directory, sort_memory), m_halo(halo), m_link_ghosts{s, directory, cells.capacity} {}

  /// Whether another step follows.
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
    if (written == Written::fluxes) m_halo.exchange(FluxBetweenRanks<Context, false>{m_s});
    if (written == Written::limited_fluxes) m_halo.exchange(FluxBetweenRanks<Context, true>{m_s});
  }

  void minimum(const LinkNewCells<Context, Directory>& phase) const {
    Base::minimum(phase);
    for_ghosts("tessera::gbees::link_ghosts", m_new_ghosts, m_link_ghosts);
  }
  void minimum(const RefreshVelocities<Context>& phase) const {
    Base::minimum(phase);
    for_ghosts("tessera::gbees::refresh_ghosts", m_halo.ghosts(), RefreshGhosts<Context>{m_s, m_cells.capacity});
  }
  void minimum(const CrossingTimes<Context>& phase) const { Base::minimum(phase); }

  template <class Phase>
  void for_each(const Phase& phase) const {
    Base::for_each(phase);
  }
  void for_each(const FaceFlux<Context>& phase) const {
    Base::for_each(phase);
    if (!goes_on()) return;
    const auto view = m_s.make_view(m_state, m_cfl_time, 0);
    for_ghosts("tessera::gbees::ghost_fluxes", m_halo.ghosts(), GhostFluxes<FaceFlux<Context>>{phase, view, m_cells.capacity});
  }

  void finish(const FinishStep<Context>& finish) {
    if (!goes_on()) return;
    fetch();
    const StepTotals own{{m_found.cfl_time, m_state.bad_key, m_state.stop}, m_state.allocated, m_found.active, m_found.sums};
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
    std::vector<Posted> posted;
    do {
      Base::for_each(phase);
    } while (!m_halo.take_posted(posted));
    const auto asked = upload(m_exec, "tessera::gbees::asked", m_halo.send_to_owners(posted));
    Kokkos::parallel_for("tessera::gbees::mark_asked", Rows(m_exec, 0, static_cast<std::uint32_t>(asked.extent(0))),
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
    fill(m_exec, Kokkos::View<std::uint32_t*, Memory>(m_cells.remap.data() + m_cells.capacity + 1 - ghosts, ghosts), kNone);
    move_cells();
  }

  template <class Pack>
  void pack(Pack pack, KeptSums& total) const {
    pack.kept = m_rows_kept;
    Base::pack(pack, total);
    KeptSums kept;
    copy_to_host(m_exec, &kept, &total, 1);
    for (const MovedCell& cell : m_received) kept.mass.add(cell.mass);
    store(m_exec, "tessera::gbees::total", &total, m_halo.ranks().sum(kept));
  }

  /// Cells that have come from other ranks, to be put behind the rows that were kept; and where the ranks' parts begin now.
  const std::vector<MovedCell>& received() const { return m_received; }
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
    copy_to_host(m_exec, &m_state, m_s.state.data(), 1);
    copy_to_host(m_exec, &m_found, m_s.reductions.data(), 1);
  }

  /// Makes what all have found this rank's own.
  void take(const Agreement& all) {
    m_found.cfl_time = m_cfl_time = all.cfl_time;
    m_state.stop = all.stop;
    m_state.bad_key = all.bad_key;
    store(m_exec, "tessera::gbees::take_state", m_s.state.data(), m_state);
    store(m_exec, "tessera::gbees::take_reductions", m_s.reductions.data(), m_found);
  }

  void agree() {
    fetch();
    take(m_halo.ranks().sum(Agreement{m_found.cfl_time, m_state.bad_key, m_state.stop}));
  }

  void stop(StopReason reason) {
    m_state.stop |= reason;
    store(m_exec, "tessera::gbees::take_state", m_s.state.data(), m_state);
  }

  /// Cells that growth has reached on other ranks get rows there.
  void give_new_cells() {
    std::vector<Posted> posted;
    const bool had_room = m_halo.take_posted(posted);
    const auto asked = upload(m_exec, "tessera::gbees::asked", m_halo.send_to_owners(posted));
    Kokkos::parallel_for("tessera::gbees::insert_asked", Rows(m_exec, 0, static_cast<std::uint32_t>(asked.extent(0))),
                         InsertAsked<Context, Directory>{*m_grow, m_s.make_view(m_state, kNoCrossing, 0), asked.data()});
    fetch();
    if (!had_room) stop(kStopNoRoom);
  }

  /// New cells become ghosts where they share faces with the parts of other ranks. A step that will be made again needs none.
  void find_new_ghosts() {
    std::vector<Posted> border;
    if (goes_on()) {
      const PostBorder<Context> post{m_s, m_s.mass[m_state.parity].data(), m_state.cells + 1};
      do {
        Kokkos::parallel_for("tessera::gbees::post_border", Rows(m_exec, 0, m_state.allocated - m_state.cells), post);
      } while (!m_halo.take_posted(border));
    }
    const auto told = m_halo.announce(std::move(border));
    std::uint64_t count = 0;
    for (const auto& list : told) count += list.size();
    m_new_ghosts = 0;
    if (!goes_on()) return;
    if (m_state.allocated + count > m_s.room) {
      m_state.allocated += static_cast<std::uint32_t>(count);  // what is needed
      return stop(kStopNoRoom);
    }
    const auto ghosts = m_halo.add_ghosts(told, m_cells.capacity);
    m_new_ghosts = static_cast<std::uint32_t>(count);
    m_s.room -= m_new_ghosts;
    m_link_ghosts.top = ghosts.top;
    if (m_new_ghosts == 0) return;
    const auto key = upload(m_exec, "tessera::gbees::ghost_keys", ghosts.key);
    const auto mass = upload(m_exec, "tessera::gbees::ghost_masses", ghosts.mass);
    for_ghosts("tessera::gbees::make_ghosts", m_new_ghosts,
               MakeGhosts<Context, Directory>{m_s, m_directory, key.data(), mass.data(), m_s.mass[m_state.parity].data(), ghosts.top});
  }

  /// Divides the rows that are kept, which are in order, evenly among the ranks: takes out those that are to go elsewhere, and gets others.
  void move_cells() {
    const parallel::Communicator& ranks = m_halo.ranks();
    const std::vector<std::int64_t> counts = ranks.all_gather(std::vector<std::int64_t>{m_kept});
    std::int64_t total = 0, before = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      total += counts[r];
      if (static_cast<int>(r) < ranks.rank()) before += counts[r];
    }
    const auto view = m_s.make_view(m_state, kNoCrossing, m_state.cells);
    std::vector<std::vector<MovedCell>> lists(counts.size());
    std::uint32_t first = 0, end = 0;  // of those that stay
    for (int r = 0; r < ranks.size(); ++r) {
      const parallel::Range part = ranks.share_of(r, total);
      const auto own = [&](std::int64_t at) { return static_cast<std::uint32_t>(std::clamp<std::int64_t>(at - before, 0, m_kept)); };
      const std::uint32_t begin = own(part.begin), count = own(part.end) - begin;
      if (r == ranks.rank()) {
        first = begin;
        end = begin + count;
      } else if (count > 0) {
        const auto moved = allocate<Kokkos::View<MovedCell*, Memory>>(m_exec, "tessera::gbees::moved", count);
        Kokkos::parallel_for("tessera::gbees::take_out", Rows(m_exec, 0, count),
                             TakeOut<Context>{m_s, view, m_cells.kept.data() + begin, moved.data()});
        auto& list = lists[static_cast<std::size_t>(r)];
        list.resize(count);
        copy_to_host(m_exec, list.data(), moved.data(), count);
      }
    }
    m_received.clear();
    for (const auto& list : ranks.all_to_all(lists)) m_received.insert(m_received.end(), list.begin(), list.end());
    m_rows_kept = decltype(m_rows_kept)(m_cells.kept.data() + first, end - first);
    m_kept = end - first;
    find_ranges();
  }

  void find_ranges() {
    std::uint64_t least = ~std::uint64_t(0);
    const auto look_at = [&](std::uint64_t key) { least = std::min(least, curve_position<D, Ranks::is_gpu>(key)); };
    for (const MovedCell& cell : m_received) look_at(cell.key);
    if (m_kept > 0) {
      std::uint32_t row = 0;
      std::uint64_t key = 0;
      copy_to_host(m_exec, &row, m_rows_kept.data(), 1);
      copy_to_host(m_exec, &key, m_s.key.data() + row, 1);
      look_at(key);
    }
    m_ranges = m_halo.ranks().all_gather(std::vector<std::uint64_t>{least});
    m_ranges[0] = 0;
  }

  Ranks& m_halo;
  LinkGhosts<Context, Directory> m_link_ghosts;
  std::optional<Growth<Context, Directory>> m_grow;  // of the present step
  StepReductions m_found;
  double m_cfl_time = kNoCrossing;
  std::uint32_t m_new_ghosts = 0;
  std::vector<MovedCell> m_received;
  std::vector<std::uint64_t> m_ranges;
};

}  // namespace tessera::gbees::detail
