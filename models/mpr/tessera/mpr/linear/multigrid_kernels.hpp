// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/mpr/linear/precision_operator.hpp"

/// Kernels of the multigrid solver: functors over the cells of a level, border included, or over
/// its sites.

namespace tessera::mpr::detail {

/// The strongest tie of a noisy sample to its value: an error below a thousandth of root T counts
/// as that.
inline constexpr double kStrongestAnchor = 1e6;

/// The coupling of each noisy sample to its value, T / s^2. A functor over the sites of the finest
/// level.
template <class ExecSpace, class Real>
struct EnterAnchors {
  MultigridLevel<ExecSpace> level;
  Array<ExecSpace, const Real> noise;          ///< s, [frame][site]
  Array<ExecSpace, const double> temperature;  ///< of each frame
  Array<ExecSpace, Real> anchors;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = level.site_index(site);
    const double error = static_cast<double>(noise(site)), square = error * error,
                 t = temperature(i / level.frame);
    anchors(i) = !level.is_noisy(i)              ? Real(0)
                 : t < kStrongestAnchor * square ? static_cast<Real>(t / square)
                                                 : static_cast<Real>(kStrongestAnchor);
  }
};

/// The coupling of a coarse cell to its value: the sum over its cells, which keeps their energy. A
/// functor over the sites of the coarse level.
template <class ExecSpace, class Real>
struct SumAnchors {
  MultigridLevel<ExecSpace> fine, coarse;
  Array<ExecSpace, const Real> from;
  Array<ExecSpace, Real> to;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const Position at = coarse.grid.position(site);
    const int z = static_cast<int>(at.z % coarse.grid.nz);
    const std::int64_t f = at.z / coarse.grid.nz;
    Real sum = 0;
    for (int dz = 0; dz < coarse.shrink[2]; ++dz) {
      for (int dy = 0; dy < coarse.shrink[1]; ++dy) {
        for (int dx = 0; dx < coarse.shrink[0]; ++dx) {
          const int fx = coarse.shrink[0] * at.x + dx, fy = coarse.shrink[1] * at.y + dy,
                    fz = coarse.shrink[2] * z + dz;
          if (fx < fine.grid.nx && fy < fine.grid.ny && fz < fine.grid.nz)
            sum += from(fine.index(f, fx, fy, fz));
        }
      }
    }
    to(coarse.site_index(site)) = sum;
  }
};

/// The first step of the smoother, from zero: z = d = factor D^-1 b.
template <class ExecSpace, class Real, int W, int D, bool plain>
struct BeginSmoothing {
  PrecisionOperator<ExecSpace, Real, W, D> op;
  Array<ExecSpace, const Columns<Real, W>> b;
  Array<ExecSpace, Columns<Real, W>> z, d;
  Real factor;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (!op.level.is_missing(i)) return;
    const Columns<Real, W> step = (factor / op.template diagonal<plain>(i)) * b(i);
    z(i) = step;
    d(i) = step;
  }
};

/// One step of the smoother: d := keep d + factor D^-1 (b - Q z), z_out = z + d.
template <class ExecSpace, class Real, int W, int D, bool plain>
struct Smooth {
  PrecisionOperator<ExecSpace, Real, W, D> op;
  Array<ExecSpace, const Columns<Real, W>> b, z;
  Array<ExecSpace, Columns<Real, W>> d, z_out;
  Real keep, factor;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (!op.level.is_missing(i)) return;
    Columns<Real, W> step =
        (factor / op.template diagonal<plain>(i)) * (b(i) - op.template apply<plain>(z, i));
    if (keep != Real(0)) step.add(keep, d(i));
    d(i) = step;
    z_out(i) = z(i) + step;
  }
};

/// r = b - Q z at the missing cells.
template <class ExecSpace, class Real, int W, int D, bool plain>
struct Residual {
  PrecisionOperator<ExecSpace, Real, W, D> op;
  Array<ExecSpace, const Columns<Real, W>> b, z;
  Array<ExecSpace, Columns<Real, W>> r;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (op.level.is_missing(i)) r(i) = b(i) - op.template apply<plain>(z, i);
  }
};

/// b = P' r at the missing cells of the coarse level. A functor over its sites.
template <class ExecSpace, class Real, int W>
struct Restrict {
  Transfer<ExecSpace> transfer;
  Array<ExecSpace, const Columns<Real, W>> r;
  Array<ExecSpace, Columns<Real, W>> b;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const auto& fine = transfer.fine;
    const auto& coarse = transfer.coarse;
    const std::int64_t i = coarse.site_index(site);
    if (!coarse.is_missing(i)) return;
    const Position at = coarse.grid.position(site);
    const std::int64_t f = at.z / coarse.grid.nz;
    const int cell[3] = {at.x, at.y, static_cast<int>(at.z % coarse.grid.nz)},
              size[3] = {fine.grid.nx, fine.grid.ny, fine.grid.nz};
    int first[3], last[3];
    for (int a = 0; a < 3; ++a) {
      const int wide = transfer.is_shrunk(a) ? 1 : 0;
      first[a] = compat::max(coarse.shrink[a] * cell[a] - wide, 0);
      last[a] = compat::min(coarse.shrink[a] * (cell[a] + 1) - 1 + wide, size[a] - 1);
    }
    if (coarse.periodic && transfer.is_shrunk(0)) {
      first[0] = 2 * cell[0] - 1;
      last[0] = 2 * cell[0] + 2;
    }
    Columns<Real, W> sum;
    for (int z = first[2]; z <= last[2]; ++z) {
      for (int y = first[1]; y <= last[1]; ++y) {
        const std::int64_t row = fine.index(f, 0, y, z);
        for (int column = first[0]; column <= last[0]; ++column) {
          const int x = column + fine.seam(column);
          if (fine.is_missing(row + x)) sum.add(weight(f, x, y, z, cell, i), r(row + x));
        }
      }
    }
    b(i) = sum;
  }

 private:
  /// Returns the weight of the coarse cell i at `cell` in the interpolation to the fine cell (x, y,
  /// z).
  KOKKOS_INLINE_FUNCTION Real weight(std::int64_t f, int x, int y, int z, const int (&cell)[3],
                                     std::int64_t i) const {
    const auto& coarse = transfer.coarse;
    const int parent[3] = {x / coarse.shrink[0], y / coarse.shrink[1], z / coarse.shrink[2]};
    if (coarse.is_inner(coarse.index(f, parent[0], parent[1], parent[2]))) {
      const bool far[3] = {parent[0] != cell[0], parent[1] != cell[1], parent[2] != cell[2]};
      return transfer.template plain_weight<Real>(far);
    }
    Real found = 0;
    transfer.template for_each_source<Real>(
        f, x, y, z, [&](std::int64_t j, Real share) { found += j == i ? share : Real(0); });
    return found;
  }
};

/// z += P e at the missing cells of the fine level. A functor over its sites.
template <class ExecSpace, class Real, int W>
struct Prolong {
  Transfer<ExecSpace> transfer;
  Array<ExecSpace, const Columns<Real, W>> e;
  Array<ExecSpace, Columns<Real, W>> z;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const auto& fine = transfer.fine;
    const std::int64_t i = fine.site_index(site);
    if (!fine.is_missing(i)) return;
    const Position at = fine.grid.position(site);
    Columns<Real, W> sum = z(i);
    transfer.template for_each_source<Real>(
        at.z / fine.grid.nz, at.x, at.y, static_cast<int>(at.z % fine.grid.nz),
        [&](std::int64_t j, Real weight) { sum.add(weight, e(j)); });
    z(i) = sum;
  }
};

}  // namespace tessera::mpr::detail
