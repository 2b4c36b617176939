// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tessera/mpr/lattice/grid.hpp"

namespace tessera::mpr::detail {

/// A box cut out of a frame.
struct Window {
  Grid whole, box;
  int x0 = 0, y0 = 0, z0 = 0;  ///< of its first site
  int frame = 0;

  KOKKOS_INLINE_FUNCTION std::int64_t sites() const { return box.sites(); }
  /// Returns the position in the frame of a site of the box.
  KOKKOS_INLINE_FUNCTION Position position(std::int64_t site) const {
    const Position at = box.position(site);
    return {x0 + at.x, y0 + at.y, z0 + at.z};
  }
  /// Returns the same box where frame `first` is the first one of the arrays.
  Window counted_from(int first) const {
    Window window = *this;
    window.frame -= first;
    return window;
  }
  /// Returns the number in all frames of a site of the box.
  KOKKOS_INLINE_FUNCTION std::int64_t whole_site(std::int64_t site) const {
    const Position at = position(site);
    return frame * whole.sites() + whole.site(at.x, at.y, static_cast<int>(at.z));
  }
};

/// Copies numbers of the sites of a window. A functor over them.
template <class ExecSpace, class Number>
struct CutNumbers {
  Window window;
  std::int64_t first;  ///< of the window's sites in the output
  Array<ExecSpace, const Number> numbers;
  Array<ExecSpace, Number> out;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    out(first + site) = numbers(window.whole_site(site));
  }
};

/// 0 ... count - 1
inline std::vector<int> count_frames(int count) {
  std::vector<int> frames(static_cast<std::size_t>(count));
  std::iota(frames.begin(), frames.end(), 0);
  return frames;
}

/// Groups of at most `most`, in their order.
template <class T>
std::vector<std::vector<T>> in_groups(const std::vector<T>& all, std::size_t most) {
  std::vector<std::vector<T>> groups;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k % most == 0) groups.emplace_back();
    groups.back().push_back(all[k]);
  }
  return groups;
}

/// Windows that represent a field: each frame whole, where it has at most `whole` sites, or boxes
/// of `edge` sites along each axis; at most some `most` of them, spread over the given frames and
/// over each frame.
inline std::vector<Window> spread_windows(const Grid& grid, const std::vector<int>& frames,
                                          int edge, std::int64_t whole, int most) {
  const bool cut = grid.sites() > whole;
  const Grid box =
      cut ? Grid{std::min(grid.nx, edge), std::min(grid.ny, edge), std::min(grid.nz, edge)} : grid;
  const std::int64_t fitting = std::max<std::int64_t>(1, 2 * whole / box.sites());
  const int wanted = static_cast<int>(std::min<std::int64_t>(most, fitting));
  const int count = static_cast<int>(frames.size()), chosen = std::min(count, wanted);
  std::vector<Window> windows;
  for (int k = 0; k < chosen; ++k) {
    const int frame = frames[static_cast<std::size_t>((2LL * k + 1) * count / (2 * chosen))];
    int across = 1;
    while (cut && (across + 1) * (across + 1) * chosen <= wanted) ++across;
    for (int row = 0; row < across; ++row) {
      for (int column = 0; column < across; ++column) {
        const auto place = [across](int size, int part, int index) {
          const int room = size - part;
          return across == 1
                     ? room / 2
                     : static_cast<int>(static_cast<std::int64_t>(room) * index / (across - 1));
        };
        windows.push_back({grid, box, place(grid.nx, box.nx, column), place(grid.ny, box.ny, row),
                           (grid.nz - box.nz) / 2, frame});
      }
    }
  }
  return windows;
}

}  // namespace tessera::mpr::detail
