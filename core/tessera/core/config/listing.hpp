// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/core/config/declaration.hpp"

namespace tessera::config {

/// Every declared parameter with the value in force, as YAML that reads back to the same values.
std::string resolved_text(const Declaration& root);

/// An input with every parameter at its default, annotated with units, limits and documentation.
/// What an input may leave out with effect (optional sections, the items of lists, parameters that
/// are not set or empty) is commented out, and so is what the program says has no use in it
/// (Section::comment_out).
std::string defaults_text(const Declaration& root);

}  // namespace tessera::config
