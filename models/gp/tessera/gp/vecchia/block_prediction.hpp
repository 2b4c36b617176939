// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

#include "tessera/gp/covariance/covariance_dispatch.hpp"
#include "tessera/gp/points/neighbours.hpp"

/// Predictions in blocks: observations are cut into blocks (point_blocks.hpp), and all targets of a
/// block are predicted from the same observations, the nearest to its centre. Their covariance is
/// factored once a block, where otherwise each target factors one of its own.

namespace tessera::gp::detail {

/// Returns the block that each target is predicted in: that in which it lies (`own`), or that of
/// the kCandidates with the nearest centres among whose `neighbours` (a row for each block, numbers
/// of the data) are more of the observations nearest to the target, counted up to kNearest and to
/// the first that is missing; -1 where these are fewer than half, or the target is out of reach.
/// All are coordinates of the search.
template <class ExecSpace>
std::vector<std::int32_t> choose_blocks(const ExecSpace& exec,
                                        const CoordinateView<ExecSpace>& data,
                                        const CoordinateView<ExecSpace>& centres,
                                        const NeighbourView<ExecSpace>& neighbours,
                                        const CoordinateView<ExecSpace>& targets,
                                        const std::vector<std::int32_t>& own);

inline constexpr std::int64_t kCandidates = 4, kNearest = 30;
/// The distance of a target from the centre of its block, at most, in that of the farthest of the
/// block's neighbours.
inline constexpr double kReach = 0.6;

/// Targets of one block, `count` of TargetGroups::target from `first` on.
struct TargetGroup {
  std::int64_t block, first, count;  // block: of TargetGroups::block
};

/// Targets block by block, at most kMost to a group. Groups are the same for any number of ranks.
struct TargetGroups {
  static constexpr std::int64_t kMost = 64;
  std::vector<std::uint32_t> target;
  std::vector<TargetGroup> group;
  std::vector<std::int32_t> block;  // those that have targets
};

/// Groups targets by their blocks, without those that have none.
TargetGroups group_targets(const std::vector<std::int32_t>& block);

/// What predictions are made from.
template <class ExecSpace>
struct BlockPredictionData {
  PointView<ExecSpace> points, targets;                   // in the axes of theta's ranges
  Kokkos::View<const double*, ExecSpace> error_variance;  // of each point; empty: none
  Kokkos::View<const double**, Kokkos::LayoutLeft, ExecSpace> columns;  // of data and trend
  // the observations of each block, a row each, as numbers in `order`
  NeighbourView<ExecSpace> neighbours;
  Kokkos::View<const std::uint32_t*, ExecSpace> order;
};

/// For each target of groups [begin, end): what the observations tell of its variance, k' S^-1 k,
/// then of each column, k' S^-1 z, with the covariances k of the target and S of the observations.
/// NaN where S is not positive definite. Compiled, as choose_blocks is, in a file of its own,
/// generated from instantiate_block_prediction.cpp.in.
template <class ExecSpace>
std::vector<double> predict_groups(const ExecSpace& exec, CovarianceDispatch<ExecSpace>& covariance,
                                   const Theta& theta, const BlockPredictionData<ExecSpace>& data,
                                   const TargetGroups& groups, std::size_t begin, std::size_t end);

/// Returns the bytes that predict_groups takes for its matrices, of `neighbours` observations.
std::uint64_t block_prediction_bytes(std::int64_t neighbours);

}  // namespace tessera::gp::detail
