// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/expression/parse.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

#include "tessera/core/names.hpp"

namespace tessera::expression {

namespace {

const std::map<std::string, Op>& functions() {
  static const std::map<std::string, Op> known{
      {"sin", Op::sine},
      {"cos", Op::cosine},
      {"tan", Op::tangent},
      {"asin", Op::arcsine},
      {"acos", Op::arccosine},
      {"atan", Op::arctangent},
      {"sinh", Op::hyperbolic_sine},
      {"cosh", Op::hyperbolic_cosine},
      {"tanh", Op::hyperbolic_tangent},
      {"exp", Op::exponential},
      {"log", Op::logarithm},
      {"sqrt", Op::square_root},
      {"abs", Op::absolute},
      {"sign", Op::sign},
      {"floor", Op::floor},
      {"pow", Op::power},
      {"min", Op::minimum},
      {"max", Op::maximum},
      {"atan2", Op::arctangent2},
      {"hypot", Op::hypotenuse},
  };
  return known;
}

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

constexpr std::size_t kMostListed = 40;  // names in a message

bool is_word_of_logic(const std::string& word) {
  return word == "and" || word == "or" || word == "not";
}

/// A builder for the parser that turns a text into nodes of a graph.
class GraphBuilder {
 public:
  using Value = NodeId;
  GraphBuilder(const Symbols& symbols, Graph& graph) : m_symbols(symbols), m_graph(graph) {}

  Value constant(double value) const { return m_graph.constant(value); }
  Value symbol(const std::string& name) const { return m_symbols.at(name); }
  Value unary(Op op, Value a) const { return m_graph.unary(op, a); }
  Value binary(Op op, Value a, Value b) const { return m_graph.binary(op, a, b); }
  bool is_condition(Value value) const { return m_graph[value].is_condition; }

 private:
  const Symbols& m_symbols;
  Graph& m_graph;
};

/// A problem with the dimensions of an operation, without the place.
struct DimensionProblem {
  std::string what;
};

/// A builder for the parser that finds the dimension of a text.
class DimensionBuilder {
 public:
  struct Value {
    std::optional<Dimension> dimension;  ///< where it is known
    std::optional<double> number;        ///< of what is written as a number
  };
  explicit DimensionBuilder(const Dimensions& dimensions) : m_dimensions(dimensions) {}

  Value constant(double value) const { return {Dimension(), value}; }

  Value symbol(const std::string& name) const {
    const auto found = m_dimensions.find(name);
    return found == m_dimensions.end() ? Value() : Value{found->second, {}};
  }

  Value unary(Op op, const Value& a) const {
    if (op == Op::negate) return {a.dimension, a.number ? std::optional(-*a.number) : std::nullopt};
    if (op == Op::absolute || op == Op::floor) return {a.dimension, {}};
    if (op == Op::sign) return {Dimension(), {}};
    if (op == Op::square_root)
      return {a.dimension ? std::optional(a.dimension->to_the(0.5)) : std::nullopt, {}};
    if (a.dimension && !a.dimension->is_number()) {
      throw DimensionProblem{"this function takes a number, and its argument is " +
                             describe(*a.dimension)};
    }
    return {Dimension(), {}};
  }

  Value binary(Op op, const Value& a, const Value& b) const {
    if (op == Op::power) return power(a, b);
    if (op == Op::multiply || op == Op::divide) {
      const bool is_number = a.number && b.number;
      const double product =
          is_number ? (op == Op::multiply ? *a.number * *b.number : *a.number / *b.number) : 0;
      if (a.number == 0 || (b.number == 0 && op == Op::multiply)) return constant(0);
      if (!a.dimension || !b.dimension) return {};
      return {op == Op::multiply ? *a.dimension * *b.dimension : *a.dimension / *b.dimension,
              is_number ? std::optional(product) : std::nullopt};
    }
    const bool is_free = op == Op::less || op == Op::less_equal || op == Op::arctangent2;
    if (a.number && b.number)
      return {Dimension(), is_free ? std::nullopt : std::optional(*a.number + *b.number)};
    const Value& known = a.number || !a.dimension ? b : a;
    if (a.dimension && b.dimension && !a.number && !b.number && !(*a.dimension == *b.dimension)) {
      throw DimensionProblem{"this joins " + describe(*a.dimension) + " and " +
                             describe(*b.dimension)};
    }
    return is_free ? Value{Dimension(), {}} : Value{known.dimension, {}};
  }

  /// The parser that made the graph has looked at conditions.
  bool is_condition(const Value&) const { return true; }

 private:
  static Value power(const Value& base, const Value& exponent) {
    if (exponent.dimension && !exponent.dimension->is_number()) {
      throw DimensionProblem{"a power takes a number, and this is " +
                             describe(*exponent.dimension)};
    }
    if (base.dimension && base.dimension->is_number()) return {Dimension(), {}};
    if (!base.dimension || !exponent.number) return {};
    return {base.dimension->to_the(*exponent.number), {}};
  }

