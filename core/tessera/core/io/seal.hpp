// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tessera/core/io/file_bytes.hpp"

/// The seal of a restart file: its first 512 bytes, which HDF5 leaves to the user (a "user block"),
/// so that its tools read the file as any other. It is text, ended by zeros:
///
///     tessera-restart 2.2
///     bytes 123456          of what follows the seal
///     sha256 9f86d081...    of the same: tail -c +513 FILE | sha256sum
///
/// A damaged file is found out by its bytes, before HDF5 is asked to make sense of them: a damaged
/// heap can make it hang or crash.

namespace tessera::io {

constexpr std::size_t kSealBytes = 512;
constexpr const char* kRestartFormat = "tessera-restart";
constexpr const char* kRestartVersion = "2.3";

/// Writes the seal of a file that is otherwise complete.
void write_seal(FileBytes& file);

/// Throws Error (file) unless the file of that name is a restart file of this version with every
/// byte as it was written.
void check_seal(const std::string& path);

}  // namespace tessera::io
