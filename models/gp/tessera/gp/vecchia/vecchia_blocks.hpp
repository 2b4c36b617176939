// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/device/sort.hpp"
#include "tessera/gp/points/neighbours.hpp"
#include "tessera/gp/points/ordering.hpp"

/// Blocks of points that are conditioned together (Guinness 2018, section 3): neighbours of
/// neighbouring points are largely the same, so that one covariance matrix of all of them serves
/// the block. Each point of it is then conditioned on every one that comes before it in the order,
/// of its own neighbours and of those of the others: on more than by itself.

namespace tessera::gp::detail {

/// Points by their numbers in the order.
template <class ExecSpace>
struct BlockLists {
  using Numbers = Kokkos::View<std::uint32_t*, ExecSpace>;

  int size = 0;    ///< members of a block; the last may have fewer
  Numbers member;  ///< block after block
  /// Members and their neighbours, ascending in each block
  Numbers point;
  Kokkos::View<std::int64_t*, ExecSpace> begin;  ///< where those of each block begin, and their end
  int largest = 0;                               ///< most points of a block

  KOKKOS_INLINE_FUNCTION std::int64_t count() const {
    return (static_cast<std::int64_t>(member.extent(0)) + size - 1) / size;
  }
};

/// The members of some blocks and their neighbours, each with its block in front: block << 32 |
/// point.
template <class ExecSpace>
struct BlockKeys {
  BlockLists<ExecSpace> blocks;
  NeighbourView<ExecSpace> neighbours;
  std::int64_t first;  // position of the first member
  Kokkos::View<std::uint64_t*, ExecSpace> key;
  typename BlockLists<ExecSpace>::Numbers number;

  KOKKOS_INLINE_FUNCTION std::uint64_t make(std::int64_t i) const {
    const auto width = static_cast<std::int64_t>(neighbours.extent(1)) + 1;
    const std::int64_t position = first + i / width;
    const auto j = static_cast<int>(i % width);
    const std::uint32_t own = blocks.member(position);
    const std::int32_t neighbour = j + 1 < width ? neighbours(own, j) : -1;
    const auto block = static_cast<std::uint64_t>((position - first) / blocks.size);
    return block << 32 | (neighbour < 0 ? own : static_cast<std::uint32_t>(neighbour));
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    key(i) = make(i);
    number(i) = static_cast<std::uint32_t>(i);
  }
};

/// Keeps one of equal keys, which come in order, and notes where each block begins.
template <class ExecSpace>
struct KeepDistinct {
  BlockKeys<ExecSpace> keys;
  typename BlockLists<ExecSpace>::Numbers point;
  std::int64_t before;  // points of the blocks before
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::int64_t& count, bool final) const {
    const std::uint64_t key = keys.make(keys.number(i)),
                        last = i == 0 ? ~key : keys.make(keys.number(i - 1));
    if (final && key != last) {
      point(count) = static_cast<std::uint32_t>(key);
      if (i == 0 || key >> 32 != last >> 32) {
        const std::int64_t block =
            keys.first / keys.blocks.size + static_cast<std::int64_t>(key >> 32);
        keys.blocks.begin(block) = before + count;
      }
    }
    count += key != last ? 1 : 0;
  }
};

template <class ExecSpace>
struct LargestBlock {
  Kokkos::View<std::int64_t*, ExecSpace> begin;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t block, std::int64_t& most) const {
    most = compat::max<std::int64_t>(most, begin(block + 1) - begin(block));
  }
};

/// Makes blocks of `size` points that lie next to each other, from the points in their order and
/// the neighbours of each.
template <class ExecSpace>
class BlockMaker {
 public:
  BlockMaker(const ExecSpace& exec, const CoordinateView<ExecSpace>& points,
             const NeighbourView<ExecSpace>& neighbours, int size)
      : m_exec(exec), m_neighbours(neighbours) {
    const auto n = static_cast<std::int64_t>(points.extent(0));
    m_blocks.size = size;
    m_blocks.member = allocate<Numbers>(exec, "tessera::gp::block_members", n);
    order_along_curve(exec, points, m_blocks.member);
    m_blocks.begin = allocate<Kokkos::View<std::int64_t*, ExecSpace>>(
        exec, "tessera::gp::block_begin", m_blocks.count() + 1);
  }

