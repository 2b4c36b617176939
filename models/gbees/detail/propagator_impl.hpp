// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <sstream>
#include <tuple>

#include "tessera/gbees/propagator.hpp"

namespace tessera::gbees {

template <class ExecSpace, class Dynamics, class Real>
Propagator<ExecSpace, Dynamics, Real>::Propagator(const ExecSpace& exec, const Dynamics& dynamics, const Grid<D>& grid,
                                                  const PropagatorOptions& options, std::shared_ptr<const void> owner)
    : m_exec(exec),
      m_dynamics(dynamics),
      m_owner(std::move(owner)),
      m_grid(grid),
      m_options(options),
      m_control_device("tessera::gbees::control"),
      m_findings("tessera::gbees::findings"),
      m_prune_sums("tessera::gbees::prune_sums"),
      m_meeting("tessera::gbees::meeting"),
      m_history("tessera::gbees::history", compat::is_gpu_v<ExecSpace> ? kResidentSteps : kMaxBatch) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw Error(ErrorKind::input, std::string("gbees: ") + what);
  };
  require(options.threshold > 0, "the threshold must be positive");
  require(options.cfl > 0 && options.cfl <= 1, "the CFL number must be in (0, 1]");
  require(options.prune_every > 0, "prune_every must be positive");
  require(options.noise.empty() || options.noise.size() == D, "process noise needs one number a variable");
  for (const double density : options.noise) {
    require(density >= 0 && std::isfinite(density), "process noise must be finite and not negative");
    require(density == 0 || options.scheme == Scheme::conservative, "process noise needs the conservative scheme");
  }
  for (int i = 0; i < D; ++i) require(grid.spacing[i] > 0 && std::isfinite(grid.spacing[i]), "the spacing must be positive and finite");
  with_scheme([&](auto scheme) { m_cells.stores_fluxes = !kFused<scheme()>; });
}

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
typename Propagator<ExecSpace, Dynamics, Real>::template State<scheme> Propagator<ExecSpace, Dynamics, Real>::state() const {
  State<scheme> s;
  s.capacity = m_cells.capacity;
  s.key = m_cells.key();
  s.mass[0] = m_cells.mass[0];
  s.mass[1] = m_cells.mass[1];
  s.half_step = m_cells.half_step();
  s.links = m_cells.links;
  s.flux = m_cells.flux;
  s.grown = m_cells.grown;
  s.stored_velocity = m_velocity.data();
  s.velocity = {m_dynamics, m_grid, &m_control_device.data()->velocity_time};
  for (int i = 0; i < D; ++i) {
    s.inverse_spacing[i] = 1 / m_grid.spacing[i];
    s.diffusion[i] = m_options.noise.empty() ? 0 : m_options.noise[i] / (2 * m_grid.spacing[i]);
  }
  s.threshold = m_options.threshold;
  s.cfl = m_options.cfl;
  s.control = m_control_device;
  s.findings = m_findings;
  return s;
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::fetch_control() {
  Kokkos::deep_copy(m_exec, m_control, m_control_device);
  m_exec.fence();
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::store_control() {
  Kokkos::deep_copy(m_exec, m_control_device, m_control);
}

/// Gives room for `rows` cells and keeps the first `used`.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::reserve(std::uint64_t rows, std::uint32_t used) {
  if constexpr (detail::stores_velocity<Dynamics>()) {
    const std::uint64_t limit = m_options.memory_limit;
    const std::uint64_t velocities = kVelocityBytes * (rows + 1);
    m_cells.reserve(m_exec, rows, used, limit == 0 ? 0 : limit > velocities ? limit - velocities : 1);
    m_velocity = detail::enlarged(m_exec, m_velocity, rows, used);
    Kokkos::deep_copy(m_exec, Kokkos::subview(m_velocity, 0, Kokkos::ALL), 0.0);  // of the cell that does not exist
  } else {
    m_cells.reserve(m_exec, rows, used, m_options.memory_limit);
  }
}

// ---------------------------------------------------------------------------------------------------------------- initial density

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::initialize(const Gaussian<D>& density, const std::array<int, D>& extent) {
  with_scheme([&](auto scheme) { initialize_cells<scheme()>(density, extent); });
}

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::initialize_cells(const Gaussian<D>& density, const std::array<int, D>& extent) {
  logging::Region region("tessera::gbees::initialize");
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint64_t>>;
  using Select = detail::SelectInitial<D, Array<std::uint64_t*>, Array<Real*>>;
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
  Result<ExactSum> total_result("tessera::gbees::initial_sum");
  Kokkos::parallel_reduce("tessera::gbees::initial_sum", Range(m_exec, 0, box.size()), detail::SumInitial<D>{box, m_grid, density},
                          compat::Sum<ExactSum, Memory>(total_result));
  ExactSum total;
  Kokkos::deep_copy(total, total_result);

  // The reference keeps the whole box. Otherwise a cell below the threshold would neither grow nor survive the first prune.
  const double cut = scheme == Scheme::reference ? 0 : m_options.threshold * total.value();
  Select select{box, m_grid, density, cut, false, {}, {}};
  std::uint64_t count = 0;
  Kokkos::parallel_scan("tessera::gbees::initial_count", Range(m_exec, 0, box.size()), select, count);
  if (count == 0) {
    throw Error(ErrorKind::input, "no cell of the initial density reaches the threshold " + std::to_string(m_options.threshold),
                "lower grid.threshold or raise grid.spacing: a cell at the mean holds about spacing / (2.5 sigma) along each axis");
  }
  reserve(count + count / 2 + 4096, 0);
  select.fill = true;
  select.key = m_cells.key();
  select.mass = m_cells.mass[0];
  Kokkos::parallel_scan("tessera::gbees::initial_fill", Range(m_exec, 0, box.size()), select, count);
  m_cells.rebuild_directory(m_exec, static_cast<std::uint32_t>(count));

  m_control = {};
  m_control.allocated = static_cast<std::uint32_t>(count);
  normalise_start<scheme>();
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::initialize(const CellList& cells) {
  logging::Region region("tessera::gbees::initialize");
  double total = 0;
  for (const double probability : cells.probability) total += probability;
  const double cut = m_options.scheme == Scheme::reference ? 0 : m_options.threshold * total;
  CellList kept;
  for (std::size_t i = 0; i < cells.key.size(); ++i) {
    if (!(cells.probability[i] >= cut)) continue;
    kept.key.push_back(cells.key[i]);
    kept.probability.push_back(cells.probability[i]);
  }
  if (kept.key.empty() || !(total > 0)) {
    throw Error(ErrorKind::input, "no cell of the initial density reaches the threshold " + std::to_string(m_options.threshold),
                "lower grid.threshold or raise grid.spacing");
  }
  upload(kept, 0);
  m_control = {};
  m_control.allocated = static_cast<std::uint32_t>(kept.key.size());
  with_scheme([&](auto scheme) { normalise_start<scheme()>(); });
}

/// The rest of a start, when the cells are in their rows.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::normalise_start() {
  store_control();
  link_all_cells<scheme>();
  find_invariant_range<scheme>();
  const double kept =
      sum_over_cells<detail::MassAndEntropy>("tessera::gbees::initial_mass", detail::SumEntropy<State<scheme>>{state<scheme>()})
          .mass.value();
  m_control.scale = 1 / kept;
  m_control.mass = 1;
  store_control();
  fail_if_stopped();
}

/// Puts cells into the first rows of the grid.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::upload(const CellList& cells, std::uint32_t parity) {
  const auto n = static_cast<std::uint32_t>(cells.key.size());
  reserve(std::uint64_t(n) + n / 2 + 4096, 0);
  const auto rows = std::make_pair(std::size_t(1), std::size_t(n) + 1);
  using HostKeys = Kokkos::View<const std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using HostMasses = Kokkos::View<const Real*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const std::vector<Real> masses(cells.probability.begin(), cells.probability.end());
  Kokkos::deep_copy(Kokkos::subview(m_cells.key(), rows), HostKeys(cells.key.data(), n));
  Kokkos::deep_copy(Kokkos::subview(m_cells.mass[parity], rows), HostMasses(masses.data(), n));
  m_cells.rebuild_directory(m_exec, n);
}

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::link_all_cells() {
  const State<scheme> s = state<scheme>();
  Result<double> shortest("tessera::gbees::crossing_time");
  detail::reduce_each(m_exec, "tessera::gbees::link_all", m_control.allocated, detail::LinkNewCells<State<scheme>>{s, m_cells.directory},
                      Kokkos::Min<double, Memory>(shortest));
  fetch_control();
  Kokkos::deep_copy(m_control.cfl_time, shortest);
  m_control.cells = m_control.packed = m_control.allocated;
  store_control();
}

