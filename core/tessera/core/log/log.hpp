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

/// An error that says itself where it is: shown as it stands, at every level.
void report(const std::string& text);

/// Switches the holding of messages on or off. While they are held, errors and reports are kept and
/// everything else is dropped: for processes that have nothing to say as long as all goes well.
void hold_messages(bool hold);
bool holds_messages();

/// Shows what was kept, each with `prefix` in front, and forgets it.
void release_messages(const std::string& prefix);

}  // namespace tessera::logging
