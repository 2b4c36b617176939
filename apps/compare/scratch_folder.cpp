// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/compare/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tessera/core/error.hpp"

namespace tessera::compare {

ScratchFolder::ScratchFolder() {
  const char* const chosen = std::getenv("TMPDIR");
  const std::string parent = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
  m_path = parent + "/tessera-compare-XXXXXX";
  if (::mkdtemp(m_path.data()) == nullptr) {
    throw Error(
        ErrorKind::file,
        "cannot create a folder for temporary files in '" + parent + "': " + std::strerror(errno),
        "name another place in the environment variable TMPDIR, or use --keep");
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(m_path, ignored);
}

}  // namespace tessera::compare
