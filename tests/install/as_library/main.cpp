// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

#include <Kokkos_Core.hpp>
#include <cstdio>

#include "core/device/backend.hpp"
#include "models/gbees/application.hpp"

/// What a program that uses Tessera as a library needs at least: its headers, its libraries and Kokkos.
int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const tessera::Backend backend = tessera::choose_backend("auto");
  const tessera::Application application = tessera::gbees::application();
  std::printf("%s (%s) on %s\n", application.name.c_str(), application.summary.c_str(), tessera::device_name(backend).c_str());
  return application.name == "gbees" ? 0 : 1;
}
