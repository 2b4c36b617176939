// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/compressible.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::io {

namespace {

using Histogram = std::array<std::uint32_t, 256>;

/// The entropy in bits a symbol.
double entropy(const Histogram& histogram, double total) {
  double bits = 0;
  for (const std::uint32_t count : histogram) {
    if (count > 0) bits -= count / total * std::log2(count / total);
  }
  return bits;
}

}  // namespace

bool is_compressible(const void* values, std::uint64_t size, std::size_t element_bytes) {
  constexpr std::uint64_t kWindows = 16, kWindow = 1024;
  constexpr double kMostOfByte = 0.8 * 8;
  const auto* bytes = static_cast<const unsigned char*>(values);
  if (size < kWindows * kWindow) return true;
  double bits = 0;
  for (std::size_t byte = 0; byte < element_bytes; ++byte) {
    Histogram of_values{}, of_steps{};
    for (std::uint64_t w = 0; w < kWindows; ++w) {
      const std::uint64_t first = (size - kWindow) / (kWindows - 1) * w;
      unsigned char before = bytes[first * element_bytes + byte];
      for (std::uint64_t i = first; i < first + kWindow; ++i) {
        const unsigned char now = bytes[i * element_bytes + byte];
        ++of_values[now];
        ++of_steps[static_cast<unsigned char>(now - before)];
        before = now;
      }
    }
    constexpr double kTotal = kWindows * kWindow;
    bits += std::min(entropy(of_values, kTotal), entropy(of_steps, kTotal));
  }
  return bits < kMostOfByte * static_cast<double>(element_bytes);
}

}  // namespace tessera::io
