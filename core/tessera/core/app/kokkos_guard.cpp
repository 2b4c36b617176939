// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/app/kokkos_guard.hpp"

#include <exception>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"

namespace tessera {

KokkosGuard::KokkosGuard(const std::vector<std::string>& arguments, bool warnings) {
  if (Kokkos::is_initialized()) return;
  std::vector<std::string> all{"tessera"};
  if (!warnings) all.push_back("--kokkos-disable-warnings");
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& argument : all) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  try {
    Kokkos::initialize(count, pointers.data());
  } catch (const std::exception& failure) {
    throw Error(ErrorKind::resource, std::string("Kokkos could not start: ") + failure.what(),
                "check that the devices this build needs are present (--version shows what it was "
                "built for)");
  }
  if (count > 1) {  // Kokkos takes out what it knows
    const std::string unknown = pointers[1];
    Kokkos::finalize();
    throw Error(ErrorKind::usage, "Kokkos does not know the option '" + unknown + "'",
                "--kokkos-help lists those it knows");
  }
  m_started = true;
}

KokkosGuard::~KokkosGuard() {
  if (m_started) Kokkos::finalize();
}

}  // namespace tessera
