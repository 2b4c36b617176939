// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/config/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <utility>

#include "tessera/core/config/listing.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/memory.hpp"

namespace tessera::config {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestInput = std::size_t{16} << 20;  // an input is written by people

const Location kCommandLine{"command line", 0, 0};

std::string read_file(const fs::path& path) {
  const auto fail = [&](const std::string& why, const std::string& remedy) -> std::string {
    throw Error(ErrorKind::input,
                fmt::format("cannot read the input file '{}': {}", path.string(), why), remedy);
  };
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (status.type() == fs::file_type::not_found)
    return fail("no such file", "check the path and the working directory");
  if (fs::is_directory(status)) return fail("it is a folder", "name a YAML file");
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail("permission denied", "make it readable");
  std::string text(kLargestInput + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return fail("reading failed", "check the disk");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargestInput)
    return fail("it is larger than 16 MiB",
                "name a YAML file, and keep data in files of their own");
  return text;
}

/// "measurements.0.value" or "measurements[0].value" in its parts; empty when malformed.
std::vector<std::string> split_path(std::string path) {
  for (std::size_t open = path.find('['); open != std::string::npos; open = path.find('[', open)) {
    const std::size_t close = path.find(']', open);
    if (close == std::string::npos) return {};
    path.erase(close, 1);
    path[open] = '.';
  }
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    if (end == start) return {};
    parts.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

/// The value below `node` that `part` names; a missing key is added, and what cannot have keys
/// becomes a mapping.
Node& descend(Node& node, const std::string& part, const std::string& argument) {
  if (node.kind == Node::Kind::sequence) {
    std::size_t index = 0;
    const auto result = std::from_chars(part.data(), part.data() + part.size(), index);
    if (result.ec != std::errc() || result.ptr != part.data() + part.size() ||
        index >= node.items.size()) {
      throw Error(ErrorKind::usage,
                  fmt::format("'{}': there is no entry '{}' in a list of {}", argument, part,
                              node.items.size()),
                  "entries are numbered from 0");
    }
    return node.items[index];
  }
  if (node.kind != Node::Kind::map) {
    node = Node{};
    node.kind = Node::Kind::map;
    node.location = kCommandLine;
  }
  if (Entry* entry = node.find(part)) return entry->value;
  return node.add({part, kCommandLine, {}}).value;
}

void place_on_command_line(Node& node) {
  node.location = kCommandLine;
  for (Node& item : node.items) place_on_command_line(item);
  for (Entry& entry : node.entries) {
    entry.location = kCommandLine;
    place_on_command_line(entry.value);
  }
}

}  // namespace

Document::Document() { m_declarations.emplace_back(); }

Document Document::load(const fs::path& path) { return parse(read_file(path), path.string()); }

Document Document::parse(const std::string& text, const std::string& name) {
  Document document;
  document.m_name = name;
  document.m_text = text;
  document.m_tree = parse_yaml(text, name, document.m_problems);
  const Node& tree = document.m_tree;
  if (tree.kind != Node::Kind::map) {
    if (tree.kind != Node::Kind::null) {
      document.record(
          tree.location,
          fmt::format("an input is a mapping of keys to values, as in 'app: name' (with a space "
                      "after the colon); found {}",
                      tree.kind == Node::Kind::sequence ? "a list" : "'" + tree.text + "'"));
    } else if (!document.has_errors()) {
      document.record({name, 1, 1},
                      "the input is empty (--print-defaults writes one to begin with)");
    }
    throw UnreadableInput(document.report());
  }
  document.m_declarations.front().place = {name, 1, 1};
  document.m_declarations.front().given = true;
  return document;
}

Document Document::defaults() {
  Document document;
  document.m_documenting = true;
  document.m_tree.kind = Node::Kind::map;
  return document;
}

void Document::apply_override(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const std::vector<std::string> parts =
      split_path(argument.substr(0, std::min(equals, argument.size())));
  if (equals == std::string::npos || parts.empty()) {
    throw Error(ErrorKind::usage, fmt::format("'{}' is not of the form key.path=value", argument),
                "for example run.seed=1");
  }
  std::vector<Diagnostic> problems;
  Node value = parse_yaml(argument.substr(equals + 1), kCommandLine.file, problems);
  if (!problems.empty())
    throw Error(ErrorKind::usage, fmt::format("'{}': {}", argument, problems.front().message));
  if (value.kind == Node::Kind::null) {
    throw Error(ErrorKind::usage, fmt::format("'{}' gives no value", argument),
                "write key.path='\"\"' for an empty text");
  }
  place_on_command_line(value);
  Node* node = &m_tree;
  for (const std::string& part : parts) node = &descend(*node, part, argument);
  *node = std::move(value);
}

Section Document::root() { return Section(*this, &m_tree, m_declarations.front(), !m_documenting); }

const Node& Document::in_place_of(const Node& node) const {
  const auto found = m_replaced.find(&node);
  return found == m_replaced.end() ? node : found->second;
}

void Document::record(const Location& location, const std::string& message) {
  // Only overrides can be wrong where there is no input.
  if (m_documenting && location.file != kCommandLine.file) return;
  // Two parts of a program that read the same section find the same problems.
  if (m_recorded.insert(to_string(location) + ": " + message).second)
    m_problems.push_back({location, message});
}

std::string Document::report() const { return config::report(m_problems); }

std::string Document::resolved() const { return resolved_text(m_declarations.front()); }

std::string Document::print_defaults() const { return defaults_text(m_declarations.front()); }

Declaration& Document::declare(Declaration& parent, Declaration::Kind kind,
                               const std::string& key) {
  const auto found = parent.child_of_key.find(key);
  if (found != parent.child_of_key.end()) {
    if (found->second->kind != kind)
      throw Error(
          ErrorKind::internal,
          fmt::format("the key '{}' is declared as two different things", found->second->path));
    return *found->second;
  }
  Declaration& declaration = m_declarations.emplace_back();
  declaration.kind = kind;
  declaration.key = key;
  if (kind == Declaration::Kind::item) {
    declaration.path = fmt::format("{}[{}]", parent.path, key);
  } else {
    declaration.path = parent.path.empty() ? key : parent.path + "." + key;
  }
  parent.children.push_back(&declaration);
  parent.child_of_key.emplace(key, &declaration);
  return declaration;
}

std::string Document::resolve_path(const std::string& value, const Node* place) const {
  if (value.empty() || io::is_in_memory(value)) return value;
  if (place != nullptr && !place->location.has_line())
    return fs::absolute(value).lexically_normal().string();
  return (fs::path(m_name).parent_path() / value).lexically_normal().string();
}

}  // namespace tessera::config
