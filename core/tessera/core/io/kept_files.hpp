// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::io {

/// Keeps a file of this run from being replaced by another output: check_not_read() refuses it from
/// now on, until FilesRead::clear(). what: "the input", for the message.
void keep_file(const std::string& path, const std::string& what);

}  // namespace tessera::io