  BlockLists<ExecSpace> make() {
    const auto n = static_cast<std::int64_t>(m_blocks.member.extent(0)),
               width = static_cast<std::int64_t>(m_neighbours.extent(1)) + 1;
    const std::int64_t some =
        std::max<std::int64_t>(1, kKeysAtATime / (width * m_blocks.size)) * m_blocks.size;
    std::vector<Numbers> pieces;
    std::int64_t total = 0;
    for (std::int64_t first = 0; first < n; first += some) {
      pieces.push_back(distinct(first, std::min(some, n - first) * width, total));
      total += static_cast<std::int64_t>(pieces.back().extent(0));
    }
    store(m_exec, "tessera::gp::block_end", m_blocks.begin.data() + m_blocks.count(), total);
    m_blocks.point = allocate<Numbers>(m_exec, "tessera::gp::block_points", total);
    std::int64_t at = 0;
    for (const Numbers& piece : pieces) {
      copy(m_exec, m_blocks.point.data() + at, piece.data(), piece.extent(0));
      at += static_cast<std::int64_t>(piece.extent(0));
    }
    std::int64_t largest = 0;
    Kokkos::parallel_reduce("tessera::gp::largest_block",
                            Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                                m_exec, 0, m_blocks.count()),
                            LargestBlock<ExecSpace>{m_blocks.begin},
                            Kokkos::Max<std::int64_t>(largest));
    m_blocks.largest = static_cast<int>(largest);
    return m_blocks;
  }

 private:
  using Numbers = typename BlockLists<ExecSpace>::Numbers;
  using Keys = Kokkos::View<std::uint64_t*, ExecSpace>;
  static constexpr std::int64_t kKeysAtATime = std::int64_t(1) << 24;

  /// Returns the members and neighbours of some blocks, each once per block, for `count` keys from
  /// the member at position `first` on. `before`: points of the blocks before.
  Numbers distinct(std::int64_t first, std::int64_t count, std::int64_t before) {
    if (static_cast<std::int64_t>(m_key.extent(0)) < count) {
      m_key = allocate<Keys>(m_exec, "tessera::gp::block_keys", count);
      m_sort_keys = allocate<Keys>(m_exec, "tessera::gp::block_sort_keys", count);
      m_number = allocate<Numbers>(m_exec, "tessera::gp::block_numbers", count);
      m_sort_numbers = allocate<Numbers>(m_exec, "tessera::gp::block_sort_numbers", count);
    }
    const Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>> range(m_exec, 0, count);
    const BlockKeys<ExecSpace> keys{m_blocks, m_neighbours, first, m_key, m_number};
    Kokkos::parallel_for("tessera::gp::block_keys", range, keys);
    int bits = 33;
    while ((count >> (bits - 32)) > 0) ++bits;
    sort_by_key(
        m_exec, m_key.data(), m_number.data(), static_cast<std::size_t>(count), bits,
        SortScratch<ExecSpace, std::uint64_t>{m_sort_keys.data(), m_sort_numbers.data(), m_more});
    std::int64_t kept = 0;
    Kokkos::parallel_scan("tessera::gp::distinct_points", range,
                          KeepDistinct<ExecSpace>{keys, m_sort_numbers, before}, kept);
    const auto piece = allocate<Numbers>(m_exec, "tessera::gp::block_piece", kept);
    copy(m_exec, piece.data(), m_sort_numbers.data(), static_cast<std::size_t>(kept));
    return piece;
  }

  ExecSpace m_exec;
  NeighbourView<ExecSpace> m_neighbours;
  BlockLists<ExecSpace> m_blocks;
  Keys m_key, m_sort_keys;
  Numbers m_number, m_sort_numbers;
  Kokkos::View<char*, typename ExecSpace::memory_space> m_more;
};

}  // namespace tessera::gp::detail
