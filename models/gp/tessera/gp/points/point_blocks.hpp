// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::gp {

/// A partition of space into blocks that hold about as many points each: a k-d tree, which halves
/// the points of a block along the axis on which their bounding box is longest, until at most
/// `most` are left. Every place lies in one block, whether or not points are near. It depends on
/// the points alone.
///
/// Coordinates have a column for each axis, of finite numbers. Cost N log N. Points that cannot be
/// told apart stay together.
class PointBlocks {
 public:
  using Coordinates = std::vector<std::vector<double>>;

  PointBlocks(const Coordinates& points, std::size_t most);

  std::int32_t count() const { return static_cast<std::int32_t>(m_centre[0].size()); }

  /// The centre of the bounding box of each block's points, a column for each axis.
  const Coordinates& centre() const { return m_centre; }

  /// Returns the block in which place i lies.
  std::int32_t find(const Coordinates& places, std::size_t i) const;

 private:
  /// A block that was halved: what is below `at` on the axis is in the first child. A child that is
  /// negative is the block with the number -1 - child.
  struct Half {
    std::size_t axis;
    double at;
    std::int32_t child[2];
  };

  /// A point by its coordinate on one axis.
  struct Along {
    double at;
    std::uint32_t row;
  };

  /// `scratch`: room for as many points as there are from begin to end.
  std::int32_t divide(const Coordinates& points, std::uint32_t* begin, std::uint32_t* end,
                      Along* scratch, std::size_t most);

  std::vector<Half> m_halves;  // the first is all of space, unless nothing was halved
  Coordinates m_centre;
};

}  // namespace tessera::gp
