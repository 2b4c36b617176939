// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/mpr/lattice/grid.hpp"

/// Numbers of all frames, or of several blocks of them one after the other, of which each rank has
/// those of its frames.

namespace tessera::mpr::detail {

/// All of them at the first rank, nothing elsewhere. own: how many of each block are here.
/// read(number, count, to) copies some of those here, blocks one after the other. They travel in
/// pieces.
template <class Number, class Read>
std::vector<Number> gather_blocks(const parallel::Communicator& ranks, std::size_t own,
                                  std::size_t blocks, const Read& read) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::vector<std::uint64_t> sizes = ranks.all_gather(std::vector<std::uint64_t>{own});
  std::size_t of_block = 0;
  for (const std::uint64_t size : sizes) of_block += size;
  std::vector<Number> all(ranks.is_root() ? blocks * of_block : 0), piece;
  std::size_t to = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t r = 0; r < sizes.size(); ++r) {
      for (std::size_t first = 0; first < sizes[r]; first += kPiece) {
        const std::size_t count = std::min<std::size_t>(kPiece, sizes[r] - first);
        if (static_cast<int>(r) == ranks.rank() && !ranks.is_root()) {
          piece.resize(count);
          read(block * own + first, count, piece.data());
          ranks.bring(piece.data(), count, static_cast<int>(r));
        } else if (ranks.is_root()) {
          if (r == 0) read(block * own + first, count, all.data() + to);
          if (r > 0) ranks.bring(all.data() + to, count, static_cast<int>(r));
          to += count;
        }
      }
    }
  }
  return all;
}

template <class Number>
std::vector<Number> gather_blocks(const parallel::Communicator& ranks,
                                  const std::vector<Number>& own, std::size_t blocks = 1) {
  return gather_blocks<Number>(
      ranks, own.size() / blocks, blocks, [&](std::size_t first, std::size_t count, Number* to) {
        std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(first), count, to);
      });
}

/// The way back: of each block the numbers first ... first + count - 1. all: of all frames, at
/// least as many.
template <class Number>
std::vector<Number> take_blocks(const std::vector<Number>& all, std::size_t blocks,
                                std::size_t first, std::size_t count) {
  const std::size_t of_block = all.size() / blocks;
  std::vector<Number> own;
  own.reserve(blocks * count);
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(block * of_block + first);
    own.insert(own.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  return own;
}

/// A map of the sites of all frames that a rank has its part of, until it is gathered at the first
/// rank.
template <class ExecSpace, class Number>
struct SharedMap {
  Array<ExecSpace, Number> here;
  std::vector<Number> all;  ///< once it was gathered

  bool is_empty() const { return here.extent(0) == 0 && all.empty(); }
  void gather(const ExecSpace& exec, const parallel::Communicator& ranks) {
    all = gather_blocks<Number>(ranks, here.extent(0), 1,
                                [&](std::size_t first, std::size_t count, Number* to) {
                                  copy_to_host(exec, to, here.data() + first, count);
                                });
    here = {};
  }
  /// Numbers of some sites, in double precision.
  void read(const ExecSpace& exec, std::size_t first, std::size_t count, double* to) const {
    std::vector<Number> piece(all.empty() ? count : 0);
    if (all.empty()) copy_to_host(exec, piece.data(), here.data() + first, count);
    const Number* const from = all.empty() ? piece.data() : all.data() + first;
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(from[i]);
  }
};

}  // namespace tessera::mpr::detail
