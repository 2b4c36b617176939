// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <sstream>

#include "models/gbees/propagator.hpp"

namespace tessera::gbees {

template <class ExecSpace, class Dynamics>
Propagator<ExecSpace, Dynamics>::Propagator(const ExecSpace& exec, const Dynamics& dynamics, const Grid<D>& grid,
                                            const PropagatorOptions& options)
    : m_exec(exec),
      m_dynamics(dynamics),
      m_grid(grid),
      m_options(options),
      m_control_device("tessera::gbees::control"),
      m_findings("tessera::gbees::findings"),
      m_history("tessera::gbees::history", std::min(options.prune_every, kMaxBatch)) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw Error(ErrorKind::input, std::string("gbees: ") + what);
  };
  require(options.threshold > 0, "the threshold must be positive");
  require(options.cfl > 0 && options.cfl <= 1, "the CFL number must be in (0, 1]");
  require(options.prune_every > 0, "prune_every must be positive");
  for (int i = 0; i < D; ++i) require(grid.spacing[i] > 0 && std::isfinite(grid.spacing[i]), "the spacing must be positive and finite");
}

template <class ExecSpace, class Dynamics>
template <Scheme scheme>
typename Propagator<ExecSpace, Dynamics>::template State<scheme> Propagator<ExecSpace, Dynamics>::state() const {
  State<scheme> s;
  s.capacity = m_cells.capacity;
  s.key = m_cells.key();
  s.mass[0] = m_cells.mass[0];
  s.mass[1] = m_cells.mass[1];
  s.half_step = m_cells.half_step();
  s.links = m_cells.links();
  s.flux = m_cells.flux();
  s.grown = m_cells.grown;
  s.velocity = {m_dynamics, m_grid};
  for (int i = 0; i < D; ++i) s.inverse_spacing[i] = 1 / m_grid.spacing[i];
  s.threshold = m_options.threshold;
  s.cfl = m_options.cfl;
  s.control = m_control_device;
  s.findings = m_findings;
  return s;
}

template <class ExecSpace, class Dynamics>
void Propagator<ExecSpace, Dynamics>::fetch_control() {
  Kokkos::deep_copy(m_exec, m_control, m_control_device);
  m_exec.fence();
}

template <class ExecSpace, class Dynamics>
void Propagator<ExecSpace, Dynamics>::store_control() {
  Kokkos::deep_copy(m_exec, m_control_device, m_control);
}

// ---------------------------------------------------------------------------------------------------------------- initial density

template <class ExecSpace, class Dynamics>
void Propagator<ExecSpace, Dynamics>::initialize(const Gaussian<D>& density, const std::array<int, D>& extent) {
  with_scheme([&](auto scheme) { initialize_cells<scheme()>(density, extent); });
}

template <class ExecSpace, class Dynamics>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics>::initialize_cells(const Gaussian<D>& density, const std::array<int, D>& extent) {
  logging::Region region("tessera::gbees::initialize");
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint64_t>>;
  using Select = detail::SelectInitial<D, Array<std::uint64_t*>, Array<double*>>;
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
  m_cells.reserve(m_exec, count + count / 2 + 4096, 0, m_options.memory_limit);
  select.fill = true;
  select.key = m_cells.key();
  select.mass = m_cells.mass[0];
  Kokkos::parallel_scan("tessera::gbees::initial_fill", Range(m_exec, 0, box.size()), select, count);
  m_cells.rebuild_directory(m_exec, static_cast<std::uint32_t>(count));

  m_control = {};
  m_control.allocated = static_cast<std::uint32_t>(count);
  store_control();
  link_all_cells<scheme>();

  const double kept = sum_over_cells<detail::MassAndEntropy>("tessera::gbees::initial_mass", detail::SumEntropy<State<scheme>>{state<scheme>()})
                          .mass.value();
  m_control.scale = 1 / kept;
  m_control.mass = 1;
  store_control();
  fail_if_stopped();
}

