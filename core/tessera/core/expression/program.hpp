// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/core/expression/functions.hpp"
#include "tessera/core/expression/graph.hpp"
#include "tessera/core/expression/prologue.hpp"

namespace tessera::expression {

/// Throws Error (input) of an expression that needs more than so many numbers at a time.
[[noreturn]] void fail_for_registers(int most);

/// The code of several functions of the same inputs, on the host.
struct Program {
  std::vector<Instruction> code;
  /// Where each function begins, and the last ends; before the first what several of them share
  std::vector<std::uint32_t> begin{0};
  std::shared_ptr<const TableSet> tables;  ///< that the code refers to, or null
  int registers = 0;                       ///< those that it needs, inputs included

  /// Gives the code the tables, where it refers to any.
  void refer_to(const std::shared_ptr<const TableSet>& set);

  std::size_t count() const { return begin.size() - 1; }

  /// Returns whether some function depends on that input.
  bool depends_on(int input) const;

  /// Function number f of some inputs, on the host.
  double evaluate(std::size_t f, const std::vector<double>& inputs) const;

  /// The functions, evaluated with code at `code`: this program's own on the host, or a copy in a
  /// device's memory, where the tables need one too (LoadedProgram). Throws Error (input) where
  /// they need more than kRegisters numbers at a time.
  template <int Inputs>
  Functions<Inputs> functions(const Instruction* code) const {
    return functions<Inputs>(code, tables ? tables->tables() : Tables());
  }

  template <int Inputs>
  Functions<Inputs> functions(const Instruction* code, const Tables& tables_of_code) const {
    if (registers > kRegisters) fail_for_registers(kRegisters);
    Functions<Inputs> functions;
    functions.code = code;
    functions.count = static_cast<std::uint32_t>(count());
    for (std::size_t f = 0; f <= count(); ++f) functions.begin[f] = begin[f];
    functions.tables = tables_of_code;
    return functions;
  }
};

/// Turns nodes of a graph with `inputs` inputs into code: at most kMaxFunctions functions. Throws
/// Error (input) when one needs more than `registers` numbers at a time.
Program compile(const Graph& graph, const std::vector<NodeId>& functions, int inputs,
                int registers = kRegisters);

/// Adds the functions of a program to a graph, with nodes for its inputs; returns their nodes.
std::vector<NodeId> add_functions(Graph& graph, const Program& program,
                                  const std::vector<NodeId>& inputs);

/// A program whose parts that depend on one input alone, the time, are found once for each time,
/// before its functions are called: they are constants of its code, which the prologue writes.
struct TimedProgram {
  Program program;
  std::vector<Instruction> prologue;
  std::vector<Prologue::Store> stores;  ///< in the order of the prologue
  int time = 0;                         ///< number of the input

  /// Gives prologue and code the tables, where they refer to any.
  void refer_to(const std::shared_ptr<const TableSet>& set);
};

/// Turns nodes into code as `compile` does, with a prologue for the parts that depend on input
/// number `time` alone. A prologue that would need too many numbers at a time is left out: the
/// functions then find these parts themselves. Throws as `compile` does with kRegisters.
TimedProgram compile_timed(const Graph& graph, const std::vector<NodeId>& functions, int inputs,
                           int time);

}  // namespace tessera::expression
