// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::io {

/// From now on a run that is continued is not held to the bytes of this file (FilesRead::hold_to):
/// rows may have been added to it. Who reads it sees to it that what the run has used is the same.
void let_grow(const std::string& path);

}  // namespace tessera::io
