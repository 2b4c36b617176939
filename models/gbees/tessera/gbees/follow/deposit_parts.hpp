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

/// The masses of cells on another grid whose cells may be larger than what the density varies over:
/// each cell is divided into parts, an even number along each axis and no longer than half a cell
/// of the other grid, weighted by the log-quadratic, and each part belongs to the cell that holds
/// its centre. The mass stays the same. Keys ascend.
template <int D, class Word>
CellListOf<Word> deposit_parts(const LogQuadratic<D, Word>& old, const AffineMap<D>& to_new,
                               const Grid<D>& grid) {
  constexpr int kMostParts = 16;  // along an axis
  int parts[D];
  for (int j = 0; j < D; ++j) {
    double longest = 0;
    for (int i = 0; i < D; ++i) {
      longest = std::max(longest,
                         std::fabs(to_new.matrix[i][j]) * old.grid().spacing[j] / grid.spacing[i]);
    }
    parts[j] = 2 * static_cast<int>(std::clamp(std::ceil(longest), 1.0, 0.5 * kMostParts));
  }
  int all = 1;
  for (const int of_axis : parts) all *= of_axis;
  std::vector<std::pair<Word, double>> entries;
  std::vector<double> weight(static_cast<std::size_t>(all));
  std::vector<Word> key(weight.size());
  for (std::uint32_t c = 0; c < old.cells().key.size(); ++c) {
    if (c % 1024 == 0) stop_at_signal();
    const Vector<D> centre = old.grid().centre(old.cells().key[c]);
    double sum = 0;
    for (std::size_t p = 0; p < weight.size(); ++p) {
      Vector<D> y = centre;
      auto rest = static_cast<int>(p);
      for (int j = 0; j < D; ++j) {
        y[j] += ((rest % parts[j] + 0.5) / parts[j] - 0.5) * old.grid().spacing[j];
        rest /= parts[j];
      }
      weight[p] = std::exp(old(y, c) - old(centre, c));
      key[p] = detail::key_at<D, Word>(grid, to_new(y));
      sum += weight[p];
    }
    for (std::size_t p = 0; p < weight.size(); ++p)
      entries.emplace_back(key[p], old.cells().probability[c] * weight[p] / sum);
    if (entries.size() > (std::size_t(1) << 22)) {  // so that they stay few
      const CellListOf<Word> list = sum_duplicates(std::move(entries));
      entries.clear();
      for (std::size_t k = 0; k < list.key.size(); ++k)
        entries.emplace_back(list.key[k], list.probability[k]);
    }
  }
  return sum_duplicates(std::move(entries));
}

}  // namespace tessera::gbees
