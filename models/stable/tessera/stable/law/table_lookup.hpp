// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/math/elementary.hpp"

/// Piecewise polynomials whose panel and local coordinate are read from the bits of z = 1 + |x -
/// centre|/width: 2^bits panels an octave, two sides, no logarithm. A row of coefficients is 48
/// bytes, an odd multiple of 16, so that rows start at all banks of shared memory.

namespace tessera::stable::detail {

inline constexpr int kDegree = 5, kRow = kDegree + 1;

/// Panel (from 0) and local coordinate in [-1, 1) of z >= 1.
KOKKOS_FORCEINLINE_FUNCTION std::int64_t find_panel(double z, int bits, double& t) {
  const std::int64_t b = math::detail::bits(z);
  t = 2 * math::detail::from_bits(((b << bits) & 0xfffffffffffff) | 0x3ff0000000000000) - 3;
  return (b >> (52 - bits)) - (std::int64_t(1023) << bits);
}

/// z of a panel and local coordinate.
KOKKOS_INLINE_FUNCTION double panel_coordinate(int panel, int bits, double t) {
  const double octave = math::detail::from_bits(std::int64_t(1023 + (panel >> bits)) << 52);
  const double share = 1.0 / (1 << bits);
  return octave * (1 + share * ((panel & ((1 << bits) - 1)) + 0.5 * (t + 1)));
}

KOKKOS_FORCEINLINE_FUNCTION double polynomial(const double* row, double t) {
  using math::detail::multiply_add;
#if TESSERA_ON_GPU
  const double2* pairs = reinterpret_cast<const double2*>(row);
  const double2 a = pairs[0], b = pairs[1], c = pairs[2];
  double p = multiply_add(c.y, t, c.x);
  p = multiply_add(p, t, b.y);
  p = multiply_add(p, t, b.x);
  p = multiply_add(p, t, a.y);
  return multiply_add(p, t, a.x);
#else
  double p = row[kDegree];
  for (int k = kDegree - 1; k >= 0; --k) p = multiply_add(p, t, row[k]);
  return p;
#endif
}

/// Values at Chebyshev's nodes of [-1, 1] to powers of t.
struct Interpolation {
  double node[kRow];
  double power[kRow][kRow];  ///< power[k][j]: contribution of node j to t^k
};

inline Interpolation make_interpolation() {
  Interpolation in{};
  double chebyshev[kRow][kRow] = {};  // coefficients of T_k
  chebyshev[0][0] = 1;
  chebyshev[1][1] = 1;
  for (int k = 2; k < kRow; ++k) {
    for (int i = 0; i < kRow; ++i)
      chebyshev[k][i] = (i > 0 ? 2 * chebyshev[k - 1][i - 1] : 0) - chebyshev[k - 2][i];
  }
  for (int j = 0; j < kRow; ++j) {
    const double angle = 3.14159265358979323846 * (j + 0.5) / kRow;
    in.node[j] = std::cos(angle);
    for (int k = 0; k < kRow; ++k) {
      for (int i = 0; i < kRow; ++i)
        in.power[i][j] += chebyshev[k][i] * std::cos(k * angle) * (k == 0 ? 1.0 : 2.0) / kRow;
    }
  }
  return in;
}

/// Turns rows of node values into rows of coefficients.
struct FitRows {
  Interpolation in;
  double* rows;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t row) const {
    double value[kRow];
    for (int j = 0; j < kRow; ++j) value[j] = rows[kRow * row + j];
    for (int k = 0; k < kRow; ++k) {
      double sum = 0;
      for (int j = 0; j < kRow; ++j) sum += in.power[k][j] * value[j];
      rows[kRow * row + k] = sum;
    }
  }
};

}  // namespace tessera::stable::detail