/// Of dynamics that conserve a quantity: its range on the cells there are.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::find_invariant_range() {
  if constexpr (requires { &Dynamics::bounded; }) {
    if (!detail::is_bounded(m_dynamics)) return;
    const State<scheme> s = state<scheme>();
    const auto extreme = [&](double sign) {
      Result<double> result("tessera::gbees::invariant");
      detail::reduce_each(m_exec, "tessera::gbees::invariant", m_control.cells, detail::SmallestInvariant<State<scheme>>{s, sign},
                          Kokkos::Min<double, Memory>(result));
      double value = 0;
      Kokkos::deep_copy(value, result);
      return sign * value;
    };
    m_control.invariant_low = extreme(1);
    m_control.invariant_high = extreme(-1);
    store_control();
  }
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::restore(const CellList& cells, const detail::Control& control) {
  const auto n = static_cast<std::uint32_t>(cells.key.size());
  upload(cells, control.parity);
  m_control = control;
  m_control.velocity_time = control.time;
  m_control.cells = 0;
  m_control.allocated = n;
  m_control.stop = 0;  // or the cells would not be linked
  store_control();
  with_scheme([&](auto scheme) { link_all_cells<scheme()>(); });
  m_control.stop |= control.stop & detail::kStopInterval;
  store_control();
  fail_if_stopped();
}

