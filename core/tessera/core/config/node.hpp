// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::config {

/// A place in an input: line and column count from 1; line 0 stands for a place without lines, such
/// as the command line.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;

  bool has_line() const { return line > 0; }
};

/// "file:line:column", or "file" alone where there are no lines.
std::string to_string(const Location& location);

/// One problem of an input and where it is.
struct Diagnostic {
  Location location;
  std::string message;
};

/// One line a diagnostic, as compilers write them, in the order of the lines and columns; after the
/// first 100 how many more there are.
std::string report(std::vector<Diagnostic> diagnostics);

struct Entry;

/// A value of the input, with its place. Scalars keep the text the user wrote; nothing is converted
/// yet.
struct Node {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  Location location;
  std::string text;            ///< of a scalar
  bool quoted = false;         ///< a scalar that is text whatever it looks like
  std::vector<Node> items;     ///< of a sequence
  std::vector<Entry> entries;  ///< of a map, in the order of the input

  /// The entry of a map with this key, or nullptr; by bisection.
  const Entry* find(const std::string& key) const;
  Entry* find(const std::string& key);

  /// Adds an entry to a map, which has none with this key.
  Entry& add(Entry entry);

  /// Makes entries that were appended to a map known to `find`.
  void index_keys();

  std::vector<std::uint32_t> by_key;  ///< indices of the entries in the order of their keys
};

/// A key of a map and its value.
struct Entry {
  std::string key;
  Location location;  ///< of the key
  Node value;

  /// Returns the place to point at when the value is wrong: the value itself, or the key when
  /// nothing was written.
  const Location& place() const {
    return value.kind == Node::Kind::null ? location : value.location;
  }
};

/// Reads one YAML document; `name` stands for the file in every location.
///
/// What is wrong is appended to `problems`. After an error of syntax, and for a text without
/// content, the node returned is null. Duplicate keys, keys that are not text and unknown tags are
/// problems too; the first of two equal keys is kept. So are lists and mappings that are nested
/// more than 64 deep, and aliases and nested anchors that stand for more than 100000 values or 16
/// MiB of text together.
Node parse_yaml(const std::string& text, const std::string& name,
                std::vector<Diagnostic>& problems);

}  // namespace tessera::config
