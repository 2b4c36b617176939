// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "tessera/core/io/group.hpp"

namespace tessera::io {

/// An HDF5 file. A new one is written to `PATH.tmp` and takes its name only in `commit()`: a reader never meets half a file, and
/// a full disk, a read-only folder or a kill leaves an older file of that name whole.
class File {
 public:
  /// What a file that is read is: data, which is added to the FilesRead, or something that Tessera wrote itself (results, restart).
  enum class Role { data, own };

  /// Opens an existing file for reading; throws Error (file) when it is missing or no HDF5 file.
  static File open(const std::string& path, Role role = Role::data);

  /// Starts a new file at `path + ".tmp"`.
  static File create(const std::string& path);

  File(File&&) noexcept;
  File& operator=(File&&) noexcept;
  ~File();  ///< without commit(), the temporary file is removed; groups keep a file that is read open

  Group root() const;

  /// Flushes, closes and renames; throws Error (file) and removes the temporary file on failure.
  void commit();

  const std::string& path() const;

 private:
  struct State;
  explicit File(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

/// Checks that `path` can be written and may be (an existing file only with `force`), before a long run begins.
/// Throws Error (file) with the remedy.
void check_writable(const std::string& path, bool force);

}  // namespace tessera::io