template <class ExecSpace, class Dynamics>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics>::link_all_cells() {
  const State<scheme> s = state<scheme>();
  Result<double> shortest("tessera::gbees::crossing_time");
  detail::reduce_each(m_exec, "tessera::gbees::link_all", detail::LinkNewCells<State<scheme>>{s, m_cells.directory},
                      Kokkos::Min<double, Memory>(shortest));
  fetch_control();
  Kokkos::deep_copy(m_control.cfl_time, shortest);
  m_control.cells = m_control.allocated;
  store_control();
}

template <class ExecSpace, class Dynamics>
void Propagator<ExecSpace, Dynamics>::restore(const CellList& cells, const detail::Control& control) {
  const auto n = static_cast<std::uint32_t>(cells.key.size());
  m_cells.reserve(m_exec, std::uint64_t(n) + n / 2 + 4096, 0, m_options.memory_limit);
  const auto rows = std::make_pair(std::size_t(1), std::size_t(n) + 1);
  using HostKeys = Kokkos::View<const std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using HostMasses = Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(Kokkos::subview(m_cells.key(), rows), HostKeys(cells.key.data(), n));
  Kokkos::deep_copy(Kokkos::subview(m_cells.mass[control.parity], rows), HostMasses(cells.probability.data(), n));
  m_cells.rebuild_directory(m_exec, n);
  m_control = control;
  m_control.cells = 0;
  m_control.allocated = n;
  store_control();
  with_scheme([&](auto scheme) { link_all_cells<scheme()>(); });
  fail_if_stopped();
}

// ------------------------------------------------------------------------------------------------------------------------ stepping

template <class ExecSpace, class Dynamics>
void Propagator<ExecSpace, Dynamics>::begin_interval(double length) {
  m_control.interval = length;
  m_control.interval_time = 0;
  m_control.stop &= ~std::uint32_t(detail::kStopInterval);
  store_control();
}

template <class ExecSpace, class Dynamics>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics>::enqueue_step() {
  const State<scheme> s = state<scheme>();
  detail::Findings* const found = m_findings.data();
  detail::reduce_each(m_exec, "tessera::gbees::grow", detail::Grow<State<scheme>>{s, m_cells.directory},
                      Kokkos::Sum<std::uint64_t, Memory>(Result<std::uint64_t>(&found->active)));
  detail::reduce_each(m_exec, "tessera::gbees::link", detail::LinkNewCells<State<scheme>>{s, m_cells.directory},
                      Kokkos::Min<double, Memory>(Result<double>(&found->cfl_time)));
  detail::for_each(m_exec, "tessera::gbees::half_step", detail::HalfStep<State<scheme>>{s});
  detail::for_each(m_exec, "tessera::gbees::face_flux", detail::FaceFlux<State<scheme>>{s});
  if constexpr (scheme == Scheme::conservative) {
    detail::for_each(m_exec, "tessera::gbees::limit_outflow", detail::LimitOutflow<State<scheme>>{s});
  }
  detail::reduce_each(m_exec, "tessera::gbees::update", detail::Update<State<scheme>>{s},
                      compat::Sum<detail::StepSums, Memory>(Result<detail::StepSums>(&found->sums)));
  Kokkos::parallel_for("tessera::gbees::finish_step", Kokkos::RangePolicy<ExecSpace>(m_exec, 0, 1),
                       detail::FinishStep<State<scheme>>{s, m_history, static_cast<std::uint32_t>(m_options.prune_every)});
}

template <class ExecSpace, class Dynamics>
template <Scheme scheme>
std::uint64_t Propagator<ExecSpace, Dynamics>::count_active() const {
  Result<std::uint64_t> result("tessera::gbees::active");
  detail::reduce_each(m_exec, "tessera::gbees::count_active", detail::CountActive<State<scheme>>{state<scheme>()},
                      Kokkos::Sum<std::uint64_t, Memory>(result));
  std::uint64_t active = 0;
  Kokkos::deep_copy(active, result);
  return active;
}

