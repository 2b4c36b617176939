// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tessera/core/io/box.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/mpr/field.hpp"
#include "tessera/mpr/grid.hpp"
#include "tessera/mpr/stored_image.hpp"

/// How an image that fits into no memory is cut into windows, and what a first reading of it says. Host code.

namespace tessera::mpr {

/// A window: what it answers for, and that with a halo.
struct StreamWindow {
  io::Box core, box;
};

/// Windows of a grid, row after row. Boxes begin at multiples of the edge, and reach two halos beyond the next one; cores meet in the
/// middle of what two boxes share.
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

/// The plan with windows of `edge` sites, or without it with the largest that `bytes(box)` says to fit into `memory`, of at most 8192.
/// Throws Error (resource) that says what would fit.
StreamPlan plan_stream(const Grid& grid, std::optional<int> edge, int halo, double memory, const std::function<double(const Grid&)>& bytes);

/// What was found in one cell of the coarse image, a square block of sites.
struct BlockSums {
  double values = 0;     ///< of the samples, as the model sees them but for the offset
  double variances = 0;  ///< of their errors
  std::uint32_t samples = 0, missing = 0, inactive = 0;
};

/// What a first reading of a stored image says.
struct StreamScan {
  int block = 4;  ///< edge of the blocks
  Grid coarse;    ///< of blocks
  std::vector<BlockSums> blocks;
  double low = 0, high = 0, mean = 0;  ///< of the samples
  double noise = 0;                    ///< root mean square of the errors of the samples
  bool fills_samples = false;          ///< which have errors
  std::int64_t samples = 0, missing = 0, inactive = 0;
  bool single = true;  ///< float32 holds all values

  /// Sums over the blocks that a box touches.
  BlockSums in(const io::Box& box) const;
  /// Whether some of the sites that they count are to be filled.
  bool has_work(const BlockSums& sums) const { return sums.missing > 0 || (fills_samples && sums.samples > 0); }
};

/// The edge of blocks of which there are at most `most`: 4 or a power of two above it.
int choose_block(const Grid& grid, double most);

/// Reads the whole image of a field that stays in its files, each rank some of its rows; the outcome is the same on all, whatever their
/// number.
StreamScan scan_image(const Field& field, int block, const parallel::Communicator& ranks);

/// Up to `most` boxes of edge sites that are spread over the image, have samples and something to fill: those that represent it. All of it,
/// where it is no larger.
std::vector<io::Box> choose_windows(const StreamScan& scan, const Grid& grid, int edge, int most);

}  // namespace tessera::mpr
