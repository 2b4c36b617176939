// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "tessera/core/io/file_stamp.hpp"
#include "tessera/core/io/group.hpp"

namespace tessera::io {

class FileBytes;

/// An HDF5 file. A new one is written under a temporary name beside PATH and takes its name only in
/// `commit()`: a reader never meets half a file, and a full disk, a read-only folder or a kill
/// leaves an older file of that name whole.
class File {
 public:
  enum class Role {
    data,  ///< somebody's data: a file that is read is added to the FilesRead
    own,   ///< what Tessera writes
    /// Files that Tessera writes for others: members stand in the order in which they were written,
    /// as NetCDF-4 wants it
    netcdf,
    /// Files that Tessera writes and trusts when it reads them again: with a checksum for each
    /// dataset, and a seal that is checked before HDF5 sees the file
    restart,
  };

  /// Opens an existing file for reading; throws Error (file) when it is missing, no HDF5 file or,
  /// for a restart file, not the bytes that were written.
  static File open(const std::string& path, Role role = Role::data);

  /// Starts a file that stays in memory, to be read only by this process. `name` stands for it in
  /// messages.
  static File in_memory(const std::string& name);

  /// Starts a new file. Of the name "memory:NAME" it goes to the MemoryFiles (memory.hpp), without
  /// compression.
  static File create(const std::string& path, Role role = Role::own);

  File(File&&) noexcept;
  File& operator=(File&&) noexcept;
  /// Removes the temporary file unless commit() was called; groups keep a file that is read open
  ~File();

  Group root() const;

  /// Flushes, closes and renames; throws Error (file) and removes the temporary file on failure.
  void commit();

  /// Does the same, but replaces only a file of this stamp (none, when it is all zero). Keeps any
  /// other file, and then takes the first free one of the names path.1, path.2, ..., the number
  /// before the ending. Returns the name taken.
  std::string commit_beside(const FileStamp& replaceable);

  const std::string& path() const;

 private:
  struct State;
  explicit File(std::unique_ptr<State> state);
  std::unique_ptr<FileBytes> complete();

  std::unique_ptr<State> m_state;
};

/// Checks that `path` can be written and may be (an existing file only with `force`), before a long
/// run begins. Throws Error (file) with the remedy.
void check_writable(const std::string& path, bool force);

}  // namespace tessera::io
