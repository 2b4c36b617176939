// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tessera/core/config/declaration.hpp"
#include "tessera/core/config/document.hpp"
#include "tessera/core/config/node.hpp"
#include "tessera/core/config/scalar.hpp"
#include "tessera/core/config/section.hpp"
#include "tessera/core/config/value.hpp"
#include "tessera/core/names.hpp"

namespace tessera::config {

namespace {

/// An element that fails a check: its index ("[1][2]", empty for a scalar), and its node when the
/// input gave it.
struct Offender {
  std::string index;
  const Node* node = nullptr;
};

/// The first element of a scalar, vector or matrix for which `holds` is false.
template <class T, class Check>
std::optional<Offender> first_offender(const T& value, const Node* node, const Check& holds) {
  if constexpr (ListParameter<T>) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Node* item = node != nullptr ? &node->items[i] : nullptr;
      if (auto offender = first_offender(value[i], item, holds))
        return Offender{fmt::format("[{}]{}", i, offender->index), offender->node};
    }
    return {};
  } else {
    return holds(value) ? std::nullopt : std::optional(Offender{{}, node});
  }
}

/// "> 0", "0 to 1", "> 0, <= 1"; empty where every number will do.
std::string interval_text(const Interval& interval) {
  const bool has_low = !std::isinf(interval.low), has_high = !std::isinf(interval.high);
  const std::string low = (interval.excludes_low ? "> " : ">= ") + yaml_text(interval.low),
                    high = "<= " + yaml_text(interval.high);
  if (!has_low || !has_high) return has_low ? low : has_high ? high : "";
  if (interval.excludes_low) return low + ", " + high;
  return interval.low == interval.high
             ? yaml_text(interval.low)
             : yaml_text(interval.low) + " to " + yaml_text(interval.high);
}

Interval intersection(const Interval& a, const Interval& b) {
  Interval both;
  both.low = std::max(a.low, b.low);
  both.high = std::min(a.high, b.high);
  both.excludes_low =
      (a.excludes_low && a.low == both.low) || (b.excludes_low && b.low == both.low);
  return both;
}

/// Puts the new text in the place of the old one at the beginning of a list of limits.
void replace_first(std::string& limits, const std::string& before, const std::string& after) {
  limits.erase(0, before.size());
  limits.insert(0, after + (before.empty() && !limits.empty() ? ", " : ""));
}

}  // namespace

template <class T>
Parameter<T>::Parameter(Document& document, Declaration& declaration, const Node* node, T* value,
                        std::optional<T>* optional, std::optional<T> fallback)
    : m_document(document),
      m_declaration(declaration),
      m_node(node),
      m_value(value),
      m_optional(optional),
      m_default(std::move(fallback)) {}

template <class T>
Parameter<T>& Parameter<T>::doc(const std::string& text) {
  m_declaration.doc = text;
  return *this;
}

template <class T>
Parameter<T>& Parameter<T>::otherwise(const std::string& text) {
  m_declaration.otherwise = text;
  return *this;
}

template <class T>
Parameter<T>& Parameter<T>::unit(const std::string& text) {
  m_declaration.unit = text;
  return *this;
}

template <class T>
Parameter<T>& Parameter<T>::range(double low, double high,
                                  const std::string& rule) requires NumericParameter<T> {
  const std::string from = yaml_text(low), to = yaml_text(high);
  std::string requirement = fmt::format("between {} and {}", from, to);
  if (std::isinf(high)) requirement = "at least " + from;
  if (std::isinf(low)) requirement = "at most " + to;
  limit_to({low, high, false}, rule);
  check_elements(
      [&](auto x) {
        return static_cast<long double>(x) >= low && static_cast<long double>(x) <= high;
      },
      requirement);
  return *this;
}

template <class T>
Parameter<T>& Parameter<T>::positive() requires NumericParameter<T> {
  limit_to({0, std::numeric_limits<double>::infinity(), true});
  check_elements([](auto x) { return x > 0; }, "greater than 0");
  return *this;
}

