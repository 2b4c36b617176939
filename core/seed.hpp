// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/random.hpp"

namespace tessera {

/// Random numbers of a stream (below 65536) of a seed. All 64 bits of the seed count.
inline Philox seeded_philox(std::uint64_t seed, std::uint32_t stream) {
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  if (seed >> 48 == 0) return Philox(low, high * 65536u + stream);
  // The key has 64 bits, of which the stream takes 16: two words of Philox itself stand for a larger seed.
  const Philox::Bits bits = Philox(low, high).bits(stream, 0);
  return Philox(bits.word[0], bits.word[1]);
}

}  // namespace tessera
