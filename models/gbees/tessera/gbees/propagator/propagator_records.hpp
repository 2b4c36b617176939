// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/gbees/propagator/propagator.hpp"

/// The figures that a propagator gives of its density: moments, marginals, cells. A signal ends
/// what takes long, which changes nothing.

namespace tessera::gbees {

/// Returns the frame of sums over the cells. `from`: the cell that it lies about along lines. Round
/// circles it lies about the mean direction, which `directions` finds; the lengths of the mean
/// directions go to `resultant`, where there is one.
template <class ExecSpace, class Dynamics, class Real>
template <class Body>
detail::IndexFrame<Propagator<ExecSpace, Dynamics, Real>::D>
Propagator<ExecSpace, Dynamics, Real>::index_frame(KeyWord from, Body directions,
                                                   Vector<D>* resultant) const {
  detail::IndexFrame<D> frame{};
  for (int i = 0; i < D; ++i) {
    frame.index[i] = Key::index(from, i);
    frame.turn[i] = m_grid.turn[i];
  }
  if constexpr (detail::takes_circles<Dynamics>()) {
    for (int i = 0; i < D; ++i) {
      if (!m_grid.is_circle(i)) continue;
      directions.axis = i;
      const auto sums = sum_over_cells<detail::DirectionSums>(directions);
      stop_at_signal();
      const double cosine = sums.cosine.value(), sine = sums.sine.value();
      const double turns = std::atan2(sine, cosine) / (2 * 3.14159265358979323846);
      frame.middle[i] = turns * m_grid.turn[i];
      if (resultant != nullptr) (*resultant)[i] = std::hypot(cosine, sine) / sums.mass.value();
    }
  }
  return frame;
}

/// Returns the place that a frame counts from.
template <class ExecSpace, class Dynamics, class Real>
Vector<Propagator<ExecSpace, Dynamics, Real>::D> Propagator<ExecSpace, Dynamics, Real>::origin_of(
    const detail::IndexFrame<D>& frame) const {
  Vector<D> origin;
  for (int i = 0; i < D; ++i) {
    origin[i] = m_grid.coordinate(i, frame.index[i]);
    if (!m_grid.is_circle(i)) continue;
    const double distance = m_grid.spacing[i] * frame.middle[i];
    origin[i] = m_grid.origin[i] + m_grid.circle(i).bring_in(distance);
  }
  return origin;
}

template <class ExecSpace, class Dynamics, class Real>
Summary<Propagator<ExecSpace, Dynamics, Real>::D> Propagator<ExecSpace, Dynamics, Real>::summarize()
    const {
  const AnyContext s = any_context();
  const auto overview = sum_over_cells<detail::Overview<D, KeyWord>>(
      detail::until_signal<ExecSpace>(detail::TakeOverview<AnyContext>{s}));
  stop_at_signal();
  Summary<D> summary;
  summary.mass = overview.mass.value();
  summary.lost_mass = m_state.lost_mass;
  summary.cells = m_state.cells + m_state.elsewhere;
  summary.active_cells = overview.active;
  summary.max_p = overview.max_p;
  summary.mode = m_grid.centre(overview.max_key);
  double log_volume = 0;
  for (int i = 0; i < D; ++i) log_volume += std::log(m_grid.spacing[i]);
  summary.entropy = -overview.p_log_p.value() / summary.mass + std::log(summary.mass) + log_volume;

  // Moments of the indices about the mode keep the numbers small; round circles they are about the
  // mean direction.
  const auto frame = index_frame(
      overview.max_key, detail::until_signal<ExecSpace>(detail::SumDirections<AnyContext>{s}),
      &summary.resultant);
  const Vector<D> origin = origin_of(frame);
  const auto moments =
      allocate<Array<detail::IndexMoments<D>*>>(m_exec, "tessera::gbees::moments", D);
  for (int i = 0; i < D; ++i) {
    detail::launch_reduce(
        m_exec, m_state.cells,
        detail::until_signal<ExecSpace>(detail::SumIndexMoments<AnyContext>{s, i, frame}),
        compat::Sum<detail::IndexMoments<D>, Memory>(
            Result<detail::IndexMoments<D>>(moments.data() + i)));
  }
  auto host = download(m_exec, moments);
  stop_at_signal();
  for (detail::IndexMoments<D>& sums : host) sums = ranks().sum(sums);
  double offset[D];
  for (int i = 0; i < D; ++i) {
    summary.low[i] = overview.range.low[i] + static_cast<std::int64_t>(m_grid.offset[i]);
    summary.high[i] = overview.range.high[i] + static_cast<std::int64_t>(m_grid.offset[i]);
    offset[i] = host[static_cast<std::size_t>(i)].first.value() / summary.mass;
    const double beyond_origin = m_grid.is_circle(i) ? 0 : offset[i];
    summary.mean[i] = origin[i] + m_grid.spacing[i] * beyond_origin;
  }
  for (int i = 0; i < D; ++i) {
    for (int j = i; j < D; ++j) {
      const bool is_about_mean = m_grid.is_circle(i) && m_grid.is_circle(j);
      const double of_mean = is_about_mean ? 0 : offset[i];
      const double about_mean =
          host[static_cast<std::size_t>(i)].second[j].value() / summary.mass - of_mean * offset[j];
      summary.covariance[i][j] = summary.covariance[j][i] =
          about_mean * m_grid.spacing[i] * m_grid.spacing[j];
    }
  }
  return summary;
}

template <class ExecSpace, class Dynamics, class Real>
std::vector<std::vector<double>> Propagator<ExecSpace, Dynamics, Real>::marginals(
    const Summary<D>& range) const {
  using Bin = detail::BinMarginals<AnyContext>;
  Bin bin{any_context(), {}, {}, {}};
  std::size_t length = 0;
  for (int i = 0; i < D; ++i) {
    bin.low[i] = static_cast<int>(range.low[i] - static_cast<std::int64_t>(m_grid.offset[i]));
    bin.start[i] = static_cast<int>(length);
    length += static_cast<std::size_t>(range.high[i] - range.low[i] + 1);
  }
  bin.bins = allocate_zeros<Array<std::uint64_t*>>(m_exec, "tessera::gbees::marginals", length);
  detail::launch_for(m_exec, m_state.cells, detail::until_signal<ExecSpace>(bin));
  auto host = download(m_exec, bin.bins);
  stop_at_signal();
  ranks().sum(host);
  std::vector<std::vector<double>> probability(D);
  for (int i = 0; i < D; ++i) {
    for (std::int64_t k = range.low[i]; k <= range.high[i]; ++k) {
      probability[i].push_back(
          static_cast<double>(host[static_cast<std::size_t>(bin.start[i] + k - range.low[i])]) /
          Bin::kUnits);
    }
  }
  return probability;
}

template <class ExecSpace, class Dynamics, class Real>
std::vector<double> Propagator<ExecSpace, Dynamics, Real>::joint_marginal(
    const std::vector<int>& axes, const Summary<D>& range) const {
  using Bin = detail::BinJointly<AnyContext>;
  Bin bin{any_context(), static_cast<int>(axes.size()), {}, {}, {}, {}};
  std::uint64_t length = 1;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    bin.axis[a] = axes[a];
    bin.low[a] =
        static_cast<int>(range.low[axes[a]] - static_cast<std::int64_t>(m_grid.offset[axes[a]]));
    bin.length[a] = static_cast<std::uint64_t>(range.high[axes[a]] - range.low[axes[a]]) + 1;
    length *= bin.length[a];
  }
  bin.bins =
      allocate_zeros<Array<std::uint64_t*>>(m_exec, "tessera::gbees::joint_marginal", length);
  detail::launch_for(m_exec, m_state.cells, detail::until_signal<ExecSpace>(bin));
  auto host = download(m_exec, bin.bins);
  stop_at_signal();
  ranks().sum(host);
  std::vector<double> probability(host.size());
  for (std::size_t i = 0; i < probability.size(); ++i)
    probability[i] = static_cast<double>(host[i]) / Bin::kUnits;
  return probability;
}

