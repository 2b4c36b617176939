// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests whether this program was compiled with the options of the library's kernels, as WANTED
// says. Compilers tell one of these options by a macro.
#include <cstdio>
#include <string>
#include <tessera/core/version.hpp>

int main() {
#if defined(__NO_MATH_ERRNO__)
  constexpr bool found = true;
#else
  constexpr bool found = false;
#endif
  const bool library =
      std::string(tessera::build_info().cxx_flags).find("-fno-math-errno") != std::string::npos;
  std::printf("options of the kernels: %s, wanted: %s, the library itself: %s\n",
              found ? "yes" : "no", WANTED ? "yes" : "no", library ? "yes" : "no");
  return library && found == static_cast<bool>(WANTED) ? 0 : 1;
}
