// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tessera::io {

/// The stamp of a file, which tells it from another one that takes its name later, and from itself
/// after a change. All zero: there is none.
struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t changed = 0;  ///< ns

  bool operator==(const FileStamp&) const = default;
};

/// Stamps the file of that name. A symbolic link stands for the file that it leads to.
FileStamp stamp_file(const std::string& path);

}  // namespace tessera::io