/// The first rows of this rank.
template <class ExecSpace, class Dynamics, class Real>
auto Propagator<ExecSpace, Dynamics, Real>::first_rows(std::uint32_t rows) const -> List {
  std::vector<KeyWord> key(rows);
  std::vector<Real> mass(rows);
  copy_to_host(m_exec, key.data(), m_cells.key().data() + 1, key.size());
  copy_to_host(m_exec, mass.data(), m_cells.mass[m_state.parity].data() + 1, mass.size());
  if constexpr (std::is_same_v<Real, double>) {
    return List::sorted(key, mass);
  } else {
    return List::sorted(key, {mass.begin(), mass.end()});
  }
}

template <class ExecSpace, class Dynamics, class Real>
auto Propagator<ExecSpace, Dynamics, Real>::raw_cells() const -> List {
  List own = first_rows(m_state.cells);
  const std::vector<detail::MovedCell> in_transit = download(m_exec, m_in_transit);
  for (const detail::MovedCell& cell : in_transit) {
    own.key.push_back(static_cast<KeyWord>(cell.key));
    own.probability.push_back(cell.mass);
  }
  return gather(in_transit.empty() ? own : List::sorted(own.key, own.probability));
}

template <class ExecSpace, class Dynamics, class Real>
auto Propagator<ExecSpace, Dynamics, Real>::cells(double cut) const -> List {
  return gather(own_cells(cut));
}

template <class ExecSpace, class Dynamics, class Real>
auto Propagator<ExecSpace, Dynamics, Real>::own_cells(double cut) const -> List {
  return first_rows(m_state.cells).at_least(cut, m_state.scale);
}

}  // namespace tessera::gbees
