// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/config/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tessera/core/config/declaration.hpp"
#include "tessera/core/config/document.hpp"
#include "tessera/core/config/node.hpp"
#include "tessera/core/config/scalar.hpp"
#include "tessera/core/config/value.hpp"
#include "tessera/core/names.hpp"

namespace tessera::config {

namespace {

using Kind = Declaration::Kind;

/// "in 'grid'", for messages.
std::string where(const Declaration& section) {
  return section.path.empty() ? "at the top level" : fmt::format("in '{}'", section.path);
}

constexpr std::size_t kMostUnknown = 20;  // keys of a section that are complained about one by one

bool is_free(const std::string& key) { return key == "comment" || key.compare(0, 2, "x-") == 0; }

/// Locates a character of a scalar, if the scalar has one line.
Location character_of(const Node& scalar, std::size_t offset) {
  Location place = scalar.location;
  if (place.has_line() && scalar.text.find('\n') == std::string::npos)
    place.column += static_cast<int>(offset) + (scalar.quoted ? 1 : 0);
  return place;
}

}  // namespace

Section::Section(Document& document, const Node* node, Declaration& declaration, bool demanding)
    : m_document(document), m_node(node), m_declaration(declaration), m_demanding(demanding) {}

template <class T>
Parameter<T> Section::read(const std::string& key, T* value, std::optional<T>* optional,
                           bool required, const std::string& alternative) {
  Declaration& declaration = m_document.declare(m_declaration, Kind::parameter, key);
  const Entry* entry = m_node != nullptr ? m_node->find(key) : nullptr;
  std::optional<T> fallback;
  if (value != nullptr) fallback = *value;
  if (fallback && !can_be_written(*fallback)) {
    throw std::logic_error(fmt::format(
        "the default of '{}' is not finite: a parameter without a default is a std::optional",
        declaration.path));
  }
  declaration.type = type_name<T>();
  declaration.required = required;
  declaration.fallback = fallback ? value_text(*fallback) : "";
  declaration.given = entry != nullptr;
  declaration.unset = entry == nullptr && !fallback;
  declaration.limits.clear();
  declaration.general_limits.clear();
  declaration.interval = {};
  declaration.names.clear();
  if (declaration.rejected) {
    // read before, and found wrong: said once is enough
  } else if (entry != nullptr) {
    declaration.place = entry->place();
    T read{};
    if (auto problem = read_value(m_document.in_place_of(entry->value), declaration.path, read)) {
      declaration.rejected = true;
      m_document.record(entry->value.kind == Node::Kind::null ? entry->location : problem->location,
                        problem->message);
    } else if (value != nullptr) {
      *value = std::move(read);
    } else {
      value = &optional->emplace(std::move(read));
    }
  } else if (required && m_demanding) {
    declaration.rejected = true;
    const bool has_example =
        !declaration.unset && declaration.fallback != "\"\"" && declaration.fallback != "[]";
    const std::string example =
        has_example ? fmt::format(" (for example '{}: {}')", key, declaration.fallback) : "";
    const std::string other = alternative.empty() ? "" : fmt::format(" or '{}'", alternative);
    m_document.record(m_declaration.place, fmt::format("missing required key '{}'{} {}{}", key,
                                                       other, where(m_declaration), example));
  }
  declaration.value = value != nullptr ? value_text(*value) : "";
  return Parameter<T>(m_document, declaration,
                      entry != nullptr ? &m_document.in_place_of(entry->value) : nullptr, value,
                      optional, std::move(fallback));
}

template <class T>
Parameter<T> Section::get(const std::string& key, T& value) {
  return read<T>(key, &value, nullptr, false);
}

template <class T>
Parameter<T> Section::get(const std::string& key, std::optional<T>& value) {
  return read<T>(key, value ? &*value : nullptr, &value, false);
}

template <class T>
Parameter<T> Section::require(const std::string& key, T& value, const std::string& alternative) {
  return read<T>(key, &value, nullptr, true, alternative);
}

void Section::convert_units(const std::string& key,
                            const std::function<Conversion(const Quantity&, std::size_t row,
                                                           std::size_t column)>& convert) {
  const Entry* entry = m_node != nullptr ? m_node->find(key) : nullptr;
  if (entry == nullptr) return;
  Declaration& declaration = m_document.declare(m_declaration, Kind::parameter, key);
  if (declaration.rejected) return;
  Node converted = entry->value;
  const auto convert_scalar = [&](Node& scalar, std::size_t row, std::size_t column) {
    Quantity quantity;
    if (scalar.kind != Node::Kind::scalar || !read_scalar(scalar, quantity).ok ||
        quantity.unit.empty())
      return;
    const Conversion conversion = convert(quantity, row, column);
    if (!conversion.problem.empty()) {
      m_document.record(character_of(scalar, conversion.at), conversion.problem);
      declaration.rejected = true;
    }
    scalar.text = yaml_text(conversion.value);
    scalar.quoted = false;
  };
  convert_scalar(converted, 0, 0);
  for (std::size_t row = 0; row < converted.items.size(); ++row) {
    Node& item = converted.items[row];
    convert_scalar(item, row, 0);
    for (std::size_t column = 0; column < item.items.size(); ++column)
      convert_scalar(item.items[column], row, column);
  }
  m_document.replace(entry->value, std::move(converted));
}

Section Section::open(const Node* node, Declaration& declaration) const {
  const bool readable =
      node == nullptr || node->kind == Node::Kind::map || node->kind == Node::Kind::null;
  if (!readable) {
    declaration.rejected = true;
    m_document.record(node->location, fmt::format("expected a mapping for '{}', found {}",
                                                  declaration.path, describe(*node)));
  }
  declaration.given = node != nullptr;
  return Section(m_document, readable ? node : nullptr, declaration, m_demanding && readable);
}

Section Section::section(const std::string& key, const std::string& doc) {
  Declaration& declaration = m_document.declare(m_declaration, Kind::section, key);
  if (!doc.empty()) declaration.doc = doc;
  const Entry* entry = m_node != nullptr ? m_node->find(key) : nullptr;
  declaration.place = entry != nullptr ? entry->location : m_declaration.place;
  return open(entry != nullptr ? &entry->value : nullptr, declaration);
}

std::vector<Section> Section::list(const std::string& key, const std::string& doc) {
  Declaration& declaration = m_document.declare(m_declaration, Kind::list, key);
  if (!doc.empty()) declaration.doc = doc;
  const Entry* entry = m_node != nullptr ? m_node->find(key) : nullptr;
  declaration.place = entry != nullptr ? entry->place() : m_declaration.place;
  declaration.given = entry != nullptr;
  const Node nothing;
  const Node& node = entry != nullptr ? entry->value : nothing;
  std::vector<Section> sections;
  if (node.kind == Node::Kind::sequence) {
    for (const Node& item : node.items) {
      Declaration& element =
          m_document.declare(declaration, Kind::item, std::to_string(sections.size()));
      element.place = item.location;
      sections.push_back(open(&item, element));
    }
  } else if (node.kind != Node::Kind::null) {
    declaration.rejected = true;
    m_document.record(node.location,
                      fmt::format("expected a list for '{}', found {} (begin each entry with '- ')",
                                  declaration.path, describe(node)));
  }
  if (m_document.documenting() && entry == nullptr) {
    Declaration& element = m_document.declare(declaration, Kind::item, "");
    sections.push_back(open(nullptr, element));
  }
  return sections;
}

bool Section::present() const {
  m_declaration.optional = true;
  return m_declaration.given || m_document.documenting();
}

bool Section::has(const std::string& key) const {
  const Entry* entry = m_node != nullptr ? m_node->find(key) : nullptr;
  return entry != nullptr && entry->value.kind != Node::Kind::null;
}

Form Section::form(const std::string& key) const {
  const Entry* entry = m_node != nullptr ? m_node->find(key) : nullptr;
  if (entry == nullptr) return Form::nothing;
  switch (entry->value.kind) {
    case Node::Kind::scalar:
      return Form::scalar;
    case Node::Kind::sequence: {
      const std::vector<Node>& items = entry->value.items;
      const bool is_rows = !items.empty() && items.front().kind == Node::Kind::sequence;
      return is_rows ? Form::rows : Form::list;
    }
    case Node::Kind::map:
      return Form::mapping;
    default:
      return Form::nothing;
  }
}

std::vector<std::string> Section::keys() const {
  std::vector<std::string> names;
  if (m_node == nullptr) return names;
  for (const Entry& entry : m_node->entries) {
    if (!is_free(entry.key)) names.push_back(entry.key);
  }
  return names;
}

void Section::error_within(const std::string& key, int item, std::size_t offset,
                           const std::string& message) {
  const Entry* entry = m_node != nullptr ? m_node->find(key) : nullptr;
  const Node* node = entry != nullptr ? &entry->value : nullptr;
  if (node != nullptr && item >= 0) {
    const auto index = static_cast<std::size_t>(item);
    node = node->kind == Node::Kind::sequence && index < node->items.size() ? &node->items[index]
                                                                            : nullptr;
  }
  if (node == nullptr || node->kind != Node::Kind::scalar || m_declaration.rejected)
    return error(key, message);
  m_document.record(character_of(*node, offset), message);
}

void Section::error_at(const std::string& key, const std::vector<std::size_t>& element,
                       const std::string& message) {
  const Entry* entry = m_node != nullptr ? m_node->find(key) : nullptr;
  const Node* node = entry != nullptr ? &entry->value : nullptr;
  for (const std::size_t index : element) {
    if (node == nullptr) break;
    node = node->kind == Node::Kind::sequence && index < node->items.size() ? &node->items[index]
                                                                            : nullptr;
  }
  if (node == nullptr || m_declaration.rejected) return error(key, message);
  m_document.record(node->location, message);
}

void Section::error(const std::string& key, const std::string& message) {
  if (m_declaration.rejected) return;
  const auto child = m_declaration.child_of_key.find(key);
  if (child != m_declaration.child_of_key.end() && child->second->rejected) return;
  const Entry* entry = m_node != nullptr ? m_node->find(key) : nullptr;
  m_document.record(entry != nullptr ? entry->place() : m_declaration.place, message);
}

std::string Section::place(const std::string& key) const {
  const Entry* entry = m_node != nullptr && !key.empty() ? m_node->find(key) : nullptr;
  return to_string(entry != nullptr ? entry->place() : m_declaration.place);
}

void Section::finish() {
  if (m_node == nullptr) return;
  std::vector<std::string> known;
  for (const Declaration* child : m_declaration.children) known.push_back(child->key);
  std::size_t unknown = 0;
  const Entry* first_of_rest = nullptr;
  for (const Entry& entry : m_node->entries) {
    if (is_free(entry.key) || m_declaration.child_of_key.count(entry.key) != 0) continue;
    if (++unknown > kMostUnknown) {
      if (first_of_rest == nullptr) first_of_rest = &entry;
      continue;
    }
    const std::string suggestion = nearest_name(entry.key, known);
    const std::string hint = !suggestion.empty() ? fmt::format("(did you mean '{}'?)", suggestion)
                             : known.empty()     ? std::string("(no keys are known here)")
                                             : fmt::format("(known keys: {})", join_names(known));
    m_document.record(entry.location,
                      fmt::format("unknown key '{}' {} {}", entry.key, where(m_declaration), hint));
  }
  if (first_of_rest == nullptr) return;
  const std::size_t rest = unknown - kMostUnknown;
  m_document.record(first_of_rest->location,
                    fmt::format("and {} more unknown key{} {}", rest, rest == 1 ? "" : "s",
                                where(m_declaration)));
}

bool Section::documenting() const { return m_document.documenting(); }

Declaration& Section::declared(const std::string& key) const {
  const auto child = m_declaration.child_of_key.find(key);
  if (child == m_declaration.child_of_key.end())
    throw std::logic_error(fmt::format("'{}' is not declared in '{}'", key, path()));
  return *child->second;
}

void Section::comment_out(const std::string& key) {
  Declaration& declaration = declared(key);
  declaration.printed = Declaration::Printed::commented_out;
  if (declaration.given)
    m_document.record(declaration.place,
                      fmt::format("'{}' has no use with the rest of the input", declaration.path));
}

void Section::write_out(const std::string& key, const std::string& example) {
  Declaration& declaration = declared(key);
  declaration.printed = Declaration::Printed::written_out;
  declaration.example = example;
}

bool Section::has_errors() const { return m_document.has_errors(); }

const std::string& Section::path() const { return m_declaration.path; }

#define TESSERA_INSTANTIATE(T)                                               \
  template Parameter<T> Section::get(const std::string&, T&);                \
  template Parameter<T> Section::get(const std::string&, std::optional<T>&); \
  template Parameter<T> Section::require(const std::string&, T&, const std::string&);

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
