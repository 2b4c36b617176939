// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/app/signals.hpp"
#include "tessera/gbees/propagator.hpp"

/// How a propagator starts: from a density, from cells, or from a restart file.

namespace tessera::gbees {

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::initialize(const Gaussian<D>& density, const std::array<int, D>& extent) {
  logging::Region region("tessera::gbees::initialize");
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint64_t>>;
  using Select = detail::SelectInitial<D, ExecSpace, Array<std::uint64_t*>, Array<Real*>>;
  detail::Box<D> box{};
  for (int i = 0; i < D; ++i) {
    if (extent[i] < 0 || extent[i] > CellKey<D>::limit) {
      throw Error(ErrorKind::input,
                  "the initial density spans " + std::to_string(2 * std::int64_t(extent[i]) + 1) + " cells along axis " +
                      std::to_string(i + 1) + ", and at most " + std::to_string(2 * CellKey<D>::limit + 1) + " can be indexed",
                  "use a larger spacing along that axis");
    }
    box.extent[i] = extent[i];
  }
  const auto total_result = allocate<Result<ExactSum>>(m_exec, "tessera::gbees::initial_sum");
  Kokkos::parallel_reduce("tessera::gbees::initial_sum", Range(m_exec, 0, box.size()),
                          detail::SumInitial<D, ExecSpace>{box, m_grid, density, {}}, compat::Sum<ExactSum, Memory>(total_result));
  ExactSum total;
  copy_to_host(m_exec, &total, total_result.data(), 1);
  stop_at_signal();

  // The reference keeps the whole box. Otherwise a cell below the threshold would neither grow nor survive the first prune.
  const double cut = m_options.scheme == Scheme::reference ? 0 : m_options.threshold * total.value();
  Select select{box, m_grid, density, cut, false, {}, {}, {}};
  std::uint64_t count = 0;
  Kokkos::parallel_scan("tessera::gbees::initial_count", Range(m_exec, 0, box.size()), select, count);
  stop_at_signal();
  if (count == 0) {
    throw Error(ErrorKind::input, "no cell of the initial density reaches the threshold " + std::to_string(m_options.threshold),
                "lower grid.threshold or raise grid.spacing: a cell at the mean holds about spacing / (2.5 sigma) along each axis");
  }
  m_cells.use_directory(m_exec, directory_for(static_cast<std::uint32_t>(count)), 0);
  reserve(count + count / 2 + 4096, 0);
  select.fill = true;
  select.key = m_cells.key();
  select.mass = m_cells.mass[0];
  Kokkos::parallel_scan("tessera::gbees::initial_fill", Range(m_exec, 0, box.size()), select, count);
  stop_at_signal();
  m_cells.rebuild_directory(m_exec, static_cast<std::uint32_t>(count));

  m_state = {};
  m_state.allocated = static_cast<std::uint32_t>(count);
  normalise_start();
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::initialize(const CellList& cells) {
  logging::Region region("tessera::gbees::initialize");
  double total = 0;
  for (const double probability : cells.probability) total += probability;
  const double cut = m_options.scheme == Scheme::reference ? 0 : m_options.threshold * total;
  const CellList kept = cells.at_least(cut);
  if (kept.key.empty() || !(total > 0)) {
    throw Error(ErrorKind::input, "no cell of the initial density reaches the threshold " + std::to_string(m_options.threshold),
                "lower grid.threshold or raise grid.spacing");
  }
  upload(kept, 0);
  m_state = {};
  m_state.allocated = static_cast<std::uint32_t>(kept.key.size());
  normalise_start();
}

/// The rest of a start, when the cells are in their rows.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::normalise_start() {
  store_state();
  with_scheme([&](auto scheme) { link_all_cells<scheme()>(); });
  find_invariant_range();
  const detail::SumEntropy<AnyContext> sum{any_context()};
  const double kept = sum_over_cells<detail::MassAndEntropy>(detail::until_signal<ExecSpace>(sum)).mass.value();
  stop_at_signal();
  m_state.scale = 1 / kept;
  m_state.mass = 1;
  store_state();
  fail_if_stopped();
}

/// Puts cells into the first rows of the grid.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::upload(const CellList& cells, std::uint32_t parity) {
  const auto n = static_cast<std::uint32_t>(cells.key.size());
  m_cells.use_directory(m_exec, directory_for(n), 0);
  reserve(std::uint64_t(n) + n / 2 + 4096, 0);
  const std::vector<Real> masses(cells.probability.begin(), cells.probability.end());
  copy_from_host(m_exec, m_cells.key().data() + 1, cells.key.data(), n);
  copy_from_host(m_exec, m_cells.mass[parity].data() + 1, masses.data(), n);
  m_cells.rebuild_directory(m_exec, n);
}

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::link_all_cells() {
  const Context<scheme> s = context<scheme>();
  const auto shortest = allocate<Result<double>>(m_exec, "tessera::gbees::crossing_time");
  m_cells.with_directory([&](const auto& directory) {
    using Link = detail::LinkNewCells<Context<scheme>, std::decay_t<decltype(directory)>>;
    detail::launch_reduce(m_exec, m_state.allocated, detail::until_signal<ExecSpace>(Link{s, directory}),
                          Kokkos::Min<double, Memory>(shortest));
  });
  fetch_state();
  copy_to_host(m_exec, &m_state.cfl_time, shortest.data(), 1);
  stop_at_signal();
  m_state.cells = m_state.packed = m_state.allocated;
  store_state();
}

/// Of dynamics that conserve a quantity: its range on the cells there are.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::find_invariant_range() {
  if constexpr (requires { &Dynamics::bounded; }) {
    if (!detail::is_bounded(m_dynamics)) return;
    const AnyContext s = any_context();
    const auto extreme = [&](double sign) {
      const auto result = allocate<Result<double>>(m_exec, "tessera::gbees::invariant");
      const detail::SmallestInvariant<AnyContext> smallest{s, sign};
      detail::launch_reduce(m_exec, m_state.cells, detail::until_signal<ExecSpace>(smallest), Kokkos::Min<double, Memory>(result));
      double value = 0;
      copy_to_host(m_exec, &value, result.data(), 1);
      stop_at_signal();
      return sign * value;
    };
    m_state.invariant_low = extreme(1);
    m_state.invariant_high = extreme(-1);
    store_state();
  }
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::restore(const CellList& cells, const StepperState& state) {
  const auto n = static_cast<std::uint32_t>(cells.key.size());
  upload(cells, state.parity);
  m_state = state;
  m_state.velocity_time = state.time;
  m_state.cells = 0;
  m_state.allocated = n;
  m_state.stop = 0;  // or the cells would not be linked
  store_state();
  with_scheme([&](auto scheme) { link_all_cells<scheme()>(); });
  m_state.stop |= state.stop & kStopInterval;
  store_state();
  fail_if_stopped();
}

}  // namespace tessera::gbees
