// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tessera/core/config/declaration.hpp"
#include "tessera/core/config/node.hpp"
#include "tessera/core/config/section.hpp"
#include "tessera/core/error.hpp"

namespace tessera::config {

/// An input that is not YAML or not a mapping. The message is the report: a line per error, each
/// with its place.
class UnreadableInput : public Error {
 public:
  explicit UnreadableInput(const std::string& report) : Error(ErrorKind::input, report) {}
};

/// An input: its text, the values in it, what the program declared about them and every problem
/// found.
///
///     config::Document document = config::Document::load("lorenz63.yaml");
///     for (const std::string& argument : overrides) document.apply_override(argument);
///     config::Section root = document.root();
///     ...                                            // declare and read
///     if (document.has_errors()) throw Error(ErrorKind::input, document.report());
class Document {
 public:
  /// Reads a file. Throws Error(input) when it cannot be read, and UnreadableInput when it is not
  /// YAML or not a mapping.
  static Document load(const std::filesystem::path& path);

  /// Reads a text as `load` reads a file; `name` stands for the file in messages, and relative
  /// paths refer to it.
  static Document parse(const std::string& text, const std::string& name);

  /// Makes a document without an input: parameters are declared to be documented, and only what
  /// overrides give is checked.
  static Document defaults();

  /// Applies "key.path=value", with the value in YAML and list entries by number:
  /// "measurements.0.value=3", "grid.spacing=[1, 2]". Comes before `root()`. Throws Error(usage)
  /// when the argument has not that form or the list has no such entry.
  void apply_override(const std::string& argument);

  /// The top of the input. Refers to this document, which must stay where it is from then on.
  Section root();

  void record(const Location& location, const std::string& message);
  bool has_errors() const { return !m_problems.empty(); }

  /// All errors, one a line, in the order of the input (those of the command line first).
  std::string report() const;

  /// Every declared parameter with the value in force, as YAML that reads back to the same values.
  std::string resolved() const;

  /// An annotated input with every parameter at its default.
  std::string print_defaults() const;

  /// Returns what the program declared.
  const Declaration& declarations() const { return m_declarations.front(); }

  /// The bytes of the input, unchanged.
  const std::string& text() const { return m_text; }

  bool documenting() const { return m_documenting; }

  /// The declaration of `key` below `parent`, made when it is new. Two parts of a program may share
  /// a section.
  Declaration& declare(Declaration& parent, Declaration::Kind kind, const std::string& key);

  /// A node to be read in the place of one of the input.
  void replace(const Node& node, Node by) { m_replaced[&node] = std::move(by); }
  const Node& in_place_of(const Node& node) const;

  /// `value`, a path given at `place` (nullptr: a default), as the program can open it.
  std::string resolve_path(const std::string& value, const Node* place) const;

 private:
  Document();

  std::string m_name;
  std::string m_text;
  Node m_tree;
  std::unordered_map<const Node*, Node> m_replaced;
  std::deque<Declaration> m_declarations;  // keeps addresses; the first is the root
  std::vector<Diagnostic> m_problems;
  std::unordered_set<std::string> m_recorded;  // their lines
  bool m_documenting = false;
};

}  // namespace tessera::config
