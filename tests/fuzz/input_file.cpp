// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tessera/core/io/files_read.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace tessera::fuzz {

namespace {

/// Returns a folder in memory where there is such a file system: a fuzzer writes thousands of files
/// a second.
std::filesystem::path scratch_folder() {
  const std::filesystem::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

}  // namespace

InputFile::InputFile(const std::string& name, std::string_view bytes)
    : m_path(scratch_folder() / ("tessera-fuzz-" + std::to_string(::getpid()) + "-" + name)) {
  std::ofstream file(m_path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) {
    std::cerr << "cannot write " << m_path << '\n';
    std::abort();
  }
}

InputFile::~InputFile() {
  std::error_code ignored;
  std::filesystem::remove(m_path, ignored);
  io::FilesRead::global().clear();
}

}  // namespace tessera::fuzz
