// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/detail/step_context.hpp"

namespace tessera::gbees::detail {

/// Adds each cell to the bins of the joint marginal along two axes, in units of 2^-62 so that the order does not matter.
template <class Context>
struct BinPair {
  static constexpr const char* label = "tessera::gbees::marginal_pair";
  static constexpr double kUnits = 0x1p62;
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  int first, second, low_first, low_second;
  std::uint64_t stride;
  typename Context::template Array<std::uint64_t*> bins;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    const double p = view.mass[c] * view.scale;
    if (!(p > 0)) return;
    const std::uint64_t key = s.key(c);
    const auto row = static_cast<std::uint64_t>(Context::Key::index(key, first) - low_first);
    const auto column = static_cast<std::uint64_t>(Context::Key::index(key, second) - low_second);
    Kokkos::atomic_fetch_add(&bins(row * stride + column), static_cast<std::uint64_t>(p * kUnits));
  }
};

}  // namespace tessera::gbees::detail
