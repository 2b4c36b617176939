// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

namespace tessera::io {

/// A RasterPlace says where the columns and rows of an image lie.
struct RasterPlace {
  /// X = t0 + column t1 + row t2, y = t3 + column t4 + row t5, at corners of pixels
  std::array<double, 6> transform{0, 1, 0, 0, 0, 1};
  std::string projection;  ///< well-known text; may be empty
};

}  // namespace tessera::io
