// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::io {

/// A file written under the name `PATH.tmp` that takes the name PATH only when it is complete and on the disk.
///
/// The name is locked while the file is open, so two processes never write the same one; one that a killed process left behind is
/// not locked and is taken over. A write that fails (a full disk, a quota) is remembered and makes every later one a no-op:
/// `throw_if_failed` and `commit` report it.
class TemporaryFile {
 public:
  /// Creates `path + ".tmp"`. A symbolic link at `path` is followed, so that the link stays.
  /// Throws Error (file) when that is impossible, when `path` is not a regular file or when another process is writing it.
  explicit TemporaryFile(const std::string& path);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();  ///< without commit(), the file is removed

  void write(std::uint64_t offset, const void* data, std::size_t size) noexcept;

  /// Reads back; what lies beyond the end reads as zero. False when the disk fails.
  bool read(std::uint64_t offset, void* data, std::size_t size) const noexcept;

  void resize(std::uint64_t size) noexcept;
  std::uint64_t size() const noexcept { return m_size; }

  /// Throws Error (file) with the reason of the first failure.
  void throw_if_failed() const;

  /// Puts the file on the disk and gives it its name; throws Error (file) otherwise, and then an older file of that name is unchanged.
  void commit();

 private:
  void open_and_lock();
  void fail(const char* action) noexcept;  ///< remembers the first failure, whose reason is in errno
  void close() noexcept;

  std::string m_path;    ///< as the user wrote it
  std::string m_target;  ///< the same after following a symbolic link
  std::string m_temporary;
  int m_descriptor = -1;
  std::uint64_t m_size = 0;
  const char* m_failed_action = nullptr;
  int m_failed_errno = 0;
};

}  // namespace tessera::io