// ------------------------------------------------------------------------------------------------------------------------ stepping

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::begin_interval(double length) {
  m_control.interval = length;
  m_control.interval_time = 0;
  m_control.stop &= ~std::uint32_t(detail::kStopInterval);
  store_control();
}

/// A step on a GPU.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::enqueue_step() {
  const State<scheme> s = state<scheme>();
  const std::uint64_t n = m_control.cells;
  detail::Findings* const found = m_findings.data();
  const compat::Sum<detail::StepSums, Memory> sums(Result<detail::StepSums>(&found->sums));
  constexpr int kTeam = 256;
  const int teams = static_cast<int>(std::min<std::uint64_t>(n / (kTeam * detail::SelectGrowing<State<scheme>>::kTogether) + 1, 16384));
  const detail::GrowingCells<State<scheme>> growing{m_cells.kept, m_cells.remap};  // arrays of the prune
  Kokkos::parallel_for("tessera::gbees::select_growing", Kokkos::TeamPolicy<ExecSpace>(m_exec, teams, kTeam),
                       detail::SelectGrowing<State<scheme>>{s, growing});
  detail::for_each(m_exec, "tessera::gbees::grow", n, detail::GrowSelected<State<scheme>>{{s, m_cells.directory}, growing});
  detail::reduce_each(m_exec, "tessera::gbees::link", n, detail::LinkNewCells<State<scheme>>{s, m_cells.directory},
                      Kokkos::Min<double, Memory>(Result<double>(&found->cfl_time)));
  if (detail::is_time_varying(m_dynamics)) {
    detail::reduce_each(m_exec, "tessera::gbees::refresh_velocities", n, detail::RefreshVelocities<State<scheme>>{s},
                        Kokkos::Min<double, Memory>(Result<double>(&found->cfl_time)));
  }
  detail::for_each<detail::Blocks<4>>(m_exec, "tessera::gbees::half_step", n, detail::HalfStep<State<scheme>>{s});
  if constexpr (kFused<scheme>) {
    detail::reduce_each<detail::Blocks<(D > 3 ? 2 : 3)>>(m_exec, "tessera::gbees::fused_update", n, detail::FusedUpdate<State<scheme>>{s},
                                                         sums);
  } else {
    detail::for_each<detail::Blocks<3>>(m_exec, "tessera::gbees::face_flux", n, detail::FaceFlux<State<scheme>>{s});
    detail::for_each<detail::Blocks<4>>(m_exec, "tessera::gbees::limit_outflow", n, detail::LimitOutflow<State<scheme>>{s});
    detail::reduce_each(m_exec, "tessera::gbees::update", n, detail::Update<State<scheme>>{s}, sums);
  }
  Kokkos::parallel_for("tessera::gbees::finish_step", Kokkos::RangePolicy<ExecSpace>(m_exec, 0, 1),
                       detail::FinishStep<State<scheme>>{s, m_history, static_cast<std::uint32_t>(m_options.prune_every)});
}

