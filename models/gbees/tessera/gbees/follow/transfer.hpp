// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tessera/gbees/follow/cell_search.hpp"
#include "tessera/gbees/follow/frame_maps.hpp"
#include "tessera/gbees/follow/log_quadratic.hpp"

namespace tessera::gbees {

/// Finds the cells of another grid that hold enough of what comes of an old density, from the cells
/// that hold the centres of the old ones on, where keys reach, and from those of `places`.
/// `to_old`, `to_new`: between the coordinates of the grids. `log_mass(z, near)`: the logarithm of
/// the mass of the cell at z; `near` is an old cell, from which a search of others begins.
template <int D, class Word, class ToOld, class ToNew, class LogMass>
CellListOf<Word> find_cells(const LogQuadratic<D, Word>& old, const ToOld& to_old,
                            const ToNew& to_new, const Grid<D>& grid, double log_cut,
                            const LogMass& log_mass, const std::vector<Vector<D>>& places = {}) {
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
  return search.find(log_cut, log_mass);
}

/// The logarithm of the volume of a cell of a grid by that of one of an old grid, where
/// `log_determinant` is that of the map to the old coordinates.
template <int D>
double log_volume_of_cells(double log_determinant, const Grid<D>& grid, const Grid<D>& old) {
  double log_volume = log_determinant;
  for (int i = 0; i < D; ++i) log_volume += std::log(grid.spacing[i] / old.spacing[i]);
  return log_volume;
}

/// Carries a density over to the cells of another grid, where it is multiplied by a factor: their
/// masses are those of the log-quadratic at their centres. The new cells are those of a mass of at
/// least exp(log_cut) that touch others by their faces, or hold the centre of a cell of the old
/// ones. Keys ascend.
///
/// `to_old`: from the coordinates z of the new grid to those of the old one; the logarithm of the
/// size of its determinant is `log_determinant`, or belongs to the factor. A point that has no
/// image becomes no number. `log_factor(z, y)`: the logarithm of the factor, where y is that of z
/// on the old grid. `places`: points z that are looked at besides the old cells, such as those
/// about which the product is large.
template <int D, class Word, class ToOld, class ToNew, class LogFactor>
CellListOf<Word> transfer(const LogQuadratic<D, Word>& old, const ToOld& to_old,
                          double log_determinant, const ToNew& to_new, const Grid<D>& grid,
                          double log_cut, const LogFactor& log_factor,
                          const std::vector<Vector<D>>& places = {}) {
  const double log_volume = log_volume_of_cells(log_determinant, grid, old.grid());
  const auto log_mass = [&](const Vector<D>& z, std::uint32_t& base) {
    const Vector<D> y = to_old(z);
    if (!(y[0] == y[0])) return -std::numeric_limits<double>::infinity();
    base = old.find(y, base);
    const double logarithm = old(y, base) + log_volume;
    if (!(logarithm >= log_cut - 700)) return logarithm;  // too little, whatever the factor
    return logarithm + log_factor(z, y);
  };
  return find_cells<D, Word>(old, to_old, to_new, grid, log_cut, log_mass, places);
}

/// Does the same where the grids lie in frames.
template <int D, class Word, class LogFactor>
CellListOf<Word> transfer(const LogQuadratic<D, Word>& old, const AffineMap<D>& to_old,
                          const AffineMap<D>& to_new, const Grid<D>& grid, double log_cut,
                          const LogFactor& log_factor, const std::vector<Vector<D>>& places = {}) {
  return transfer<D, Word>(
      old, to_old, log_determinant(to_old), to_new, grid, log_cut,
      [&](const Vector<D>& z, const Vector<D>&) { return log_factor(z); }, places);
}

/// Whether the cells of a density are not much wider than what it varies over, so that its
/// log-quadratic is the density between their centres.
template <int D, class Word>
bool is_smooth(const LogQuadratic<D, Word>& density) {
  constexpr double kSharpest = 3;
  const CellListOf<Word>& cells = density.cells();
  double mass = 0, sharp = 0;
  for (std::uint32_t c = 0; c < cells.key.size(); ++c) {
    mass += cells.probability[c];
    sharp += cells.probability[c] * density.sharpest(c);
  }
  return sharp < kSharpest * mass;
}

}  // namespace tessera::gbees
