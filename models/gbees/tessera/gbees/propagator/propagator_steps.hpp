// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <sstream>

#include "tessera/gbees/propagator/propagator.hpp"
#include "tessera/gbees/step/launch_runner.hpp"
#include "tessera/gbees/step/persistent_runner.hpp"
#include "tessera/gbees/step/thread_team_runner.hpp"

/// The steps of a propagator: which runner makes them, when the host looks, and what ends a run.

namespace tessera::gbees {

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::begin_interval(double length, double longest_step) {
  m_state.interval = length;
  m_state.interval_time = 0;
  m_state.longest_step = longest_step;
  m_state.velocity_share = m_options.velocities_of_start ? 0 : 0.5;
  m_state.velocity_time = m_state.middle_of_next_step();
  // known when these velocities are
  if (detail::is_time_varying(m_dynamics)) m_state.cfl_time = detail::kNoCrossing;
  m_state.stop &= ~std::uint32_t(kStopInterval);
  store_state();
}

/// The directory for so many cells (DirectoryKind).
template <class ExecSpace, class Dynamics, class Real>
DirectoryKind Propagator<ExecSpace, Dynamics, Real>::directory_for(std::uint32_t cells) const {
  if (is_wide) return DirectoryKind::unordered_map;
  if (m_halo.is_divided()) return CellArrays::kSharedKind;
  if (m_options.directory != DirectoryKind::automatic) return m_options.directory;
  return launches_phases(cells) ? DirectoryKind::unordered_map : DirectoryKind::flat_map;
}

/// Returns whether a kernel for each phase makes a step of so many cells, if the cells are not
/// divided among ranks.
template <class ExecSpace, class Dynamics, class Real>
bool Propagator<ExecSpace, Dynamics, Real>::launches_phases(std::uint32_t cells) const {
  return compat::is_gpu_v<ExecSpace> ? cells >= persistent_cells()
                                     : m_options.kernels == Kernels::plain;
}

/// Number of cells below which a persistent kernel makes the steps.
template <class ExecSpace, class Dynamics, class Real>
std::uint32_t Propagator<ExecSpace, Dynamics, Real>::persistent_cells() const {
  const bool excluded = is_wide || m_options.shared_device ||
                        m_options.directory == DirectoryKind::unordered_map || m_after_step ||
                        m_options.kernels == Kernels::plain;
  if (!compat::is_gpu_v<ExecSpace> || excluded) return 0;
  return m_options.kernels == Kernels::fused ? std::numeric_limits<std::uint32_t>::max()
                                             : m_options.persistent_cells;
}

template <class ExecSpace, class Dynamics, class Real>
bool Propagator<ExecSpace, Dynamics, Real>::advance() {
  logging::Region region("tessera::gbees::steps");
  return with_scheme([&](auto scheme) {
    m_state.batch_steps = 0;
    store_state();
    m_cells.use_directory(m_exec, directory_for(m_state.cells), m_state.cells);
    const int due =
        m_options.prune_every - static_cast<int>(m_state.segment_steps % m_options.prune_every);
    const int steps = std::min(due, kMaxBatch);
    if (m_halo.is_divided()) {
      if constexpr (!is_wide) share_steps<scheme()>(steps);
    } else if constexpr (!compat::is_gpu_v<ExecSpace>) {
      const auto start = std::chrono::steady_clock::now();
      run_on_cpu<scheme()>(static_cast<int>(m_pace.next(steps)));
      fetch_state();
      const double seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      // batches of most of a second: each ends with a pass over the cells
      m_pace.took(m_state.batch_steps, seconds / 4);
    } else if (launches_phases(m_state.cells)) {
      launch_steps<scheme()>(steps);
    } else {
      if constexpr (!is_wide) run_persistent<scheme()>();
    }
    count_active();
    fetch_state();
    m_state.active = ranks().sum(m_state.active);
    if (m_state.batch_steps > 0) collect_history();
    if (m_state.stop & kStopNoRoom) enlarge();
    if ((m_state.stop & kStopRange) && m_options.recentre) recentre();
    fail_if_stopped();
    if (m_state.stop & kStopPrune) prune<scheme()>();
    return !(m_state.stop & kStopInterval);
  });
}

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::run_on_cpu(int steps) {
  if (launches_phases(m_state.cells)) return launch_steps<scheme>(steps);
  const int at_once = m_after_step ? 1 : steps;
  for (int i = 0; i < steps && m_state_device.data()->stop == 0; i += at_once) {
    run_thread_team<scheme>(at_once);
    if (m_after_step) m_after_step();
  }
}

/// Makes steps by a launch for each phase.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::launch_steps(int steps) {
  m_cells.with_directory([&](auto& directory) {
    const auto phases = step_phases<scheme>(directory);
    detail::LaunchRunner run(m_exec, context<scheme>(), m_state, m_cells, directory, m_sort_memory);
    for (int i = 0; i < steps; ++i) {
      detail::make_step(phases, run);
      if (m_after_step) m_after_step();
    }
  });
}

