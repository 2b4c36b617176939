// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace tessera::io {

/// Converts a number that was read from a file: true, and `to` set, when T holds the value.
///
/// Between integers, from integers to floating point and from floating point to integers the value
/// must stay the same; between floating-point types it is rounded and only has to be in range (NaN
/// and infinities pass).
template <class T, class S>
bool checked_cast(S from, T& to) {
  static_assert(std::is_arithmetic_v<T> && std::is_arithmetic_v<S> && !std::is_same_v<S, bool>);
  if constexpr (std::is_same_v<T, S>) {
    to = from;
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    to = from != S(0);
    return from == S(0) || from == S(1);
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<S>) {
    to = static_cast<T>(from);
    return std::in_range<T>(from);
  } else if constexpr (std::is_integral_v<T>) {
    // max + 1, a power of two and so exact
    const S limit = std::ldexp(S(1), std::numeric_limits<T>::digits);
    if (!(from < limit && from >= (std::is_signed_v<T> ? -limit : S(0)) &&
          from == std::trunc(from)))
      return false;
    to = static_cast<T>(from);
    return true;
  } else if constexpr (std::is_integral_v<S>) {
    to = static_cast<T>(from);
    S back{};
    return checked_cast(to, back) && back == from;
  } else {
    to = static_cast<T>(from);
    return std::isfinite(to) || !std::isfinite(from);
  }
}

/// The name a user knows a type by, for messages.
template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? "float32" : "float64";
  } else if constexpr (std::is_signed_v<T>) {
    return sizeof(T) == 1 ? "int8" : sizeof(T) == 2 ? "int16" : sizeof(T) == 4 ? "int32" : "int64";
  } else {
    return sizeof(T) == 1   ? "uint8"
           : sizeof(T) == 2 ? "uint16"
           : sizeof(T) == 4 ? "uint32"
                            : "uint64";
  }
}

}  // namespace tessera::io
