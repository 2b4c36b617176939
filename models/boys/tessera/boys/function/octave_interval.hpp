// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/function/arithmetic.hpp"

namespace tessera::boys::detail {

/// An interval of a table: its number, from 0 on, and the place in it, -1 <= s <= 1.
struct OctaveInterval {
  int index;
  double s;
};

/// The interval of x >= 0 where each octave of x + shift has `parts` of equal width, a power of 2;
/// the first begins at x = 0. Its number are the leading bits of x + shift.
template <int shift, int parts>
TESSERA_FUNCTION OctaveInterval octave_interval(double x) {
  constexpr int mantissa = 52, bits = parts == 4 ? 2 : 3, kept = mantissa - bits;
  static_assert(parts == 1 << bits, "an octave has 4 or 8 intervals");
  constexpr std::int64_t width = std::int64_t(1) << kept, octave = std::int64_t(1) << mantissa;
  const std::int64_t place = to_bits(x + shift), first = to_bits(static_cast<double>(shift));
  const double middle = from_bits<double>((place & -width) | width / 2);
  // 2 / width, by its exponent
  const std::int64_t reciprocal = 2046 * octave - (place & -octave);
  const double scale = from_bits<double>(reciprocal + (bits + 1) * octave);
  return {static_cast<int>((place >> kept) - (first >> kept)), scale * (x - (middle - shift))};
}

}  // namespace tessera::boys::detail
