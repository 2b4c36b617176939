// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/grid/density.hpp"
#include "tessera/gbees/grid/loop.hpp"
#include "tessera/gbees/step/step_context.hpp"

/// Loops over the cells of a density that know neither its dynamics nor its scheme (DeviceCells).

namespace tessera::gbees::detail {

/// The rows that a loop takes, as a phase's member type Loop.
enum class Rows {
  all,
  added,   ///< since the shares of regions were found
  listed,  ///< entries of a list of rows, where a step has been made since the last look, else none
};
template <Rows rows_>
struct LoopOverRows {
  static constexpr Rows rows = rows_;
};

/// The progress of the shares of regions, and of the absorption.
struct RegionProgress {
  std::uint32_t rows = 0;   ///< that have shares
  std::uint64_t steps = 0;  ///< after which mass has been absorbed
};

/// The data that such loops share, in the place of a StepContext.
template <int D_, class Real>
struct RowsContext {
  static constexpr int D = D_;
  using View = StepView<Real>;
  DeviceCells<D> cells;
  const RegionProgress* progress = nullptr;
  const std::uint32_t* listed = nullptr;  ///< length of the list

  KOKKOS_INLINE_FUNCTION const StepperState& state() const { return *cells.state; }

  template <class Loop>
  KOKKOS_INLINE_FUNCTION View view() const {
    View view;
    view.cells = state().cells;
    view.size = state().cells;
    view.packed = state().packed;
    view.scale = state().scale;
    view.mass = static_cast<Real*>(cells.mass[state().parity]);
    if constexpr (Loop::rows == Rows::added) {
      view.first = progress->rows + 1;
      view.size = state().cells - progress->rows;
      view.packed = 0;
    }
    if constexpr (Loop::rows == Rows::listed) {
      view.first = view.packed = 0;
      view.size = progress->steps == state().steps ? 0 : *listed;
    }
    return view;
  }
};

}  // namespace tessera::gbees::detail
