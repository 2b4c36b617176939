// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/core/device/kokkos_compat.hpp"

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

  KOKKOS_INLINE_FUNCTION static constexpr int index(Word key, int i) {
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
template <int D>
struct Grid {
  Vector<D> origin;
  Vector<D> spacing;
  Vector<D> offset{};  ///< whole numbers, below 2^53

  KOKKOS_INLINE_FUNCTION double coordinate(int i, std::int64_t k) const {
    return compat::fma(spacing[i], static_cast<double>(k) + offset[i], origin[i]);
  }

  /// Returns the coordinate of the upper face of cells with index k along axis i. The sums are
  /// fused, and in this order, on every backend: velocities that vanish exactly on a face are
  /// common, and then the last bit decides which way a cell grows.
  KOKKOS_INLINE_FUNCTION double face_coordinate(int i, std::int64_t k) const {
    return compat::fma(spacing[i], static_cast<double>(k) + offset[i], 0.5 * spacing[i]) +
           origin[i];
  }

  /// Returns whether a point at this distance from the origin along axis i is in the window, and
  /// not at its end.
  KOKKOS_INLINE_FUNCTION bool is_inside(int i, double distance) const {
    return compat::math::fabs(distance / spacing[i] - offset[i]) <
           static_cast<double>(CellKey<D>::limit) - 1;
  }

  template <class Word>
  KOKKOS_INLINE_FUNCTION Vector<D> centre(Word key) const {
    return cell(key).x;
  }

  template <class Word>
  KOKKOS_INLINE_FUNCTION CellLocation<D> cell(Word key) const {
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
