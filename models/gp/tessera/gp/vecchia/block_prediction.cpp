// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/vecchia/block_prediction.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::gp::detail {

TargetGroups group_targets(const std::vector<std::int32_t>& block) {
  TargetGroups groups;
  // the targets of block b come behind those of the blocks before it
  std::vector<std::size_t> place(1);
  for (const std::int32_t b : block) {
    if (b < 0) continue;
    const auto after = static_cast<std::size_t>(b) + 1;
    if (place.size() <= after) place.resize(after + 1);
    ++place[after];
  }
  std::partial_sum(place.begin(), place.end(), place.begin());
  groups.target.resize(place.back());
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (block[i] >= 0)
      groups.target[place[static_cast<std::size_t>(block[i])]++] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t i = 0; i < groups.target.size(); ++i) {
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
