// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "tessera/core/error.hpp"

namespace tessera {

/// The dimension of a quantity: its exponents of length, time and mass. Angles are numbers.
struct Dimension {
  double length = 0, time = 0, mass = 0;

  friend bool operator==(const Dimension& a, const Dimension& b);
  friend Dimension operator*(const Dimension& a, const Dimension& b) {
    return {a.length + b.length, a.time + b.time, a.mass + b.mass};
  }
  friend Dimension operator/(const Dimension& a, const Dimension& b) {
    return {a.length - b.length, a.time - b.time, a.mass - b.mass};
  }
  Dimension to_the(double power) const { return {power * length, power * time, power * mass}; }
  bool is_number() const { return *this == Dimension(); }
};

/// Describes a dimension in words: "length^3/time^2", or "a number" where there is none.
std::string describe(const Dimension& dimension);

/// A unit such as km/s: its size in metres, seconds and kilograms, and its dimension.
struct Unit {
  double size = 1;
  Dimension dimension;
};

/// A text that is no unit: what is wrong and the offset of the character where.
class UnitError : public Error {
 public:
  UnitError(const std::string& what, std::size_t offset)
      : Error(ErrorKind::input, what), m_offset(offset) {}
  std::size_t offset() const noexcept { return m_offset; }

 private:
  std::size_t m_offset;
};

/// Reads a unit: names joined by blanks, * and /, each with a whole power: "km^3/s^2", "km3 s-2",
/// "N/m^2". Each name after a / divides.
///
/// Lengths m km cm mm au, times s min h d (or day) yr (of 365.25 days), masses kg g t, and N Pa W J
/// Hz rad deg arcmin arcsec; 1 is the number one. The astronomical unit is that of IAU resolution
/// B2 (2012), 149597870700 m. Throws UnitError; for an unknown name it suggests the nearest one.
Unit parse_unit(const std::string& text);

}  // namespace tessera
