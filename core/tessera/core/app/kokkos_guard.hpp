// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera {

/// A guard that keeps Kokkos running for as long as it lives. Where Kokkos runs already, in a
/// program that uses this library, it is left as it is.
class KokkosGuard {
 public:
  /// `arguments`: those that begin with --kokkos-. Throws Error (resource) when Kokkos cannot
  /// start.
  KokkosGuard(const std::vector<std::string>& arguments, bool warnings);
  ~KokkosGuard();
  KokkosGuard(const KokkosGuard&) = delete;
  KokkosGuard& operator=(const KokkosGuard&) = delete;

 private:
  bool m_started = false;
};

}  // namespace tessera
