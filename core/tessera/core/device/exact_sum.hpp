// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera {

/// A sum of doubles whose bits do not depend on the order of the terms, hence not on threads,
/// scheduling or backend.
///
/// The sum is held as a 128-bit fixed-point number with 80 fractional bits. Each term is truncated
/// to a multiple of 2^-79 (1.7e-24), after which the additions are exact. Domain: |term| < 2^46 and
/// |sum| < 2^47 (1.4e14), not checked; terms must be finite. Error: at most 2^-79 a term, plus one
/// ulp in value().
class ExactSum {
 public:
  constexpr ExactSum() = default;

  KOKKOS_INLINE_FUNCTION void add(double term) {
    const bool negative = term < 0;
    // the high word counts units of 2^-16
    const double scaled = (negative ? -term : term) * 0x1p16;
    const std::int64_t whole = static_cast<std::int64_t>(scaled);
    const double rest = scaled - static_cast<double>(whole);  // exact, in [0, 1)
    std::uint64_t high = static_cast<std::uint64_t>(whole);
    std::uint64_t low = static_cast<std::uint64_t>(static_cast<std::int64_t>(rest * 0x1p63)) << 1;
    if (negative) negate(high, low);
    add_words(high, low);
  }

  /// Adds `count` terms that lie next to each other; the same value as adding them one by one, but
  /// for one unit of 2^-79 a term. On a CPU several at a time. Terms are double or float. Domain:
  /// |term| <= 256.
  template <class Real>
  KOKKOS_INLINE_FUNCTION void add_array(const Real* terms, std::uint32_t count) {
#if TESSERA_ON_GPU
    for (std::uint32_t i = 0; i < count; ++i) add(terms[i]);
#else
    // Adding and taking away a large number rounds a term to a multiple of a power of two: 2^-36,
    // and what remains to 2^-79. The sums of 512 such multiples are exact in double precision, in
    // any order.
    constexpr double kCoarse = 0x1.8p16, kFine = 0x1.8p-27;
    constexpr std::uint32_t kBlock = 512;
    for (std::uint32_t begin = 0; begin < count; begin += kBlock) {
      const std::uint32_t end = begin + kBlock < count ? begin + kBlock : count;
      double coarse = 0, fine = 0;
#pragma omp simd reduction(+ : coarse, fine)
      for (std::uint32_t i = begin; i < end; ++i) {
        const double term = terms[i], high = (term + kCoarse) - kCoarse;
        coarse += high;
        fine += ((term - high) + kFine) - kFine;
      }
      add(coarse);
      add(fine);
    }
#endif
  }

  KOKKOS_INLINE_FUNCTION ExactSum& operator+=(const ExactSum& other) {
    add_words(other.m_high, other.m_low);
    return *this;
  }

  /// Adds this sum to one that other threads add to at the same time. See SharedExactSum too.
  KOKKOS_INLINE_FUNCTION void add_to_shared(ExactSum& total) const {
    const std::uint64_t before = Kokkos::atomic_fetch_add(&total.m_low, m_low);
    Kokkos::atomic_fetch_add(&total.m_high, m_high + (before + m_low < before ? 1 : 0));
  }

  /// The sum as a double.
  KOKKOS_INLINE_FUNCTION double value() const {
    std::uint64_t high = m_high, low = m_low;
    const bool negative = static_cast<std::int64_t>(high) < 0;
    if (negative) negate(high, low);
    const double magnitude =
        static_cast<double>(high) * 0x1p-16 + static_cast<double>(low) * 0x1p-80;
    return negative ? -magnitude : magnitude;
  }

 private:
  friend class SharedExactSum;
  friend class TeamExactSum;

  KOKKOS_INLINE_FUNCTION static void negate(std::uint64_t& high, std::uint64_t& low) {
    low = ~low + 1;
    high = ~high + (low == 0 ? 1 : 0);
  }

  KOKKOS_INLINE_FUNCTION void add_words(std::uint64_t high, std::uint64_t low) {
    m_low += low;
    m_high += high + (m_low < low ? 1 : 0);
  }

  std::uint64_t m_high = 0;  // two's complement
  std::uint64_t m_low = 0;
};

/// A sum that up to 2^32 sums are added to at the same time, without waiting for an answer: four
/// words of 32 bits, each with room for what is carried.
class SharedExactSum {
 public:
  KOKKOS_INLINE_FUNCTION void add(const ExactSum& sum) {
    constexpr std::uint64_t kWord = 0xffffffffu;
    Kokkos::atomic_add(&m_word[0], sum.m_low & kWord);
    Kokkos::atomic_add(&m_word[1], sum.m_low >> 32);
    Kokkos::atomic_add(&m_word[2], sum.m_high & kWord);
    Kokkos::atomic_add(&m_word[3], sum.m_high >> 32);
  }

  KOKKOS_INLINE_FUNCTION ExactSum total() const {
    ExactSum sum;
    sum.m_low = m_word[0];
    sum.add_words(0, m_word[1] << 32);
    sum.add_words((m_word[1] >> 32) + m_word[2] + (m_word[3] << 32), 0);
    return sum;
  }

 private:
  std::uint64_t m_word[4] = {};
};

/// A sum that the threads of a GPU's team, 1024 at most, add to in their scratch memory: six words,
/// each with room for what is carried.
class TeamExactSum {
 public:
  /// All threads of a warp come to this together.
  KOKKOS_INLINE_FUNCTION void add(const ExactSum& sum) {
    TESSERA_UNROLL
    for (int i = 0; i < kWords; ++i) {
      const int at = kBits * i;
      const std::uint64_t bits =
          at < 64 ? (sum.m_low >> at) | (at > 64 - kBits ? sum.m_high << (64 - at) : 0)
                  : sum.m_high >> (at - 64);
      compat::warp_add(&m_word[i], static_cast<std::uint32_t>(bits & kMask));
    }
  }

  KOKKOS_INLINE_FUNCTION ExactSum total() const {
    ExactSum sum;
    TESSERA_UNROLL
    for (int i = 0; i < kWords; ++i) {
      const int at = kBits * i;
      const std::uint64_t word = m_word[i];
      if (at < 64) {
        sum.add_words(at > 32 ? word >> (64 - at) : 0, word << at);
      } else {
        sum.add_words(word << (at - 64), 0);
      }
    }
    return sum;
  }

 private:
  static constexpr int kBits = 22, kWords = 6;
  static constexpr std::uint64_t kMask = (std::uint64_t(1) << kBits) - 1;
  std::uint32_t m_word[kWords] = {};
};

}  // namespace tessera
