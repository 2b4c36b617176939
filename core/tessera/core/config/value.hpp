// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "tessera/core/config/node.hpp"

namespace tessera::config {

// These exist for every type that a parameter may have (the list is with `Parameter`).

/// Reads `node` strictly into `value`; returns what is wrong, with the place and the name `path`.
/// `value` changes only on success.
template <class T>
std::optional<Diagnostic> read_value(const Node& node, const std::string& path, T& value);

/// The type in a few words, for tables: "integer", "list of real numbers".
template <class T>
std::string type_name();

/// The value on one line of YAML; it reads back as exactly the same value.
template <class T>
std::string value_text(const T& value);

/// Returns whether an input can give this value: numbers must be finite.
template <class T>
bool can_be_written(const T& value);

/// Describes what stands at a node, for "expected ..., found ...".
std::string describe(const Node& node);

}  // namespace tessera::config
