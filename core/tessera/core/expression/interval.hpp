// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "tessera/core/expression/instruction.hpp"

namespace tessera::expression {

/// The values of an expression over a box of its inputs: all of them lie between `low` and `high`,
/// to rounding, and at some places there may be none (the root of a negative number). Without any
/// value both bounds are NaN.
struct Interval {
  double low = 0, high = 0;
  bool may_fail = false;  ///< whether the value may be no number somewhere in the box

  KOKKOS_INLINE_FUNCTION static Interval point(double value) {
    return {value, value, !(value == value)};
  }
  KOKKOS_INLINE_FUNCTION static Interval unknown(bool may_fail) {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
            may_fail};
  }
  KOKKOS_INLINE_FUNCTION static Interval nothing() {
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {none, none, true};
  }

  KOKKOS_INLINE_FUNCTION bool is_nothing() const { return !(low == low); }
  KOKKOS_INLINE_FUNCTION bool is_point() const { return low == high && !may_fail; }
  KOKKOS_INLINE_FUNCTION bool contains(double value) const { return low <= value && value <= high; }
};

/// Operations on intervals, one function a group of operations.
struct IntervalOperations {
  /// Op::multiply. `same`: both operands are one number, whose square it is.
  KOKKOS_INLINE_FUNCTION static Interval multiply(const Interval& a, const Interval& b, bool same) {
    if (a.is_nothing() || b.is_nothing()) return Interval::nothing();
    if (same) return square(a);
    Interval result{product(a.low, b.low), product(a.low, b.low), a.may_fail || b.may_fail};
    extend(result, product(a.low, b.high));
    extend(result, product(a.high, b.low));
    extend(result, product(a.high, b.high));
    result.may_fail |= (is_infinite(a) && b.contains(0)) || (is_infinite(b) && a.contains(0));
    return result;
  }

  /// Op::divide.
  KOKKOS_INLINE_FUNCTION static Interval divide(const Interval& a, const Interval& b) {
    if (a.is_nothing() || b.is_nothing()) return Interval::nothing();
    const bool fails = a.may_fail || b.may_fail || (a.contains(0) && b.contains(0)) ||
                       (is_infinite(a) && is_infinite(b));
    if (b.low > 0 || b.high < 0) {
      Interval result{quotient(a.low, b.low), quotient(a.low, b.low), fails};
      extend(result, quotient(a.low, b.high));
      extend(result, quotient(a.high, b.low));
      extend(result, quotient(a.high, b.high));
      return result;
    }
    return Interval::unknown(fails);
  }

  /// Op::power.
  KOKKOS_INLINE_FUNCTION static Interval power(const Interval& a, const Interval& b) {
    if (a.is_nothing() || b.is_nothing()) return Interval::nothing();
    const bool fails = a.may_fail || b.may_fail;
    if (a.low >= 0) {
      Interval result = corners(Op::power, a, b);
      result.may_fail = fails;
      return result;
    }
    const bool is_whole = b.is_point() && b.low == compat::math::floor(b.low);
    if (!is_whole) {
      if (a.high < 0) return b.is_point() ? Interval::nothing() : Interval::unknown(true);
      Interval result = corners(Op::power, {0, a.high, false}, b);
      result.may_fail = true;
      return b.is_point() ? result : Interval::unknown(true);
    }
    if (b.low < 0 && a.contains(0)) return Interval::unknown(fails);
    Interval result = corners(Op::power, a, b);  // monotone but for an even power about zero
    result.may_fail = fails;
    if (a.contains(0) && b.low != 0) extend(result, 0);
    return result;
  }

  /// Op::arctangent2 of y and x: the greatest and the least angle are those of corners, but where
  /// the box meets the negative half of the first axis.
  KOKKOS_INLINE_FUNCTION static Interval arctangent2(const Interval& y, const Interval& x) {
    if (y.is_nothing() || x.is_nothing()) return Interval::nothing();
    const bool is_cut = x.low <= 0 && y.contains(0);
    Interval result = is_cut ? Interval{-kPi, kPi, false} : corners(Op::arctangent2, y, x);
    result.may_fail = y.may_fail || x.may_fail;
    return result;
  }

