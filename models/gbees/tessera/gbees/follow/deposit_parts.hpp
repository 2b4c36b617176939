// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/gbees/follow/log_quadratic.hpp"
#include "tessera/gbees/follow/transfer.hpp"
#include "tessera/gbees/propagator/rebin.hpp"

namespace tessera::gbees {

/// The parts that cells are divided into for another grid.
template <int D>
class CellParts {
 public:
  static constexpr double kMostParts = 1 << 24;  ///< of all cells
  static constexpr double kFewestOfCell = 64;

  CellParts(const AffineMap<D>& to_new, const Grid<D>& from, const Grid<D>& to, std::size_t cells) {
    constexpr double kMostOfAxis = 16;
    double all = 1;
    for (int j = 0; j < D; ++j) {
      double longest = 0;
      for (int i = 0; i < D; ++i) {
        longest =
            std::max(longest, std::fabs(to_new.matrix[i][j]) * from.spacing[j] / to.spacing[i]);
      }
      m_parts[j] = 2 * static_cast<int>(std::clamp(std::ceil(longest), 1.0, 0.5 * kMostOfAxis));
      all *= m_parts[j];
    }
    const double most = std::max(kMostParts / static_cast<double>(cells), kFewestOfCell);
    m_are_points = all > most;
    m_size = static_cast<std::size_t>(std::min(all, std::floor(most)));
    constexpr int kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19};
    for (int j = 0; j < D; ++j) m_shift[j] = std::sqrt(kPrimes[j]);
  }

  std::size_t size() const { return m_size; }

  /// The centre of part p of cell c, in cells from the middle.
  Vector<D> operator()(std::size_t p, std::size_t c) const {
    Vector<D> place;
    std::size_t rest = p;
    for (int j = 0; j < D; ++j) {
      const auto parts = static_cast<std::size_t>(m_parts[j]);
      if (m_are_points) {
        const double along = static_cast<double>(c * m_size + p) * m_shift[j];
        place[j] = along - std::floor(along) - 0.5;
      } else {
        place[j] = (static_cast<double>(rest % parts) + 0.5) / m_parts[j] - 0.5;
        rest /= parts;
      }
    }
    return place;
  }

 private:
  int m_parts[D];
  std::size_t m_size = 0;
  bool m_are_points = false;
  double m_shift[D];
};

/// The masses of cells on another grid whose cells may be larger than what the density varies over:
/// each cell is divided into parts, an even number along each axis and no longer than half a cell
/// of the other grid, weighted by the log-quadratic, and each part belongs to the cell that holds
/// its centre. Where that makes more than CellParts::kMostParts in all, as in many dimensions, as
/// many points as that stand for the parts, spread evenly over each cell by multiples of the roots
/// of primes. The mass stays the same. Keys ascend.
template <int D, class Word>
CellListOf<Word> deposit_parts(const LogQuadratic<D, Word>& old, const AffineMap<D>& to_new,
                               const Grid<D>& grid) {
  const CellParts<D> parts(to_new, old.grid(), grid, old.cells().key.size());
  std::vector<std::pair<Word, double>> entries;
  std::vector<double> weight(parts.size());
  std::vector<Word> key(weight.size());
  std::size_t most = std::size_t(1) << 22;  // of entries, so that they stay few
  for (std::uint32_t c = 0; c < old.cells().key.size(); ++c) {
    if (c % 256 == 0) stop_at_signal();
    const Vector<D> centre = old.grid().centre(old.cells().key[c]);
    double sum = 0;
    for (std::size_t p = 0; p < weight.size(); ++p) {
      const Vector<D> place = parts(p, c);
      Vector<D> y = centre;
      for (int j = 0; j < D; ++j) y[j] += place[j] * old.grid().spacing[j];
      weight[p] = std::exp(old(y, c) - old(centre, c));
      key[p] = detail::key_at<D, Word>(grid, to_new(y));
      sum += weight[p];
    }
    for (std::size_t p = 0; p < weight.size(); ++p)
      entries.emplace_back(key[p], old.cells().probability[c] * weight[p] / sum);
    if (entries.size() > most) {
      const CellListOf<Word> list = sum_duplicates(std::move(entries));
      entries.clear();
      for (std::size_t k = 0; k < list.key.size(); ++k)
        entries.emplace_back(list.key[k], list.probability[k]);
      most = std::max(most, 2 * entries.size());
    }
  }
  return sum_duplicates(std::move(entries));
}

}  // namespace tessera::gbees
