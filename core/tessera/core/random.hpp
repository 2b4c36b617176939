// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Random123/philox.h>

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/math/elementary.hpp"

namespace tessera {

/// A counter-based random number generator: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC'11),
/// keyed by (seed, stream) and counted by (site, sweep). It has no state, so the numbers are the
/// same on every backend, for any number of threads and in any order of calls.
class Philox {
 public:
  struct Bits {
    std::uint32_t word[4];
  };

  KOKKOS_INLINE_FUNCTION constexpr Philox(std::uint32_t seed, std::uint32_t stream)
      : m_seed(seed), m_stream(stream) {}

  /// 128 random bits.
  KOKKOS_INLINE_FUNCTION Bits bits(std::uint64_t site, std::uint64_t sweep) const {
    const r123::Philox4x32::ctr_type counter{
        {static_cast<std::uint32_t>(site), static_cast<std::uint32_t>(site >> 32),
         static_cast<std::uint32_t>(sweep), static_cast<std::uint32_t>(sweep >> 32)}};
    const r123::Philox4x32::key_type key{{m_seed, m_stream}};
    const r123::Philox4x32::ctr_type out = r123::Philox4x32()(counter, key);
    return {{out.v[0], out.v[1], out.v[2], out.v[3]}};
  }

  /// A uniform number in the open interval (0, 1), an odd multiple of 2^-53, from word 2 * half and
  /// the next one (half: 0 or 1).
  KOKKOS_INLINE_FUNCTION static double uniform(const Bits& bits, int half) {
    const std::uint64_t word =
        (std::uint64_t(bits.word[2 * half]) << 32 | bits.word[2 * half + 1]) >> 12;
    return (static_cast<double>(word) + 0.5) * 0x1p-52;
  }

 private:
  std::uint32_t m_seed, m_stream;
};

/// Two independent normal numbers from 128 random bits (Box and Muller).
struct NormalPair {
  double first, second;
  KOKKOS_FORCEINLINE_FUNCTION explicit NormalPair(const Philox::Bits& bits)
      : NormalPair(Philox::uniform(bits, 0), Philox::uniform(bits, 1)) {}
  /// Makes two normal numbers of two uniform numbers in (0, 1). Loops over it vectorise.
  KOKKOS_FORCEINLINE_FUNCTION NormalPair(double u, double v) {
    const double radius = compat::math::sqrt(-2 * math::logarithm(u));
    double sine, cosine;
    math::sine_cosine(6.283185307179586 * v, sine, cosine);
    first = radius * cosine;
    second = radius * sine;
  }
};

/// A faster generator for Monte Carlo updates that take two numbers each: Philox2x32 with 7 rounds,
/// the fewest that pass TestU01's BigCrush (the same paper), keyed by 32 bits made from (seed,
/// stream).
class PhiloxPair {
 public:
  struct Bits {
    std::uint32_t word[2];
  };

  KOKKOS_INLINE_FUNCTION constexpr explicit PhiloxPair(std::uint32_t key) : m_key(key) {}

  /// A key for a stream of a seed: a word of Philox itself, so that neighbouring streams have
  /// nothing in common.
  static std::uint32_t key(std::uint64_t seed, std::uint64_t stream) {
    return Philox(static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32))
        .bits(stream, 0)
        .word[0];
  }

  /// 64 random bits: r123::Philox2x32_R<7>, written out so that a GPU needs one wide multiplication
  /// per round and CPUs vectorise it.
  KOKKOS_FORCEINLINE_FUNCTION Bits bits(std::uint32_t site, std::uint32_t sweep) const {
    std::uint32_t left = site, right = sweep, key = m_key;
    for (int round = 0; round < 7; ++round) {
      const std::uint64_t product = std::uint64_t(0xD256D193u) * left;
      left = static_cast<std::uint32_t>(product >> 32) ^ key ^ right;
      right = static_cast<std::uint32_t>(product);
      key += 0x9E3779B9u;
    }
    return {{left, right}};
  }

  /// A uniform number in [0, 1), a multiple of 2^-32 (double) or 2^-23 (float).
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION static Real uniform(std::uint32_t word) {
    if constexpr (sizeof(Real) == 4) {
      return compat::fraction_of_23_bits(word >> 9);
    } else {
      return static_cast<Real>(word) * Real(0x1p-32);
    }
  }

 private:
  std::uint32_t m_key;
};

}  // namespace tessera
