// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "tessera/core/app/signals.hpp"
#include "tessera/gbees/propagator/ellipsoid.hpp"
#include "tessera/gbees/propagator/propagator.hpp"
#include "tessera/gbees/step/ranks_runner.hpp"

/// The start of a propagator: from a density, from cells, or from a restart file.

namespace tessera::gbees {

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::check_index(int axis, double cells) const {
  if (cells <= Key::limit) return;
  std::ostringstream what;
  what << "the initial density reaches " << cells << " cells from the grid's origin along axis "
       << axis + 1 << ", and at most " << Key::limit << " can be indexed";
  throw Error(ErrorKind::input, what.str(),
              wider_keys_help<D, KeyWord>()
                  ? "use a larger spacing along that axis, or set grid.keys: 128"
                  : "use a larger spacing along that axis");
}

/// Returns the initial box of the reference scheme, about the grid's origin.
template <class ExecSpace, class Dynamics, class Real>
auto Propagator<ExecSpace, Dynamics, Real>::initial_box(const Vector<D>& deviation,
                                                        double extent) const -> Box {
  Box box{};
  for (int i = 0; i < D; ++i) {
    const double cells = std::round(extent * deviation[i] / m_grid.spacing[i]);
    check_index(i, cells);
    box.extent[i] = static_cast<int>(cells);
  }
  return box;
}

/// The cells in which d^T P d is at most `form`, or a little more.
template <class ExecSpace, class Dynamics, class Real>
auto Propagator<ExecSpace, Dynamics, Real>::initial_ellipsoid(const Gaussian<D>& density,
                                                              double form) const -> Ellipsoid {
  double volume = 1;
  for (int i = 0; i < D; ++i) volume *= m_grid.spacing[i];
  const double largest = density.peak * volume;
  double cells =
      std::exp(0.5 * D * std::log(3.14159265358979323846 * form) - std::lgamma(0.5 * D + 1)) /
      // volume of the ellipsoid in cells
      (std::pow(2 * 3.14159265358979323846, 0.5 * D) * largest);
  if (cells > std::numeric_limits<std::uint32_t>::max()) {
    std::ostringstream what;
    what << "the initial density has about " << cells
         << " cells at or above the threshold, and a grid can have 4.2e9";
    throw Error(ErrorKind::input, what.str(), "raise grid.spacing or grid.threshold");
  }
  for (int i = 0; i < D; ++i) {
    if (m_grid.is_circle(i)) continue;
    const double offset = std::fabs(density.mean[i] - m_grid.origin[i]);
    check_index(
        i, std::ceil((offset + std::sqrt(form) * density.deviation[i]) / m_grid.spacing[i]) + 1);
  }
  return Ellipsoid(m_exec, {m_grid, density, form});
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::initialize(const Gaussian<D>& density, double extent) {
  if (m_grid.has_circles()) return initialize(Mixture<D>{{1, density}}, extent);
  logging::Region region("tessera::gbees::initialize");
  m_grid.offset = {};
  if (m_options.scheme == Scheme::reference) {
    using Part = detail::InitialPart<Box, Gaussian<D>>;
    return start_from(std::vector<Part>{{initial_box(density.deviation, extent), density}}, 0, 1,
                      1);
  }

  // A cell below the threshold would neither grow nor survive the first prune.
  double volume = 1;
  for (int i = 0; i < D; ++i) volume *= m_grid.spacing[i];
  const double largest = density.peak * volume, cut = m_options.threshold / largest;
  const double form = -2 * std::log(cut);
  if (!(form >= 0)) fail_for_threshold(largest);
  using Part = detail::InitialPart<Ellipsoid, Gaussian<D>>;
  start_from(std::vector<Part>{{initial_ellipsoid(density, form), density}}, cut, largest, largest);
}

/// Returns the components, and along circles those whole turns from them as well that reach into
/// the base interval: the sum over all turns, to a share of 1e-21.
template <class ExecSpace, class Dynamics, class Real>
auto Propagator<ExecSpace, Dynamics, Real>::with_images(const Mixture<D>& density) const
    -> Mixture<D> {
  constexpr double kReach = 10;  // standard deviations
  Mixture<D> all = density;
  for (int i = 0; i < D; ++i) {
    if (!m_grid.is_circle(i)) continue;
    const Circle circle = m_grid.circle(i);
    Mixture<D> before = std::move(all);
    all.clear();
    for (MixtureComponent<D>& component : before) {
      Gaussian<D>& gaussian = component.density;
      if (gaussian.deviation[i] > circle.period) {
        throw Error(ErrorKind::input,
                    "a standard deviation of the initial density along axis " +
                        std::to_string(i + 1) + " is longer than the circle that it is",
                    "use a smaller one: a density that is wide goes round the circle evenly");
      }
      const double mean = m_grid.origin[i] + circle.bring_in(gaussian.mean[i] - m_grid.origin[i]),
                   reach = circle.period + kReach * gaussian.deviation[i];
      const double turns = std::floor(reach / circle.period);
      for (double turn = -turns; turn <= turns; ++turn) {
        gaussian.mean[i] = mean + turn * circle.period;
        const double from_middle =
            gaussian.mean[i] - (m_grid.origin[i] + circle.lower + 0.5 * circle.period);
        if (std::fabs(from_middle) <= 0.5 * circle.period + kReach * gaussian.deviation[i])
          all.push_back(component);
      }
    }
  }
  return all;
}

/// A cell at or above the threshold is one in which some component holds at least an equal share of
/// it, and is taken with the first that does.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::initialize(const Mixture<D>& density, double extent) {
  logging::Region region("tessera::gbees::initialize");
  m_grid.offset = {};
  double volume = 1, total = 0;
  for (int i = 0; i < D; ++i) volume *= m_grid.spacing[i];
  for (const MixtureComponent<D>& component : density) total += component.weight;
  Mixture<D> scaled = with_images(density);
  for (MixtureComponent<D>& component : scaled)
    component.weight *= component.density.peak * volume / total;
  using Components = Array<MixtureComponent<D>*>;
  const auto components = allocate<Components>(m_exec, "tessera::gbees::mixture", scaled.size());
  copy_from_host(m_exec, components.data(), scaled.data(), scaled.size());
  const auto count = static_cast<int>(scaled.size());
  const detail::CellMixture<D> all{scaled.data(), count, -1, 0};
  double largest = 0;
  for (const MixtureComponent<D>& component : scaled)
    largest = std::max(largest, all(component.density.mean));

  if (m_options.scheme == Scheme::reference) {
    using Part = detail::InitialPart<Box, detail::CellMixture<D>>;
    Vector<D> deviation;
    for (int i = 0; i < D; ++i) {
      double mean = 0, square = 0;
      for (const auto& [weight, part] : density) {
        mean += weight / total * part.mean[i];
        square +=
            weight / total * (part.mean[i] * part.mean[i] + part.deviation[i] * part.deviation[i]);
      }
      deviation[i] = std::sqrt(square - mean * mean);
    }
    return start_from(
        std::vector<Part>{{initial_box(deviation, extent), {components.data(), count, -1, 0}}}, 0,
        1, largest);
  }
  using Part = detail::InitialPart<Ellipsoid, detail::CellMixture<D>>;
  const double share = m_options.threshold / count;
  std::vector<Part> parts;
  for (int k = 0; k < count; ++k) {
    const double form = -2 * std::log(share / scaled[k].weight);
    if (form >= 0)
      parts.push_back(
          {initial_ellipsoid(scaled[k].density, form), {components.data(), count, k, share}});
  }
  if (parts.empty()) fail_for_threshold(largest);
  start_from(parts, m_options.threshold, 1, largest);
}

/// Starts from the cells of the parts, in their order, at which their functions are at least `cut`.
/// Times `scale` these are probabilities; the most probable cell holds `largest`.
template <class ExecSpace, class Dynamics, class Real>
template <class Source, class Function>
void Propagator<ExecSpace, Dynamics, Real>::start_from(
    const std::vector<detail::InitialPart<Source, Function>>& parts, double cut, double scale,
    double largest) {
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint64_t>>;
  using Select =
      detail::SelectInitial<D, ExecSpace, Source, Function, Array<KeyWord*>, Array<Real*>>;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> of_part(parts.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Select select{parts[k].source, m_grid, parts[k].density, cut, false, {}, {}, 0, 0, 0, {}};
    Kokkos::parallel_scan("tessera::gbees::initial_count", Range(m_exec, 0, select.source.size()),
                          select, of_part[k]);
    stop_at_signal();
    count += of_part[k];
  }
  if (count == 0) fail_for_threshold(largest);
  const parallel::Range own = ranks().share(static_cast<std::int64_t>(count));
  const auto own_begin = static_cast<std::uint64_t>(own.begin),
             own_count = static_cast<std::uint64_t>(own.size());
  ranks().together([&] {
    m_cells.use_directory(m_exec, directory_for(static_cast<std::uint32_t>(own_count)), 0);
    reserve(own_count + own_count / 2 + 4096, 0);
  });
  std::uint64_t before = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Select select{parts[k].source, m_grid, parts[k].density, cut,       true, m_cells.key(),
                        m_cells.mass[0], before, own_begin,        own_count, {}};
    Kokkos::parallel_scan("tessera::gbees::initial_fill", Range(m_exec, 0, select.source.size()),
                          select, of_part[k]);
    stop_at_signal();
    before += of_part[k];
  }
  ++m_generation;
  m_state = {};
  m_state.allocated = static_cast<std::uint32_t>(own_count);
  m_cells.rebuild_directory(m_exec, m_state.allocated);
  if (m_halo.is_divided()) use_part(own_part(first_rows(m_state.allocated)), 0);
  count_start(scale);
}

