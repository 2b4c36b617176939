// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera {

/// The sources and the tools that this program was built from; written to every results file.
struct BuildInfo {
  const char* version;  ///< "1.0.0"
  /// "1a2b3c4d5e6f", with "-dirty" when files were changed; "unknown" outside a checkout
  const char* git_commit;
  const char* build_type;  ///< "Release"
  const char* compiler;    ///< "GNU 12.2.0"
  const char* cxx_flags;
  const char* level;  ///< of x86-64 that the processor must have, "x86-64-v3"; otherwise in words
  const char* kokkos_version;  ///< "4.6.0"
};

const BuildInfo& build_info();

/// All of it in a few lines, for --version.
std::string version_text();

}  // namespace tessera
