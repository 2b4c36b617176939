// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/expression/program.hpp"

#include <map>
#include <string>

#include "tessera/core/error.hpp"

namespace tessera::expression {

namespace {

using Kind = Graph::Kind;

/// Writes the code of one function: operands before operations, each result in a register that is free again after its last use.
class FunctionWriter {
 public:
  FunctionWriter(const Graph& graph, int inputs, std::vector<Instruction>& code) : m_graph(graph), m_code(code) {
    for (int r = kRegisters - 1; r >= inputs; --r) m_free.push_back(static_cast<std::uint8_t>(r));
  }

  void write(NodeId function) {
    if (m_graph[function].kind != Kind::operation) {
      Instruction copy;
      copy.a = operand(function, copy.immediate);
      copy.b = copy.a;
      copy.result = take();
      m_code.push_back(copy);
      return;
    }
    count_uses(function);
    emit_all(function);
  }

 private:
  void count_uses(NodeId function) {
    std::vector<NodeId> open{function};
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (m_uses[id]++ > 0 || m_graph[id].kind != Kind::operation) continue;
      open.push_back(m_graph[id].a);
      if (is_binary(m_graph[id].op)) open.push_back(m_graph[id].b);
    }
  }

  /// Depth first, the first operand before the second; with a stack of its own, for a sum of many terms is as deep as it is long.
  void emit_all(NodeId function) {
    struct Visit {
      NodeId id;
      bool has_operands;
    };
    std::vector<Visit> open{{function, false}};
    while (!open.empty()) {
      const Visit visit = open.back();
      open.pop_back();
      const Graph::Node& node = m_graph[visit.id];
      if (visit.has_operands) {
        emit(visit.id);
      } else if (node.kind == Kind::operation && m_register.count(visit.id) == 0) {
        open.push_back({visit.id, true});
        if (is_binary(node.op)) open.push_back({node.b, false});
        open.push_back({node.a, false});
      }
    }
  }

  /// The instruction of an operation whose operands are in registers.
  void emit(NodeId id) {
    const Graph::Node& node = m_graph[id];
    Instruction instruction;
    instruction.op = node.op;
    instruction.a = operand(node.a, instruction.immediate);
    instruction.b = is_binary(node.op) ? operand(node.b, instruction.immediate) : instruction.a;
    release(node.a);
    if (is_binary(node.op)) release(node.b);
    instruction.result = take();
    m_register[id] = instruction.result;
    m_code.push_back(instruction);
  }

  std::uint8_t operand(NodeId id, double& immediate) const {
    const Graph::Node& node = m_graph[id];
    if (node.kind == Kind::input) return static_cast<std::uint8_t>(node.a);
    if (node.kind == Kind::operation) return m_register.at(id);
    immediate = node.value;
    return Instruction::kImmediate;
  }

  void release(NodeId id) {
    if (--m_uses[id] == 0 && m_graph[id].kind == Kind::operation) m_free.push_back(m_register.at(id));
  }

  std::uint8_t take() {
    if (m_free.empty()) {
      throw Error(ErrorKind::input, "the expression needs more than " + std::to_string(kRegisters) + " intermediate values at a time",
                  "split it, or write the dynamics as a function object in C++");
    }
    const std::uint8_t chosen = m_free.back();
    m_free.pop_back();
    return chosen;
  }

  const Graph& m_graph;
  std::vector<Instruction>& m_code;
  std::vector<std::uint8_t> m_free;
  std::map<NodeId, int> m_uses;
  std::map<NodeId, std::uint8_t> m_register;
};

}  // namespace

Program compile(const Graph& graph, const std::vector<NodeId>& functions, int inputs) {
  if (functions.size() > kMaxFunctions) {
    throw Error(ErrorKind::internal, "a program holds at most " + std::to_string(kMaxFunctions) + " functions");
  }
  Program program;
  for (const NodeId function : functions) {
    FunctionWriter(graph, inputs, program.code).write(function);
    program.begin.push_back(static_cast<std::uint32_t>(program.code.size()));
  }
  return program;
}

}  // namespace tessera::expression
