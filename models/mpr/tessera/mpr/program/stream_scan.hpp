// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/io/box.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/trend.hpp"
#include "tessera/mpr/fill/transform.hpp"
#include "tessera/mpr/lattice/grid.hpp"

/// The first readings of an image that fits into no memory. Host code.

namespace tessera::mpr {

/// The model of an image of at most kTakenWhole sites is estimated from all of it, else from up to
/// kMostWindows windows whose edges are at least kWindowOfEstimate sites.
inline constexpr std::int64_t kTakenWhole = 1 << 18;
inline constexpr int kWindowOfEstimate = 256, kMostWindows = 8;

/// The sums over one cell of the coarse image, a square block of sites.
struct BlockSums {
  double values = 0;     ///< of the samples, as the model sees them but for the offset
  double variances = 0;  ///< of their errors
  std::uint32_t samples = 0, missing = 0, inactive = 0;
};

/// The results of a first reading of a stored image.
struct StreamScan {
  int block = 4;  ///< edge of the blocks
  Grid coarse;    ///< of blocks
  std::vector<BlockSums> blocks;
  double low = 0, high = 0, mean = 0;  ///< of the samples
  double noise = 0;                    ///< root mean square of the errors of the samples
  bool fills_samples = false;          ///< which have errors
  std::int64_t samples = 0, missing = 0, inactive = 0;
  bool single = true;                  ///< float32 holds all values
  std::int64_t without_logarithm = 0;  ///< samples that are not positive,
  std::size_t first_without = 0;       ///< and the site of the first
  double value_without = 0;            ///< and its value
  std::string doubt;                   ///< of a number that may stand for no value: a warning
  std::vector<double> some;            ///< samples, where they were asked for
  // The columns of a trend, with the centres and scales of Trend::Column.
  std::vector<Trend::Column> columns;
  std::vector<double> column_means;   ///< over the samples
  std::vector<double> column_blocks;  ///< [column][block]: means over the samples of each block

  /// Sums over the blocks that a box touches.
  BlockSums in(const io::Box& box) const;
  /// Returns whether some of the sites in these sums are to be filled.
  bool has_work(const BlockSums& sums) const {
    return sums.missing > 0 || (fills_samples && sums.samples > 0);
  }
};

/// The edge of blocks of which there are at most `most`: 4 or a power of two above it.
int choose_block(const Grid& grid, double most);

/// Reads the whole image of a field that stays in its files, each rank some of its rows; the
/// outcome is the same on all, whatever their number. takes_some: with a sample of the samples: all
/// of an image of at most 2^20 sites, else one site of each run of as many sites as that leaves, at
/// random where it is in the run, with the smallest and the greatest.
StreamScan scan_image(const Field& field, int block, const parallel::Communicator& ranks,
                      bool takes_some = false);

/// The smallest and the greatest sample less the offset and a trend with these coefficients of the
/// scaled columns: a reading of its own.
std::array<double, 2> scan_residuals(const Field& field, const std::vector<double>& coefficients,
                                     const parallel::Communicator& ranks);

/// Sets the transform and the trend of a field that stays in its files, and reads it: a second time
/// where a transform to normal scores, or the choice of one, needs values first. kind: not set:
/// chosen, from the windows of the estimate. Throws Error (input) for the logarithm of samples that
/// are not positive.
StreamScan survey_image(Field& field, const std::optional<TransformKind>& kind, int block,
                        const parallel::Communicator& ranks);

/// Up to `most` boxes of edge sites that are spread over the image, have samples and something to
/// fill: those that represent it. All of it, where it is no larger.
std::vector<io::Box> choose_windows(const StreamScan& scan, const Grid& grid, int edge, int most);

}  // namespace tessera::mpr
