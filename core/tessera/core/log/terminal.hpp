// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The one line on stderr that progress rewrites and that messages must not run into; nothing
/// outside this folder includes it.

#include <string>

namespace tessera::logging {

/// Returns whether stderr is a terminal that can rewrite a line.
bool stderr_is_terminal();

/// Rewrites the line, cut to the width of the terminal.
void show_line(const std::string& text);

/// Erases the line, so that a message can take its place.
void clear_line();

/// Ends the line, so that it stays.
void end_line();

/// Writes a whole line.
void write_line(const std::string& text);

}  // namespace tessera::logging
