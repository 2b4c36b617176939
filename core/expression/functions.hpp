// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/expression/instruction.hpp"

namespace tessera::expression {

/// Functions of `Inputs` numbers that were read from text (core/expression/program.hpp), to be evaluated inside kernels: a register machine
/// without allocation. The code lies in memory that the kernel can read and that must outlive this object.
template <int Inputs>
struct Functions {
  static_assert(Inputs < kRegisters);
  const Instruction* code = nullptr;
  std::uint32_t begin[kMaxFunctions + 1] = {};  ///< of each function in the code; the end of the last
  std::uint32_t count = 0;
  Tables tables;  ///< that the code refers to

  /// Function number `f`; `input(i)` gives the i-th number it depends on.
  template <class Input>
  TESSERA_NOINLINE KOKKOS_FUNCTION double operator()(int f, const Input& input) const {
    double value[kRegisters];
    for (int i = 0; i < Inputs; ++i) value[i] = input(i);
    double result = 0;
    for (std::uint32_t pc = begin[f]; pc < begin[f + 1]; ++pc) {
      const Instruction& now = code[pc];
      const double a = now.a == Instruction::kImmediate ? now.immediate : value[now.a];
      const double b = now.b == Instruction::kImmediate ? now.immediate : value[now.b];
      result = apply(now.op, a, b, tables);
      value[now.result] = result;
    }
    return result;
  }
};

}  // namespace tessera::expression