template <class ExecSpace, class Dynamics>
bool Propagator<ExecSpace, Dynamics>::advance() {
  logging::Region region("tessera::gbees::steps");
  return with_scheme([&](auto scheme) {
    const int due = m_options.prune_every - static_cast<int>(m_control.segment_steps % m_options.prune_every);
    const int batch = std::min(due, kMaxBatch);
    m_control.batch_steps = 0;
    store_control();
    for (int i = 0; i < batch; ++i) enqueue_step<scheme()>();
    fetch_control();
    if (m_control.batch_steps > 0) collect_history(count_active<scheme()>());
    if (m_control.stop & detail::kStopNoRoom) enlarge();
    fail_if_stopped();
    if (m_control.stop & detail::kStopPrune) prune<scheme()>();
    return !(m_control.stop & detail::kStopInterval);
  });
}

template <class ExecSpace, class Dynamics>
void Propagator<ExecSpace, Dynamics>::collect_history(std::uint64_t active_now) {
  const auto steps = std::make_pair(0u, m_control.batch_steps);
  const std::size_t before = m_history_host.size();
  m_history_host.resize(before + m_control.batch_steps);
  using Host = Kokkos::View<detail::StepRecord*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(Host(m_history_host.data() + before, m_control.batch_steps), Kokkos::subview(m_history, steps));
  m_history_host.back().cells_active = static_cast<std::uint32_t>(active_now);
}

/// More rows; the step that found none is forgotten and will be made again.
template <class ExecSpace, class Dynamics>
void Propagator<ExecSpace, Dynamics>::enlarge() {
  logging::Region region("tessera::gbees::enlarge");
  m_control.stop &= ~std::uint32_t(detail::kStopNoRoom | detail::kStopRange | detail::kStopVelocity);
  const std::uint64_t wanted = std::max<std::uint64_t>(m_control.allocated, m_cells.capacity);
  m_control.allocated = m_control.cells;
  store_control();
  Kokkos::deep_copy(m_exec, m_cells.grown, std::uint8_t(0));
  m_cells.reserve(m_exec, wanted + wanted / 2, m_control.cells, m_options.memory_limit);
}

template <class ExecSpace, class Dynamics>
std::string Propagator<ExecSpace, Dynamics>::place(std::uint64_t key) const {
  std::ostringstream text;
  text << "step " << m_control.steps + 1 << ", t = " << m_control.time;
  if (key != ~std::uint64_t(0)) {
    text << ", cell at (";
    for (int i = 0; i < D; ++i) text << (i ? ", " : "") << m_grid.coordinate(i, CellKey<D>::index(key, i));
    text << ")";
  }
  return text.str();
}