/// Makes steps on a CPU, in one parallel region.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::run_thread_team(int steps) {
  std::uint32_t goes_on = 1;
  *m_reductions.data() = detail::StepReductions();
  m_cells.with_directory([&](const auto& directory) {
    const auto phases = step_phases<scheme>(directory);
    using Phases = std::remove_const_t<decltype(phases)>;
    parallel_region("tessera::gbees::steps", m_exec,
                    detail::ThreadTeamSteps<Phases>{phases, steps, &goes_on});
  });
}

/// Makes many steps and prunes in one kernel, for few cells on a GPU.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::run_persistent() {
  using Steps = detail::PersistentSteps<Context<scheme>, typename CellArrays::Flat>;
  const auto spare_rows = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(m_cells.capacity, 2 * std::uint64_t(persistent_cells())));
  if (m_spare_links.extent(0) != spare_rows + 1) {
    m_spare_links = {};
    m_spare_links =
        allocate<typename CellArrays::Links>(m_exec, "tessera::gbees::spare_links", spare_rows + 1);
  }
  store(m_exec, "tessera::gbees::clear_reductions", m_reductions.data(), detail::StepReductions());
  store(m_exec, "tessera::gbees::clear_shared", m_shared.data(), detail::SharedState());
  const int team_size = m_options.team_size > 0     ? m_options.team_size
                        : m_state.cells < 32 * 1024 ? 256
                                                    : kMostTeamSize;
  Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kMostTeamSize, 1>> policy(
      m_exec, compat::multiprocessors(m_exec), team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Steps::scratch_bytes(team_size))));
  const auto& flat = *m_cells.flat;
  Kokkos::parallel_for(
      "tessera::gbees::persistent_steps", policy,
      Steps{{step_phases<scheme>(flat), prune_phases<scheme>(flat), flat, m_spare_links,
             m_shared.data(), kPersistentSteps, persistent_cells()}});
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::count_active() {
  detail::launch_reduce(
      m_exec, m_state.cells, detail::CountActive<AnyContext>{any_context()},
      Kokkos::Sum<std::uint64_t, Memory>(Result<std::uint64_t>(&m_state_device.data()->active)));
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::collect_history() {
  const std::size_t before = m_history_host.size();
  m_history_host.resize(before + m_state.batch_steps);
  copy_to_host(m_exec, m_history_host.data() + before, m_history.data(), m_state.batch_steps);
  // The last step lacks its count where no prune has come after it; a prune counts before it
  // removes cells.
  if (m_history_host.back().cells_active == 0) m_history_host.back().cells_active = m_state.active;
}

/// Adds more rows; the step that found none is forgotten and will be made again.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::enlarge() {
  logging::Region region("tessera::gbees::enlarge");
  const std::uint64_t wanted =
      std::max<std::uint64_t>(std::uint64_t(m_state.allocated) + m_halo.ghosts(), m_cells.capacity);
  const bool is_full = wanted > m_cells.capacity ||
                       m_cells.with_directory([&](const auto& d) { return d.failed(m_exec); });
  forget_step();
  if (!m_halo.is_divided()) return reserve(wanted + wanted / 2, m_state.cells);
  ranks().together([&] {  // some of which have room
    if (is_full) {
      reserve(wanted + wanted / 2, m_state.cells);
    } else {
      m_cells.rebuild_directory(m_exec, m_state.cells);
    }
  });
  make_ghosts(m_state.cells);
  link_ghosts();
}

/// Restores the state before the step that could not be made. New cells remain in the directory.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::forget_step() {
  m_state.stop &= ~std::uint32_t(kStopNoRoom | kStopRange | kStopVelocity);
  m_state.allocated = m_state.cells;
  store_state();
  fill(m_exec, m_cells.grown, std::uint8_t(0));
  Kokkos::parallel_for(
      "tessera::gbees::forget_rows",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>(m_exec, 0, m_state.cells),
      detail::ForgetRows<typename CellArrays::Links>{m_cells.links, m_state.cells, 2 * D});
}

