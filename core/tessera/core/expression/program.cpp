// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/expression/program.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tessera/core/error.hpp"

namespace tessera::expression {

namespace {

using Kind = Graph::Kind;

/// Tells which operations depend on the input `time` and on no other.
std::vector<bool> find_timed(const Graph& graph, int time) {
  std::vector<bool> varies(graph.size()), timed(graph.size());  // operands come before operations
  for (std::size_t n = 0; n < graph.size(); ++n) {
    const Graph::Node& node = graph[static_cast<NodeId>(n)];
    const auto of_operands = [&](const std::vector<bool>& flags) {
      const auto a = static_cast<std::size_t>(node.a), b = static_cast<std::size_t>(node.b);
      return flags[a] || (is_binary(node.op) && flags[b]);
    };
    if (node.kind == Kind::input) (node.a == time ? timed : varies)[n] = true;
    if (node.kind != Kind::operation) continue;
    varies[n] = of_operands(varies);
    timed[n] = !varies[n] && of_operands(timed);
  }
  for (std::size_t n = 0; n < graph.size(); ++n)
    timed[n] = timed[n] && graph[static_cast<NodeId>(n)].kind == Kind::operation;
  return timed;
}

/// Finds how many registers each node needs if no part is shared: of two operands the one that
/// needs more comes first (Sethi, Ullman, J. ACM 17 (1970) 715).
std::vector<int> count_registers(const Graph& graph) {
  std::vector<int> need(graph.size(), 0);  // operands come before operations
  for (std::size_t n = 0; n < graph.size(); ++n) {
    const Graph::Node& node = graph[static_cast<NodeId>(n)];
    if (node.kind != Kind::operation) continue;
    const int a = need[static_cast<std::size_t>(node.a)];
    const int b = is_binary(node.op) ? need[static_cast<std::size_t>(node.b)] : 0;
    need[n] = a == b ? a + 1 : std::max(a, b);
  }
  return need;
}

/// Writes the code of one function, or of several that share their parts: operands before
/// operations, each result in a register that is free again after its last use. Results that the
/// next instruction alone takes need none.
class FunctionWriter {
 public:
  /// An operand, `node`, that is a constant of instruction `at`, to be written later.
  struct Gap {
    NodeId node;
    std::uint32_t at;
  };

  FunctionWriter(const Graph& graph, int inputs, std::vector<Instruction>& code,
                 int registers = kRegisters)
      : m_graph(graph), m_code(code), m_most(registers), m_need(count_registers(graph)) {
    for (int r = registers - 1; r >= inputs; --r) m_free.push_back(static_cast<std::uint8_t>(r));
  }

  /// A writer for which the operations that `left_out` marks become gaps.
  FunctionWriter(const Graph& graph, int inputs, std::vector<Instruction>& code,
                 const std::vector<bool>& left_out, std::vector<Gap>& gaps)
      : FunctionWriter(graph, inputs, code) {
    m_left_out = &left_out;
    m_gaps = &gaps;
  }

  void write(NodeId function) {
    if (!is_written(function) || m_register.count(function) > 0) {
      Instruction copy;
      copy.a = operand(function, copy.immediate);
      copy.b = copy.a;
      m_code.push_back(copy);
      return;
    }
    count_uses(function);
    emit_all(function);
    m_code.back().result = Instruction::kPrevious;
  }

  /// Parts of functions, whose registers stay theirs. Copies of this writer then write the rest of
  /// each function.
  void write_common(const std::set<NodeId>& parts) {
    for (const NodeId part : parts) count_uses(part);
    for (const NodeId part : parts) emit_all(part);
    m_previous = -1;
  }

  /// The operations of a function that have instructions.
  std::set<NodeId> written_nodes(NodeId function) const {
    std::set<NodeId> nodes;
    std::vector<NodeId> open{function};
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (!is_written(id) || !nodes.insert(id).second) continue;
      open.push_back(m_graph[id].a);
      if (is_binary(m_graph[id].op)) open.push_back(m_graph[id].b);
    }
    return nodes;
  }

  /// Operations, one after the other. Returns where the instruction of each is.
  std::map<NodeId, std::uint32_t> write_all(const std::vector<NodeId>& functions) {
    for (const NodeId function : functions) count_uses(function);
    for (const NodeId function : functions) {
      emit_all(function);
      release(function);
    }
    return m_position;
  }

 private:
  bool is_written(NodeId id) const {
    return m_graph[id].kind == Kind::operation &&
           (m_left_out == nullptr || !(*m_left_out)[static_cast<std::size_t>(id)]);
  }

  void count_uses(NodeId function) {
    std::vector<NodeId> open{function};
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (m_uses[id]++ > 0 || !is_written(id)) continue;
      open.push_back(m_graph[id].a);
      if (is_binary(m_graph[id].op)) open.push_back(m_graph[id].b);
    }
  }