/// Steps on a CPU, in one kernel.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::run_thread_team_steps(int steps) {
  const State<scheme> s = state<scheme>();
  std::uint32_t go_on = 1;
  *m_findings.data() = detail::Findings();
  parallel_region("tessera::gbees::steps", m_exec,
                  detail::ThreadTeamSteps<State<scheme>>{s,
                                                         {s, m_cells.directory},
                                                         {s, m_cells.directory},
                                                         {s},
                                                         {s},
                                                         {s},
                                                         {s},
                                                         {s},
                                                         {s, m_history, static_cast<std::uint32_t>(m_options.prune_every)},
                                                         steps,
                                                         &go_on});
}

/// Small problems on a GPU: the same steps in one kernel.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::run_resident() {
  const State<scheme> s = state<scheme>();
  const detail::FinishStep<State<scheme>> finish{s, m_history, static_cast<std::uint32_t>(m_options.prune_every)};
  using S = State<scheme>;
  detail::FluxBodies<S> flux;
  if constexpr (scheme == Scheme::reference) {
    flux = {detail::FusedUpdate<S>{s}};
  } else {
    flux = {detail::FaceFlux<S>{s}, detail::LimitOutflow<S>{s}, detail::Update<S>{s}};
  }
  const detail::StepBodies<S> bodies{{{s, m_cells.directory}}, {s}, {s}, flux, finish};
  const auto spare_rows =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(m_cells.capacity, 2 * std::uint64_t(m_options.resident_cells)));
  if (m_spare_links.extent(0) != spare_rows + 1) {
    m_spare_links = {};
    m_spare_links =
        typename CellArrays::Links(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::gbees::spare_links"), spare_rows + 1);
  }
  const detail::PruneArrays<S> arrays{m_cells.fed, m_cells.spare_grown, m_cells.kept, m_cells.remap, m_cells.spare_key(), m_spare_links};
  const int team_size = m_control.cells < 32 * 1024 ? 256 : 384;
  const int teams = compat::multiprocessors(m_exec);
  Kokkos::deep_copy(m_exec, m_findings, detail::Findings());
  Kokkos::deep_copy(m_exec, m_meeting, detail::Meeting());
  Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<384, 1>> policy(m_exec, teams, team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(detail::ResidentSteps<S>::scratch_bytes(team_size))));
  Kokkos::parallel_for(
      "tessera::gbees::resident_steps", policy,
      detail::ResidentSteps<S>{s, bodies, m_cells.directory, arrays, {m_meeting.data()}, kResidentSteps, m_options.resident_cells});
}

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::count_active() {
  detail::reduce_each(m_exec, "tessera::gbees::count_active", m_control.cells, detail::CountActive<State<scheme>>{state<scheme>()},
                      Kokkos::Sum<std::uint64_t, Memory>(Result<std::uint64_t>(&m_control_device.data()->active)));
}

