// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/mpr/detail/missing.hpp"
#include "tessera/mpr/rotator.hpp"

/// The mean of the model where it is nearly harmonic: missing sites solve (L + beta L^2) u = 0 with u given at the samples (couplings.hpp
/// for L).
///
/// From coarse to fine: each level halves the grid (a coarse place is a sample where any of its sites is one, and holds their mean), is
/// solved by conjugate gradients from the interpolated solution of the next coarser one, and hands its own on. Coarse levels settle what is
/// wide, so that the finest needs few steps. beta falls by four from level to level, since L^2 scales with the fourth power of the spacing
/// and L with the second.
///
/// Sums are exact, so results do not depend on threads. Frames are solved together. Memory: `memory`.

namespace tessera::mpr {

struct LinearSolve {
  int iterations = 0;   ///< on the finest level
  double residual = 0;  ///< root mean square of (Q u)_i / Q_ii over the missing sites: how far a site is from its neighbours' verdict
};

namespace detail {

/// One level: frames of nx * ny * nz places with a border of one inactive place.
template <class ExecSpace, class Real>
struct FillLevel {
  Grid grid;
  int frames = 1, pitch = 0, plane = 0;
  std::int64_t frame = 0;
  std::int64_t missing = 0;
  Array<ExecSpace, std::uint8_t> status;
  Array<ExecSpace, Real> u;

  void set(const Grid& g, int frame_count) {
    grid = g;
    frames = frame_count;
    pitch = g.nx + 2;
    plane = pitch * (g.ny + 2);
    frame = static_cast<std::int64_t>(plane) * (g.nz > 1 ? g.nz + 2 : 1);
  }
  std::int64_t places() const { return frame * frames; }
  KOKKOS_INLINE_FUNCTION std::int64_t index(std::int64_t f, int x, int y, int z) const {
    return f * frame + (grid.nz > 1 ? static_cast<std::int64_t>(z + 1) * plane : 0) + static_cast<std::int64_t>(y + 1) * pitch + x + 1;
  }
  /// Splits the number of a site (frames one after the other, no border).
  KOKKOS_INLINE_FUNCTION std::int64_t index_of_site(std::int64_t site) const {
    const int x = static_cast<int>(site % grid.nx);
    const std::int64_t rest = site / grid.nx;
    const int y = static_cast<int>(rest % grid.ny);
    const std::int64_t layers = rest / grid.ny;
    return index(layers / grid.nz, x, y, static_cast<int>(layers % grid.nz));
  }
};

/// Site arrays (no border) to a level, or back where a site is missing.
template <class ExecSpace, class Real>
struct EnterLevel {
  FillLevel<ExecSpace, Real> level;
  Array<ExecSpace, const std::uint8_t> status;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const { level.status(level.index_of_site(site)) = status(site); }
};
template <class ExecSpace, class Real>
struct EnterValues {
  FillLevel<ExecSpace, Real> level;
  Array<ExecSpace, const Real> values;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = level.index_of_site(site);
    level.u(i) = level.status(i) == kSample ? values(site) : Real(0.5 * kPi);
  }
};
template <class ExecSpace, class Real>
struct LeaveValues {
  FillLevel<ExecSpace, Real> level;
  Array<ExecSpace, Real> values;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = level.index_of_site(site);
    if (level.status(i) == kMissing) values(site) = level.u(i);
  }
};
template <class ExecSpace, class Real>
struct CountMissing {
  FillLevel<ExecSpace, Real> level;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const { count += level.status(i) == kMissing ? 1 : 0; }
};

