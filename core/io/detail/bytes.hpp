// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::io {

/// The bytes of a file; throws Error (file) when it cannot be read.
std::string read_bytes(const std::string& path);

}  // namespace tessera::io