template <class ExecSpace, class Dynamics, class Real>
bool Propagator<ExecSpace, Dynamics, Real>::advance() {
  logging::Region region("tessera::gbees::steps");
  return with_scheme([&](auto scheme) {
    m_control.batch_steps = 0;
    store_control();
    const int due = m_options.prune_every - static_cast<int>(m_control.segment_steps % m_options.prune_every);
    const int steps = std::min(due, kMaxBatch);
    if constexpr (!compat::is_gpu_v<ExecSpace>) {
      run_thread_team_steps<scheme()>(steps);
    } else if (m_control.cells < m_options.resident_cells) {
      run_resident<scheme()>();
    } else {
      for (int i = 0; i < steps; ++i) enqueue_step<scheme()>();
    }
    count_active<scheme()>();
    fetch_control();
    if (m_control.batch_steps > 0) collect_history();
    if (m_control.stop & detail::kStopNoRoom) enlarge();
    fail_if_stopped();
    if (m_control.stop & detail::kStopPrune) prune<scheme()>();
    return !(m_control.stop & detail::kStopInterval);
  });
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::collect_history() {
  const auto steps = std::make_pair(0u, m_control.batch_steps);
  const std::size_t before = m_history_host.size();
  m_history_host.resize(before + m_control.batch_steps);
  using Host = Kokkos::View<detail::StepRecord*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(Host(m_history_host.data() + before, m_control.batch_steps), Kokkos::subview(m_history, steps));
  // where no prune has come after the last step, which counted before it removed cells
  if (m_history_host.back().cells_active == 0) m_history_host.back().cells_active = static_cast<std::uint32_t>(m_control.active);
}

/// More rows; the step that found none is forgotten and will be made again.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::enlarge() {
  logging::Region region("tessera::gbees::enlarge");
  m_control.stop &= ~std::uint32_t(detail::kStopNoRoom | detail::kStopRange | detail::kStopVelocity);
  const std::uint64_t wanted = std::max<std::uint64_t>(m_control.allocated, m_cells.capacity);
  m_control.allocated = m_control.cells;
  store_control();
  Kokkos::deep_copy(m_exec, m_cells.grown, std::uint8_t(0));
  Kokkos::parallel_for("tessera::gbees::forget_rows",
                       Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>(m_exec, 0, m_control.cells),
                       detail::ForgetRows<typename CellArrays::Links>{m_cells.links, m_control.cells, 2 * D});
  reserve(wanted + wanted / 2, m_control.cells);
}

