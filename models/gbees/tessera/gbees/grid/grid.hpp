// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gbees/grid/circle.hpp"

namespace tessera::gbees {

/// A point of the state space, or any D numbers that belong to its axes.
template <int D>
struct Vector {
  double v[D];
  KOKKOS_INLINE_FUNCTION double& operator[](int i) { return v[i]; }
  KOKKOS_INLINE_FUNCTION const double& operator[](int i) const { return v[i]; }
};

/// A key of 128 bits that holds the indices of a cell, for densities that are too wide for 64 bits.
__extension__ typedef unsigned __int128 WideKey;

/// Index of a cell along each axis, packed into the bits of a Word: as many an axis (at most 31),
/// each biased to be non-negative. The usable range is |k_i| <= limit; the outermost index on
/// either side stays free so that the key of any neighbour of a usable cell is a valid key too.
template <int D, class Word = std::uint64_t>
struct CellKey {
  static_assert(D >= 1 && D <= 8, "gbees works in 1 to 8 dimensions");
  static_assert(std::is_same_v<Word, std::uint64_t> || std::is_same_v<Word, WideKey>);
  static constexpr int bits = 8 * sizeof(Word) / D < 31 ? 8 * sizeof(Word) / D : 31;
  static constexpr std::int64_t bias = std::int64_t(1) << (bits - 1);
  static constexpr std::int64_t limit = bias - 2;
  static constexpr std::uint64_t mask = (std::uint64_t(1) << bits) - 1;

  /// Position of axis i in the key: the first axis is the most significant.
  KOKKOS_INLINE_FUNCTION static constexpr int shift(int i) { return bits * (D - 1 - i); }

  /// Returns the number to add to a key to move one cell along axis i.
  KOKKOS_INLINE_FUNCTION static constexpr Word unit(int i) { return Word(1) << shift(i); }

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int index(Word key, int i) {
    return static_cast<int>(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(key >> shift(i)) & mask) - bias);
  }

  KOKKOS_INLINE_FUNCTION static constexpr Word field(std::int64_t k, int i) {
    return static_cast<Word>(k + bias) << shift(i);
  }

  /// Returns the number to add to a key to move a cell by so many cells along each axis, to a place
  /// that has a key.
  static Word distance(const std::int64_t (&cells)[D]) {
    Word sum = 0;
    for (int i = 0; i < D; ++i) sum += static_cast<Word>(cells[i]) << shift(i);
    return sum;
  }
};

/// The fewest dimensions in which keys of 128 bits are compiled: where 64 bits leave 1021 cells an
/// axis, or fewer.
inline constexpr int kWideKeysFrom = 6;

/// Returns whether there are wider keys than these.
template <int D, class Word>
constexpr bool wider_keys_help() {
  return D >= kWideKeysFrom && sizeof(Word) < sizeof(WideKey);
}

/// The place of a cell: its indices and its centre.
template <int D>
struct CellLocation {
  int k[D];
  Vector<D> x;
};

/// A uniform grid without bounds: the centre of cell n is origin + spacing * n. Keys hold indices
/// in a window of it, and the window can be moved: cell k of the window is cell n = offset + k.
/// Wherever it is, a cell has the same centre, bit for bit, for n is exact.
///
/// An axis can be a circle. Then it has `turn` cells, and the last of them and the first are
/// neighbours. The window does not move along it.
template <int D>
struct Grid {
  Vector<D> origin;
  Vector<D> spacing;
  Vector<D> offset{};  ///< whole numbers, below 2^53
  int turn[D] = {};    ///< cells round a circle; 0: the axis is a line
  int first[D] = {};   ///< index of the first cell of a circle

  /// Makes axis i a circle. The spacing becomes the nearest that divides the period, and the first
  /// cell begins where the base interval does. `near`: a place whose cell gets the index 0.
  void make_circle(int i, const Circle& circle, double near) {
    turn[i] = circle.cells(spacing[i]);
    spacing[i] = circle.period / turn[i];
    const double before = compat::math::floor((circle.bring_in(near) - circle.lower) / spacing[i]);
    first[i] = -compat::min(static_cast<int>(before), turn[i] - 1);
    origin[i] = circle.lower + spacing[i] * (0.5 - first[i]);
  }

