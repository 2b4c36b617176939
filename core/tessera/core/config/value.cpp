// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/config/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/core/config/scalar.hpp"
#include "tessera/core/config/section.hpp"

namespace tessera::config {

namespace {

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;

/// "an integer", as errors say it.
template <class T>
std::string expected() {
  if constexpr (std::is_same_v<T, Matrix>) {
    return "a matrix (a list of lists of real numbers)";
  } else if constexpr (kIsList<T>) {
    return "a " + type_name<T>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return "true or false";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "text";
  } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Quantity>) {
    return "a real number";
  } else {
    return "an integer";
  }
}

template <class T>
Diagnostic mismatch(const Node& node, const std::string& path, const std::string& note) {
  const std::string text =
      fmt::format("expected {} for '{}', found {}", expected<T>(), path, describe(node));
  return {node.location, note.empty() ? text : fmt::format("{} ({})", text, note)};
}

Diagnostic nothing(const Node& node, const std::string& path) {
  return {node.location,
          fmt::format("no value given for '{}' (write a value or remove the key)", path)};
}

/// A scalar where a list belongs: how to write it as a list.
template <class T>
std::string list_note(const Node& node) {
  if (node.kind != Node::Kind::scalar) return {};
  using Element = typename T::value_type;
  if constexpr (kIsList<Element>) {
    return std::is_same_v<T, TextRows> ? "write [[a, b], [c, d]]" : "write [[1, 2], [3, 4]]";
  } else {
    Element element{};
    return read_scalar(node, element).ok ? fmt::format("write [{}]", yaml_text(element))
                                         : "write [first, second, ...]";
  }
}

std::string shorten(const std::string& text) {
  constexpr std::size_t kLongest = 40;
  const std::string line = text.substr(0, text.find('\n'));
  if (line.size() == text.size() && line.size() <= kLongest) return line;
  std::size_t end = std::min(line.size(), kLongest);
  // a whole UTF-8 character
  while (end > 0 && end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0u) == 0x80u)
    --end;
  return line.substr(0, end) + "...";
}

}  // namespace

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return node.quoted ? fmt::format("the text \"{}\"", shorten(node.text))
                         : fmt::format("'{}'", shorten(node.text));
    case Node::Kind::sequence:
      return "a list";
    case Node::Kind::map:
      return "a mapping";
  }
  return {};
}

template <class T>
std::optional<Diagnostic> read_value(const Node& node, const std::string& path, T& value) {
  if (node.kind == Node::Kind::null) return nothing(node, path);
  if constexpr (kIsList<T>) {
    if (node.kind != Node::Kind::sequence) return mismatch<T>(node, path, list_note<T>(node));
    T result(node.items.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::string element = fmt::format("{}[{}]", path, i);
      if (auto problem = read_value(node.items[i], element, result[i])) return problem;
      if constexpr (std::is_same_v<T, Matrix>) {
        if (result[i].size() == result[0].size()) continue;
        return Diagnostic{
            node.items[i].location,
            fmt::format("the rows of '{}' must be equally long: row 0 has {}, row {} has {}", path,
                        result[0].size(), i, result[i].size())};
      }
    }
    value = std::move(result);
  } else {
    if (node.kind != Node::Kind::scalar) return mismatch<T>(node, path, {});
    const ScalarReading reading = read_scalar(node, value);
    if (!reading.ok) return mismatch<T>(node, path, reading.note);
  }
  return {};
}

template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, Matrix>) {
    return "matrix of real numbers";
  } else if constexpr (std::is_same_v<T, TextRows>) {
    return "list of lists of texts";
  } else if constexpr (kIsList<T>) {
    return std::is_same_v<typename T::value_type, std::string>
               ? "list of texts"
               : "list of " + type_name<typename T::value_type>() + "s";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "boolean";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "text";
  } else if constexpr (std::is_same_v<T, double>) {
    return "real number";
  } else if constexpr (std::is_same_v<T, Quantity>) {
    return "number with unit";
  } else {
    return "integer";
  }
}

template <class T>
std::string value_text(const T& value) {
  if constexpr (kIsList<T>) {
    std::string text;
    for (const auto& element : value) text += (text.empty() ? "" : ", ") + value_text(element);
    return "[" + text + "]";
  } else {
    return yaml_text(value);
  }
}

template <class T>
bool can_be_written(const T& value) {
  if constexpr (kIsList<T>) {
    return std::all_of(value.begin(), value.end(),
                       [](const auto& element) { return can_be_written(element); });
  } else if constexpr (std::is_same_v<T, double>) {
    return std::isfinite(value);
  } else if constexpr (std::is_same_v<T, Quantity>) {
    return std::isfinite(value.number);
  } else {
    return true;
  }
}

#define TESSERA_INSTANTIATE(T)                                                           \
  template std::optional<Diagnostic> read_value<T>(const Node&, const std::string&, T&); \
  template std::string type_name<T>();                                                   \
  template std::string value_text<T>(const T&);                                          \
  template bool can_be_written<T>(const T&);

TESSERA_INSTANTIATE(bool)
TESSERA_INSTANTIATE(Quantity)
TESSERA_INSTANTIATE(int)
TESSERA_INSTANTIATE(std::int64_t)
TESSERA_INSTANTIATE(std::uint64_t)
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(std::string)
TESSERA_INSTANTIATE(std::vector<int>)
TESSERA_INSTANTIATE(std::vector<double>)
TESSERA_INSTANTIATE(std::vector<std::string>)
TESSERA_INSTANTIATE(Matrix)
TESSERA_INSTANTIATE(TextRows)

#undef TESSERA_INSTANTIATE

}  // namespace tessera::config
