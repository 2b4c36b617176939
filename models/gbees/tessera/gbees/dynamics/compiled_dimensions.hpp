// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The numbers of variables for which the library tessera::gbees holds compiled dynamics: bit d - 1
/// of TESSERA_GBEES_DIMENSIONS stands for d variables. CMake makes it of its option of that name.
/// Without it, these are all of 1 to 8.
#ifndef TESSERA_GBEES_DIMENSIONS
#define TESSERA_GBEES_DIMENSIONS 255
#endif
#define TESSERA_GBEES_HAS(dimension) ((TESSERA_GBEES_DIMENSIONS >> ((dimension)-1)) & 1)

namespace tessera::gbees {

constexpr bool has_dimension(int dimension) { return TESSERA_GBEES_HAS(dimension) != 0; }

}  // namespace tessera::gbees
