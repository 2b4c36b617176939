// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/expression/instruction.hpp"
#include "tessera/core/expression/interval.hpp"

namespace tessera::expression {

/// Functions of `Inputs` numbers that were read from text (tessera/core/expression/program.hpp), to
/// be evaluated inside kernels: a register machine without allocation. The code lies in memory that
/// the kernel can read and that must outlive this object.
///
/// A GPU copies the arguments of a kernel into the memory of each thread where their address is
/// given to a function that is called, and reads all of them there ever after. So what is called
/// here gets values. They stay in registers, but for results that are wanted later than by the next
/// instruction.
template <int Inputs>
struct Functions {
  static_assert(Inputs < kRegisters);
  const Instruction* code = nullptr;
  /// The beginning of each function in the code, and the end of the last
  std::uint32_t begin[kMaxFunctions + 1] = {};
  std::uint32_t count = 0;
  Tables tables;  ///< that the code refers to

  /// Function number `f`; `input(i)` gives the i-th number it depends on.
  template <class Input>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(int f, const Input& input) const {
    Numbers x;
    TESSERA_UNROLL
    for (int i = 0; i < Inputs; ++i) x.value[i] = input(i);
    return run(code + begin[f], code + begin[f + 1], tables.function, tables.numbers, x);
  }

  /// The values of function number `f` over a box; `input(i)` gives the interval of its i-th
  /// input. They may be fewer than the interval that is returned; where the box shrinks to a point
  /// so does the interval, unless the function jumps there.
  template <class Input>
  KOKKOS_FORCEINLINE_FUNCTION Interval range(int f, const Input& input) const {
    Intervals x;
    TESSERA_UNROLL
    for (int i = 0; i < Inputs; ++i) x.value[i] = input(i);
    return run_over(code + begin[f], code + begin[f + 1], tables.function, tables.numbers, x);
  }

 private:
  struct Numbers {
    double value[Inputs];
  };
  struct Intervals {
    Interval value[Inputs];
  };

  TESSERA_NOINLINE KOKKOS_FUNCTION static double run(const Instruction* now, const Instruction* end,
                                                     const Tables::Function* functions,
                                                     const double* numbers, const Numbers x) {
    double kept[kRegisters - Inputs];
    double result = 0;
    for (; now != end; ++now) {
      const Instruction instruction = *now;
      const double a = operand(instruction.a, instruction.immediate, result, x, kept);
      const double b = operand(instruction.b, instruction.immediate, result, x, kept);
      result = apply(instruction.op, a, b, {functions, numbers});
      if (instruction.result != Instruction::kPrevious) kept[instruction.result - Inputs] = result;
    }
    return result;
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION static Interval run_over(const Instruction* now,
                                                            const Instruction* end,
                                                            const Tables::Function* functions,
                                                            const double* numbers,
                                                            const Intervals x) {
    Interval kept[kRegisters - Inputs];
    Interval result;
    for (; now != end; ++now) {
      const Instruction instruction = *now;
      const Interval a = operand(instruction.a, instruction.immediate, result, x, kept);
      const Interval b = operand(instruction.b, instruction.immediate, result, x, kept);
      result = apply(instruction.op, a, b, instruction.a == instruction.b, {functions, numbers});
      if (instruction.result != Instruction::kPrevious) kept[instruction.result - Inputs] = result;
    }
    return result;
  }

  KOKKOS_INLINE_FUNCTION static Interval operand(std::uint8_t name, double immediate,
                                                 const Interval& previous, const Intervals& x,
                                                 const Interval* kept) {
    if (name == Instruction::kPrevious) return previous;
    if (name == Instruction::kImmediate) return Interval::point(immediate);
    return name < Inputs ? x.value[name] : kept[name - Inputs];
  }

  KOKKOS_INLINE_FUNCTION static double operand(std::uint8_t name, double immediate, double previous,
                                               const Numbers& x, const double* kept) {
    if (name == Instruction::kPrevious) return previous;
    if (name == Instruction::kImmediate) return immediate;
    return name < Inputs ? compat::element(x.value, name) : kept[name - Inputs];
  }
};

}  // namespace tessera::expression