template <class T>
Parameter<T>& Parameter<T>::non_negative() requires NumericParameter<T> {
  limit_to({0, std::numeric_limits<double>::infinity(), false});
  check_elements([](auto x) { return std::is_unsigned_v<decltype(x)> || !(x < 0); }, "at least 0");
  return *this;
}

template <class T>
Parameter<T>& Parameter<T>::one_of(const std::vector<std::string>& names) requires
    TextParameter<T> {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(yaml_text(name));
  add_limits("one of " + join_names(shown));
  m_declaration.names = names;
  std::string suggestion;
  const auto holds = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return true;
    const std::string near = nearest_name(name, names);
    if (!near.empty()) suggestion = fmt::format(" (did you mean '{}'?)", near);
    return false;
  };
  if (m_declaration.rejected || m_value == nullptr) return *this;
  if (const auto offender = first_offender(*m_value, m_node, holds)) {
    if (m_node == nullptr) refuse_default();
    reject(*offender->node,
           fmt::format("'{}{}' is '{}', but must be one of {}{}", m_declaration.path,
                       offender->index, offender->node->text, join_names(names), suggestion));
  }
  return *this;
}

template <class T>
Parameter<T>& Parameter<T>::size(std::size_t n, const std::string& rule) requires ListParameter<T> {
  constexpr bool is_matrix = std::is_same_v<T, Matrix>;
  add_limits(
      is_matrix ? fmt::format("{} x {}", n, n) : fmt::format("{} element{}", n, n == 1 ? "" : "s"),
      rule);
  if (m_declaration.rejected || m_value == nullptr) return *this;
  const T& value = *m_value;
  bool fits = value.size() == n;
  std::string found = fmt::format("{} element{}", value.size(), value.size() == 1 ? "" : "s");
  std::string needed = std::to_string(n);
  if constexpr (is_matrix) {
    const std::size_t columns = value.empty() ? 0 : value[0].size();
    fits = fits && columns == n;
    found = fmt::format("{} x {} elements", value.size(), columns);
    needed = fmt::format("{} x {}", n, n);
  }
  if (fits) return *this;
  if (m_node == nullptr) refuse_default();
  reject(*m_node, fmt::format("'{}' has {}, but must have {}", m_declaration.path, found, needed));
  return *this;
}

template <class T>
Parameter<T>& Parameter<T>::path() requires TextParameter<T> {
  if (m_declaration.rejected || m_value == nullptr) return *this;
  if (m_node != nullptr && m_declaration.required && m_value->empty()) {
    reject(*m_node, fmt::format("'{}' is empty, but must name a file", m_declaration.path));
    return *this;
  }
  if constexpr (ListParameter<T>) {
    for (std::string& path : *m_value) path = m_document.resolve_path(path, m_node);
  } else {
    *m_value = m_document.resolve_path(*m_value, m_node);
  }
  // A path of the command line does not count from the input file, so that it must be absolute to
  // be read back.
  if (m_node != nullptr && !m_node->location.has_line()) m_declaration.value = value_text(*m_value);
  return *this;
}

/// Bounds come first among the limits, in one text for all that were given.
template <class T>
void Parameter<T>::limit_to(const Interval& interval, const std::string& rule) {
  if (!rule.empty()) return add_limits(interval_text(interval), rule);
  const std::string before = interval_text(m_declaration.interval);
  m_declaration.interval = intersection(m_declaration.interval, interval);
  const std::string after = interval_text(m_declaration.interval);
  if (after.empty()) return;
  replace_first(m_declaration.limits, before, after);
  replace_first(m_declaration.general_limits, before, after);
}

template <class T>
void Parameter<T>::add_limits(const std::string& text, const std::string& rule) {
  m_declaration.limits += (m_declaration.limits.empty() ? "" : ", ") + text;
  m_declaration.general_limits +=
      (m_declaration.general_limits.empty() ? "" : ", ") + (rule.empty() ? text : rule);
}

