// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/step/step_context.hpp"

namespace tessera::gbees::detail {

/// Adds each cell to the bins of the joint marginal along some axes, the last of them fastest, in
/// units of 2^-62 so that the order does not matter.
template <class Context>
struct BinJointly {
  static constexpr const char* label = "tessera::gbees::joint_marginal";
  static constexpr double kUnits = 0x1p62;
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  int count;                         ///< of the axes
  int axis[Context::D];              ///< their numbers
  int low[Context::D];               ///< first index along each of them
  std::uint64_t length[Context::D];  ///< number of indices
  typename Context::template Array<std::uint64_t*> bins;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    const double p = view.mass[c] * view.scale;
    if (!(p > 0)) return;
    const auto key = s.key(c);
    std::uint64_t bin = 0;
    for (int a = 0; a < count; ++a)
      bin =
          bin * length[a] + static_cast<std::uint64_t>(Context::Key::index(key, axis[a]) - low[a]);
    Kokkos::atomic_fetch_add(&bins(bin), static_cast<std::uint64_t>(p * kUnits));
  }
};

}  // namespace tessera::gbees::detail
