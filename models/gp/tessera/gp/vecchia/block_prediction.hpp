// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

#include "tessera/gp/covariance/covariance_dispatch.hpp"
#include "tessera/gp/points/neighbours.hpp"
#include "tessera/gp/points/point_blocks.hpp"

/// Predictions in blocks: space is cut into blocks of observations (point_blocks.hpp), and all
/// targets in a block are predicted from the same observations, the nearest to its centre. Their
/// covariance is factored once a block, where otherwise each target factors one of its own. Targets
/// whose own nearest observations are others (find_apart) are left to that.

namespace tessera::gp::detail {

/// Targets of one block, `count` of TargetGroups::target from `first` on.
struct TargetGroup {
  std::int64_t block, first, count;  // block: of TargetGroups::block
};

/// Targets block by block, at most kMost to a group. Groups are the same for any number of ranks.
struct TargetGroups {
  static constexpr std::int64_t kMost = 64;
  std::vector<std::uint32_t> target;
  std::vector<TargetGroup> group;
  std::vector<std::int32_t> block;  // the numbers of those that have targets
};

TargetGroups group_targets(const PointBlocks& blocks, const PointBlocks::Coordinates& targets);

/// What predictions of a run of groups are made from.
template <class ExecSpace>
struct BlockPredictionData {
  PointView<ExecSpace> points, targets;                   // in the axes of theta's ranges
  Kokkos::View<const double*, ExecSpace> error_variance;  // of each point; empty: none
  Kokkos::View<const double**, Kokkos::LayoutLeft, ExecSpace> columns;  // of data and trend
  // the observations of each block from number `first_block` on, a row each, as numbers in `order`
  NeighbourView<ExecSpace> neighbours;
  Kokkos::View<const std::uint32_t*, ExecSpace> order;
  std::int64_t first_block;
};

/// For each target of groups [begin, end): what the observations tell of its variance, k' S^-1 k,
/// then of each column, k' S^-1 z, with the covariances k of the target and S of the observations.
/// NaN where S is not positive definite. Compiled in a file of its own, generated from
/// instantiate_block_prediction.cpp.in.
template <class ExecSpace>
std::vector<double> predict_groups(const ExecSpace& exec, CovarianceDispatch<ExecSpace>& covariance,
                                   const Theta& theta, const BlockPredictionData<ExecSpace>& data,
                                   const TargetGroups& groups, std::size_t begin, std::size_t end);

/// Returns those targets of groups [begin, end) whose nearest kNearest data are not all among the
/// `neighbours` of their block, a row for each block from that of the first group on. Such
/// a target lies between blocks of unlike density, or far from the data of its own. `data` and
/// `targets` are coordinates of the search.
template <class ExecSpace>
std::vector<std::uint32_t> find_apart(const ExecSpace& exec, const CoordinateView<ExecSpace>& data,
                                      const PointBlocks::Coordinates& targets,
                                      const TargetGroups& groups, std::size_t begin,
                                      std::size_t end, const NeighbourView<ExecSpace>& neighbours);

inline constexpr std::int64_t kNearest = 10;

/// Returns the bytes that predict_groups takes for its matrices, of `neighbours` observations.
std::uint64_t block_prediction_bytes(std::int64_t neighbours);

}  // namespace tessera::gp::detail
