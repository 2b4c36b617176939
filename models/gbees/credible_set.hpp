// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tessera::gbees {

/// The smallest set of cells that holds a share of the density.
struct CredibleSet {
  double threshold = 0;     ///< probability of its least probable cell
  std::uint64_t cells = 0;  ///< those that are at least as probable
  double volume = 0;
  double mass = 0;  ///< share of the density on the grid that they hold, `level` or a little more
};

}  // namespace tessera::gbees
