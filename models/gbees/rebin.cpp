// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/rebin.hpp"

namespace tessera::gbees {

template <class Word>
CellListOf<Word> sum_duplicates(std::vector<std::pair<Word, double>> entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  CellListOf<Word> list;
  for (const auto& [key, mass] : entries) {
    if (list.key.empty() || list.key.back() != key) {
      list.key.push_back(key);
      list.probability.push_back(0);
    }
    list.probability.back() += mass;
  }
  return list;
}

template <class Word>
DensityDistance compare(const CellListOf<Word>& a, const CellListOf<Word>& b) {
  const auto total = [](const CellListOf<Word>& list) {
    double sum = 0;
    for (const double p : list.probability) sum += p;
    return sum;
  };
  const double of_a = total(a), of_b = total(b);
  DensityDistance distance;
  std::size_t i = 0, j = 0;
  while (i < a.key.size() || j < b.key.size()) {
    const bool has_a = i < a.key.size() && (j == b.key.size() || a.key[i] <= b.key[j]);
    const bool has_b = j < b.key.size() && (i == a.key.size() || b.key[j] <= a.key[i]);
    const double p = has_a ? a.probability[i++] / of_a : 0;
    const double q = has_b ? b.probability[j++] / of_b : 0;
    distance.bhattacharyya += std::sqrt(p * q);
    distance.l1 += std::fabs(p - q);
  }
  return distance;
}

template CellListOf<std::uint64_t> sum_duplicates(std::vector<std::pair<std::uint64_t, double>> entries);
template CellListOf<WideKey> sum_duplicates(std::vector<std::pair<WideKey, double>> entries);
template DensityDistance compare(const CellListOf<std::uint64_t>& a, const CellListOf<std::uint64_t>& b);
template DensityDistance compare(const CellListOf<WideKey>& a, const CellListOf<WideKey>& b);

}  // namespace tessera::gbees
