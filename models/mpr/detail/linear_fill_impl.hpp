// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/detail/conjugate_gradients.hpp"
#include "tessera/mpr/linear_fill.hpp"

namespace tessera::mpr {

template <class ExecSpace, class Real>
LinearFill<ExecSpace, Real>::LinearFill(const ExecSpace& exec, const Grid& grid, int frames, const Array<const std::uint8_t>& status)
    : m_exec(exec),
      m_rr{Kokkos::View<ExactSum, ExecSpace>(Kokkos::view_alloc(m_exec, "tessera::mpr::rr")),
           Kokkos::View<ExactSum, ExecSpace>(Kokkos::view_alloc(m_exec, "tessera::mpr::rr"))},
      m_pq(Kokkos::view_alloc(m_exec, "tessera::mpr::pq")) {
  Grid g = grid;
  while (true) {
    Level level;
    level.set(g, frames);
    level.status = Array<std::uint8_t>(Kokkos::view_alloc(m_exec, "tessera::mpr::level_status"), level.size());
    level.u = unset("tessera::mpr::level_values", level.size());
    if (m_levels.empty()) {
      Kokkos::parallel_for("tessera::mpr::enter_level", range(g.sites() * frames), detail::EnterLevel<ExecSpace, Real>{level, status});
    } else {
      Kokkos::parallel_for("tessera::mpr::coarsen", range(g.sites() * frames),
                           detail::Coarsen<ExecSpace, Real, false>{m_levels.back(), level});
    }
    Kokkos::parallel_reduce("tessera::mpr::count_missing", range(level.size()), detail::CountMissing<ExecSpace, Real>{level},
                            Kokkos::Sum<std::int64_t>(level.missing));
    exec.fence();
    m_levels.push_back(level);
    if (level.missing == 0 || std::max({g.nx, g.ny, g.nz}) <= 2) break;
    g = {(g.nx + 1) / 2, (g.ny + 1) / 2, (g.nz + 1) / 2};
  }
  const std::int64_t size = m_levels.front().size();
  m_r = unset("tessera::mpr::residual", size);
  m_p = unset("tessera::mpr::direction", size);
  m_q = unset("tessera::mpr::product", size);
}

template <class ExecSpace, class Real>
LinearSolve LinearFill<ExecSpace, Real>::solve(const Array<Real>& values, const std::array<double, 3>& axis, double beta, double tolerance,
                                               int most_iterations) {
  const Level& finest = m_levels.front();
  if (finest.missing == 0) return {};
  if (beta > 0 && m_w.extent(0) == 0) m_w = unset("tessera::mpr::laplacian", finest.size());
  const std::int64_t sites = finest.grid.sites() * finest.frames;
  Kokkos::parallel_for("tessera::mpr::enter_values", range(sites), detail::EnterValues<ExecSpace, Real>{finest, values});
  for (std::size_t l = 1; l < m_levels.size(); ++l) {
    const Level& coarse = m_levels[l];
    Kokkos::parallel_for("tessera::mpr::coarsen_values", range(coarse.grid.sites() * coarse.frames),
                         detail::Coarsen<ExecSpace, Real, true>{m_levels[l - 1], coarse});
  }
  LinearSolve result;
  for (std::size_t l = m_levels.size(); l-- > 0;) {
    const Level& level = m_levels[l];
    if (l + 1 < m_levels.size()) {
      Kokkos::parallel_for("tessera::mpr::interpolate", range(level.grid.sites() * level.frames),
                           detail::Interpolate<ExecSpace, Real>{level, m_levels[l + 1]});
    }
    if (level.missing == 0) continue;
    const double here = beta / std::pow(4.0, static_cast<double>(l));
    const int most = l == 0 ? most_iterations : std::min(most_iterations, 60);
    result = level.grid.nz > 1 ? gradients<3>(level, axis, here, tolerance, most) : gradients<2>(level, axis, here, tolerance, most);
  }
  Kokkos::parallel_for("tessera::mpr::leave_values", range(sites), detail::LeaveValues<ExecSpace, Real>{finest, values});
  return result;
}

template <class ExecSpace, class Real>
template <int D>
LinearSolve LinearFill<ExecSpace, Real>::gradients(const Level& level, const std::array<double, 3>& axis, double beta, double tolerance,
                                                   int most) {
  detail::FillOperator<ExecSpace, Real, D> op{
      level, {static_cast<Real>(axis[0]), static_cast<Real>(axis[1]), static_cast<Real>(axis[2])}, static_cast<Real>(beta)};
  const Range all = range(level.size());
  double degree = 0, squares = 0;
  for (int a = 0; a < D; ++a) {
    degree += 2 * axis[a];
    squares += 2 * axis[a] * axis[a];
  }
  const double diagonal = degree + beta * (degree * degree + squares);
  const auto apply = [&](const Array<Real>& v) {
    if (beta > 0) Kokkos::parallel_for("tessera::mpr::apply_laplacian", all, detail::ApplyLaplacian<ExecSpace, Real, D>{op, v, m_w});
    Kokkos::parallel_reduce("tessera::mpr::apply_operator", all, detail::ApplyOperator<ExecSpace, Real, D>{op, v, m_w, m_q},
                            compat::Sum<ExactSum, ExecSpace>(m_pq));
  };
  const auto rms = [&](int which) {
    return std::sqrt(std::max(download_scalar(m_exec, m_rr[which]).value(), 0.0) / static_cast<double>(level.missing)) / diagonal;
  };
  apply(level.u);
  Kokkos::parallel_reduce("tessera::mpr::begin_gradients", all, detail::BeginGradients<ExecSpace, Real>{level.status, m_q, m_r, m_p},
                          compat::Sum<ExactSum, ExecSpace>(m_rr[0]));
  LinearSolve solve;
  solve.residual = rms(0);
  while (solve.iterations < most && solve.residual > tolerance) {
    for (int k = 0; k < 4 && solve.iterations < most; ++k, ++solve.iterations) {  // the residual is read every fourth iteration
      stop_at_signal();
      const int now = solve.iterations % 2, next = 1 - now;
      apply(m_p);
      Kokkos::parallel_reduce("tessera::mpr::step_along", all,
                              detail::StepAlong<ExecSpace, Real>{level.status, m_rr[now], m_pq, m_p, m_q, level.u, m_r},
                              compat::Sum<ExactSum, ExecSpace>(m_rr[next]));
      Kokkos::parallel_for("tessera::mpr::turn_direction", all,
                           detail::TurnDirection<ExecSpace, Real>{level.status, m_rr[next], m_rr[now], m_r, m_p});
    }
    solve.residual = rms(solve.iterations % 2);
  }
  return solve;
}

}  // namespace tessera::mpr