/// Ends a start of which no cell has been kept, since the most probable one holds `largest`.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::fail_for_threshold(double largest) const {
  std::ostringstream what;
  what << "no cell of the initial density reaches the threshold of " << m_options.threshold
       << ": the most probable one holds " << largest;
  throw Error(ErrorKind::input, what.str(), "lower grid.threshold or raise grid.spacing");
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::initialize(const List& cells, double total) {
  logging::Region region("tessera::gbees::initialize");
  const double cut = m_options.scheme == Scheme::reference ? 0 : m_options.threshold * total;
  const List kept = cells.at_least(cut);
  if (kept.key.empty() || !(total > 0)) {
    const auto largest = std::max_element(cells.probability.begin(), cells.probability.end());
    fail_for_threshold(largest == cells.probability.end() ? 0 : *largest / total);
  }
  m_state = {};
  use_part(own_part(any_part(kept)), 0);
  count_start(1 / total);
}

/// The rest of a start, when the cells are in their rows with masses that times `scale` are
/// probabilities. The conservative scheme counts what they lack of one as lost. The reference
/// scheme normalises them, and so does the other where they hold more than one: the cells are then
/// too coarse for the density at their centres to tell what they hold.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::count_start(double scale) {
  store_state();
  m_state.cfl_time = with_scheme([&](auto scheme) { return link_new_rows<scheme()>(0); });
  m_state.planned_step = m_options.cfl * m_state.cfl_time;
  m_state.packed = m_state.cells;
  store_state();
  find_invariant_range();
  const detail::SumEntropy<AnyContext> sum{any_context()};
  const double kept =
      sum_over_cells<detail::MassAndEntropy>(detail::until_signal<ExecSpace>(sum)).mass.value();
  stop_at_signal();
  const bool is_part = m_options.scheme == Scheme::conservative && kept * scale < 1;
  m_state.scale = is_part ? scale : 1 / kept;
  m_state.mass = is_part ? kept * scale : 1;
  m_state.lost_mass = 1 - m_state.mass;
  store_state();
  fail_if_stopped();
}

