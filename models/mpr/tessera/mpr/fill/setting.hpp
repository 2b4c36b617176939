// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/mpr/chains/chains.hpp"
#include "tessera/mpr/fill/options.hpp"
#include "tessera/mpr/lattice/frame_report.hpp"
#include "tessera/mpr/lattice/frame_share.hpp"

namespace tessera::mpr::detail {

/// The inputs of a fill besides its data, and what follows from them alone. All parts of a fill
/// refer to one setting.
template <class ExecSpace>
struct FillSetting {
  ExecSpace exec;
  Grid grid;
  FrameShare share;
  int frames;  ///< on this rank
  FillOptions options;

  /// Throws Error (input) where options contradict each other or the grid.
  void check() const {
    if (options.published_reflection &&
        (!options.paper || grid.nz > 1 || options.curvature.value_or(0) != 0))
      throw Error(ErrorKind::input,
                  "the paper's over-relaxation is that of its method for images, without curvature",
                  "use the published method, or the corrected over-relaxation");
    if (options.paper && !has_plain_cells())
      throw Error(ErrorKind::input, "the published method knows cells that are all the same");
    if (!sweeps_cross_seam() && options.sampler == Sampler::sweeps)
      throw Error(
          ErrorKind::input,
          "sweeps cannot go round the columns of stacks, or of images of less than 4 columns",
          "use exact draws");
    if (options.noise && (options.paper || options.sampler == Sampler::sweeps))
      throw Error(ErrorKind::input, "sweeps cannot take errors of the samples into account",
                  "use exact draws, and not the published method");
    if (options.noise && options.local_temperature)
      throw Error(ErrorKind::input, "errors of samples go with one temperature of a frame");
  }

  /// Sites of all frames of this rank.
  std::size_t sites() const {
    return static_cast<std::size_t>(grid.sites()) * static_cast<std::size_t>(frames);
  }
  /// Frames of all ranks.
  int all_frames() const { return share.in_all(frames); }
  /// "frame 3", by its number in all frames, of a frame of this rank; "the data" where there is
  /// only one.
  std::string name_of(int frame) const {
    return all_frames() > 1 ? "frame " + std::to_string(share.first + frame)
                            : std::string("the data");
  }
  /// The numbers of this rank's frames, of those of all ranks.
  std::vector<double> of_frames_here(const std::vector<double>& of_all) const {
    const auto first = of_all.begin() + share.first;
    return {first, first + frames};
  }

  /// Returns whether columns do not go round, or chains know how.
  bool sweeps_cross_seam() const {
    return !options.metric.periodic || (grid.nz == 1 && grid.nx >= kLeastColumns);
  }
  /// Returns whether cells are all the same and columns do not go round.
  bool has_plain_cells() const { return options.metric.is_uniform() && !options.metric.periodic; }
  Metrics metrics() const { return has_plain_cells() ? Metrics() : Metrics{options.metric}; }

  /// Returns whether exact draws take the place of a chain.
  bool wants_draws(const GapShape& gaps) const {
    if (options.sampler != Sampler::automatic) return options.sampler == Sampler::draws;
    return options.noise || gaps.block > 1 || !sweeps_cross_seam() ||
           (options.axis && options.axis->tilt != 0 && grid.nz == 1);
  }
  /// Sweeps that chains take in addition where gaps are wide: gaps of n x n sites forget their
  /// start in some n sweeps, thanks to over-relaxation.
  int wide_sweeps(const GapShape& gaps) const {
    return gaps.block > 1 ? std::min(4 * gaps.block, 400) : 0;
  }
  /// Degrees of freedom of each frame that the trend takes.
  double lost_to_trend() const {
    return options.windows ? options.trend / std::max<double>(1, all_frames()) : options.trend;
  }
  /// The change of a turn with which a chain accepts half of the turns.
  double step_control(const AxisCouplings& axis, double beta, double temperature) const {
    const double spread = conditional_spread(axis, beta, temperature);
    return std::clamp(kPi / (8.3 * spread), 1.0, 1e5);
  }

 private:
  /// The standard deviation of a site given its neighbours, in angle.
  double conditional_spread(const AxisCouplings& axis, double beta, double temperature) const {
    std::array<double, 3> along = axis.strength;
    for (std::size_t a = 0; a < 3; ++a) along[a] *= options.metric.mean()[a];
    const Couplings<double> couplings(along, beta, grid.dimension());
    double weight = 4 * (couplings.diagonal[0] + couplings.diagonal[1] + couplings.diagonal[2]);
    for (int a = 0; a < grid.dimension(); ++a)
      weight += 2 * (couplings.nearest[a] + couplings.second[a]);
    return std::sqrt(temperature / weight);
  }
};

/// A remedy for numbers in single precision, behind `before`; "" in double precision.
template <class Real>
std::string wider_precision(const std::string& before) {
  return std::is_same_v<Real, float> ? before + "model.precision: double" : std::string();
}

}  // namespace tessera::mpr::detail