template <class ExecSpace, class Dynamics, class Real>
std::string Propagator<ExecSpace, Dynamics, Real>::place(std::uint64_t key) const {
  std::ostringstream text;
  text << "step " << m_control.steps + 1 << ", t = " << m_control.time;
  if (key != ~std::uint64_t(0)) {
    text << ", cell at (";
    for (int i = 0; i < D; ++i) text << (i ? ", " : "") << m_grid.coordinate(i, CellKey<D>::index(key, i));
    text << ")";
  }
  return text.str();
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::fail_if_stopped() {
  const std::uint32_t stop = m_control.stop;
  if (stop & detail::kStopVelocity) {
    throw Error(ErrorKind::numerical, "the velocity at a face is not finite: " + place(m_control.bad_key),
                "check the dynamics and its parameters there; a singularity must lie outside the grid");
  }
  if (stop & detail::kStopNonFinite) {
    throw Error(ErrorKind::numerical, "the probability of a cell is not finite: " + place(m_control.bad_key),
                "lower time.cfl, or check the dynamics there");
  }
  if (stop & detail::kStopRange) {
    throw Error(ErrorKind::numerical,
                "the density has spread beyond the " + std::to_string(2 * CellKey<D>::limit + 1) +
                    " cells that can be indexed along each axis in " + std::to_string(D) + " dimensions: " + place(~std::uint64_t(0)),
                "use a larger grid.spacing, or a higher grid.threshold");
  }
  if (stop & detail::kStopEmpty) {
    throw Error(ErrorKind::numerical, "no probability is left on the grid: " + place(~std::uint64_t(0)),
                "lower grid.threshold or grid.spacing: the density has fallen below the threshold everywhere");
  }
}

// --------------------------------------------------------------------------------------------------------- prune and measurement

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics, Real>::prune() {
  logging::Region region("tessera::gbees::prune");
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>;
  const State<scheme> s = state<scheme>();
  const std::uint32_t n = m_control.cells;
  const auto& [kept, remap, fed] = std::tie(m_cells.kept, m_cells.remap, m_cells.fed);
  detail::PruneSums* const sums = m_prune_sums.data();

  Kokkos::deep_copy(m_exec, Kokkos::subview(fed, std::make_pair(0u, n + 1)), std::uint8_t(0));
  detail::for_each(m_exec, "tessera::gbees::mark_fed", n, detail::MarkFed<State<scheme>>{s, fed});
  const auto sum_candidates = [&](const ExactSum* removed, ExactSum* sum) {
    detail::reduce_each(m_exec, "tessera::gbees::sum_candidates", n, detail::SumCandidates<State<scheme>>{s, fed, removed},
                        compat::Sum<ExactSum, Memory>(Result<ExactSum>(sum)));
  };
  sum_candidates(nullptr, &sums->candidates);
  const ExactSum* removed = nullptr;
  if constexpr (scheme == Scheme::reference) {
    sum_candidates(&sums->candidates, &sums->removable);
    removed = &sums->removable;
  }

  const Real* const mass = s.mass[m_control.parity].data();
  Real* const new_mass = s.mass[m_control.parity ^ 1].data();
  std::uint64_t* const order = m_cells.directory.keys().data();  // done with when the directory is made anew
  std::uint32_t count = 0;
  const Locality locality = find_locality<scheme>();
  Kokkos::parallel_scan("tessera::gbees::select_kept", Range(m_exec, 0, n),
                        detail::SelectKept<State<scheme>>{s, fed, kept, order, locality, removed, mass, m_control.scale}, count);
  if (!compat::is_gpu_v<ExecSpace> || count >= kSortFrom) {
    using Order = Kokkos::View<std::uint64_t*, typename CellArrays::Device, Kokkos::MemoryUnmanaged>;
    using Rows = Kokkos::View<std::uint32_t*, typename CellArrays::Device, Kokkos::MemoryUnmanaged>;
    const SortScratch<Order, Rows> scratch{Order(m_cells.spare_key().data(), count), Rows(remap.data(), count), m_sort_scratch};
    sort_by_key(m_exec, Order(order, count), Rows(kept.data(), count), locality.bits(), scratch);
  }
  Kokkos::deep_copy(m_exec, Kokkos::subview(remap, std::make_pair(0u, n + 1)), detail::kNone);
  m_cells.directory.clear(m_exec);
  Kokkos::parallel_reduce("tessera::gbees::pack_kept", Range(m_exec, 0, count),
                          detail::PackKept<State<scheme>>{s, m_cells.directory, kept, remap, m_cells.spare_key(), m_cells.spare_grown, mass,
                                                          new_mass, m_control.scale},
                          compat::Sum<detail::PackSums, Memory>(Result<detail::PackSums>(&sums->kept)));
  relink(m_cells.mass[m_control.parity], count);
  m_cells.swap_roles(m_exec);
  detail::PruneSums found;
  Kokkos::deep_copy(m_exec, Result<detail::PruneSums, Kokkos::HostSpace>(&found), m_prune_sums);
  fetch_control();  // a velocity may have been found that is not finite

  m_control.after_prune(scheme, detail::is_time_varying(m_dynamics), count, found);
  store_control();
  if (m_control.stop & detail::kStopNoRoom) enlarge();  // the directory has not taken every cell
  fail_if_stopped();
}

/// How to sort all present cells.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
typename Propagator<ExecSpace, Dynamics, Real>::Locality Propagator<ExecSpace, Dynamics, Real>::find_locality() const {
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    return {};
  } else {
    return Locality(
        sum_over_cells<detail::IndexRange<D>>("tessera::gbees::index_range", detail::FindIndexRange<State<scheme>>{state<scheme>()}));
  }
}

