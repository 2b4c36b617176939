// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "tessera/core/config/section.hpp"

namespace tessera::gbees {

/// Records an error where the folder of a file that a run will write is not there: the run would
/// end without it.
inline void check_folder(config::Section& in, const std::string& key, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (in.documenting() || folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  in.error(key, "there is no folder '" + folder.string() + "': make it, or name another file");
}

}  // namespace tessera::gbees