template <class T>
void Parameter<T>::reject(const Node& place, const std::string& message) {
  m_document.record(place.location, message);
  m_declaration.rejected = true;
  if (m_optional != nullptr) {
    *m_optional = m_default;
    m_value = m_default ? &**m_optional : nullptr;
  } else {
    *m_value = *m_default;
  }
  m_declaration.value = m_declaration.fallback;
}

template <class T>
void Parameter<T>::refuse_default() const {
  throw std::logic_error(
      fmt::format("the default of '{}', {}, is outside its limits: a parameter without a default "
                  "is a std::optional",
                  m_declaration.path, m_declaration.fallback));
}

template <class T>
template <class Check>
void Parameter<T>::check_elements(const Check& holds, const std::string& requirement) {
  if (m_declaration.rejected || m_value == nullptr) return;
  const auto offender = first_offender(*m_value, m_node, holds);
  if (!offender) return;
  if (m_node == nullptr) refuse_default();
  reject(*offender->node, fmt::format("'{}{}' is {}, but must be {}", m_declaration.path,
                                      offender->index, offender->node->text, requirement));
}

// Member by member: with an explicit instantiation of the class, Clang before 16 takes also the
// members that T does not have.
#define TESSERA_INSTANTIATE(T)                                                                  \
  template Parameter<T>::Parameter(Document&, Declaration&, const Node*, T*, std::optional<T>*, \
                                   std::optional<T>);                                           \
  template Parameter<T>& Parameter<T>::doc(const std::string&);                                 \
  template Parameter<T>& Parameter<T>::otherwise(const std::string&);                           \
  template Parameter<T>& Parameter<T>::unit(const std::string&);
#define TESSERA_INSTANTIATE_NUMERIC(T)                                                 \
  TESSERA_INSTANTIATE(T)                                                               \
  template Parameter<T>& Parameter<T>::range(double, double, const std::string& rule); \
  template Parameter<T>& Parameter<T>::positive();                                     \
  template Parameter<T>& Parameter<T>::non_negative();
#define TESSERA_INSTANTIATE_TEXT(T) \
  TESSERA_INSTANTIATE(T)            \
  template Parameter<T>& Parameter<T>::one_of(const std::vector<std::string>&);
#define TESSERA_INSTANTIATE_SIZE(T) \
  template Parameter<T>& Parameter<T>::size(std::size_t, const std::string& rule);

TESSERA_INSTANTIATE(bool)
TESSERA_INSTANTIATE(Quantity)
TESSERA_INSTANTIATE_NUMERIC(int)
TESSERA_INSTANTIATE_NUMERIC(std::int64_t)
TESSERA_INSTANTIATE_NUMERIC(std::uint64_t)
TESSERA_INSTANTIATE_NUMERIC(double)
TESSERA_INSTANTIATE_NUMERIC(std::vector<int>)
TESSERA_INSTANTIATE_NUMERIC(std::vector<double>)
TESSERA_INSTANTIATE_NUMERIC(Matrix)
TESSERA_INSTANTIATE(TextRows)
TESSERA_INSTANTIATE_TEXT(std::string)
TESSERA_INSTANTIATE_TEXT(std::vector<std::string>)
TESSERA_INSTANTIATE_SIZE(std::vector<int>)
TESSERA_INSTANTIATE_SIZE(std::vector<double>)
TESSERA_INSTANTIATE_SIZE(std::vector<std::string>)
TESSERA_INSTANTIATE_SIZE(Matrix)
template Parameter<std::string>& Parameter<std::string>::path();
template Parameter<std::vector<std::string>>& Parameter<std::vector<std::string>>::path();

#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_NUMERIC
#undef TESSERA_INSTANTIATE_TEXT
#undef TESSERA_INSTANTIATE_SIZE

}  // namespace tessera::config