/// What a coarse place is, from its (up to eight) fine ones.
template <class ExecSpace, class Real, bool Values>
struct Coarsen {
  FillLevel<ExecSpace, Real> fine, coarse;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const int x = static_cast<int>(site % coarse.grid.nx);
    const std::int64_t rest = site / coarse.grid.nx;
    const int y = static_cast<int>(rest % coarse.grid.ny);
    const std::int64_t layers = rest / coarse.grid.ny;
    const int z = static_cast<int>(layers % coarse.grid.nz);
    const std::int64_t f = layers / coarse.grid.nz;
    int samples = 0, missing = 0;
    Real sum = 0;
    for (int dz = 0; dz < (fine.grid.nz > 1 ? 2 : 1); ++dz) {
      for (int dy = 0; dy < 2; ++dy) {
        for (int dx = 0; dx < 2; ++dx) {
          const int fx = 2 * x + dx, fy = 2 * y + dy, fz = fine.grid.nz > 1 ? 2 * z + dz : 0;
          if (fx >= fine.grid.nx || fy >= fine.grid.ny || fz >= fine.grid.nz) continue;
          const std::int64_t i = fine.index(f, fx, fy, fz);
          if (fine.status(i) == kSample) {
            ++samples;
            if constexpr (Values) sum += fine.u(i);
          } else if (fine.status(i) == kMissing) {
            ++missing;
          }
        }
      }
    }
    const std::int64_t i = coarse.index(f, x, y, z);
    if constexpr (Values) {
      coarse.u(i) = samples > 0 ? sum / static_cast<Real>(samples) : Real(0.5 * kPi);
    } else {
      coarse.status(i) = samples > 0 ? kSample : missing > 0 ? kMissing : kInactive;
    }
  }
};

/// Missing fine places from the nearest coarse ones, weights 3/4 and 1/4 along each axis.
template <class ExecSpace, class Real>
struct Interpolate {
  FillLevel<ExecSpace, Real> fine, coarse;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = fine.index_of_site(site);
    if (fine.status(i) != kMissing) return;
    const int x = static_cast<int>(site % fine.grid.nx);
    const std::int64_t rest = site / fine.grid.nx;
    const int y = static_cast<int>(rest % fine.grid.ny);
    const std::int64_t layers = rest / fine.grid.ny;
    const int z = static_cast<int>(layers % fine.grid.nz);
    const bool deep = fine.grid.nz > 1;
    const std::int64_t parent = coarse.index(layers / fine.grid.nz, x / 2, y / 2, deep ? z / 2 : 0);
    const bool shrunk = coarse.grid.nz > 1;  // else the coarse level has one layer and no border in z
    const std::int64_t sx = x % 2 ? 1 : -1, sy = y % 2 ? coarse.pitch : -coarse.pitch, sz = z % 2 ? coarse.plane : -coarse.plane;
    Real sum = 0, weights = 0;
    for (int corner = 0; corner < (deep && shrunk ? 8 : 4); ++corner) {
      const std::int64_t j = parent + (corner & 1 ? sx : 0) + (corner & 2 ? sy : 0) + (corner & 4 ? sz : 0);
      if (coarse.status(j) == kInactive) continue;
      const Real weight =
          (corner & 1 ? Real(0.25) : Real(0.75)) * (corner & 2 ? Real(0.25) : Real(0.75)) * (corner & 4 ? Real(0.25) : Real(0.75));
      sum += weight * coarse.u(j);
      weights += weight;
    }
    fine.u(i) = sum / weights;
  }
};

/// The parts of conjugate gradients. r, p, q and w have the places of the level.
template <class ExecSpace, class Real, int D>
struct FillOperator {
  FillLevel<ExecSpace, Real> level;
  Real axis[3];
  Real beta;

  KOKKOS_INLINE_FUNCTION std::int64_t step(int a) const { return a == 0 ? 1 : a == 1 ? level.pitch : level.plane; }

  /// (L v)_i, i active.
  template <class Values>
  KOKKOS_INLINE_FUNCTION Real laplacian(const Values& v, std::int64_t i) const {
    Real sum = 0;
    const Real own = v(i);
    for (int a = 0; a < D; ++a) {
      const std::int64_t low = i - step(a), high = i + step(a);
      Real part = 0;
      if (level.status(low) != kInactive) part += own - v(low);
      if (level.status(high) != kInactive) part += own - v(high);
      sum += axis[a] * part;
    }
    return sum;
  }
};

/// w = L v on all active places.
template <class ExecSpace, class Real, int D>
struct ApplyLaplacian {
  FillOperator<ExecSpace, Real, D> op;
  Array<ExecSpace, const Real> v;
  Array<ExecSpace, Real> w;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (op.level.status(i) != kInactive) w(i) = op.laplacian(v, i);
  }
};

