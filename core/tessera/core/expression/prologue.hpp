// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/expression/instruction.hpp"

namespace tessera::expression {

/// Finds the parts of functions that depend on the time alone, such as tables, and writes them into
/// the code of the functions as constants. Made by compile_timed
/// (tessera/core/expression/program.hpp); refers to memory that must outlive it.
struct Prologue {
  /// The result of instruction `from` of the prologue is the constant of instruction `to` of the
  /// functions.
  struct Store {
    std::uint32_t from = 0, to = 0;
  };
  const Instruction* code = nullptr;
  const Store* store = nullptr;  ///< by `from`
  std::uint32_t length = 0, stores = 0;
  Instruction* functions = nullptr;
  Tables tables;
  int time = 0;  ///< number of the input

  /// Prepares the functions for time t. One thread calls it, or several that write the same; nobody
  /// may call the functions meanwhile.
  TESSERA_NOINLINE KOKKOS_FUNCTION void operator()(double t) const {
    double value[kRegisters];
    value[time] = t;
    double result = 0;
    std::uint32_t s = 0;
    for (std::uint32_t pc = 0; pc < length; ++pc) {
      const Instruction& now = code[pc];
      const auto operand = [&](std::uint8_t name) {
        return name == Instruction::kPrevious    ? result
               : name == Instruction::kImmediate ? now.immediate
                                                 : value[name];
      };
      result = apply(now.op, operand(now.a), operand(now.b), tables);
      if (now.result != Instruction::kPrevious) value[now.result] = result;
      for (; s < stores && store[s].from == pc; ++s) functions[store[s].to].immediate = result;
    }
  }
};

}  // namespace tessera::expression