/// Translates the links of the rows that a prune has kept, as many directions at a time as there is room for: in the fluxes where they are
/// stored, which are not needed between steps, else in `unused`, an array of masses that holds none.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::relink(const Array<Real*>& unused, std::uint32_t count) {
  using Links = typename CellArrays::Links;
  using Relink = detail::RelinkKept<Links, Array<std::uint32_t*>>;
  const Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>> rows(m_exec, 0, count);
  constexpr int kInFluxes = D * sizeof(typename CellArrays::Fluxes::value_type) / sizeof(std::uint32_t);
  constexpr int kInMasses = sizeof(Real) / sizeof(std::uint32_t);
  const int together = m_cells.stores_fluxes ? kInFluxes : kInMasses;
  auto* const column = reinterpret_cast<std::uint32_t*>(m_cells.stores_fluxes ? m_cells.flux.data() : unused.data() + 1);  // row 0 stays
  for (int d = 0; d < 2 * D; d += together) {
    Kokkos::parallel_for("tessera::gbees::relink_kept", rows,
                         Relink{m_cells.links, m_cells.kept, m_cells.remap, column, count, d, d + together});
    Kokkos::parallel_for("tessera::gbees::store_links", rows, detail::StoreLinks<Links>{m_cells.links, column, count, d, d + together});
  }
}

template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
double Propagator<ExecSpace, Dynamics, Real>::multiply_likelihood(const Observation& observation) {
  const detail::LikelihoodData<D, ExecSpace> data(observation);
  const double evidence =
      sum_over_cells<ExactSum>("tessera::gbees::observe", detail::Observe<State<scheme>>{state<scheme>(), data.likelihood}).value();
  m_control.scale = 1;
  store_control();
  return evidence;
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::observe(const std::vector<Observation>& observations) {
  logging::Region region("tessera::gbees::observe");
  store_control();
  with_scheme([&](auto scheme) {
    for (const Observation& observation : observations) {
      const double evidence = multiply_likelihood<scheme()>(observation);
      if (!(evidence > 0)) {
        std::ostringstream what;
        what << "the measurement at t = " << m_control.time << " (" << observation.description
             << ") leaves no probability: its likelihood underflows on every cell";
        throw Error(ErrorKind::numerical, what.str(),
                    "check the measured value, raise its variance, or lower grid.threshold to keep more of the tails");
      }
      m_control.scale = 1 / evidence;
    }
    m_control.mass = 1;
    m_control.lost_mass = 0;
    m_control.segment_steps = 0;
    m_control.stop = 0;
    store_control();
    prune<scheme()>();
  });
}

// ------------------------------------------------------------------------------------------------------------------------- records

template <class ExecSpace, class Dynamics, class Real>
Summary<Propagator<ExecSpace, Dynamics, Real>::D> Propagator<ExecSpace, Dynamics, Real>::summarize() const {
  using S = State<Scheme::conservative>;  // the scheme plays no part in these sums
  const S s = state<Scheme::conservative>();
  const auto overview = sum_over_cells<detail::Overview<D>>("tessera::gbees::overview", detail::TakeOverview<S>{s});
  Summary<D> summary;
  summary.mass = overview.mass.value();
  summary.lost_mass = m_control.lost_mass;
  summary.cells = m_control.cells;
  summary.active_cells = overview.active;
  summary.max_p = overview.max_p;
  summary.mode = m_grid.centre(overview.max_key);
  double log_volume = 0;
  for (int i = 0; i < D; ++i) log_volume += std::log(m_grid.spacing[i]);
  summary.entropy = -overview.p_log_p.value() / summary.mass + std::log(summary.mass) + log_volume;

  // Moments of the indices about the mode keep the numbers small.
  Array<detail::IndexMoments<D>*> moments("tessera::gbees::moments", D);
  for (int i = 0; i < D; ++i) {
    detail::reduce_each(m_exec, "tessera::gbees::moments", m_control.cells, detail::SumIndexMoments<S>{s, i, overview.max_key},
                        compat::Sum<detail::IndexMoments<D>, Memory>(Result<detail::IndexMoments<D>>(moments.data() + i)));
  }
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), moments);
  double offset[D];
  for (int i = 0; i < D; ++i) {
    summary.low[i] = overview.range.low[i];
    summary.high[i] = overview.range.high[i];
    offset[i] = host(i).first.value() / summary.mass;
    summary.mean[i] = summary.mode[i] + m_grid.spacing[i] * offset[i];
  }
  for (int i = 0; i < D; ++i) {
    for (int j = i; j < D; ++j) {
      const double about_mean = host(i).second[j].value() / summary.mass - offset[i] * offset[j];
      summary.covariance[i][j] = summary.covariance[j][i] = about_mean * m_grid.spacing[i] * m_grid.spacing[j];
    }
  }
  return summary;
}

