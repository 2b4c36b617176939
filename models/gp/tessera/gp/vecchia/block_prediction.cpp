// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/vecchia/block_prediction.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::gp::detail {

TargetGroups group_targets(const PointBlocks& blocks, const PointBlocks::Coordinates& targets) {
  const std::size_t count = targets[0].size();
  std::vector<std::int32_t> block(count);
  for (std::size_t i = 0; i < count; ++i) block[i] = blocks.find(targets, i);
  TargetGroups groups;
  groups.target.resize(count);
  std::iota(groups.target.begin(), groups.target.end(), 0u);
  std::stable_sort(groups.target.begin(), groups.target.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return block[a] < block[b]; });
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t of_target = block[groups.target[i]];
    const bool is_new = groups.block.empty() || groups.block.back() != of_target;
    if (is_new) groups.block.push_back(of_target);
    if (is_new || groups.group.back().count == TargetGroups::kMost)
      groups.group.push_back(
          {static_cast<std::int64_t>(groups.block.size()) - 1, static_cast<std::int64_t>(i), 0});
    ++groups.group.back().count;
  }
  return groups;
}

/// Counts a gigabyte of matrices, or one block with a group of targets where that takes more.
std::uint64_t block_prediction_bytes(std::int64_t neighbours) {
  const auto n = static_cast<std::uint64_t>(neighbours);
  return std::max<std::uint64_t>(std::uint64_t(1) << 30, 8 * n * (n + 2 * TargetGroups::kMost));
}

}  // namespace tessera::gp::detail
