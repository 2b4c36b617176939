// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/propagator/rebin.hpp"

#include <limits>

#include "tessera/core/device/exact_sum.hpp"

namespace tessera::gbees {

template <class Word>
CellListOf<Word> sum_duplicates(std::vector<std::pair<Word, double>> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
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

namespace {

struct DistanceSums {
  ExactSum bhattacharyya, l1, kullback_leibler;
  std::uint64_t alone = 0;  // cells of p that q lacks
  DistanceSums& operator+=(const DistanceSums& other) {
    bhattacharyya += other.bhattacharyya;
    l1 += other.l1;
    kullback_leibler += other.kullback_leibler;
    alone += other.alone;
    return *this;
  }
};

}  // namespace

template <class Word>
DensityDistance compare(const CellListOf<Word>& a, const CellListOf<Word>& b,
                        const parallel::Communicator& ranks) {
  const auto total = [&](const CellListOf<Word>& list) {
    ExactSum sum;
    for (const double p : list.probability) sum.add(p);
    return ranks.sum(sum).value();
  };
  const double of_a = total(a), of_b = total(b);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!(of_a > 0 && of_b > 0)) return {kNone, kNone, kNone};
  DistanceSums own;
  std::size_t i = 0, j = 0;
  while (i < a.key.size() || j < b.key.size()) {
    const bool has_a = i < a.key.size() && (j == b.key.size() || a.key[i] <= b.key[j]);
    const bool has_b = j < b.key.size() && (i == a.key.size() || b.key[j] <= a.key[i]);
    const double p = has_a ? a.probability[i++] / of_a : 0;
    const double q = has_b ? b.probability[j++] / of_b : 0;
    own.bhattacharyya.add(std::sqrt(p * q));
    own.l1.add(std::fabs(p - q));
    if (p > 0 && q > 0) own.kullback_leibler.add(p * std::log(p / q));
    if (p > 0 && !(q > 0)) ++own.alone;
  }
  const DistanceSums all = ranks.sum(own);
  const double divergence =
      all.alone > 0 ? std::numeric_limits<double>::infinity() : all.kullback_leibler.value();
  return {all.bhattacharyya.value(), all.l1.value(), divergence};
}

template CellListOf<std::uint64_t> sum_duplicates(
    std::vector<std::pair<std::uint64_t, double>> entries);
template CellListOf<WideKey> sum_duplicates(std::vector<std::pair<WideKey, double>> entries);
template DensityDistance compare(const CellListOf<std::uint64_t>& a,
                                 const CellListOf<std::uint64_t>& b,
                                 const parallel::Communicator& ranks);
template DensityDistance compare(const CellListOf<WideKey>& a, const CellListOf<WideKey>& b,
                                 const parallel::Communicator& ranks);

}  // namespace tessera::gbees