  const Dimensions& m_dimensions;
};

/// Recursive descent: disjunction -> conjunction -> negation -> comparison -> sum -> product ->
/// signed -> power -> atom.
template <class Builder>
class Parser {
 public:
  using Value = typename Builder::Value;

  Parser(const std::string& text, const Symbols& symbols, const Builder& builder)
      : m_text(text), m_symbols(symbols), m_builder(builder) {}

  Value whole() {
    const Value value = disjunction();
    if (peek() == ')') fail("this ')' has no '('");
    if (peek() != '\0') {
      const char c = peek();
      if (starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '(') {
        fail("expected an operator here (a product is written with '*')");
      }
      fail("unexpected '" + character() + "'");
    }
    return value;
  }

 private:
  Value disjunction() {
    const std::size_t begin = m_position;
    Value value = conjunction();
    while (take_word("or"))
      value = m_builder.binary(Op::maximum, condition(value, begin), checked(&Parser::conjunction));
    return value;
  }

  Value conjunction() {
    const std::size_t begin = m_position;
    Value value = negation();
    while (take_word("and"))
      value = m_builder.binary(Op::multiply, condition(value, begin), checked(&Parser::negation));
    return value;
  }

  Value negation() {
    if (!take_word("not")) return comparison();
    const Nesting nesting(*this);
    return m_builder.binary(Op::subtract, m_builder.constant(1), checked(&Parser::negation));
  }

  Value comparison() {
    const Value value = sum();
    if (peek() != '<' && peek() != '>') return value;
    const Value result = compare(value);
    if (peek() == '<' || peek() == '>')
      fail("comparisons cannot follow each other: write 'a < b and b < c'");
    return result;
  }

  Value compare(const Value& first) {
    const std::size_t at = m_position;
    const bool is_less = take('<');
    if (!is_less) take('>');
    const Op op = take('=') ? Op::less_equal : Op::less;
    const Value second = sum();
    return is_less ? join(op, first, second, at) : join(op, second, first, at);
  }

  /// Returns what `part` reads, which must be a condition.
  Value checked(Value (Parser::*part)()) {
    peek();
    const std::size_t begin = m_position;
    return condition((this->*part)(), begin);
  }

  Value condition(const Value& node, std::size_t begin) {
    if (!m_builder.is_condition(node)) {
      while (begin < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[begin])) != 0)
        ++begin;
      fail("'and', 'or' and 'not' take conditions such as x < 1", begin);
    }
    return node;
  }

  Value sum() {
    Value value = product();
    while (true) {
      peek();
      const std::size_t at = m_position;
      if (take('+')) {
        value = join(Op::add, value, product(), at);
      } else if (take('-')) {
        value = join(Op::subtract, value, product(), at);
      } else {
        return value;
      }
    }
  }

  Value product() {
    Value value = with_sign();
    while (true) {
      if (take('*')) {
        value = m_builder.binary(Op::multiply, value, with_sign());
      } else if (take('/')) {
        value = m_builder.binary(Op::divide, value, with_sign());
      } else {
        return value;
      }
    }
  }

  Value with_sign() {
    const Nesting nesting(*this);
    if (take('-')) return m_builder.unary(Op::negate, with_sign());
    if (take('+')) return with_sign();
    return power();
  }

  Value power() {
    const Value base = atom();
    peek();
    const std::size_t at = m_position;
    if (!take_power()) return base;
    return join(Op::power, base, with_sign(), at);
  }

