// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/expression/instruction.hpp"

namespace tessera::expression {

/// Numbers that a processor computes with at a time, one for each of several places.
inline constexpr int kLanes = 8;

namespace detail {

/// The operands may be the result.
template <class Function>
KOKKOS_INLINE_FUNCTION void for_each_lane(double* result, const Function& function) {
#pragma omp simd
  for (int i = 0; i < kLanes; ++i) result[i] = function(i);
}

}  // namespace detail

/// The values of one operation at several places, bit for bit those of `apply`. Functions of the
/// library are called for the first N places only.
template <int N>
KOKKOS_INLINE_FUNCTION void apply_to_lanes(Op op, const double* a, const double* b,
                                           const Tables& tables, double* result) {
  static_assert(N <= kLanes);
  const auto each = [&](const auto& function) { detail::for_each_lane(result, function); };
  switch (op) {
    case Op::copy:
      return each([&](int i) { return a[i]; });
    case Op::add:
      return each([&](int i) { return a[i] + b[i]; });
    case Op::subtract:
      return each([&](int i) { return a[i] - b[i]; });
    case Op::multiply:
      return each([&](int i) { return a[i] * b[i]; });
    case Op::divide:
      return each([&](int i) { return a[i] / b[i]; });
    case Op::negate:
      return each([&](int i) { return -a[i]; });
    case Op::absolute:
      return each([&](int i) { return compat::math::fabs(a[i]); });
    case Op::square_root:
      return each([&](int i) { return compat::math::sqrt(a[i]); });
    default:
      for (int i = 0; i < N; ++i) result[i] = apply(op, a[i], b[i], tables);
  }
}

}  // namespace tessera::expression
