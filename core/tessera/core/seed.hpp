// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/random.hpp"

namespace tessera {

/// Random numbers of a stream of a seed. All 64 bits of the seed count: the key of Philox has 64
/// bits, of which the stream takes 32, so that two words of Philox itself stand for a seed of more
/// than 32 bits.
KOKKOS_INLINE_FUNCTION Philox seeded_philox(std::uint64_t seed, std::uint32_t stream) {
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  if (high == 0) return Philox(low, stream);
  const Philox::Bits bits = Philox(low, high).bits(stream, 0);
  return Philox(bits.word[0], bits.word[1]);
}

}  // namespace tessera
