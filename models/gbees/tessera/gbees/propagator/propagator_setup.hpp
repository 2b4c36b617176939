// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/propagator/propagator.hpp"

/// A propagator's construction, its state on host and device, and its memory.

namespace tessera::gbees {

namespace detail {

template <class Dynamics>
struct TakeTime {
  Dynamics dynamics;
  double t;
  KOKKOS_INLINE_FUNCTION void operator()(int) const { take_time(dynamics, t); }
};

}  // namespace detail

template <class ExecSpace, class Dynamics, class Real>
Propagator<ExecSpace, Dynamics, Real>::Propagator(const ExecSpace& exec, const Dynamics& dynamics,
                                                  const Grid<D>& grid,
                                                  const PropagatorOptions& options,
                                                  std::shared_ptr<const void> owner)
    : m_exec(exec),
      m_dynamics(dynamics),
      m_owner(std::move(owner)),
      m_grid(grid),
      m_options(options),
      m_halo(exec, options.ranks),
      m_step_memory(allocate<decltype(m_step_memory)>(exec, "tessera::gbees::state")),
      m_state_device(&m_step_memory.data()->state),
      m_reductions(&m_step_memory.data()->reductions),
      m_prune_reductions(
          allocate<decltype(m_prune_reductions)>(exec, "tessera::gbees::prune_reductions")),
      m_shared(allocate<decltype(m_shared)>(exec, "tessera::gbees::shared")),
      m_history(allocate<decltype(m_history)>(
          exec, "tessera::gbees::history",
          compat::is_gpu_v<ExecSpace> ? kPersistentSteps : kMaxBatch)) {
  store_state();
  store(m_exec, "tessera::gbees::clear_reductions", m_reductions.data(), detail::StepReductions());
  store(m_exec, "tessera::gbees::clear_reductions", m_prune_reductions.data(),
        detail::PruneReductions());
  store(m_exec, "tessera::gbees::clear_shared", m_shared.data(), detail::SharedState());
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw Error(ErrorKind::input, std::string("gbees: ") + what);
  };
  require(options.threshold > 0, "the threshold must be positive");
  require(options.cfl > 0 && options.cfl <= 1, "the CFL number must be in (0, 1]");
  require(options.prune_every > 0, "prune_every must be positive");
  require(options.slots_per_cell == 0 || (options.slots_per_cell >= kLeastSlotsPerCell &&
                                          options.slots_per_cell <= kMostSlotsPerCell),
          "the directory has 1.1 to 16 slots for each cell");
  require(options.team_size % kTeamSizeUnit == 0 && options.team_size >= 0 &&
              options.team_size <= kMostTeamSize,
          "the threads of a team are a multiple of 32 up to 384");
  require(!options.grows_all_ways || options.scheme == Scheme::reference,
          "growth in all directions is that of the reference scheme");
  if (options.kernels == Kernels::fused) {
    require(
        !m_halo.is_divided(),
        "several ranks make steps by a kernel for each phase: set run.kernels to auto or plain");
    if (compat::is_gpu_v<ExecSpace>) {
      require(!is_wide,
              "keys of 128 bits need a kernel for each phase on a GPU: set run.kernels to auto or "
              "plain");
      require(
          options.directory != DirectoryKind::unordered_map,
          "fused kernels on a GPU need another directory: set grid.directory to auto or flat_map");
      require(!options.shared_device,
              "fused kernels need the whole GPU: set run.kernels to auto or plain");
    }
  }
  require(options.noise.empty() || options.noise.size() == D,
          "process noise needs one number a variable");
  for (const double density : options.noise) {
    require(density >= 0 && std::isfinite(density),
            "process noise must be finite and not negative");
    require(density == 0 || options.scheme == Scheme::conservative,
            "process noise needs the conservative scheme");
  }
  for (int i = 0; i < D; ++i) {
    require(grid.spacing[i] > 0 && std::isfinite(grid.spacing[i]),
            "the spacing must be positive and finite");
    if (!grid.is_circle(i)) continue;
    require(detail::takes_circles<Dynamics>(),
            "these dynamics have no variables on circles: give them as equations");
    require(options.scheme == Scheme::conservative, "circles need the conservative scheme");
    require(grid.turn[i] >= kLeastOfTurn && grid.first[i] <= 0 && grid.first[i] > -grid.turn[i] &&
                grid.turn[i] < Key::limit && grid.offset[i] == 0,
            "a circle has at least 4 cells, one of index 0 among them, and no more than can be "
            "indexed");
  }
  with_scheme([&](auto scheme) { m_cells.stores_fluxes = !Context<scheme()>::fused; });
  if (is_wide && m_halo.is_divided()) {
    throw Error(ErrorKind::usage,
                "this run cannot be divided among ranks: keys of 128 bits work on one device",
                "start it without a launcher, or set grid.keys: 64");
  }
  require(!is_wide || options.directory != DirectoryKind::flat_map,
          "keys of 128 bits need directory: unordered_map");
  m_cells.directory_kind = directory_for(0);
  m_cells.slots_per_cell = options.slots_per_cell;
  if (m_halo.is_divided() && m_options.directory != DirectoryKind::automatic &&
      m_options.directory != CellArrays::kSharedKind) {
    throw Error(
        ErrorKind::usage,
        "this run cannot be divided among ranks: the directory it asks for works on one device",
        "start it without a launcher, or leave grid.directory out");
  }
}

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
typename Propagator<ExecSpace, Dynamics, Real>::template Context<scheme>
Propagator<ExecSpace, Dynamics, Real>::context() const {
  Context<scheme> s;
  s.division = m_halo.division();
  s.capacity = m_cells.capacity;
  s.room = m_cells.capacity - m_halo.ghosts();
  s.key = m_cells.key();
  s.mass[0] = m_cells.mass[0];
  s.mass[1] = m_cells.mass[1];
  s.half_step = m_cells.half_step();
  s.links = m_cells.links;
  s.flux = m_cells.flux;
  s.grown = m_cells.grown;
  s.stored_velocity = m_velocity.data();
  s.stored_crossing_time = m_crossing_time.data();
  s.loses_below = m_loses_below.data();
  s.mark = m_cells.spare_grown.data();
  s.velocity = {m_dynamics, m_grid, &m_state_device.data()->velocity_time};
  for (int i = 0; i < D; ++i) {
    s.inverse_spacing[i] = 1 / m_grid.spacing[i];
    s.diffusion[i] = m_options.noise.empty() ? 0 : m_options.noise[i] / (2 * m_grid.spacing[i]);
  }
  s.threshold = m_options.threshold;
  s.cfl = m_options.cfl;
  s.grows_all_ways = m_options.grows_all_ways;
  s.state = m_state_device;
  s.reductions = m_reductions;
  return s;
}

