// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/bessel/matern/matern_function.hpp"

namespace tessera::bessel::detail {

/// Values that a CPU takes at a time.
inline constexpr int kMaternBlock = 64;

/// True where it pays to take one value per SIMD lane, whose coefficients are then gathered: with
/// the AVX-512 of Intel's processors. AMD's gather slowly, and narrower registers hold too few
/// values. (`bessel/matern` of tessera-bench.)
#if defined(__AVX512F__) && !defined(__znver1__) && !defined(__znver2__) && \
    !defined(__znver3__) && !defined(__znver4__) && !defined(__znver5__)
inline constexpr bool kGathersPay = true;
#else
inline constexpr bool kGathersPay = false;
#endif

/// m[i] = M(sqrt(s[i])) for i < count, one by one; what the polynomials in s do not cover comes
/// from `other(i)`.
template <class Other>
inline void matern_in_turn(const MaternFunction& function, const double* s, double* m, int count,
                           const Other& other) {
  const auto intervals = static_cast<std::uint32_t>(function.shape.near_intervals);
  for (int i = 0; i < count; ++i) {
    const std::uint32_t interval = Near::interval(s[i]);
    m[i] = interval < intervals ? function.value_polynomials.value(interval, Near::local(s[i]))
                                : other(i);
  }
}

/// Does the same for count <= kMaternBlock, one value per SIMD lane where that pays, with the same
/// bits.
template <class Other>
inline void matern_block(const MaternFunction& function, const double* s, double* m, int count,
                         const Other& other) {
  if (!kGathersPay) return matern_in_turn(function, s, m, count, other);
  const double* const c = function.value_polynomials.data;
  const float* const tail = reinterpret_cast<const float*>(
      c + 6 * static_cast<std::size_t>(function.value_polynomials.stride));
  const std::int64_t stride = 2 * static_cast<std::int64_t>(function.value_polynomials.stride);
  const std::int64_t last = function.shape.near_intervals - 1;
  std::int64_t outside = 0;
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) {
    const std::int64_t wanted =
        static_cast<std::int64_t>(to_bits(s[i]) >> 48) - (1023 + kFirstExponent) * Near::per_binade;
    const bool is_outside = wanted < 0 || wanted > last;
    const std::int64_t interval = is_outside ? 0 : wanted, p = 2 * interval;
    outside += is_outside;
    const double z = Near::local(s[i]);
    const float t = static_cast<float>(z);
    const float small =
        ((tail[2 * p + 3] * t + tail[2 * p + 2]) * t + tail[2 * p + 1]) * t + tail[2 * p];
    double sum = compat::fma(static_cast<double>(small), z, c[p + 2 * stride + 1]);
    sum = compat::fma(sum, z, c[p + 2 * stride]);
    sum = compat::fma(sum, z, c[p + stride + 1]);
    sum = compat::fma(sum, z, c[p + stride]);
    sum = compat::fma(sum, z, c[p + 1]);
    m[i] = compat::fma(sum, z, c[p]);
  }
  if (outside == 0) return;
  for (int i = 0; i < count; ++i) {
    if (Near::interval(s[i]) > static_cast<std::uint32_t>(last)) m[i] = other(i);
  }
}

}  // namespace tessera::bessel::detail
