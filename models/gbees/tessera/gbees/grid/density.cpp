// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/grid/density.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::gbees {

template <class Word>
CellListOf<Word> CellListOf<Word>::sorted(const std::vector<Word>& key,
                                          const std::vector<double>& probability) {
  if (std::is_sorted(key.begin(), key.end())) return {key, probability};
  std::vector<std::size_t> order(key.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
  CellListOf list;
  list.key.reserve(order.size());
  list.probability.reserve(order.size());
  for (const std::size_t c : order) {
    list.key.push_back(key[c]);
    list.probability.push_back(probability[c]);
  }
  return list;
}

template <class Word>
CellListOf<Word> CellListOf<Word>::at_least(double cut, double scale) const {
  CellListOf list;
  for (std::size_t c = 0; c < key.size(); ++c) {
    const double scaled = probability[c] * scale;
    if (!(scaled >= cut)) continue;
    list.key.push_back(key[c]);
    list.probability.push_back(scaled);
  }
  return list;
}

template struct CellListOf<std::uint64_t>;
template struct CellListOf<WideKey>;

}  // namespace tessera::gbees
