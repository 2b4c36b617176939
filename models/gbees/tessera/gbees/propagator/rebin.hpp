// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gbees/grid/density.hpp"
#include "tessera/gbees/propagator/shared_cells.hpp"

namespace tessera::gbees {

/// Points from one look for a signal to the next
inline constexpr std::size_t kBetweenLooks = 1024;

/// Adds up equal cells; keys ascending.
template <class Word>
CellListOf<Word> sum_duplicates(std::vector<std::pair<Word, double>> entries);

/// Index in the grid's window of the cell that holds coordinate x along axis i; of a circle as if
/// it went on beyond its ends (Grid::bring_in). Throws Error (input) when it cannot be indexed.
template <int D, class Word = std::uint64_t>
std::int64_t cell_index(const Grid<D>& grid, int i, double x) {
  const double k = std::floor((x - grid.origin[i]) / grid.spacing[i] + 0.5) - grid.offset[i];
  if (!(std::fabs(k) <= static_cast<double>(CellKey<D, Word>::limit))) {
    throw Error(ErrorKind::input,
                "a point lies beyond the " + std::to_string(2 * CellKey<D, Word>::limit + 1) +
                    " cells that can be indexed along axis " + std::to_string(i + 1),
                (wider_keys_help<D, Word>() ? "set grid.keys: 128, or use a larger grid.spacing"
                                            : "use a larger grid.spacing"));
  }
  return static_cast<std::int64_t>(k);
}

/// Returns the place of the window about the middle of the cells, which are in the window at
/// `offset`.
template <int D, class Word>
Vector<D> window_about(const CellListOf<Word>& cells, const Vector<D>& offset) {
  using Key = CellKey<D, Word>;
  Vector<D> middle = offset;
  for (int i = 0; i < D && !cells.key.empty(); ++i) {
    const auto below = [i](Word a, Word b) { return Key::index(a, i) < Key::index(b, i); };
    const auto [least, greatest] = std::minmax_element(cells.key.begin(), cells.key.end(), below);
    const std::int64_t low = Key::index(*least, i), high = Key::index(*greatest, i);
    middle[i] += static_cast<double>(low + (high - low) / 2);
  }
  return middle;
}

/// Returns the same cells in another window. Throws Error (numerical) where one lies outside.
template <int D, class Word>
CellListOf<Word> in_window(const CellListOf<Word>& cells, const Vector<D>& from,
                           const Vector<D>& to) {
  using Key = CellKey<D, Word>;
  std::int64_t distance[D];
  for (int i = 0; i < D; ++i) distance[i] = static_cast<std::int64_t>(from[i] - to[i]);
  CellListOf<Word> moved = cells;
  for (Word& key : moved.key) {
    for (int i = 0; i < D; ++i) {
      if (std::abs(Key::index(key, i) + distance[i]) <= Key::limit) continue;
      throw Error(ErrorKind::numerical,
                  "two densities to be compared lie beyond the " +
                      std::to_string(2 * Key::limit + 1) +
                      " cells that can be indexed along axis " + std::to_string(i + 1),
                  "use a larger grid.spacing");
    }
    key += Key::distance(distance);
  }
  return moved;
}

/// The histogram of weighted points, given row by row.
template <int D, class Word = std::uint64_t>
CellListOf<Word> histogram(const std::vector<double>& points, const std::vector<double>& weights,
                           const Grid<D>& grid) {
  std::vector<std::pair<Word, double>> entries(weights.size());
  for (std::size_t n = 0; n < weights.size(); ++n) {
    if (n % kBetweenLooks == 0) stop_at_signal();
    Word key = 0;
    for (int i = 0; i < D; ++i)
      key |= CellKey<D, Word>::field(
          grid.bring_in(i, cell_index<D, Word>(grid, i, points[n * D + i])), i);
    entries[n] = {key, weights[n]};
  }
  return sum_duplicates(std::move(entries));
}

/// The masses of boxes of one size, given by their centres, on the cells of a grid: each box is
/// shared out by the volume it has in common with each cell.
template <int D, class Word = std::uint64_t>
CellListOf<Word> deposit(const std::vector<double>& centres, const std::vector<double>& masses,
                         const std::vector<double>& size, const Grid<D>& grid) {
  std::vector<std::pair<Word, double>> entries;
  for (std::size_t n = 0; n < masses.size(); ++n) {
    if (n % kBetweenLooks == 0) stop_at_signal();
    if (!(masses[n] > 0)) continue;
    std::vector<std::pair<Word, double>> parts{{0, masses[n]}};
    for (int i = 0; i < D; ++i) {
      const double low = centres[n * D + i] - 0.5 * size[i],
                   high = centres[n * D + i] + 0.5 * size[i];
      std::vector<std::pair<Word, double>> finer;
      for (std::int64_t k = cell_index<D, Word>(grid, i, low);
           k <= cell_index<D, Word>(grid, i, high); ++k) {
        const double cell = grid.coordinate(i, k);
        const double common = std::min(high, cell + 0.5 * grid.spacing[i]) -
                              std::max(low, cell - 0.5 * grid.spacing[i]);
        if (!(common > 1e-9 * size[i])) continue;  // rounding
        for (const auto& [key, mass] : parts)
          finer.emplace_back(key | CellKey<D, Word>::field(grid.bring_in(i, k), i),
                             mass * common / size[i]);
      }
      parts = std::move(finer);
    }
    entries.insert(entries.end(), parts.begin(), parts.end());
  }
  return sum_duplicates(std::move(entries));
}

/// The cells of a grid joined to larger ones, `factor` along each axis: cell N holds the cells
/// factor N to factor N + factor - 1. The window of N lies where that of the cells does. Of cells
/// that ranks have a part of each, they get parts of the joined ones.
template <int D>
CellList coarsen(const CellList& cells, int factor, const Vector<D>& offset = {},
                 const parallel::Communicator& ranks = {}) {
  const auto joined = [factor](std::int64_t n) { return (n - (n < 0 ? factor - 1 : 0)) / factor; };
  std::vector<CellEntry<double>> entries(cells.key.size());
  for (std::size_t c = 0; c < entries.size(); ++c) {
    std::uint64_t key = 0;
    for (int i = 0; i < D; ++i) {
      const auto first = static_cast<std::int64_t>(offset[i]);
      key |=
          CellKey<D>::field(joined(first + CellKey<D>::index(cells.key[c], i)) - joined(first), i);
    }
    entries[c] = {key, cells.probability[c]};
  }
  return cell_list(bring_together(ranks, std::move(entries)));
}

/// The likeness of two densities on the same cells; both are normalised for the purpose. Sums are
/// exact.
struct DensityDistance {
  double bhattacharyya = 0;  ///< sum of sqrt(p q): 1 when equal, 0 when they have no cell in common
  double l1 = 0;             ///< sum of |p - q|: 0 to 2
  /// Kullback-Leibler divergence of p from q, the sum of p ln(p / q): infinite where q has no
  /// probability in a cell of p
  double kullback_leibler = 0;
};

/// Compares two densities. Each of several ranks has some cells, of both densities the same ones.
template <class Word>
DensityDistance compare(const CellListOf<Word>& a, const CellListOf<Word>& b,
                        const parallel::Communicator& ranks = {});

}  // namespace tessera::gbees
