// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The factor among ranks: who has which fronts, and what they send each other.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tessera/core/device/memory.hpp"
#include "tessera/gp/latent/multifrontal.hpp"

namespace tessera::gp::detail {

/// Gives each rank subtrees that follow each other, with as much of the work as the others. A front
/// above them goes to the rank of the last subtree below it.
void MultifrontalCholesky::share_fronts() {
  std::vector<double> work(m_subtrees + 1, 0.0);
  for (const Front& front : m_fronts) {
    const auto order = static_cast<double>(front.order());
    if (front.stage == 0) work[front.subtree] += static_cast<double>(front.pivots) * order * order;
  }
  const double total = std::accumulate(work.begin(), work.end(), 0.0);
  const int ranks = m_ranks.size();
  std::vector<int> owner(work.size(), 0);
  double before = 0;
  for (std::size_t k = 0; k < work.size() && total > 0; ++k) {
    owner[k] = std::min(ranks - 1, static_cast<int>(ranks * (before + 0.5 * work[k]) / total));
    before += work[k];
  }
  for (Front& front : m_fronts) front.owner = owner[front.subtree];
}

/// Sends lower triangles of the size of their borders from the children of the fronts of a stage to
/// these, or back down, where they are on different ranks. A matrix that a rank has not made, since
/// its factor has failed, goes as zeros.
void MultifrontalCholesky::exchange(int stage, bool upwards, Matrices& matrices) const {
  if (stage == 0) return;
  const auto for_each = [&](const auto& visit) {
    for (const Front& front : m_fronts) {
      if (front.stage != stage) continue;
      for (const std::int32_t c : front.children) {
        const Front& child = m_fronts[c];
        if (child.owner != front.owner)
          visit(child.rest(), matrices[c], upwards ? child.owner : front.owner,
                upwards ? front.owner : child.owner);
      }
    }
  };
  std::vector<std::vector<double>> going(static_cast<std::size_t>(m_ranks.size()));
  for_each([&](std::int64_t size, std::vector<double>& matrix, int from, int to) {
    if (from != m_ranks.rank()) return;
    matrix.resize(static_cast<std::size_t>(size * size));
    for (std::int64_t j = 0; j < size; ++j) {
      const auto column = matrix.begin() + j * size;
      going[to].insert(going[to].end(), column + j, column + size);
    }
    matrix = {};
  });
  const std::vector<std::vector<double>> coming = m_ranks.all_to_all(going);
  std::vector<std::vector<double>::const_iterator> next;
  for (const std::vector<double>& numbers : coming) next.push_back(numbers.begin());
  for_each([&](std::int64_t size, std::vector<double>& matrix, int from, int to) {
    if (to != m_ranks.rank()) return;
    matrix.resize(static_cast<std::size_t>(size * size));
    for (std::int64_t j = 0; j < size; ++j) {
      std::copy_n(next[from], size - j, matrix.begin() + j * (size + 1));
      next[from] += size - j;
    }
  });
}

/// Returns numbers of all fronts, one front after another, of which each rank has those of its own
/// fronts. `counts`: how many of each front.
std::vector<double> MultifrontalCholesky::gather_numbers(
    const Matrices& own, const std::vector<std::size_t>& counts) const {
  std::vector<double> given;
  for (const std::vector<double>& numbers : own)
    given.insert(given.end(), numbers.begin(), numbers.end());
  const std::vector<double> by_ranks = m_ranks.all_gather(given);
  std::vector<std::size_t> next(static_cast<std::size_t>(m_ranks.size()) + 1, 0);
  for (std::size_t f = 0; f < m_fronts.size(); ++f) next[m_fronts[f].owner + 1] += counts[f];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<double> all;
  all.reserve(by_ranks.size());
  for (std::size_t f = 0; f < m_fronts.size(); ++f) {
    const auto begin = by_ranks.begin() + static_cast<std::ptrdiff_t>(next[m_fronts[f].owner]);
    all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(counts[f]));
    next[m_fronts[f].owner] += counts[f];
  }
  return all;
}

void MultifrontalCholesky::add_logarithms() {
  Matrices own(m_fronts.size());
  for (std::size_t f = 0; f < m_fronts.size(); ++f) {
    const Front& front = m_fronts[f];
    if (!is_own(front)) continue;
    long double sum = 0;
    for (std::int64_t k = 0; k < front.pivots; ++k)
      sum += std::log(m_columns[f][static_cast<std::size_t>(k * (front.order() + 1))]);
    own[f].push_back(static_cast<double>(sum));
  }
  long double sum = 0;
  for (const double one : gather_numbers(own, std::vector<std::size_t>(m_fronts.size(), 1)))
    sum += one;
  m_log_determinant = static_cast<double>(2 * sum);
}

/// Fronts that follow each other and have one owner go together.
void MultifrontalCholesky::gather() {
  constexpr std::size_t kTogether = std::size_t(1) << 22;
  if (m_is_whole) return;
  require_host_memory(8.0 * static_cast<double>(m_size), "the sparse Cholesky factor",
                      "take fewer method.vecchia.neighbours, or likelihood.determinant: "
                      "stochastic");
  std::vector<double> numbers;
  for (std::size_t f = 0; f < m_fronts.size();) {
    const int owner = m_fronts[f].owner;
    const std::size_t first = f;
    numbers.clear();
    std::size_t size = 0;
    for (; f < m_fronts.size() && m_fronts[f].owner == owner && size < kTogether; ++f) {
      size += m_fronts[f].size();
      numbers.insert(numbers.end(), m_columns[f].begin(), m_columns[f].end());
    }
    numbers.resize(size);
    m_ranks.broadcast(numbers.data(), size, owner);
    auto next = numbers.begin();
    for (std::size_t k = first; k < f; ++k) {
      const auto end = next + static_cast<std::ptrdiff_t>(m_fronts[k].size());
      m_columns[k].assign(next, end);
      next = end;
    }
  }
  m_is_whole = true;
}

}  // namespace tessera::gp::detail
