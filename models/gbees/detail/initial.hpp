// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/app/stop_flag.hpp"
#include "tessera/gbees/detail/step_context.hpp"
#include "tessera/gbees/gaussian.hpp"

namespace tessera::gbees::detail {

/// The cells |k_i| <= extent_i, numbered with the last axis fastest.
template <int D>
struct Box {
  int extent[D];

  std::uint64_t size() const {
    std::uint64_t n = 1;
    for (int i = 0; i < D; ++i) n *= 2 * static_cast<std::uint64_t>(extent[i]) + 1;
    return n;
  }

  KOKKOS_INLINE_FUNCTION std::uint64_t key(std::uint64_t number) const {
    std::uint64_t key = 0;
    for (int i = D - 1; i >= 0; --i) {
      const std::uint64_t length = 2 * static_cast<std::uint64_t>(extent[i]) + 1;
      key |= CellKey<D>::field(static_cast<std::int64_t>(number % length) - extent[i], i);
      number /= length;
    }
    return key;
  }
};

// Loops of a start end early when a signal has been received: it is then given up.

/// Counts the cells of a Box or an Ellipsoid at which the density is at least `cut` of its peak; when `fill`, also enters them as rows 1,
/// 2, ...
template <int D, class ExecSpace, class Source, class Keys, class Masses>
struct SelectInitial {
  Source source;
  Grid<D> grid;
  Gaussian<D> density;
  double cut;
  bool fill;
  Keys key;
  Masses mass;
  StopFlag<ExecSpace> stop;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t number, std::uint64_t& position, bool final) const {
    if (stop.raised()) return;
    const std::uint64_t cell = source.key(number);
    const double value = density(grid.centre(cell));
    if (!(value >= cut)) return;
    if (final && fill) {
      key(position + 1) = cell;
      mass(position + 1) = static_cast<typename Masses::value_type>(value);
    }
    ++position;
  }
};

/// The smallest value of sign * J over the cells, J the invariant of the dynamics.
template <class Context>
struct SmallestInvariant {
  static constexpr const char* label = "tessera::gbees::invariant";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  double sign;

  KOKKOS_INLINE_FUNCTION void operator()(const View&, std::uint32_t c, double& smallest) const {
    smallest = compat::min(smallest, sign * s.velocity.dynamics.invariant(s.velocity.grid.centre(s.key(c))));
  }
};

}  // namespace tessera::gbees::detail
