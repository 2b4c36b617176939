// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/grid/rank_division.hpp"
#include "tessera/gbees/step/index_range.hpp"

namespace tessera::gbees::detail {

/// Turns the key of a cell into a number below 2^bits() that is close for cells that are close in
/// space, 32 bits at a time: word 0 holds the lowest.
template <int D, bool is_gpu, class Word>
class SpaceFillingCurve;

/// A GPU interleaves the bits of the indices (Morton order).
template <int D, class Word>
class SpaceFillingCurve<D, true, Word> {
 public:
  KOKKOS_INLINE_FUNCTION static constexpr int bits() { return CellKey<D, Word>::bits * D; }

  KOKKOS_INLINE_FUNCTION std::uint32_t word(Word key, int number) const {
    return morton_word<D>(key, number);
  }
};

/// The curve on a CPU, whose caches hold many cells: blocks of four cells an axis in the order of
/// the keys, and in each its cells in that order, so that most neighbours of a cell are in its
/// block. Ranks divide the order of the keys (curve_position): they take cells one by one. Bits
/// that the cells present do not need are left out.
template <int D, class Word>
class SpaceFillingCurve<D, false, Word> {
 public:
  SpaceFillingCurve() = default;
  SpaceFillingCurve(const IndexRange<D>& range, bool in_blocks)
      : m_inner(in_blocks ? 2 : 0), m_bits(D * m_inner) {
    for (int i = D - 1; i >= 0; --i) {
      m_low[i] = range.low[i];
      m_shift[i] = m_bits;
      const std::int64_t blocks = (std::int64_t(range.high[i]) - range.low[i]) >> m_inner;
      for (std::int64_t rest = blocks; rest > 0; rest >>= 1) ++m_bits;
    }
  }

  int bits() const { return m_bits; }

  KOKKOS_INLINE_FUNCTION std::uint32_t word(Word key, int number) const {
    Word order = 0;
    for (int i = 0; i < D; ++i) {
      const auto k = static_cast<std::uint32_t>(CellKey<D, Word>::index(key, i) - m_low[i]);
      const std::uint32_t block = k >> m_inner, within = k - (block << m_inner);
      order |= static_cast<Word>(block) << m_shift[i];
      order |= static_cast<Word>(within) << (m_inner * (D - 1 - i));
    }
    return static_cast<std::uint32_t>(order >> (32 * number));
  }

 private:
  int m_low[D] = {}, m_shift[D] = {};
  int m_inner = 0, m_bits = 0;  ///< bits of an index within a block; bits of all
};

/// Sort keys of the rows that are kept.
template <class Context, class SortKeys>
struct FillSortKeys {
  using Curve = SpaceFillingCurve<Context::D, compat::is_gpu_v<typename Context::ExecSpace>,
                                  typename Context::KeyWord>;
  typename Context::template Array<typename Context::KeyWord*> key;
  typename Context::template Array<std::uint32_t*> kept;
  SortKeys sort_key;
  Curve curve;
  int number;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const {
    sort_key(i) = curve.word(key(kept(i)), number);
  }
};

}  // namespace tessera::gbees::detail
