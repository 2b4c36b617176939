// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/mpr/detail/fill_level.hpp"

/// Kernels of the conjugate gradients that solve (L + beta L^2) u = 0 on the missing sites of a level.

namespace tessera::mpr::detail {

/// The operator of the linear equations. Vectors have the size of the level.
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
      Real along = 0;
      if (level.status(low) != kInactive) along += own - v(low);
      if (level.status(high) != kInactive) along += own - v(high);
      sum += axis[a] * along;
    }
    return sum;
  }
};

/// w = L v on all active sites.
template <class ExecSpace, class Real, int D>
struct ApplyLaplacian {
  FillOperator<ExecSpace, Real, D> op;
  Array<ExecSpace, const Real> v;
  Array<ExecSpace, Real> w;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (op.level.status(i) != kInactive) w(i) = op.laplacian(v, i);
  }
};

/// q = (Q v) on the missing sites, from w = L v if beta > 0 and from v itself if not; the sum of v q.
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

}  // namespace tessera::mpr::detail
