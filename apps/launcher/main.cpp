// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Starts the program that has this one's name and was compiled for the highest level of x86-64 that
// the processor has: bin/tessera-gbees starts libexec/tessera/x86-64-v3/tessera-gbees. The variable
// TESSERA_LEVEL of the environment names another level. Exit codes: those of the program; 1 when
// the installation is not whole, 2 for a level that is not there, 6 for one that the processor does
// not have.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#ifndef TESSERA_PROGRAMS_DIR
#error "TESSERA_PROGRAMS_DIR is the folder of the levels, relative to that of this program"
#endif

namespace {

namespace fs = std::filesystem;

struct Level {
  const char* name;
  bool is_supported;  ///< by the processor and the operating system
};

/// From the highest to the lowest.
std::array<Level, 4> levels() {
  __builtin_cpu_init();
  return {{{"x86-64-v4", __builtin_cpu_supports("x86-64-v4") != 0},
           {"x86-64-v3", __builtin_cpu_supports("x86-64-v3") != 0},
           {"x86-64-v2", __builtin_cpu_supports("x86-64-v2") != 0},
           {"x86-64", true}}};
}

int fail(int exit_code, const std::string& program, const std::string& what,
         const std::string& remedy) {
  std::fprintf(stderr, "%s: error: %s\n  remedy: %s\n", program.c_str(), what.c_str(),
               remedy.c_str());
  return exit_code;
}

}  // namespace

int main(int /*argc*/, char** argv) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const std::string program = self.filename().string();
  if (error)
    return fail(1, argv[0], "/proc/self/exe cannot be read: " + error.message(), "mount /proc");
  const fs::path programs = (self.parent_path() / TESSERA_PROGRAMS_DIR).lexically_normal();

  const char* const given = std::getenv("TESSERA_LEVEL");
  const std::string wanted = given == nullptr ? "" : given;
  std::string installed;
  for (const Level& level : levels()) {
    const fs::path path = programs / level.name / program;
    if (::access(path.c_str(), X_OK) != 0) continue;
    installed += (installed.empty() ? "" : ", ") + std::string(level.name);
    if (!wanted.empty() && wanted != level.name) continue;
    if (!level.is_supported) {
      if (wanted.empty()) continue;
      return fail(6, program, "TESSERA_LEVEL=" + wanted + ": this processor does not have it",
                  "unset TESSERA_LEVEL; the highest level that the processor has is chosen");
    }
    ::execv(path.c_str(), argv);
    return fail(1, program, path.string() + " cannot be started: " + std::strerror(errno),
                "install Tessera again");
  }
  if (installed.empty())
    return fail(1, program, "there is no program in " + programs.string(), "install Tessera again");
  if (wanted.empty())
    return fail(6, program, "this processor has none of the levels " + installed,
                "build Tessera from source on this machine");
  return fail(2, program, "TESSERA_LEVEL=" + wanted + " is not installed",
              "choose one of " + installed + ", or unset it");
}
