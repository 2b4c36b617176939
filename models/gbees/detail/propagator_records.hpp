// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>

#include "tessera/gbees/propagator.hpp"

/// What a propagator tells of its density: moments, marginals, cells.

namespace tessera::gbees {

template <class ExecSpace, class Dynamics, class Real>
Summary<Propagator<ExecSpace, Dynamics, Real>::D> Propagator<ExecSpace, Dynamics, Real>::summarize() const {
  using S = Context<Scheme::conservative>;  // the scheme plays no part in these sums
  const S s = context<Scheme::conservative>();
  const auto overview = sum_over_cells<detail::Overview<D>>(detail::TakeOverview<S>{s});
  Summary<D> summary;
  summary.mass = overview.mass.value();
  summary.lost_mass = m_state.lost_mass;
  summary.cells = m_state.cells;
  summary.active_cells = overview.active;
  summary.max_p = overview.max_p;
  summary.mode = m_grid.centre(overview.max_key);
  double log_volume = 0;
  for (int i = 0; i < D; ++i) log_volume += std::log(m_grid.spacing[i]);
  summary.entropy = -overview.p_log_p.value() / summary.mass + std::log(summary.mass) + log_volume;

  // Moments of the indices about the mode keep the numbers small.
  Array<detail::IndexMoments<D>*> moments("tessera::gbees::moments", D);
  for (int i = 0; i < D; ++i) {
    detail::launch_reduce(m_exec, m_state.cells, detail::SumIndexMoments<S>{s, i, overview.max_key},
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
  using S = Context<Scheme::conservative>;
  using Bin = detail::BinMarginals<S>;
  Bin bin{context<Scheme::conservative>(), {}, {}, {}};
  std::size_t length = 0;
  for (int i = 0; i < D; ++i) {
    bin.low[i] = range.low[i];
    bin.start[i] = static_cast<int>(length);
    length += static_cast<std::size_t>(range.high[i] - range.low[i] + 1);
  }
  bin.bins = Array<std::uint64_t*>("tessera::gbees::marginals", length);
  detail::launch_for(m_exec, m_state.cells, bin);
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
  using S = Context<Scheme::conservative>;
  using Bin = detail::BinPair<S>;
  const auto length = [&](int axis) { return static_cast<std::uint64_t>(range.high[axis] - range.low[axis]) + 1; };
  Array<std::uint64_t*> bins("tessera::gbees::marginal_pair", length(first) * length(second));
  detail::launch_for(m_exec, m_state.cells,
                     Bin{context<Scheme::conservative>(), first, second, range.low[first], range.low[second], length(second), bins});
  m_exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bins);
  std::vector<double> probability(bins.extent(0));
  for (std::size_t i = 0; i < probability.size(); ++i) probability[i] = static_cast<double>(host(i)) / Bin::kUnits;
  return probability;
}

template <class ExecSpace, class Dynamics, class Real>
CellList Propagator<ExecSpace, Dynamics, Real>::raw_cells() const {
  const auto rows = std::make_pair(1u, m_state.cells + 1);
  const auto key = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Kokkos::subview(m_cells.key(), rows));
  const auto mass = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Kokkos::subview(m_cells.mass[m_state.parity], rows));
  std::vector<std::uint32_t> order(m_state.cells);
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
    const double probability = all.probability[i] * m_state.scale;
    if (!(probability >= cut)) continue;
    list.key.push_back(all.key[i]);
    list.probability.push_back(probability);
  }
  return list;
}

}  // namespace tessera::gbees
