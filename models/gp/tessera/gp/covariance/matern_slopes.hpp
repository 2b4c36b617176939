// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/bessel/matern/matern_function.hpp"

namespace tessera::gp::detail {

/// u dM/du and dM/dnu at u = sqrt(s[i]), one value per SIMD lane of a CPU; those that the
/// polynomials in s do not cover follow one by one.
inline void matern_slopes(const bessel::MaternFunction& function, const double* s, double* u_dm_du,
                          double* dm_dnu, int count) {
  namespace detail = bessel::detail;
  const double *const c = function.value_polynomials.data, *const o =
                                                               function.order_polynomials.data;
  const std::int64_t intervals = function.value_polynomials.stride, stride = 2 * intervals;
  const float *const tail = reinterpret_cast<const float*>(c + 6 * intervals),
                     *const order_tail = reinterpret_cast<const float*>(o + 6 * intervals);
  const std::int64_t last = function.shape.near_intervals - 1;
  std::int64_t outside = 0;
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) {
    const std::int64_t wanted = static_cast<std::int64_t>(detail::to_bits(s[i]) >> 48) -
                                (1023 + detail::kFirstExponent) * detail::Near::per_binade;
    const bool is_outside = wanted < 0 || wanted > last;
    const std::int64_t p = 2 * (is_outside ? 0 : wanted);
    outside += is_outside;
    const double z = detail::Near::local(s[i]);
    const float t = static_cast<float>(z);
    // c_1 + 2 c_2 z + ... + 9 c_9 z^8
    const float high =
        ((9 * tail[2 * p + 3] * t + 8 * tail[2 * p + 2]) * t + 7 * tail[2 * p + 1]) * t +
        6 * tail[2 * p];
    double slope = compat::multiply_add(static_cast<double>(high), z, 5 * c[p + 2 * stride + 1]);
    slope = compat::multiply_add(slope, z, 4 * c[p + 2 * stride]);
    slope = compat::multiply_add(slope, z, 3 * c[p + stride + 1]);
    slope = compat::multiply_add(slope, z, 2 * c[p + stride]);
    slope = compat::multiply_add(slope, z, c[p + 1]);
    const double mantissa = detail::from_bits<double>(
        (detail::to_bits(s[i]) & 0x000FFFFFFFFFFFFFull) | 0x3FF0000000000000ull);
    u_dm_du[i] = slope * mantissa * (4.0 * detail::Near::per_binade);
    const float small =
        ((order_tail[2 * p + 3] * t + order_tail[2 * p + 2]) * t + order_tail[2 * p + 1]) * t +
        order_tail[2 * p];
    double sum = compat::multiply_add(static_cast<double>(small), z, o[p + 2 * stride + 1]);
    sum = compat::multiply_add(sum, z, o[p + 2 * stride]);
    sum = compat::multiply_add(sum, z, o[p + stride + 1]);
    sum = compat::multiply_add(sum, z, o[p + stride]);
    sum = compat::multiply_add(sum, z, o[p + 1]);
    dm_dnu[i] = compat::multiply_add(sum, z, o[p]);
  }
  if (outside == 0) return;
  for (int i = 0; i < count; ++i) {
    if (detail::Near::interval(s[i]) <= static_cast<std::uint32_t>(last)) continue;
    const bessel::MaternJet jet = function.jet_at_square(s[i]);
    u_dm_du[i] = 2 * jet.s_dm_ds;
    dm_dnu[i] = jet.dm_dnu;
  }
}

}  // namespace tessera::gp::detail