template <class ExecSpace, class Dynamics, class Real>
std::vector<std::vector<double>> Propagator<ExecSpace, Dynamics, Real>::marginals(const Summary<D>& range) const {
  using S = State<Scheme::conservative>;
  using Bin = detail::BinMarginals<S>;
  Bin bin{state<Scheme::conservative>(), {}, {}, {}};
  std::size_t length = 0;
  for (int i = 0; i < D; ++i) {
    bin.low[i] = range.low[i];
    bin.start[i] = static_cast<int>(length);
    length += static_cast<std::size_t>(range.high[i] - range.low[i] + 1);
  }
  bin.bins = Array<std::uint64_t*>("tessera::gbees::marginals", length);
  detail::for_each(m_exec, "tessera::gbees::marginals", m_control.cells, bin);
  m_exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bin.bins);
  std::vector<std::vector<double>> probability(D);
  for (int i = 0; i < D; ++i) {
    for (int k = range.low[i]; k <= range.high[i]; ++k) {
      probability[i].push_back(static_cast<double>(host(bin.start[i] + k - range.low[i])) / Bin::kUnits);
    }
  }
  return probability;
}

template <class ExecSpace, class Dynamics, class Real>
std::vector<double> Propagator<ExecSpace, Dynamics, Real>::marginal_pair(int first, int second, const Summary<D>& range) const {
  using S = State<Scheme::conservative>;
  using Bin = detail::BinPair<S>;
  const auto length = [&](int axis) { return static_cast<std::uint64_t>(range.high[axis] - range.low[axis]) + 1; };
  Array<std::uint64_t*> bins("tessera::gbees::marginal_pair", length(first) * length(second));
  detail::for_each(m_exec, "tessera::gbees::marginal_pair", m_control.cells,
                   Bin{state<Scheme::conservative>(), first, second, range.low[first], range.low[second], length(second), bins});
  m_exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bins);
  std::vector<double> probability(bins.extent(0));
  for (std::size_t i = 0; i < probability.size(); ++i) probability[i] = static_cast<double>(host(i)) / Bin::kUnits;
  return probability;
}

template <class ExecSpace, class Dynamics, class Real>
CellList Propagator<ExecSpace, Dynamics, Real>::raw_cells() const {
  const auto rows = std::make_pair(1u, m_control.cells + 1);
  const auto key = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Kokkos::subview(m_cells.key(), rows));
  const auto mass = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Kokkos::subview(m_cells.mass[m_control.parity], rows));
  std::vector<std::uint32_t> order(m_control.cells);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  CellList list;
  list.key.reserve(order.size());
  list.probability.reserve(order.size());
  for (const std::uint32_t c : order) {  // offsets in the subviews, from 0
    list.key.push_back(key(c));
    list.probability.push_back(mass(c));
  }
  return list;
}

template <class ExecSpace, class Dynamics, class Real>
CellList Propagator<ExecSpace, Dynamics, Real>::cells(double cut) const {
  const CellList all = raw_cells();
  CellList list;
  for (std::size_t i = 0; i < all.key.size(); ++i) {
    const double probability = all.probability[i] * m_control.scale;
    if (!(probability >= cut)) continue;
    list.key.push_back(all.key[i]);
    list.probability.push_back(probability);
  }
  return list;
}

}  // namespace tessera::gbees
