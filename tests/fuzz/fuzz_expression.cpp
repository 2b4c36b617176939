// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Expressions, one a line. Each is known to those below it as d0, d1, ..., as definitions of
// equations are. They are parsed, compiled and evaluated.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tessera/core/expression/parse.hpp"
#include "tessera/core/expression/program.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace {

using namespace tessera;

constexpr int kInputs = 3;  ///< x, y and t

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < expression::kMaxFunctions) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void evaluate(const expression::Program& program) {
  constexpr std::array<std::array<double, kInputs>, 4> kPoints{
      {{0, 0, 0}, {1, -2, 0.5}, {1e308, -1e-308, 3}, {-0.0, 1e19, -1}}};
  const auto functions = program.functions<kInputs>(program.code.data());
  double sum = 0;
  for (const auto& point : kPoints) {
    for (std::size_t f = 0; f < program.count(); ++f) {
      sum +=
          functions(static_cast<int>(f), [&](int i) { return point[static_cast<std::size_t>(i)]; });
    }
  }
  [[maybe_unused]] volatile double kept = sum;
}

void parse_and_evaluate(const std::vector<std::string>& lines) {
  expression::Graph graph;
  expression::Symbols symbols{{"x", graph.input(0)},
                              {"y", graph.input(1)},
                              {"t", graph.input(2)},
                              {"k", graph.constant(2.5)}};
  std::vector<expression::NodeId> functions;
  for (const std::string& line : lines) {
    try {
      functions.push_back(expression::parse(line, symbols, graph));
    } catch (const expression::ParseError& error) {
      if (error.offset() > line.size()) std::abort();
      throw;
    }
    graph.depends_on(functions.back(), 2);
    symbols["d" + std::to_string(functions.size() - 1)] = functions.back();
  }
  evaluate(expression::compile(graph, functions, kInputs));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string& name : split_lines(text)) expression::is_name(name);
  fuzz::accept_or_refuse([&] { parse_and_evaluate(split_lines(text)); });
  return 0;
}
