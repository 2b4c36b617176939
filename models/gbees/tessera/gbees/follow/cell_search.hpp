// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/error.hpp"
#include "tessera/gbees/grid/density.hpp"

namespace tessera::gbees {

namespace detail {

template <class Word>
struct KeyHash {
  std::size_t operator()(Word key) const {
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
    auto bits = static_cast<std::uint64_t>(key);
    if constexpr (sizeof(Word) > sizeof bits) bits ^= static_cast<std::uint64_t>(key >> 64) * 31;
    bits *= kSpread;
    return static_cast<std::size_t>(bits ^ bits >> 32);
  }
};

/// Throws Error (numerical) of a density that reaches beyond the cells that have keys.
template <int D, class Word>
[[noreturn]] void fail_beyond_window(int axis) {
  throw Error(ErrorKind::numerical,
              "the density reaches beyond the " + std::to_string(2 * CellKey<D, Word>::limit + 1) +
                  " cells that can be indexed along axis " + std::to_string(axis + 1) +
                  " of the grid",
              wider_keys_help<D, Word>() ? "set grid.keys: 128, or use a larger grid.spacing"
                                         : "use a larger grid.spacing, or grid.follow: none");
}

/// Finds the key of the cell of a grid that holds z. Returns the first axis along which no key
/// reaches so far, or D.
template <int D, class Word>
int find_key(const Grid<D>& grid, const Vector<D>& z, Word& key) {
  using Key = CellKey<D, Word>;
  key = 0;
  for (int i = 0; i < D; ++i) {
    const double k = std::floor((z[i] - grid.origin[i]) / grid.spacing[i] + 0.5);
    if (!(std::fabs(k) <= static_cast<double>(Key::limit))) return i;
    key |= Key::field(static_cast<std::int64_t>(k), i);
  }
  return D;
}

/// The key of the cell of a grid that holds z. Throws Error (numerical) where no key does.
template <int D, class Word>
Word key_at(const Grid<D>& grid, const Vector<D>& z) {
  Word key = 0;
  const int beyond = find_key<D, Word>(grid, z, key);
  if (beyond < D) fail_beyond_window<D, Word>(beyond);
  return key;
}

}  // namespace detail

/// Finds the cells of a grid that hold enough of a density: they spread from cells to begin with
/// over their faces. Near: what a search of the density near a cell begins with.
template <int D, class Word, class Near>
class CellSearch {
 public:
  /// `cells`: about as many there will be.
  CellSearch(const Grid<D>& grid, std::size_t cells) : m_grid(grid) { m_seen.reserve(4 * cells); }

  const Grid<D>& grid() const { return m_grid; }

  /// Begins at a cell, too.
  void begin_at(Word key, const Near& near) {
    if (m_seen.insert(key).second) m_open.push_back({key, near});
  }

  /// Returns the cells of a mass of at least exp(log_cut) that touch others by their faces, or are
  /// among those to begin with. Keys ascend. `log_mass(centre, near)`: the logarithm of the mass of
  /// a cell; what it leaves in `near` is for its neighbours. Throws Error (numerical) where keys do
  /// not reach.
  template <class LogMass>
  CellListOf<Word> find(double log_cut, const LogMass& log_mass) {
    using Key = CellKey<D, Word>;
    std::vector<Word> keys;
    std::vector<double> masses;
    for (std::size_t n = 0; n < m_open.size(); ++n) {  // which grows meanwhile
      if (n % 4096 == 0) stop_at_signal();
      auto [key, near] = m_open[n];
      const double logarithm = log_mass(m_grid.centre(key), near);
      if (!(logarithm >= log_cut)) continue;
      keys.push_back(key);
      masses.push_back(std::exp(logarithm));
      for (int i = 0; i < D; ++i) {
        const int k = Key::index(key, i);
        if (k <= -Key::limit || k >= Key::limit) detail::fail_beyond_window<D, Word>(i);
        begin_at(static_cast<Word>(key + Key::unit(i)), near);
        begin_at(static_cast<Word>(key - Key::unit(i)), near);
      }
    }
    return CellListOf<Word>::sorted(keys, masses);
  }

 private:
  struct Open {
    Word key;
    Near near;
  };
  Grid<D> m_grid;
  std::unordered_set<Word, detail::KeyHash<Word>> m_seen;
  std::vector<Open> m_open;
};

}  // namespace tessera::gbees