/// Puts cells into the first rows of the grid, which there are.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::upload(const List& cells, std::uint32_t parity) {
  const auto n = static_cast<std::uint32_t>(cells.key.size());
  ++m_generation;
  fill(m_exec, m_cells.grown, std::uint8_t(0));
  const std::vector<Real> masses(cells.probability.begin(), cells.probability.end());
  copy_from_host(m_exec, m_cells.key().data() + 1, cells.key.data(), n);
  copy_from_host(m_exec, m_cells.mass[parity].data() + 1, masses.data(), n);
  m_cells.rebuild_directory(m_exec, n);
}

/// Makes the rows that are allocated cells: links them to their neighbours, as the first `linked`
/// rows are. Returns the smallest crossing time of the new ones.
template <class ExecSpace, class Dynamics, class Real>
template <Scheme scheme>
double Propagator<ExecSpace, Dynamics, Real>::link_new_rows(std::uint32_t linked) {
  if (m_halo.is_divided()) make_ghosts(linked);
  const Context<scheme> s = context<scheme>();
  const auto shortest = allocate<Result<double>>(m_exec, "tessera::gbees::crossing_time");
  m_cells.with_directory([&](const auto& directory) {
    using Link = detail::LinkNewCells<Context<scheme>, std::decay_t<decltype(directory)>>;
    detail::launch_reduce(m_exec, m_state.allocated,
                          detail::until_signal<ExecSpace>(Link{s, directory}),
                          Kokkos::Min<double, Memory>(shortest));
  });
  if (m_halo.is_divided()) link_ghosts();
  fetch_state();
  detail::Agreement found{0, m_state.bad_key, m_state.stop};
  copy_to_host(m_exec, &found.cfl_time, shortest.data(), 1);
  stop_at_signal();
  found = ranks().sum(found);
  m_state.bad_key = found.bad_key;
  m_state.stop = found.stop;
  m_state.cells = m_state.allocated;
  m_state.elsewhere = ranks().sum(std::uint64_t(m_state.cells)) - m_state.cells;
  store_state();
  return found.cfl_time;
}

/// Finds the range of the conserved quantity, if the dynamics have one, on the cells there are.
template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::find_invariant_range() {
  if constexpr (requires { &Dynamics::bounded; }) {
    if (!detail::is_bounded(m_dynamics)) return;
    const AnyContext s = any_context();
    const auto extreme = [&](double sign) {
      const detail::SmallestInvariant<AnyContext> smallest{s, sign};
      const auto value = least_over_cells<double>("tessera::gbees::invariant",
                                                  detail::until_signal<ExecSpace>(smallest));
      stop_at_signal();
      return sign * value;
    };
    m_state.invariant_low = extreme(1);
    m_state.invariant_high = extreme(-1);
    store_state();
  }
}

template <class ExecSpace, class Dynamics, class Real>
void Propagator<ExecSpace, Dynamics, Real>::restore(const List& cells, const StepperState& state,
                                                    const Vector<D>& offset) {
  m_state = state;
  m_state.velocity_share = m_options.velocities_of_start ? 0 : 0.5;
  m_state.velocity_time = m_state.middle_of_next_step();
  m_state.cells = 0;
  m_state.stop = 0;  // or the cells would not be linked
  m_grid.offset = offset;
  use_part(own_part(any_part(cells)), state.parity);
  link_all_rows();
  if (!(state.interval_time < state.interval)) m_state.stop |= kStopInterval;
  store_state();
  fail_if_stopped();
}

}  // namespace tessera::gbees
