// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/config/declaration.hpp"

namespace tessera::config {

/// The declarations of a program for an input that chooses `value` for `key`, a parameter on which
/// other parameters depend.
struct Reading {
  std::string key, value;  ///< empty for the defaults
  const Declaration* root = nullptr;
};

/// A page in Markdown with every parameter of a program: a heading and a table for each section of
/// the input. The first reading is that of the defaults. A parameter that only some readings have,
/// or that differs between them, says with which values it goes.
std::string parameters_page(const std::string& program, const std::vector<Reading>& readings);

/// The declaration with this path, "grid.threshold"; nullptr when there is none.
const Declaration* find(const Declaration& root, const std::string& path);

}  // namespace tessera::config
