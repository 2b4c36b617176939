// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/expression/tables.hpp"

namespace tessera::expression {

/// The operation of an instruction on its one or two operands.
enum class Op : std::uint8_t {
  copy,
  add,
  subtract,
  multiply,
  divide,
  power,
  minimum,
  maximum,
  arctangent2,
  less,
  less_equal,
  hypotenuse,
  table,  ///< function number b of the tables at a
  negate,
  absolute,
  sign,
  floor,
  square_root,
  exponential,
  logarithm,
  sine,
  cosine,
  tangent,
  arcsine,
  arccosine,
  arctangent,
  hyperbolic_sine,
  hyperbolic_cosine,
  hyperbolic_tangent,
};

constexpr bool is_binary(Op op) { return op >= Op::add && op <= Op::table; }

/// The value of one operation: one rounding for + - * / and sqrt, the accuracy of the backend's
/// library for the others. `tables`: for Op::table.
KOKKOS_INLINE_FUNCTION double apply(Op op, double a, double b, const Tables& tables = {}) {
  switch (op) {
    case Op::copy:
      return a;
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return compat::math::pow(a, b);
    case Op::minimum:
      return compat::min(a, b);
    case Op::maximum:
      return compat::max(a, b);
    case Op::arctangent2:
      return compat::math::atan2(a, b);
    case Op::less:
      return a < b ? 1.0 : 0.0;
    case Op::less_equal:
      return a <= b ? 1.0 : 0.0;
    case Op::hypotenuse:
      return compat::math::sqrt(compat::fma(a, a, b * b));
    case Op::table:
      return tables(static_cast<int>(b), a);
    case Op::negate:
      return -a;
    case Op::absolute:
      return compat::math::fabs(a);
    case Op::sign:
      return a > 0 ? 1.0 : a < 0 ? -1.0 : a;
    case Op::floor:
      return compat::math::floor(a);
    case Op::square_root:
      return compat::math::sqrt(a);
    case Op::exponential:
      return compat::math::exp(a);
    case Op::logarithm:
      return compat::math::log(a);
    case Op::sine:
      return compat::math::sin(a);
    case Op::cosine:
      return compat::math::cos(a);
    case Op::tangent:
      return compat::math::tan(a);
    case Op::arcsine:
      return compat::math::asin(a);
    case Op::arccosine:
      return compat::math::acos(a);
    case Op::arctangent:
      return compat::math::atan(a);
    case Op::hyperbolic_sine:
      return compat::math::sinh(a);
    case Op::hyperbolic_cosine:
      return compat::math::cosh(a);
    case Op::hyperbolic_tangent:
      return compat::math::tanh(a);
  }
  return a;
}

/// One step of a program: register `result` = op(register `a`, register `b`). The first registers
/// are the program's inputs, which are only read. An operand of kImmediate stands for the number in
/// the instruction, one of kPrevious for the result of the instruction before; a result of
/// kPrevious is wanted by the next instruction alone, or is that of the program.
struct alignas(16) Instruction {
  static constexpr std::uint8_t kImmediate = 255, kPrevious = 254;
  Op op = Op::copy;
  std::uint8_t result = kPrevious, a = 0, b = 0;
  double immediate = 0;
};

/// Registers of a program in kernels, its inputs included.
inline constexpr int kRegisters = 64;

/// Registers of a program that the host alone evaluates (Program::evaluate).
inline constexpr int kHostRegisters = 250;

/// Most functions that a Functions object holds.
inline constexpr int kMaxFunctions = 17;

}  // namespace tessera::expression
