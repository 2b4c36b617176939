// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace tessera::io {

/// Some columns and rows of an image.
struct Box {
  int x0 = 0, y0 = 0, nx = 0, ny = 0;
  std::size_t size() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny); }
};

}  // namespace tessera::io
