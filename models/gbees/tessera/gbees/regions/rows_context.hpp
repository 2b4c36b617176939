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
  added,   ///< since the rows of regions were listed
  listed,  ///< entries of a list of rows, where a step has been made since the last look, else none
};
template <Rows rows_>
struct LoopOverRows {
  static constexpr Rows rows = rows_;
};

/// The progress of the lists of rows in regions, and of the absorption.
struct RegionProgress {
  std::uint32_t rows = 0;   ///< that have been looked at
  std::uint64_t steps = 0;  ///< after which mass has been absorbed
};

/// The lengths of a list of rows: whole cells stand from its beginning on, cut ones from its end
/// backwards.
struct ListedRows {
  std::uint32_t whole = 0, cut = 0;
};

/// The data that such loops share, in the place of a StepContext.
template <int D_, class Real>
struct RowsContext {
  static constexpr int D = D_;
  using View = StepView<Real>;
  DeviceCells<D> cells;
  const RegionProgress* progress = nullptr;
  const ListedRows* listed = nullptr;  ///< lengths of the list

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
      view.size = progress->steps == state().steps ? 0 : listed->whole + listed->cut;
    }
    return view;
  }
};

}  // namespace tessera::gbees::detail
