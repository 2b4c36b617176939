// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tessera::io {

/// Hands the bytes of a file to `take`, piece by piece; throws Error (file) when it cannot be read.
void read_pieces(const std::string& path,
                 const std::function<void(const char* data, std::size_t size)>& take);

/// The bytes of a data file, which is added to the FilesRead; throws Error (file) when it cannot be
/// read.
std::string read_bytes(const std::string& path);

}  // namespace tessera::io