/// q = (Q v) on the missing places, from w = L v if beta > 0 and from v itself if not; the sum of v q.
template <class ExecSpace, class Real, int D>
struct ApplyOperator {
  using value_type = ExactSum;
  FillOperator<ExecSpace, Real, D> op;
  Array<ExecSpace, const Real> v, w;
  Array<ExecSpace, Real> q;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, ExactSum& sum) const {
    if (op.level.status(i) != kMissing) return;
    const Real value = op.beta > Real(0) ? w(i) + op.beta * op.laplacian(w, i) : op.laplacian(v, i);
    q(i) = value;
    sum.add(static_cast<double>(value) * static_cast<double>(v(i)));
  }
};

/// r = p = -q: the residual of the start; the sum of r^2.
template <class ExecSpace, class Real>
struct BeginGradients {
  using value_type = ExactSum;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> q;
  Array<ExecSpace, Real> r, p;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, ExactSum& sum) const {
    if (status(i) != kMissing) {
      p(i) = 0;
      return;
    }
    r(i) = -q(i);
    p(i) = -q(i);
    sum.add(static_cast<double>(q(i)) * static_cast<double>(q(i)));
  }
};

/// u += alpha p, r -= alpha q, with alpha = (r, r) / (p, q); the sum of the new r^2.
template <class ExecSpace, class Real>
struct StepAlong {
  using value_type = ExactSum;
  Array<ExecSpace, const std::uint8_t> status;
  Kokkos::View<const ExactSum, ExecSpace> rr, pq;
  Array<ExecSpace, const Real> p, q;
  Array<ExecSpace, Real> u, r;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, ExactSum& sum) const {
    if (status(i) != kMissing) return;
    const double curvature = pq().value();
    const Real alpha = curvature > 0 ? static_cast<Real>(rr().value() / curvature) : Real(0);
    u(i) += alpha * p(i);
    const Real rest = r(i) - alpha * q(i);
    r(i) = rest;
    sum.add(static_cast<double>(rest) * static_cast<double>(rest));
  }
};

/// p = r + gamma p, gamma = (new r, r) / (old r, r).
template <class ExecSpace, class Real>
struct TurnDirection {
  Array<ExecSpace, const std::uint8_t> status;
  Kokkos::View<const ExactSum, ExecSpace> rr, rr_before;
  Array<ExecSpace, const Real> r;
  Array<ExecSpace, Real> p;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (status(i) != kMissing) return;
    const double before = rr_before().value();
    p(i) = r(i) + (before > 0 ? static_cast<Real>(rr().value() / before) : Real(0)) * p(i);
  }
};

}  // namespace detail

template <class ExecSpace, class Real>
class LinearFill {
 public:
  template <class T>
  using Array = detail::Array<ExecSpace, T>;

  /// `status`: a Site for each site, frame after frame.
  LinearFill(const ExecSpace& exec, const Grid& grid, int frames, const Array<const std::uint8_t>& status);

  /// Bytes on the device.
  static double memory(const Grid& grid, int frames) {
    const double places = (grid.nx + 2.0) * (grid.ny + 2.0) * (grid.nz > 1 ? grid.nz + 2.0 : 1.0) * frames;
    return places * (1 + sizeof(Real)) * 1.4 + places * 4 * sizeof(Real);
  }

  /// Replaces the angles of the missing sites ([frame][site]). `tolerance`: of LinearSolve::residual.
  LinearSolve solve(const Array<Real>& angles, const double (&axis)[3], double beta, double tolerance, int most_iterations);

 private:
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  using Level = detail::FillLevel<ExecSpace, Real>;
  Range range(std::int64_t n) const { return Range(m_exec, 0, n); }
  /// Nothing is read before it is written, nor at inactive places.
  Array<Real> unset(const char* label, std::int64_t n) const {
    return Array<Real>(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, std::string(label)), static_cast<std::size_t>(n));
  }

  template <int D>
  LinearSolve gradients(const Level& level, const double (&axis)[3], double beta, double tolerance, int most);

  ExecSpace m_exec;
  std::vector<Level> m_levels;  // finest first
  Array<Real> m_r, m_p, m_q, m_w;
  Kokkos::View<ExactSum, ExecSpace> m_rr[2], m_pq;
};

