// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::mpr::detail {

/// The numbers of one site for W systems of equations that are solved together: on a CPU a vector
/// register or two.
template <class Real, int W>
struct alignas(W * sizeof(Real) < 64 ? W * sizeof(Real) : 64) Columns {
  Real v[W] = {};

  KOKKOS_FORCEINLINE_FUNCTION Columns& operator+=(const Columns& other) {
    for (int w = 0; w < W; ++w) v[w] += other.v[w];
    return *this;
  }
  KOKKOS_FORCEINLINE_FUNCTION Columns& operator-=(const Columns& other) {
    for (int w = 0; w < W; ++w) v[w] -= other.v[w];
    return *this;
  }
  KOKKOS_FORCEINLINE_FUNCTION Columns& operator*=(Real factor) {
    for (int w = 0; w < W; ++w) v[w] *= factor;
    return *this;
  }
  /// Adds factor * other.
  KOKKOS_FORCEINLINE_FUNCTION void add(Real factor, const Columns& other) {
    for (int w = 0; w < W; ++w) v[w] += factor * other.v[w];
  }
};

template <class Real, int W>
KOKKOS_FORCEINLINE_FUNCTION Columns<Real, W> operator+(Columns<Real, W> a,
                                                       const Columns<Real, W>& b) {
  return a += b;
}

template <class Real, int W>
KOKKOS_FORCEINLINE_FUNCTION Columns<Real, W> operator-(Columns<Real, W> a,
                                                       const Columns<Real, W>& b) {
  return a -= b;
}

template <class Real, int W>
KOKKOS_FORCEINLINE_FUNCTION Columns<Real, W> operator*(Real factor, Columns<Real, W> a) {
  return a *= factor;
}

}  // namespace tessera::mpr::detail
