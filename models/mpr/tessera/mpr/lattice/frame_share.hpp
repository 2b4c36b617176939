// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/core/parallel/communicator.hpp"

namespace tessera::mpr {

/// The frames of a field that this rank fills: consecutive ones, by whose numbers in the whole
/// field random numbers are counted. Whatever depends on all frames is the same on every rank, so
/// that results have the same bits as those of a rank that fills all of them. Classes that are
/// given a share are made on all ranks, and so are those of their calls that say so.
struct FrameShare {
  parallel::Communicator ranks;  ///< one alone: the frames here are all there are
  int first = 0;                 ///< number of the first frame here
  int all = 0;                   ///< frames of all ranks together; not read where one is alone

  FrameShare() = default;
  /// frames: of all ranks together.
  FrameShare(const parallel::Communicator& among, int frames)
      : ranks(among), first(static_cast<int>(among.share(frames).begin)), all(frames) {}

  /// Returns whether frames are on more ranks than this one.
  bool is_divided() const { return ranks.size() > 1; }
  /// Frames here.
  int own() const { return static_cast<int>(ranks.share(all).size()); }
  /// Frames of all ranks together, of which `here` are here.
  int in_all(int here) const { return is_divided() ? all : here; }
  bool owns(int frame) const { return owner(frame) == ranks.rank(); }
  /// The rank that has a frame.
  int owner(int frame) const {
    int rank = 0;
    while (is_divided() && ranks.share_of(rank, all).end <= frame) ++rank;
    return rank;
  }

  /// The largest of the values of all ranks.
  double largest(double value) const {
    const std::vector<double> values = ranks.all_gather(std::vector<double>{value});
    return *std::max_element(values.begin(), values.end());
  }
};

}  // namespace tessera::mpr