/// The phases of a step with the directory in use.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme, class Directory>
detail::StepPhases<typename Propagator<ExecSpace, Dynamics, Real>::template Context<scheme>,
                   Directory>
Propagator<ExecSpace, Dynamics, Real>::step_phases(const Directory& directory) const {
  return {context<scheme>(), directory, m_history,
          static_cast<std::uint32_t>(m_options.prune_every)};
}

template <class ExecSpace, class Dynamics, class Real>
DeviceCells<Propagator<ExecSpace, Dynamics, Real>::D>
Propagator<ExecSpace, Dynamics, Real>::device_cells() const {
  return {m_grid,
          m_cells.key().data(),
          is_wide,
          {m_cells.mass[0].data(), m_cells.mass[1].data()},
          std::is_same_v<Real, float>,
          m_cells.capacity,
          m_state_device.data(),
          m_history.data(),
          m_generation,
          m_knows_kept ? m_cells.kept.data() : nullptr,
          nullptr};
}

template <class ExecSpace, class Dynamics, class Real>
DeviceCells<Propagator<ExecSpace, Dynamics, Real>::D>
Propagator<ExecSpace, Dynamics, Real>::cells_with_neighbours() {
  refresh_ghosts();
  DeviceCells<D> cells = device_cells();
  cells.links = m_cells.links.data();
  return cells;
}

/// Takes the masses of ghosts from the ranks that own them.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::refresh_ghosts() {
  if (!m_halo.is_divided()) return;
  m_halo.exchange(detail::MassOfGhosts<AnyContext>{m_cells.mass[m_state.parity].data()});
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::fetch_state() {
  copy_to_host(m_exec, &m_state, m_state_device.data(), 1);
  m_taken_time = m_state.velocity_time;
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::store_state() {
  store(m_exec, "tessera::gbees::store_state", m_state_device.data(), m_state);
  if (!detail::is_time_varying(m_dynamics) || m_state.velocity_time == m_taken_time) return;
  m_taken_time = m_state.velocity_time;
  Kokkos::parallel_for("tessera::gbees::take_time", Kokkos::RangePolicy<ExecSpace>(m_exec, 0, 1),
                       detail::TakeTime<Dynamics>{m_dynamics, m_taken_time});
}

/// Gives room for `rows` cells and keeps the first `used`.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::reserve(std::uint64_t rows, std::uint32_t used) {
  if constexpr (detail::stores_velocity<Dynamics>()) {
    const std::uint64_t limit = m_options.memory_limit;
    const std::uint64_t velocities = kVelocityBytes * (rows + 1);
    m_cells.reserve(m_exec, rows, used,
                    limit == 0           ? 0
                    : limit > velocities ? limit - velocities
                                         : 1);
    m_velocity = detail::enlarged(m_exec, "tessera::gbees::velocity", m_velocity, rows, used);
    m_crossing_time =
        detail::enlarged(m_exec, "tessera::gbees::crossing_time", m_crossing_time, rows, used);
    m_loses_below =
        detail::enlarged(m_exec, "tessera::gbees::loses_below", m_loses_below, rows, used);
    for (int i = 0; i < D; ++i)
      store(m_exec, "tessera::gbees::clear_velocity", m_velocity.data() + i * m_velocity.extent(0),
            Real(0));  // of the cell that does not exist
  } else {
    m_cells.reserve(m_exec, rows, used, m_options.memory_limit);
  }
}

}  // namespace tessera::gbees