  KOKKOS_INLINE_FUNCTION bool is_circle(int i) const { return turn[i] > 0; }

  KOKKOS_INLINE_FUNCTION bool has_circles() const {
    int cells = 0;
    for (int i = 0; i < D; ++i) cells += turn[i];
    return cells > 0;
  }

  /// The circle that axis i is, in distances from the origin.
  KOKKOS_INLINE_FUNCTION Circle circle(int i) const {
    return {spacing[i] * (first[i] - 0.5), spacing[i] * turn[i]};
  }

  /// Returns the index of the cell of a circle that an index beyond its ends stands for.
  KOKKOS_INLINE_FUNCTION std::int64_t bring_in(int i, std::int64_t k) const {
    if (!is_circle(i)) return k;
    const std::int64_t above = (k - first[i]) % turn[i];
    return first[i] + above + (above < 0 ? turn[i] : 0);
  }

  /// Returns the same for an index one beyond an end at most.
  KOKKOS_INLINE_FUNCTION int bring_in_next(int i, int k) const {
    if (!is_circle(i)) return k;
    return k < first[i] ? k + turn[i] : k >= first[i] + turn[i] ? k - turn[i] : k;
  }

  /// Returns the key of the neighbour in direction d (2i: down, 2i+1: up axis i). Round a circle it
  /// is that of the cell at the other end.
  template <class Word>
  KOKKOS_INLINE_FUNCTION Word neighbour(Word key, int d) const {
    using Key = CellKey<D, Word>;
    const int i = d / 2, k = Key::index(key, i);
    const int next = bring_in_next(i, d & 1 ? k + 1 : k - 1);
    return key + (static_cast<Word>(static_cast<std::int64_t>(next) - k) << Key::shift(i));
  }

  KOKKOS_FORCEINLINE_FUNCTION double coordinate(int i, std::int64_t k) const {
    return compat::fma(spacing[i], static_cast<double>(k) + offset[i], origin[i]);
  }

  /// Returns the coordinate of the upper face of cells with index k along axis i. The sums are
  /// fused, and in this order, on every backend: velocities that vanish exactly on a face are
  /// common, and then the last bit decides which way a cell grows.
  KOKKOS_FORCEINLINE_FUNCTION double face_coordinate(int i, std::int64_t k) const {
    return compat::fma(spacing[i], static_cast<double>(k) + offset[i], 0.5 * spacing[i]) +
           origin[i];
  }

  /// Returns whether a point at this distance from the origin along axis i is in the window, and
  /// not at its end; round a circle every point is.
  KOKKOS_INLINE_FUNCTION bool is_inside(int i, double distance) const {
    if (is_circle(i)) return compat::is_finite(distance);
    return compat::math::fabs(distance / spacing[i] - offset[i]) <
           static_cast<double>(CellKey<D>::limit) - 1;
  }

  template <class Word>
  KOKKOS_INLINE_FUNCTION Vector<D> centre(Word key) const {
    return cell(key).x;
  }

  template <class Word>
  KOKKOS_FORCEINLINE_FUNCTION CellLocation<D> cell(Word key) const {
    CellLocation<D> location;
    TESSERA_UNROLL
    for (int i = 0; i < D; ++i) {
      location.k[i] = CellKey<D, Word>::index(key, i);
      location.x[i] = coordinate(i, location.k[i]);
    }
    return location;
  }
};

}  // namespace tessera::gbees

/// The smallest of no keys: the value with which a minimum begins.
template <>
struct Kokkos::reduction_identity<tessera::gbees::WideKey> {
  KOKKOS_FORCEINLINE_FUNCTION constexpr static tessera::gbees::WideKey min() {
    return ~tessera::gbees::WideKey(0);
  }
};