  /// Op::hypotenuse.
  KOKKOS_INLINE_FUNCTION static Interval hypotenuse(const Interval& a, const Interval& b) {
    return corners(Op::hypotenuse, absolute(a), absolute(b));
  }

  /// Op::minimum and Op::maximum, which take the other operand where one is no number.
  KOKKOS_INLINE_FUNCTION static Interval extreme(Op op, const Interval& a, const Interval& b) {
    if (a.is_nothing() || b.is_nothing()) return Interval::unknown(true);
    if (a.may_fail || b.may_fail)
      return {compat::min(a.low, b.low), compat::max(a.high, b.high), true};
    return {apply(op, a.low, b.low), apply(op, a.high, b.high), false};
  }

  /// Op::less and Op::less_equal: 1 and 0 where a side may be no number.
  KOKKOS_INLINE_FUNCTION static Interval compare(Op op, const Interval& a, const Interval& b) {
    const bool is_sure = !a.may_fail && !b.may_fail && apply(op, a.high, b.low) != 0;
    const bool is_possible = apply(op, a.low, b.high) != 0;
    return {is_sure ? 1.0 : 0.0, is_possible ? 1.0 : 0.0, false};
  }

  KOKKOS_INLINE_FUNCTION static Interval absolute(const Interval& a) {
    const double low = compat::math::fabs(a.low), high = compat::math::fabs(a.high);
    return {a.contains(0) ? 0 : compat::min(low, high), compat::max(low, high), a.may_fail};
  }

  /// A function that rises everywhere between two places, beyond which it has no value.
  KOKKOS_INLINE_FUNCTION static Interval rising(Op op, const Interval& a, double from, double to) {
    if (a.is_nothing() || a.high < from || a.low > to) return Interval::nothing();
    const bool fails = a.may_fail || a.low < from || a.high > to;
    return {apply(op, compat::max(a.low, from), 0), apply(op, compat::min(a.high, to), 0), fails};
  }

  /// Op::arccosine, which falls.
  KOKKOS_INLINE_FUNCTION static Interval arccosine(const Interval& a) {
    if (a.is_nothing() || a.high < -1 || a.low > 1) return Interval::nothing();
    return {apply(Op::arccosine, compat::min(a.high, 1.0), 0),
            apply(Op::arccosine, compat::max(a.low, -1.0), 0),
            a.may_fail || a.low < -1 || a.high > 1};
  }

  /// Op::sine, and Op::cosine, whose first peak lies a quarter of a turn earlier.
  KOKKOS_INLINE_FUNCTION static Interval wave(Op op, const Interval& a) {
    if (a.is_nothing()) return Interval::nothing();
    if (is_infinite(a)) return {-1, 1, true};
    const double first = op == Op::sine ? 0.5 * kPi : 0.0;
    const double at_low = apply(op, a.low, 0), at_high = apply(op, a.high, 0);
    return {meets(a, first + kPi, 2 * kPi) ? -1 : compat::min(at_low, at_high),
            meets(a, first, 2 * kPi) ? 1 : compat::max(at_low, at_high), a.may_fail};
  }

  KOKKOS_INLINE_FUNCTION static Interval tangent(const Interval& a) {
    if (a.is_nothing()) return Interval::nothing();
    if (is_infinite(a)) return Interval::unknown(true);
    if (meets(a, 0.5 * kPi, kPi)) return Interval::unknown(a.may_fail);
    return rising(Op::tangent, a, a.low, a.high);
  }

 private:
  static constexpr double kPi = 3.14159265358979323846;

  KOKKOS_INLINE_FUNCTION static bool is_infinite(const Interval& a) {
    return !compat::is_finite(a.low) || !compat::is_finite(a.high);
  }

