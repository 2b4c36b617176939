// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::logging {

enum class Level { quiet, normal, verbose };

/// Messages go to stderr; results never do. The level comes from -q and -v.
void set_level(Level level);
Level level();

void error(const std::string& message);    ///< shown at every level
void warning(const std::string& message);  ///< shown at every level
void info(const std::string& message);     ///< not with -q
void detail(const std::string& message);   ///< only with -v

}  // namespace tessera::logging