/// Moves the window of indices so that the cells lie in its middle; the step that found its end is
/// forgotten and will be made again. Where the cells fill the window nothing changes.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::recentre() {
  logging::Region region("tessera::gbees::recentre");
  const detail::IndexRange<D> range = index_range();
  std::int64_t distance[D];
  for (int i = 0; i < D; ++i) {
    distance[i] = 0;
    if (m_grid.is_circle(i)) continue;
    if (!range.template leaves_room<KeyWord>(i)) return;
    distance[i] = -range.middle(i);
  }
  forget_step();
  const KeyWord step = Key::distance(distance);
  const auto move_window = [&] {
    for (int i = 0; i < D; ++i) m_grid.offset[i] -= static_cast<double>(distance[i]);
  };
  if (m_halo.is_divided()) {  // by ranges of a curve along which cells lie otherwise now
    List cells = first_rows(m_state.cells);
    for (KeyWord& key : cells.key) key += step;
    use_part(own_part(std::move(cells)), m_state.parity);
    move_window();
    link_all_rows();
    return store_state();
  }
  move_window();
  Kokkos::parallel_for(
      "tessera::gbees::move_keys",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>(m_exec, 0, m_state.cells),
      detail::MoveKeys<Array<KeyWord*>>{m_cells.key(), step});
  m_cells.rebuild_directory(m_exec, m_state.cells);
}

/// Returns the range of indices of the cells of all ranks.
template <class ExecSpace, class Dynamics, class Real>
auto Propagator<ExecSpace, Dynamics, Real>::index_range() const -> detail::IndexRange<D> {
  return sum_over_cells<detail::IndexRange<D>>(detail::FindIndexRange<AnyContext>{any_context()});
}

/// The first cell, by key, at which a velocity, or else a mass, is not finite.
template <class ExecSpace, class Dynamics, class Real>
auto Propagator<ExecSpace, Dynamics, Real>::first_bad(bool by_mass) const -> KeyWord {
  if constexpr (is_wide) {
    const detail::FirstBad<AnyContext> bad{any_context(), by_mass};
    return least_over_cells<KeyWord>("tessera::gbees::first_bad", bad);
  } else {
    return m_state.bad_key;
  }
}

template <class ExecSpace, class Dynamics, class Real>
std::string Propagator<ExecSpace, Dynamics, Real>::describe_location(KeyWord key) const {
  std::ostringstream text;
  text << "step " << m_state.steps + 1 << ", t = " << m_state.time;
  if (key != ~KeyWord(0)) {
    text << ", cell at (";
    for (int i = 0; i < D; ++i) text << (i ? ", " : "") << m_grid.coordinate(i, Key::index(key, i));
    text << ")";
  }
  return text.str();
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::fail_if_stopped() {
  const std::uint32_t stop = m_state.stop;
  if (stop & kStopBarrier) {
    throw Error(ErrorKind::resource,
                "the blocks of a kernel that makes many steps did not meet within 10 s: another "
                "program uses this GPU",
                "set run.shared_device: true, or leave the GPU to one program");
  }
  if ((stop & kStopVelocity) && detail::has_noise(m_dynamics)) {
    throw Error(ErrorKind::numerical,
                "the velocity at a face is not finite, or the spectral density of the noise is no "
                "number or negative: " +
                    describe_location(first_bad(false)),
                "write a density that is not negative anywhere, such as max(q, 0) (model.noise); a "
                "singularity of the dynamics must lie outside the grid");
  }
  if (stop & kStopVelocity) {
    throw Error(
        ErrorKind::numerical,
        "the velocity at a face is not finite: " + describe_location(first_bad(false)),
        "check the dynamics and its parameters there; a singularity must lie outside the grid");
  }
  if (stop & kStopNonFinite) {
    throw Error(ErrorKind::numerical,
                "the probability of a cell is not finite: " + describe_location(first_bad(true)),
                "lower time.cfl, or check the dynamics there");
  }
  if (stop & kStopRange) {
    const detail::IndexRange<D> range = index_range();
    bool is_narrow = true;
    for (int i = 0; i < D; ++i) {
      is_narrow = is_narrow && (m_grid.is_circle(i) || range.template leaves_room<KeyWord>(i));
    }
    throw Error(ErrorKind::numerical,
                "the density has spread beyond the " + std::to_string(2 * Key::limit + 1) +
                    " cells that can be indexed along each axis in " + std::to_string(D) +
                    " dimensions: " + describe_location(~KeyWord(0)),
                is_narrow
                    ? "set grid.recentre: true, for it is narrower, or use a larger grid.spacing"
                : wider_keys_help<D, KeyWord>()
                    ? "set grid.keys: 128, or use a larger grid.spacing or a higher grid.threshold"
                    : "use a larger grid.spacing, or a higher grid.threshold");
  }
  if (stop & kStopEmpty) {
    throw Error(ErrorKind::numerical,
                "no probability is left on the grid: " + describe_location(~KeyWord(0)),
                "lower grid.threshold or grid.spacing: the density has fallen below the threshold "
                "everywhere");
  }
}

}  // namespace tessera::gbees
