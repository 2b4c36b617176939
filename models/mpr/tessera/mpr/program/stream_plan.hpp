// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>

#include "tessera/core/io/box.hpp"
#include "tessera/mpr/lattice/grid.hpp"

/// The division of an image that fits into no memory into windows. Host code.

namespace tessera::mpr {

/// A window: what it answers for, and that with a halo.
struct StreamWindow {
  io::Box core, box;
};

/// Windows of a grid, row after row. Boxes begin at multiples of the edge, and reach two halos
/// beyond the next one; cores meet in the middle of what two boxes share.
class StreamPlan {
 public:
  static constexpr int kStep = 128;  ///< edges are multiples of it: see Part

  StreamPlan() = default;
  StreamPlan(const Grid& grid, int edge, int halo);

  int size() const { return m_columns * m_rows; }
  int edge() const { return m_edge; }
  int halo() const { return m_halo; }
  const Grid& grid() const { return m_grid; }
  StreamWindow operator[](int number) const;
  /// The largest box of all windows.
  Grid largest_box() const;

 private:
  struct Span {
    int core_begin, core_end, begin, end;
  };
  Span span(int number, int count, int size) const;

  Grid m_grid;
  int m_edge = 0, m_halo = 0, m_columns = 0, m_rows = 0;
};

/// The plan with windows of `edge` sites, or without it with the largest that `bytes(box)` says to
/// fit into `memory`, of at most 8192. Throws Error (resource) that says what would fit.
StreamPlan plan_stream(const Grid& grid, std::optional<int> edge, int halo, double memory,
                       const std::function<double(const Grid&)>& bytes);

}  // namespace tessera::mpr