// --- implementation ---------------------------------------------------------------------------------------------------------------

template <class ExecSpace, class Real>
LinearFill<ExecSpace, Real>::LinearFill(const ExecSpace& exec, const Grid& grid, int frames, const Array<const std::uint8_t>& status)
    : m_exec(exec),
      m_rr{Kokkos::View<ExactSum, ExecSpace>("tessera::mpr::rr"), Kokkos::View<ExactSum, ExecSpace>("tessera::mpr::rr")},
      m_pq("tessera::mpr::pq") {
  Grid g = grid;
  while (true) {
    Level level;
    level.set(g, frames);
    level.status = Array<std::uint8_t>("tessera::mpr::level_status", level.places());
    level.u = unset("tessera::mpr::level_values", level.places());
    if (m_levels.empty()) {
      Kokkos::parallel_for("tessera::mpr::enter_level", range(g.sites() * frames), detail::EnterLevel<ExecSpace, Real>{level, status});
    } else {
      Kokkos::parallel_for("tessera::mpr::coarsen", range(g.sites() * frames),
                           detail::Coarsen<ExecSpace, Real, false>{m_levels.back(), level});
    }
    Kokkos::parallel_reduce("tessera::mpr::count_missing", range(level.places()), detail::CountMissing<ExecSpace, Real>{level},
                            Kokkos::Sum<std::int64_t>(level.missing));
    exec.fence();
    m_levels.push_back(level);
    if (level.missing == 0 || std::max({g.nx, g.ny, g.nz}) <= 2) break;
    g = {(g.nx + 1) / 2, (g.ny + 1) / 2, (g.nz + 1) / 2};
  }
  const std::int64_t places = m_levels.front().places();
  m_r = unset("tessera::mpr::residual", places);
  m_p = unset("tessera::mpr::direction", places);
  m_q = unset("tessera::mpr::product", places);
}

template <class ExecSpace, class Real>
LinearSolve LinearFill<ExecSpace, Real>::solve(const Array<Real>& angles, const double (&axis)[3], double beta, double tolerance,
                                               int most_iterations) {
  const Level& finest = m_levels.front();
  if (finest.missing == 0) return {};
  if (beta > 0 && m_w.extent(0) == 0) m_w = unset("tessera::mpr::laplacian", finest.places());
  const std::int64_t sites = finest.grid.sites() * finest.frames;
  Kokkos::parallel_for("tessera::mpr::enter_values", range(sites), detail::EnterValues<ExecSpace, Real>{finest, angles});
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
  Kokkos::parallel_for("tessera::mpr::leave_values", range(sites), detail::LeaveValues<ExecSpace, Real>{finest, angles});
  return result;
}

template <class ExecSpace, class Real>
template <int D>
LinearSolve LinearFill<ExecSpace, Real>::gradients(const Level& level, const double (&axis)[3], double beta, double tolerance, int most) {
  detail::FillOperator<ExecSpace, Real, D> op{
      level, {static_cast<Real>(axis[0]), static_cast<Real>(axis[1]), static_cast<Real>(axis[2])}, static_cast<Real>(beta)};
  const Range all = range(level.places());
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
    ExactSum sum;
    Kokkos::deep_copy(m_exec, Kokkos::View<ExactSum, Kokkos::HostSpace>(&sum), m_rr[which]);
    m_exec.fence();
    return std::sqrt(std::max(sum.value(), 0.0) / static_cast<double>(level.missing)) / diagonal;
  };
  apply(level.u);
  Kokkos::parallel_reduce("tessera::mpr::begin_gradients", all, detail::BeginGradients<ExecSpace, Real>{level.status, m_q, m_r, m_p},
                          compat::Sum<ExactSum, ExecSpace>(m_rr[0]));
  LinearSolve solve;
  solve.residual = rms(0);
  while (solve.iterations < most && solve.residual > tolerance) {
    for (int k = 0; k < 4 && solve.iterations < most; ++k, ++solve.iterations) {  // the host looks at every fourth
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
