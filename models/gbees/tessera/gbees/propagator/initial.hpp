// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/app/stop_flag.hpp"
#include "tessera/gbees/grid/gaussian.hpp"
#include "tessera/gbees/step/step_context.hpp"

namespace tessera::gbees::detail {

/// The cells |k_i| <= extent_i, numbered with the last axis fastest.
template <int D, class Word = std::uint64_t>
struct Box {
  int extent[D];

  std::uint64_t size() const {
    std::uint64_t n = 1;
    for (int i = 0; i < D; ++i) n *= 2 * static_cast<std::uint64_t>(extent[i]) + 1;
    return n;
  }

  KOKKOS_INLINE_FUNCTION Word key(std::uint64_t number) const {
    Word key = 0;
    for (int i = D - 1; i >= 0; --i) {
      const std::uint64_t length = 2 * static_cast<std::uint64_t>(extent[i]) + 1;
      key |= CellKey<D, Word>::field(static_cast<std::int64_t>(number % length) - extent[i], i);
      number /= length;
    }
    return key;
  }
};

/// A mixture as cells hold it. For part `number`, the cells in which that component alone holds at
/// least `share`, it leaves out those that belong to an earlier part already; without a number (-1)
/// it takes all.
template <int D>
struct CellMixture {
  const MixtureComponent<D>* component;  ///< the weight is what a cell about the mean holds
  int count;
  int number;
  double share;

  /// Returns what a cell holds; negative where it is left out.
  KOKKOS_INLINE_FUNCTION double operator()(const Vector<D>& x) const {
    double sum = 0;
    for (int k = 0; k < count; ++k) {
      const double held = component[k].weight * component[k].density(x);
      if (k < number && held >= share) return -1;
      if (k == number && !(held >= share)) return -1;
      sum += held;
    }
    return sum;
  }
};

/// The cells of a Box or an Ellipsoid, and what each holds: a function of its centre.
template <class Source, class Function>
struct InitialPart {
  Source source;
  Function density;
};

// Loops of a start end early when a signal has been received: it is then given up.

/// Counts the cells of a part at which the density is at least `cut`; when `fill`, also enters them
/// behind `before` others.
template <int D, class ExecSpace, class Source, class Function, class Keys, class Masses>
struct SelectInitial {
  Source source;
  Grid<D> grid;
  Function density;
  double cut;
  bool fill;
  Keys key;
  Masses mass;
  std::uint64_t before;
  /// Range, among the rows of all parts, of those that are entered: into rows 1, 2, ...
  std::uint64_t first, count;
  StopFlag<ExecSpace> stop;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t number, std::uint64_t& position,
                                         bool final) const {
    if (stop.raised()) return;
    const auto cell = source.key(number);
    const double value = density(grid.centre(cell));
    if (!(value >= cut)) return;
    const std::uint64_t row = before + position - first;
    if (final && fill && row < count) {
      key(row + 1) = cell;
      mass(row + 1) = static_cast<typename Masses::value_type>(value);
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
    smallest = compat::min(smallest,
                           sign * s.velocity.dynamics.invariant(s.velocity.grid.centre(s.key(c))));
  }
};

}  // namespace tessera::gbees::detail
