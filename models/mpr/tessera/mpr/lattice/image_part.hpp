// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/mpr/lattice/calibration.hpp"
#include "tessera/mpr/lattice/couplings.hpp"
#include "tessera/mpr/lattice/frame_report.hpp"
#include "tessera/mpr/lattice/grid.hpp"

/// Parts of an image that is too large to be filled at once. What is estimated is estimated once,
/// from some windows of the image (FillOptions::windows), and parts with a halo are filled with it
/// one by one (FillOptions::part). Random numbers are counted by the sites of the image, so that
/// parts that overlap draw the same ones there.

namespace tessera::mpr {

/// The coefficients of a trend.
struct TrendEstimate {
  std::vector<double> coefficient;            ///< of each column
  std::vector<std::vector<double>> variance;  ///< of them, at T = 1
  std::vector<double> mean;                   ///< of the columns, over the samples
};

/// The estimates of an image. Values are in the units of those that GapFill is given.
struct Estimates {
  double low = 0, high = 0, mean = 0;  ///< of the samples
  double temperature = 0;
  AxisCouplings axis;
  double beta = 0;
  GapShape gaps;
  Calibration calibration;
  TrendEstimate trend;  ///< and then the numbers of values are those of what it leaves
};

/// The two outermost rows and columns of a part where the image goes on, and what is known there
/// from afar. Gaps that are deeper than the halo see nothing beyond them: missing sites of the rim
/// that are at least as far as the halo from every sample of the part are held at these values.
struct Rim {
  std::vector<std::int64_t> sites;  ///< of the part; none: nothing is held
  std::vector<double> values;
  std::vector<double> draws;    ///< [draw][site], at temperature 1, less the mean
  std::vector<double> columns;  ///< [column][site], of a trend: what their samples are filled with
};

/// A part of an image, with its halo.
struct Part {
  Grid whole;
  /// The numbers of its first column and row: multiples of 128, so that sites are updated in the
  /// order of the whole image
  int x0 = 0, y0 = 0;
  int halo = 64;  ///< distances beyond it count as it, in calibrations
  Estimates estimates;
  Rim rim;
};

namespace detail {

/// Blocks of edge x edge sites of an image.
struct BlocksOfImage {
  int edge = 1;  ///< 1: none
  Grid whole;
};

/// Numbers of the cells of a part in the padded image that random numbers are counted by; of cells
/// that are no part, their own, or those in the frames of all ranks.
struct CellNumbers {
  std::int64_t pitch = 0, whole_pitch = 0, first = 0;

  CellNumbers() = default;
  /// first_cell: of all frames.
  explicit CellNumbers(std::int64_t first_cell) : first(first_cell) {}
  /// pitch, border: of the padded part.
  CellNumbers(const Part& part, std::int64_t part_pitch, int border)
      : pitch(part_pitch),
        whole_pitch(part.whole.nx + 2 * border),
        first(part.y0 * whole_pitch + part.x0) {}

  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return pitch == 0 ? first + i : first + i / pitch * whole_pitch + i % pitch;
  }
};

}  // namespace detail
}  // namespace tessera::mpr
