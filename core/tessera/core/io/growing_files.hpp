// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::io {

/// Allows this file to grow: a run that is continued is not held to its bytes from now on
/// (FilesRead::hold_to), since rows may have been added to it. Its reader makes sure that what the
/// run has used is the same.
void let_grow(const std::string& path);

}  // namespace tessera::io
