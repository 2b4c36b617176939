// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/gbees/follow/cell_search.hpp"
#include "tessera/gbees/follow/frame_maps.hpp"
#include "tessera/gbees/follow/log_quadratic.hpp"

namespace tessera::gbees {

/// Carries a density over to the cells of another grid, where it is multiplied by a factor: their
/// masses are those of the log-quadratic at their centres. The new cells are those of a mass of at
/// least exp(log_cut) that touch others by their faces, or hold the centre of a cell of the old
/// ones. Keys ascend.
///
/// `to_old`: from the coordinates z of the new grid to those of the old one. `log_factor(z)`: the
/// logarithm of the factor. `places`: points z that are looked at besides the old cells, such as
/// those about which the product is large.
template <int D, class Word, class LogFactor>
CellListOf<Word> transfer(const LogQuadratic<D, Word>& old, const AffineMap<D>& to_old,
                          const AffineMap<D>& to_new, const Grid<D>& grid, double log_cut,
                          const LogFactor& log_factor, const std::vector<Vector<D>>& places = {}) {
  double log_volume = log_determinant(to_old);  // of a new cell by an old one
  for (int i = 0; i < D; ++i) log_volume += std::log(grid.spacing[i] / old.grid().spacing[i]);
  const auto cells = static_cast<std::uint32_t>(old.cells().key.size());
  CellSearch<D, Word, std::uint32_t> search(grid, cells);  // which keeps an old cell near each
  for (std::uint32_t c = 0; c < cells; ++c) {
    const Vector<D> z = to_new(old.grid().centre(old.cells().key[c]));
    Word key = 0;
    if (detail::find_key<D, Word>(grid, z, key) < D) continue;  // far from one that is narrower
    search.begin_at(key, c);
  }
  std::uint32_t near = 0;
  for (const Vector<D>& z : places) {
    near = old.find(to_old(z), near);
    search.begin_at(detail::key_at<D, Word>(grid, z), near);
  }
  return search.find(log_cut, [&](const Vector<D>& z, std::uint32_t& base) {
    const Vector<D> y = to_old(z);
    base = old.find(y, base);
    const double logarithm = old(y, base) + log_volume;
    if (!(logarithm >= log_cut - 700)) return logarithm;  // too little, whatever the factor
    return logarithm + log_factor(z);
  });
}

}  // namespace tessera::gbees