  /// Emits operations depth first, the operand that needs more registers before the other; with a
  /// stack of its own, for a sum of many terms is as deep as it is long.
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
      } else if (is_written(visit.id) && m_register.count(visit.id) == 0) {
        open.push_back({visit.id, true});
        const bool is_second_first =
            is_binary(node.op) &&
            m_need[static_cast<std::size_t>(node.b)] > m_need[static_cast<std::size_t>(node.a)];
        if (is_second_first) open.push_back({node.a, false});
        if (is_binary(node.op)) open.push_back({node.b, false});
        if (!is_second_first) open.push_back({node.a, false});
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
    const bool takes_previous =
        instruction.a == Instruction::kPrevious || instruction.b == Instruction::kPrevious;
    if (takes_previous && m_uses[m_previous] == 0) m_code.back().result = Instruction::kPrevious;
    instruction.result = take();
    m_register[id] = instruction.result;
    m_position[id] = static_cast<std::uint32_t>(m_code.size());
    m_previous = id;
    m_code.push_back(instruction);
  }

  std::uint8_t operand(NodeId id, double& immediate) const {
    const Graph::Node& node = m_graph[id];
    if (node.kind == Kind::input) return static_cast<std::uint8_t>(node.a);
    if (id == m_previous) return Instruction::kPrevious;
    if (is_written(id)) return m_register.at(id);
    if (node.kind == Kind::operation)
      m_gaps->push_back({id, static_cast<std::uint32_t>(m_code.size())});
    immediate = node.value;
    return Instruction::kImmediate;
  }

  void release(NodeId id) {
    if (--m_uses[id] == 0 && is_written(id)) m_free.push_back(m_register.at(id));
  }

  std::uint8_t take() {
    if (m_free.empty()) fail_for_registers(m_most);
    const std::uint8_t chosen = m_free.back();
    m_free.pop_back();
    return chosen;
  }

  const Graph& m_graph;
  std::vector<Instruction>& m_code;
  int m_most;
  std::vector<int> m_need;
  std::vector<std::uint8_t> m_free;
  std::map<NodeId, int> m_uses;
  std::map<NodeId, std::uint8_t> m_register;
  std::map<NodeId, std::uint32_t> m_position;
  NodeId m_previous = -1;  ///< whose instruction was the last
  const std::vector<bool>* m_left_out = nullptr;
  std::vector<Gap>* m_gaps = nullptr;
};

/// Finds the operations that several functions need and others, or the functions themselves, take.
/// None where few would be saved: each function then does without what others share.
std::set<NodeId> find_common(const Graph& graph, const std::vector<NodeId>& functions,
                             const FunctionWriter& writer) {
  constexpr std::size_t kFew = 16;
  constexpr double kMostMore = 1.25;  // that the functions are one by one
  std::map<NodeId, int> functions_of;
  std::size_t alone = 0;
  for (const NodeId function : functions) {
    const std::set<NodeId> nodes = writer.written_nodes(function);
    for (const NodeId id : nodes) ++functions_of[id];
    alone += nodes.size();
  }
  const auto is_shared = [&](NodeId id) {
    const auto found = functions_of.find(id);
    return found != functions_of.end() && found->second > 1;
  };
  std::set<NodeId> common;
  std::size_t shared = 0, own = 0;
  for (const auto& [id, count] : functions_of) {
    if (count > 1) {
      ++shared;
      continue;
    }
    ++own;
    if (is_shared(graph[id].a)) common.insert(graph[id].a);
    if (is_binary(graph[id].op) && is_shared(graph[id].b)) common.insert(graph[id].b);
  }
  for (const NodeId function : functions) {
    if (is_shared(function)) common.insert(function);
  }
  const auto together = static_cast<double>(functions.size() * shared + own);
  if (shared < kFew || together > kMostMore * static_cast<double>(alone)) return {};
  return common;
}

/// Writes the code of functions: of each for itself, or what they share before the rest of each.
/// Returns where each begins, and the last ends.
std::vector<std::uint32_t> write_functions(const Graph& graph, const std::vector<NodeId>& functions,
                                           const FunctionWriter& writer,
                                           std::vector<Instruction>& code,
                                           std::vector<FunctionWriter::Gap>& gaps) {
  const auto write = [&](const std::set<NodeId>& common) {
    code.clear();
    gaps.clear();
    FunctionWriter with_common = writer;
    with_common.write_common(common);
    std::vector<std::uint32_t> begin{static_cast<std::uint32_t>(code.size())};
    for (const NodeId function : functions) {
      FunctionWriter(with_common).write(function);
      begin.push_back(static_cast<std::uint32_t>(code.size()));
    }
    return begin;
  };
  const std::set<NodeId> common = find_common(graph, functions, writer);
  try {
    return write(common);
  } catch (const Error&) {  // too many numbers at a time
    if (common.empty()) throw;
    return write({});
  }
}

