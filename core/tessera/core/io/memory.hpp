// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/io/coordinate.hpp"
#include "tessera/core/io/group.hpp"
#include "tessera/core/io/raster_place.hpp"

/// The exchange of data between a calling program and a run without the disk: the name
/// "memory:NAME" stands for an array where an input names a data file, and for a file that is kept
/// in memory where a run names its output.

namespace tessera::io {

/// Returns whether a name begins with "memory:".
bool is_in_memory(const std::string& name);

/// The name without its beginning.
std::string name_in_memory(const std::string& name);

/// An array of the caller in row-major order without gaps.
struct MemoryArray {
  std::string type;  ///< as .npy files call it: "<f4"
  Shape shape;
  const void* data = nullptr;
  std::optional<RasterPlace> place = {};  ///< of an image or a stack of them
  ArrayPlace coordinates = {};
};

/// The arrays and the files in memory: while it lives, the readers of .npy files find its arrays,
/// and files in memory that are written stay in it. Only one lives at a time.
class MemoryFiles {
 public:
  /// Takes arrays by their names without the beginning.
  explicit MemoryFiles(std::map<std::string, MemoryArray> arrays);
  ~MemoryFiles();
  MemoryFiles(const MemoryFiles&) = delete;
  MemoryFiles& operator=(const MemoryFiles&) = delete;

  /// The array "memory:NAME"; throws Error (file) where there is none.
  static const MemoryArray& array(const std::string& name);

  /// Throws Error (file) where nobody takes the file "memory:NAME".
  static void check_kept(const std::string& name);

  /// Keeps its bytes, in the place of an older one; throws as check_kept does.
  static void keep(const std::string& name, std::vector<char> bytes);

  /// The bytes of a file that was kept; of one that was not, none.
  std::vector<char> take(const std::string& name);

 private:
  std::map<std::string, MemoryArray> m_arrays;
  std::map<std::string, std::vector<char>> m_files;
};

}  // namespace tessera::io
