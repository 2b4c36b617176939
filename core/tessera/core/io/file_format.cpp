// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/file_format.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "tessera/core/io/memory.hpp"

namespace tessera::io {

FileFormat find_format(const std::string& path) {
  if (is_in_memory(path)) return FileFormat::npy;
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".npy") return FileFormat::npy;
  const auto hdf5 = {".h5", ".hdf5", ".he5", ".nc", ".nc4"};
  return std::find(hdf5.begin(), hdf5.end(), ending) != hdf5.end() ? FileFormat::hdf5
                                                                   : FileFormat::other;
}

}  // namespace tessera::io