void check_count(const std::vector<NodeId>& functions) {
  if (functions.size() > kMaxFunctions) {
    throw Error(ErrorKind::internal,
                "a program holds at most " + std::to_string(kMaxFunctions) + " functions");
  }
}

bool has_tables(const std::vector<Instruction>& code) {
  return std::any_of(code.begin(), code.end(),
                     [](const Instruction& instruction) { return instruction.op == Op::table; });
}

}  // namespace

void fail_for_registers(int most) {
  throw Error(
      ErrorKind::input,
      "the expression needs more than " + std::to_string(most) + " intermediate values at a time",
      "split it, or write the dynamics as a function object in C++");
}

double Program::evaluate(std::size_t f, const std::vector<double>& inputs) const {
  double value[kHostRegisters];
  std::copy(inputs.begin(), inputs.end(), value);
  const Tables of_code = tables ? tables->tables() : Tables();
  double result = 0;
  const auto run = [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t pc = first; pc < last; ++pc) {
      const Instruction& now = code[pc];
      const auto operand = [&](std::uint8_t name) {
        return name == Instruction::kPrevious    ? result
               : name == Instruction::kImmediate ? now.immediate
                                                 : value[name];
      };
      result = apply(now.op, operand(now.a), operand(now.b), of_code);
      if (now.result != Instruction::kPrevious) value[now.result] = result;
    }
  };
  run(0, begin[0]);
  run(begin[f], begin[f + 1]);
  return result;
}

bool Program::depends_on(int input) const {
  return std::any_of(code.begin(), code.end(), [input](const Instruction& instruction) {
    return instruction.a == input || instruction.b == input;
  });
}

void Program::refer_to(const std::shared_ptr<const TableSet>& set) {
  tables = has_tables(code) ? set : nullptr;
}

void TimedProgram::refer_to(const std::shared_ptr<const TableSet>& set) {
  program.tables = has_tables(program.code) || has_tables(prologue) ? set : nullptr;
}

Program compile(const Graph& graph, const std::vector<NodeId>& functions, int inputs,
                int registers) {
  check_count(functions);
  Program program;
  std::vector<FunctionWriter::Gap> none;
  program.begin = write_functions(
      graph, functions, FunctionWriter(graph, inputs, program.code, registers), program.code, none);
  program.registers = inputs;
  for (const Instruction& instruction : program.code) {
    if (instruction.result != Instruction::kPrevious)
      program.registers = std::max(program.registers, instruction.result + 1);
  }
  return program;
}

std::vector<NodeId> add_functions(Graph& graph, const Program& program,
                                  const std::vector<NodeId>& inputs) {
  std::vector<NodeId> registers = inputs, functions;
  registers.resize(kHostRegisters);
  NodeId result = 0;
  const auto add = [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t pc = first; pc < last; ++pc) {
      const Instruction& now = program.code[pc];
      const auto operand = [&](std::uint8_t name) {
        return name == Instruction::kPrevious    ? result
               : name == Instruction::kImmediate ? graph.constant(now.immediate)
                                                 : registers[name];
      };
      const NodeId a = operand(now.a);
      result = now.op == Op::copy  ? a
               : is_binary(now.op) ? graph.binary(now.op, a, operand(now.b))
                                   : graph.unary(now.op, a);
      if (now.result != Instruction::kPrevious) registers[now.result] = result;
    }
  };
  add(0, program.begin[0]);
  for (std::size_t f = 0; f < program.count(); ++f) {
    add(program.begin[f], program.begin[f + 1]);
    functions.push_back(result);
  }
  return functions;
}

TimedProgram compile_timed(const Graph& graph, const std::vector<NodeId>& functions, int inputs,
                           int time) {
  check_count(functions);
  TimedProgram timed;
  timed.time = time;
  const std::vector<bool> left_out = find_timed(graph, time);
  std::vector<FunctionWriter::Gap> gaps;
  timed.program.begin = write_functions(
      graph, functions, FunctionWriter(graph, inputs, timed.program.code, left_out, gaps),
      timed.program.code, gaps);
  std::vector<NodeId> parts;
  for (const FunctionWriter::Gap& gap : gaps) {
    if (std::find(parts.begin(), parts.end(), gap.node) == parts.end()) parts.push_back(gap.node);
  }
  std::map<NodeId, std::uint32_t> position;
  try {
    position = FunctionWriter(graph, inputs, timed.prologue).write_all(parts);
  } catch (const Error&) {
    return {compile(graph, functions, inputs), {}, {}, time};
  }
  for (const FunctionWriter::Gap& gap : gaps)
    timed.stores.push_back({position.at(gap.node), gap.at});
  std::sort(timed.stores.begin(), timed.stores.end(),
            [](const auto& a, const auto& b) { return a.from < b.from; });
  return timed;
}

}  // namespace tessera::expression
