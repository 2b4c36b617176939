// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/mpr/chains/chain_state.hpp"
#include "tessera/mpr/chains/temperature.hpp"
#include "tessera/mpr/lattice/calibration.hpp"
#include "tessera/mpr/lattice/couplings.hpp"
#include "tessera/mpr/lattice/image_part.hpp"
#include "tessera/mpr/lattice/metric.hpp"

namespace tessera::mpr {

/// Couplings of the axes: all equal, from the mean square differences of neighbouring samples, or
/// of greatest evidence.
enum class Anisotropy { equal, estimated, evidence };

/// The source of standard deviations and realisations: sweeps of the rotator, or independent exact
/// draws from its Gaussian approximation where gaps are wide, which a short chain does not cross.
/// automatic: draws where GapShape::block is more than 1.
enum class Sampler { automatic, sweeps, draws };

/// The options of a fill. The defaults are those of `mode: default` of tessera-mpr.
struct FillOptions {
  /// A random start and Algorithm 2 of the paper instead of a harmonic start and fixed numbers of
  /// sweeps
  bool paper = false;
  /// The share of the range of the samples that is added on each side before it is mapped to [0,
  /// pi]
  double padding = 0.25;
  /// beta; not set: of greatest evidence (restricted_likelihood.hpp)
  std::optional<double> curvature;
  Anisotropy anisotropy = Anisotropy::evidence;
  std::optional<AxisCouplings> axis;  ///< instead of `anisotropy`; with a diagonal only for draws
  /// The metric of the cells of each frame; where columns of stacks go round there are draws, no
  /// sweeps
  Metric metric;
  std::optional<double> temperature;  ///< not set: from the samples
  /// Samples have errors, which are given to prepare(); then there are draws, no sweeps
  bool noise = false;
  int trend = 0;  ///< columns of a trend, which are given to prepare()
  Calibrate calibrate = Calibrate::by_distance;
  bool local_temperature = false;  ///< a temperature that varies over the field
  int window = 16;                 ///< in sites, of the local temperature
  BurnIn burn_in;                  ///< of Algorithm 2
  /// Over-relaxation by Eq. 6 as the paper has it, to see its error; with `paper` only
  bool published_reflection = false;
  /// Sweeps before sampling; not set: 10, more where gaps are wide (paper: until the energy is
  /// flat)
  std::optional<int> burn_in_sweeps;
  std::optional<int> sampling_sweeps;  ///< not set: 25, more where gaps are wide (paper: 100)
  Estimator estimator = Estimator::conditional_mean;
  Sampler sampler = Sampler::automatic;
  int draws = 64;  ///< exact draws of each frame, rounded up to whole packs
  /// Standard deviations are wanted; without them ArrayFill simulates nothing, unless the method is
  /// the published one
  bool variance = true;
  bool mean_error = false;  ///< the error of a chain's mean is wanted: GapFill::mean_error()
  int replicas = 1;         ///< independent chains of each frame
  /// Rows of the tiles of an image's chains: ChainSettings::tile_rows
  std::optional<int> tile_rows;
  int least_sweeps = 0;  ///< of sampling, where sampling_sweeps is not set
  std::uint64_t seed = 0;
  /// Frames are windows of one image, with one temperature and one calibration
  bool windows = false;
  /// Smallest and greatest sample; not set: those of each frame
  std::optional<std::array<double, 2>> range;
  /// The range, with windows and a trend but no range given, of what a trend with these
  /// coefficients leaves of the samples of the whole image; not set: that of the windows.
  std::function<std::array<double, 2>(const std::vector<double>& coefficients)> find_range;
  /// The one frame is this part of an image; with the options that options_of_part gives
  std::shared_ptr<const Part> part;
  /// Tolerance of the linear equations: root of the energy of the error for each missing site, in
  /// units of root T
  double fill_tolerance = 3e-4;
  int fill_iterations = 300;

  /// Takes as many draws, or sweeps where their number is not set, as are to be kept.
  void provide_realisations(int count) {
    draws = std::max(draws, count);
    least_sweeps = (count + replicas - 1) / replicas;
  }

  /// Options for a part of the image that these options are for.
  FillOptions options_of_part(const std::shared_ptr<const Part>& piece, const Grid& grid) const {
    FillOptions options = *this;
    options.part = piece;
    options.range = {piece->estimates.low, piece->estimates.high};
    options.axis = piece->estimates.axis;
    options.curvature = piece->estimates.beta;
    options.temperature = piece->estimates.temperature;
    options.metric = metric.cut(piece->whole, grid, piece->y0, 0);
    return options;
  }

  /// Tells whether there is a chain, or draws: the mean of the default mode needs none.
  bool simulates() const { return variance || paper; }

  /// The published method, with the corrected over-relaxation.
  static FillOptions published() {
    FillOptions options;
    options.paper = true;
    options.padding = 0;
    options.curvature = 0;
    options.anisotropy = Anisotropy::equal;
    options.calibrate = Calibrate::none;
    options.sampling_sweeps = 100;
    options.estimator = Estimator::spin;
    options.sampler = Sampler::sweeps;
    return options;
  }
};

}  // namespace tessera::mpr
