// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace tessera::test {

/// The keys of a block of `side`^3 cells: neighbours differ in few bits.
struct BlockKey {
  std::uint64_t side;
  KOKKOS_INLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return (i % side) << 42 | (i / side % side) << 21 | i / (side * side);
  }
};

}  // namespace tessera::test
