// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/expression/instruction.hpp"
#include "tessera/core/expression/interval.hpp"
#include "tessera/core/expression/lanes.hpp"

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
  /// The beginning of each function in the code, and the end of the last. What several functions
  /// share stands before the first, and is carried out before each.
  std::uint32_t begin[kMaxFunctions + 1] = {};
  std::uint32_t count = 0;
  Tables tables;  ///< that the code refers to

  /// Function number `f`; `input(i)` gives the i-th number it depends on.
  template <class Input>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(int f, const Input& input) const {
    Numbers x;
    TESSERA_UNROLL
    for (int i = 0; i < Inputs; ++i) x.value[i] = input(i);
    return run(code, begin[0], begin[f], begin[f + 1], tables.function, tables.numbers, x);
  }

  /// Whether functions share a part: several of them together take less than one by one.
  KOKKOS_FORCEINLINE_FUNCTION bool has_common() const { return begin[0] > 0; }

  /// The first N functions at one place.
  template <int N>
  struct Values {
    double value[N];
  };
  template <int N, class Input>
  KOKKOS_FORCEINLINE_FUNCTION Values<N> all(const Input& input) const {
    Numbers x;
    TESSERA_UNROLL
    for (int i = 0; i < Inputs; ++i) x.value[i] = input(i);
    Ends<N> ends;
    TESSERA_UNROLL
    for (int f = 0; f < N; ++f) ends.value[f] = begin[f + 1];
    return run_all<N>(code, ends, tables.function, tables.numbers, x);
  }

  /// Functions 0 to N - 1, each at a place of its own, for processors: what they share is carried
  /// out for all of them at a time. `input(f, i)`: the i-th number that function f takes.
  template <int N, class Input>
  KOKKOS_INLINE_FUNCTION void at_places(const Input& input, double* values) const {
    Lanes lanes;
    for (int i = 0; i < Inputs; ++i) {
      for (int f = 0; f < kLanes; ++f) lanes.value[i][f] = input(f < N ? f : 0, i);
    }
    double* previous = lanes.passing;
    for (const Instruction* now = code; now != code + begin[0]; ++now) {
      const double* const a = lanes.operand(now->a, now->immediate, previous);
      const double* const b = lanes.operand(now->b, now->immediate, previous);
      double* const result =
          now->result == Instruction::kPrevious ? lanes.passing : lanes.value[now->result];
      apply_to_lanes<N>(now->op, a, b, tables, result);
      previous = result;
    }
    for (int f = 0; f < N; ++f) {
      double result = 0;
      for (const Instruction* now = code + begin[f]; now != code + begin[f + 1]; ++now) {
        const auto operand = [&](std::uint8_t name) {
          return name == Instruction::kPrevious    ? result
                 : name == Instruction::kImmediate ? now->immediate
                                                   : lanes.value[name][f];
        };
        result = apply(now->op, operand(now->a), operand(now->b), tables);
        if (now->result != Instruction::kPrevious) lanes.value[now->result][f] = result;
      }
      values[f] = result;
    }
  }

  /// The values of function number `f` over a box; `input(i)` gives the interval of its i-th
  /// input. They may be fewer than the interval that is returned; where the box shrinks to a point
  /// so does the interval, unless the function jumps there.
  template <class Input>
  KOKKOS_FORCEINLINE_FUNCTION Interval range(int f, const Input& input) const {
    Intervals x;
    TESSERA_UNROLL
    for (int i = 0; i < Inputs; ++i) x.value[i] = input(i);
    return run_over(code, begin[0], begin[f], begin[f + 1], tables.function, tables.numbers, x);
  }

 private:
  struct Numbers {
    double value[Inputs];
  };
  struct Intervals {
    Interval value[Inputs];
  };
  /// Registers for several places at a time.
  struct alignas(64) Lanes {
    double value[kRegisters][kLanes];
    double passing[kLanes];  ///< results that the next instruction alone takes
    double immediate[kLanes];

    KOKKOS_INLINE_FUNCTION const double* operand(std::uint8_t name, double number,
                                                 const double* previous) {
      if (name == Instruction::kPrevious) return previous;
      if (name != Instruction::kImmediate) return value[name];
      for (int i = 0; i < kLanes; ++i) immediate[i] = number;
      return immediate;
    }
  };
  /// The ends of the first functions in the code.
  template <int N>
  struct Ends {
    std::uint32_t value[N];
  };

  KOKKOS_FORCEINLINE_FUNCTION static void step(const Instruction& now, const Tables& tables,
                                               const Numbers& x, double* kept, double& result) {
    const Instruction instruction = now;
    const double a = operand(instruction.a, instruction.immediate, result, x, kept);
    const double b = operand(instruction.b, instruction.immediate, result, x, kept);
    result = apply(instruction.op, a, b, tables);
    if (instruction.result != Instruction::kPrevious) kept[instruction.result - Inputs] = result;
  }

  /// Carries out the first `common` instructions, and then those from `first` to `last`.
  TESSERA_NOINLINE KOKKOS_FUNCTION static double run(const Instruction* code, std::uint32_t common,
                                                     std::uint32_t first, std::uint32_t last,
                                                     const Tables::Function* functions,
                                                     const double* numbers, const Numbers x) {
    double kept[kRegisters - Inputs];
    double result = 0;
    for (int part = common > 0 ? 0 : 1; part < 2; ++part) {
      const Instruction* now = code + (part == 0 ? 0 : first);
      const Instruction* const end = code + (part == 0 ? common : last);
      for (; now != end; ++now) step(*now, {functions, numbers}, x, kept, result);
    }
    return result;
  }

  /// Carries out all instructions until the end of the last of N functions.
  template <int N>
  TESSERA_NOINLINE KOKKOS_FUNCTION static Values<N> run_all(const Instruction* code,
                                                            const Ends<N> ends,
                                                            const Tables::Function* functions,
                                                            const double* numbers,
                                                            const Numbers x) {
    double kept[kRegisters - Inputs];
    double result = 0;
    Values<N> values;
    const Instruction* now = code;
    for (int f = 0; f < N; ++f) {
      for (; now != code + ends.value[f]; ++now) step(*now, {functions, numbers}, x, kept, result);
      values.value[f] = result;
    }
    return values;
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION static Interval run_over(
      const Instruction* code, std::uint32_t common, std::uint32_t first, std::uint32_t last,
      const Tables::Function* functions, const double* numbers, const Intervals x) {
    Interval kept[kRegisters - Inputs];
    Interval result;
    for (int part = common > 0 ? 0 : 1; part < 2; ++part) {
      const Instruction* now = code + (part == 0 ? 0 : first);
      const Instruction* const end = code + (part == 0 ? common : last);
      for (; now != end; ++now) {
        const Instruction instruction = *now;
        const Interval a = operand(instruction.a, instruction.immediate, result, x, kept);
        const Interval b = operand(instruction.b, instruction.immediate, result, x, kept);
        result = apply(instruction.op, a, b, instruction.a == instruction.b, {functions, numbers});
        if (instruction.result != Instruction::kPrevious)
          kept[instruction.result - Inputs] = result;
      }
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