template <class ExecSpace, class Dynamics>
void Propagator<ExecSpace, Dynamics>::fail_if_stopped() {
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

template <class ExecSpace, class Dynamics>
template <Scheme scheme>
void Propagator<ExecSpace, Dynamics>::prune() {
  logging::Region region("tessera::gbees::prune");
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>;
  using Rows = Array<std::uint32_t*>;
  using Flags = Array<std::uint8_t*>;
  const State<scheme> s = state<scheme>();
  const std::uint32_t n = m_control.cells;
  const double threshold = m_options.threshold;
  const auto uninitialized = [&](const char* label) { return Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, std::string(label)); };

  Flags fed("tessera::gbees::fed", n + 1);
  detail::for_each(m_exec, "tessera::gbees::mark_fed", detail::MarkFed<State<scheme>>{s, fed});

  const auto candidates_below = [&](double cut) {
    return sum_over_cells<ExactSum>("tessera::gbees::sum_candidates", detail::SumCandidates<State<scheme>>{s, fed, cut}).value();
  };
  double cut = threshold;
  double pruned = candidates_below(threshold);
  if constexpr (scheme == Scheme::reference) {
    // The published code removes candidates in ascending order while p / (1 - mass removed so far) < threshold.
    pruned = candidates_below(threshold * (1 - pruned));
    cut = threshold * (1 - pruned);
  }

  const double* const mass = s.mass[m_control.parity].data();
  double* const new_mass = s.mass[m_control.parity ^ 1].data();
  Rows kept(uninitialized("tessera::gbees::kept"), n), remap("tessera::gbees::remap", n + 1);
  Array<std::uint64_t*> order(uninitialized("tessera::gbees::order"), n);
  std::uint32_t count = 0;
  Kokkos::parallel_scan("tessera::gbees::select_kept", Range(m_exec, 0, n),
                        detail::SelectKept<State<scheme>>{s, fed, kept, remap, order, cut, mass, m_control.scale}, count);
  const auto rows = std::make_pair(0u, count);
  sort_by_key(m_exec, Kokkos::subview(order, rows), Kokkos::subview(kept, rows));

  using Links = typename CellArrays::Links;
  const Links new_links = m_cells.spare_links();
  const Array<std::uint64_t*> new_key = m_cells.spare_key();
  Flags new_grown(uninitialized("tessera::gbees::grown"), m_cells.capacity + 1);
  Result<ExactSum> sum_result("tessera::gbees::kept_mass");
  Kokkos::parallel_reduce("tessera::gbees::pack_kept", Range(m_exec, 0, count),
                          detail::PackKept<State<scheme>>{s, kept, remap, new_key, new_grown, mass, new_mass, m_control.scale},
                          compat::Sum<ExactSum, Memory>(sum_result));
  Kokkos::parallel_for("tessera::gbees::relink_kept", Range(m_exec, 0, count),
                       detail::RelinkKept<Links, Rows, D>{m_cells.links(), new_links, kept, remap});
  ExactSum sum;
  Kokkos::deep_copy(m_exec, sum, sum_result);
  m_exec.fence();
  m_cells.swap_roles(m_exec);
  m_cells.grown = new_grown;
  m_cells.rebuild_directory(m_exec, count);

  m_control.cells = m_control.allocated = count;
  m_control.parity ^= 1;
  m_control.stop &= ~std::uint32_t(detail::kStopPrune);
  if constexpr (scheme == Scheme::reference) {
    m_control.lost_mass += 1 - sum.value();
    m_control.scale = 1 / sum.value();
  } else {
    m_control.lost_mass += pruned;
    m_control.mass = sum.value();
    m_control.scale = 1;
  }
  store_control();
  m_control.cfl_time = refresh_crossing_time<scheme>();
  store_control();
}

template <class ExecSpace, class Dynamics>
template <Scheme scheme>
double Propagator<ExecSpace, Dynamics>::refresh_crossing_time() {
  Result<double> shortest("tessera::gbees::crossing_time");
  Kokkos::parallel_reduce("tessera::gbees::shortest_crossing",
                          Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>(m_exec, 0, m_control.cells),
                          detail::ShortestCrossing<State<scheme>>{state<scheme>()}, Kokkos::Min<double, Memory>(shortest));
  double time = 0;
  Kokkos::deep_copy(m_exec, time, shortest);
  m_exec.fence();
  return time;
}

template <class ExecSpace, class Dynamics>
template <Scheme scheme>
double Propagator<ExecSpace, Dynamics>::multiply_likelihood(const Observation& observation) {
  const double evidence =
      sum_over_cells<ExactSum>("tessera::gbees::observe", detail::Observe<State<scheme>>{state<scheme>(), observation}).value();
  m_control.scale = 1;
  store_control();
  return evidence;
}

