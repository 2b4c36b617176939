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
#include "tessera/gbees/follow/frame_maps.hpp"
#include "tessera/gbees/follow/log_quadratic.hpp"

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
                  " of the grid that follows it",
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
  using Key = CellKey<D, Word>;
  struct Candidate {
    Word key;
    std::uint32_t base;  // an old cell near it
  };
  double log_volume = log_determinant(to_old);  // of a new cell by an old one
  for (int i = 0; i < D; ++i) log_volume += std::log(grid.spacing[i] / old.grid().spacing[i]);
  std::unordered_set<Word, detail::KeyHash<Word>> seen;
  seen.reserve(4 * old.cells().key.size());
  std::vector<Candidate> open;
  for (std::uint32_t c = 0; c < old.cells().key.size(); ++c) {
    const Vector<D> z = to_new(old.grid().centre(old.cells().key[c]));
    Word key = 0;
    if (detail::find_key<D, Word>(grid, z, key) < D) continue;  // far from one that is narrower
    if (seen.insert(key).second) open.push_back({key, c});
  }
  std::uint32_t near = 0;
  for (const Vector<D>& z : places) {
    near = old.find(to_old(z), near);
    const Word key = detail::key_at<D, Word>(grid, z);
    if (seen.insert(key).second) open.push_back({key, near});
  }
  std::vector<Word> keys;
  std::vector<double> masses;
  for (std::size_t n = 0; n < open.size(); ++n) {  // which grows meanwhile
    if (n % 4096 == 0) stop_at_signal();
    const Candidate now = open[n];
    const Vector<D> z = grid.centre(now.key), y = to_old(z);
    const std::uint32_t base = old.find(y, now.base);
    double logarithm = old(y, base) + log_volume;
    if (!(logarithm >= log_cut - 700)) continue;  // whatever the factor
    logarithm += log_factor(z);
    if (!(logarithm >= log_cut)) continue;
    keys.push_back(now.key);
    masses.push_back(std::exp(logarithm));
    for (int i = 0; i < D; ++i) {
      const int k = Key::index(now.key, i);
      if (k <= -Key::limit || k >= Key::limit) detail::fail_beyond_window<D, Word>(i);
      for (const Word next :
           {static_cast<Word>(now.key + Key::unit(i)), static_cast<Word>(now.key - Key::unit(i))}) {
        if (seen.insert(next).second) open.push_back({next, base});
      }
    }
  }
  return CellListOf<Word>::sorted(keys, masses);
}

}  // namespace tessera::gbees