  Value atom() {
    const char c = peek();
    if (c == '\0')
      fail(m_text.find_first_not_of(" \t\n") == std::string::npos
               ? "the expression is empty"
               : "the expression ends too early");
    if (take('(')) {
      const Value value = disjunction();
      if (!take(')')) fail("expected ')'");
      return value;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
    if (starts_name(c)) return name();
    fail("expected a number, a name or '(', found '" + character() + "'");
  }

  Value number() {
    double value = 0;
    const char* const begin = m_text.data() + m_position;
    const auto [end, error] = std::from_chars(begin, m_text.data() + m_text.size(), value);
    if (error != std::errc() || !std::isfinite(value))
      fail("this is not a number that double precision holds");
    m_position += static_cast<std::size_t>(end - begin);
    return m_builder.constant(value);
  }

  Value name() {
    const std::size_t begin = m_position;
    while (m_position < m_text.size() && continues_name(m_text[m_position])) ++m_position;
    const std::string word = m_text.substr(begin, m_position - begin);
    if (is_word_of_logic(word))
      fail(word == "not" ? "'not' cannot stand here"
                         : "'" + word + "' stands between two conditions",
           begin);
    const auto symbol = m_symbols.find(word);
    if (peek() == '(') {
      const auto function = functions().find(word);
      if (function != functions().end()) return call(word, function->second, begin);
      if (symbol != m_symbols.end())
        fail("'" + word + "' is no function (a product is written with '*')", begin);
      fail("unknown function '" + word + "'" + hint(word, function_names()), begin);
    }
    if (symbol != m_symbols.end()) return m_builder.symbol(word);
    if (word == "pi") return m_builder.constant(3.14159265358979323846);
    if (functions().count(word) != 0)
      fail("the function '" + word + "' needs its arguments in parentheses", begin);
    std::vector<std::string> known;
    for (const auto& entry : m_symbols) known.push_back(entry.first);
    fail("unknown name '" + word + "'" + hint(word, known), begin);
  }

  Value call(const std::string& word, Op op, std::size_t begin) {
    take('(');
    std::vector<Value> arguments;
    if (!take(')')) {
      do {
        arguments.push_back(disjunction());
      } while (take(','));
      if (!take(')')) fail("expected ',' or ')' in the arguments of '" + word + "'");
    }
    const bool chains = op == Op::minimum || op == Op::maximum;  // these take two or more
    const std::size_t wanted = is_binary(op) ? 2 : 1;
    if (chains ? arguments.size() < 2 : arguments.size() != wanted) {
      fail("'" + word + "' takes " + std::to_string(wanted) + (chains ? " or more" : "") +
               " argument" + (wanted == 1 ? "" : "s") + ", not " + std::to_string(arguments.size()),
           begin);
    }
    if (wanted == 1) return apply_to(op, arguments[0], begin);
    Value value = arguments[0];
    for (std::size_t i = 1; i < arguments.size(); ++i) value = join(op, value, arguments[i], begin);
    return value;
  }

  static std::string hint(const std::string& word, const std::vector<std::string>& known) {
    const std::string suggestion = nearest_name(word, known);
    if (!suggestion.empty()) return " (did you mean '" + suggestion + "'?)";
    return " (known: " + join_names(known, kMostListed) + ")";
  }

  Value join(Op op, const Value& a, const Value& b, std::size_t at) {
    try {
      return m_builder.binary(op, a, b);
    } catch (const DimensionProblem& problem) {
      fail(problem.what, at);
    }
  }

  Value apply_to(Op op, const Value& a, std::size_t at) {
    try {
      return m_builder.unary(op, a);
    } catch (const DimensionProblem& problem) {
      fail(problem.what, at);
    }
  }

  /// The whole character here, which UTF-8 has written with one byte or more.
  std::string character() const {
    const auto goes_on = [&](std::size_t i) {
      return i < m_text.size() && (static_cast<unsigned char>(m_text[i]) & 0xC0u) == 0x80u;
    };
    std::size_t end = m_position + 1;
    while (goes_on(end)) ++end;
    return m_text.substr(m_position, end - m_position);
  }

  char peek() {
    while (m_position < m_text.size() &&
           std::isspace(static_cast<unsigned char>(m_text[m_position])) != 0)
      ++m_position;
    return m_position < m_text.size() ? m_text[m_position] : '\0';
  }

  bool take(char c) {
    if (peek() != c) return false;
    // a power
    if (c == '*' && m_position + 1 < m_text.size() && m_text[m_position + 1] == '*') return false;
    ++m_position;
    return true;
  }

  bool take_word(const char* word) {
    const std::string text(word);
    peek();
    if (m_text.compare(m_position, text.size(), text) != 0) return false;
    const std::size_t end = m_position + text.size();
    if (end < m_text.size() && continues_name(m_text[end])) return false;
    m_position = end;
    return true;
  }

  bool take_power() {
    if (take('^')) return true;
    if (peek() != '*' || m_text.compare(m_position, 2, "**") != 0) return false;
    m_position += 2;
    return true;
  }

  [[noreturn]] void fail(const std::string& what) {
    peek();
    fail(what, m_position);
  }
  [[noreturn]] static void fail(const std::string& what, std::size_t offset) {
    throw ParseError(what, offset);
  }

  /// Keeps a text like "((((..." from exhausting the stack.
  struct Nesting {
    explicit Nesting(Parser& parser) : m_parser(parser) {
      if (++m_parser.m_depth > kMaxNesting) {
        m_parser.fail("parentheses, signs and powers are nested more than " +
                      std::to_string(kMaxNesting) + " deep here");
      }
    }
    ~Nesting() { --m_parser.m_depth; }
    Parser& m_parser;
  };

  const std::string& m_text;
  const Symbols& m_symbols;
  const Builder& m_builder;
  std::size_t m_position = 0;
  int m_depth = 0;
};

}  // namespace

NodeId parse(const std::string& text, const Symbols& symbols, Graph& graph) {
  const GraphBuilder builder(symbols, graph);
  return Parser<GraphBuilder>(text, symbols, builder).whole();
}

std::optional<Dimension> find_dimension(const std::string& text, const Symbols& symbols,
                                        const Dimensions& dimensions) {
  const DimensionBuilder builder(dimensions);
  const DimensionBuilder::Value value = Parser<DimensionBuilder>(text, symbols, builder).whole();
  return value.number ? std::nullopt : value.dimension;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& entry : functions()) names.push_back(entry.first);
  return names;
}

bool is_name(const std::string& text) {
  if (text.empty() || !starts_name(text[0]) || functions().count(text) != 0 ||
      is_word_of_logic(text))
    return false;
  for (const char c : text) {
    if (!continues_name(c)) return false;
  }
  return true;
}

}  // namespace tessera::expression
