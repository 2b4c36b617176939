// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::compare {

/// A new folder for temporary files, removed with everything in it.
class ScratchFolder {
 public:
  /// Makes the folder in $TMPDIR, else /tmp. Throws Error (file) when that is impossible.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return m_path; }

 private:
  std::string m_path;
};

}  // namespace tessera::compare