template <class ExecSpace, class Dynamics>
void Propagator<ExecSpace, Dynamics>::observe(const std::vector<Observation>& observations) {
  logging::Region region("tessera::gbees::observe");
  with_scheme([&](auto scheme) {
    for (const Observation& observation : observations) {
      const double evidence = multiply_likelihood<scheme()>(observation);
      if (!(evidence > 0)) {
        std::ostringstream what;
        what << "the measurement at t = " << m_control.time << " (variable " << observation.axis + 1 << " = " << observation.value
             << ", variance " << observation.variance << ") leaves no probability: its likelihood underflows on every cell";
        throw Error(ErrorKind::numerical, what.str(), "check the measured value, raise its variance, or lower grid.threshold to keep more of the tails");
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

template <class ExecSpace, class Dynamics>
Summary<Propagator<ExecSpace, Dynamics>::D> Propagator<ExecSpace, Dynamics>::summarize() const {
  using S = State<Scheme::conservative>;  // the scheme plays no part in these sums
  const S s = state<Scheme::conservative>();
  const auto extent = sum_over_cells<detail::Extent<D>>("tessera::gbees::extent", detail::FindExtent<S>{s});
  const auto sums = sum_over_cells<detail::MassAndEntropy>("tessera::gbees::entropy", detail::SumEntropy<S>{s});
  Summary<D> summary;
  summary.mass = sums.mass.value();
  summary.lost_mass = m_control.lost_mass;
  summary.cells = m_control.cells;
  summary.active_cells = extent.active;
  summary.max_p = extent.max_p;
  summary.mode = m_grid.centre(extent.max_key);
  double log_volume = 0;
  for (int i = 0; i < D; ++i) log_volume += std::log(m_grid.spacing[i]);
  summary.entropy = -sums.p_log_p.value() / summary.mass + std::log(summary.mass) + log_volume;

  // Moments of the indices about the cell nearest to the mean keep the numbers small.
  std::int64_t centre[D];
  double mean_offset[D];
  const auto moment = [&](int i, int j, std::int64_t oi, std::int64_t oj) {
    return sum_over_cells<ExactSum>("tessera::gbees::moment", detail::IndexMoment<S>{s, i, j, oi, oj}).value() / summary.mass;
  };
  for (int i = 0; i < D; ++i) {
    summary.low[i] = extent.low[i];
    summary.high[i] = extent.high[i];
    const std::int64_t middle = (std::int64_t(extent.low[i]) + extent.high[i]) / 2;
    centre[i] = middle + std::llround(moment(i, -1, middle, 0));
    mean_offset[i] = moment(i, -1, centre[i], 0);
    summary.mean[i] = m_grid.coordinate(i, centre[i]) + m_grid.spacing[i] * mean_offset[i];
  }
  for (int i = 0; i < D; ++i) {
    for (int j = i; j < D; ++j) {
      const double about_mean = moment(i, j, centre[i], centre[j]) - mean_offset[i] * mean_offset[j];
      summary.covariance[i][j] = summary.covariance[j][i] = about_mean * m_grid.spacing[i] * m_grid.spacing[j];
    }
  }
  return summary;
}

template <class ExecSpace, class Dynamics>
std::vector<double> Propagator<ExecSpace, Dynamics>::marginal(int axis, int low, int high) const {
  using S = State<Scheme::conservative>;
  using Bin = detail::BinMarginal<S>;
  const std::size_t length = static_cast<std::size_t>(high - low + 1);
  Array<unsigned long long*> bins("tessera::gbees::marginal", length);
  detail::for_each(m_exec, "tessera::gbees::marginal", Bin{state<Scheme::conservative>(), axis, low, bins});
  m_exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bins);
  std::vector<double> probability(length);
  for (std::size_t i = 0; i < length; ++i) probability[i] = static_cast<double>(host(i)) / Bin::kUnits;
  return probability;
}

template <class ExecSpace, class Dynamics>
CellList Propagator<ExecSpace, Dynamics>::raw_cells() const {
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

template <class ExecSpace, class Dynamics>
CellList Propagator<ExecSpace, Dynamics>::cells(double cut) const {
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