  KOKKOS_INLINE_FUNCTION static void extend(Interval& interval, double value) {
    interval.low = compat::min(interval.low, value);
    interval.high = compat::max(interval.high, value);
  }

  /// An end of an interval that is infinite stands for large numbers: zero times these is zero.
  KOKKOS_INLINE_FUNCTION static double product(double a, double b) {
    return a == 0 || b == 0 ? 0 : a * b;
  }
  KOKKOS_INLINE_FUNCTION static double quotient(double a, double b) {
    return a == 0 || !compat::is_finite(b) ? (compat::is_finite(a) ? 0 : a) : a / b;
  }

  KOKKOS_INLINE_FUNCTION static Interval square(const Interval& a) {
    const Interval size = absolute(a);
    return {size.low * size.low, size.high * size.high, a.may_fail};
  }

  /// A function of two numbers that is monotone in each of them within the box.
  KOKKOS_INLINE_FUNCTION static Interval corners(Op op, const Interval& a, const Interval& b) {
    const double first = apply(op, a.low, b.low);
    Interval result{first, first, a.may_fail || b.may_fail};
    extend(result, apply(op, a.low, b.high));
    extend(result, apply(op, a.high, b.low));
    extend(result, apply(op, a.high, b.high));
    return result;
  }

  /// Returns whether one of the places at + n period lies in the interval.
  KOKKOS_INLINE_FUNCTION static bool meets(const Interval& a, double at, double period) {
    const double number = compat::math::ceil((a.low - at) / period);
    return at + number * period <= a.high;
  }
};

/// The values of one operation on intervals: what `apply` gives for numbers. `same`: both operands
/// are one number.
KOKKOS_INLINE_FUNCTION Interval apply(Op op, const Interval& a, const Interval& b, bool same,
                                      const Tables& tables) {
  using Do = IntervalOperations;
  constexpr double kMost = std::numeric_limits<double>::infinity();
  const bool fails = a.may_fail || b.may_fail;
  switch (op) {
    case Op::copy:
      return a;
    case Op::add:
      return {a.low + b.low, a.high + b.high, fails};
    case Op::subtract:
      return same ? Interval{0, 0, fails} : Interval{a.low - b.high, a.high - b.low, fails};
    case Op::multiply:
      return Do::multiply(a, b, same);
    case Op::divide:
      return Do::divide(a, b);
    case Op::power:
      return Do::power(a, b);
    case Op::minimum:
    case Op::maximum:
      return Do::extreme(op, a, b);
    case Op::arctangent2:
      return Do::arctangent2(a, b);
    case Op::less:
    case Op::less_equal:
      return Do::compare(op, a, b);
    case Op::hypotenuse:
      return Do::hypotenuse(a, b);
    case Op::table:  // at the time, which is one
      return a.is_point() ? Interval::point(tables(static_cast<int>(b.low), a.low))
                          : Interval::unknown(fails);
    case Op::negate:
      return {-a.high, -a.low, a.may_fail};
    case Op::absolute:
      return Do::absolute(a);
    case Op::sine:
    case Op::cosine:
      return Do::wave(op, a);
    case Op::tangent:
      return Do::tangent(a);
    case Op::square_root:
      return Do::rising(op, a, 0, kMost);
    case Op::logarithm:
      return Do::rising(op, a, 0, kMost);
    case Op::arcsine:
      return Do::rising(op, a, -1, 1);
    case Op::arccosine:
      return Do::arccosine(a);
    case Op::hyperbolic_cosine:
      return Do::rising(op, Do::absolute(a), 0, kMost);
    case Op::sign:
    case Op::floor:
    case Op::exponential:
    case Op::arctangent:
    case Op::hyperbolic_sine:
    case Op::hyperbolic_tangent:
      return Do::rising(op, a, -kMost, kMost);
  }
  return Interval::unknown(true);
}

}  // namespace tessera::expression
