// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tessera/core/io/file_bytes.hpp"

namespace tessera::io {

/// A file that takes its name only when it is complete and on the disk. Until then it stands in the
/// same folder under a name of its own, `NAME.` with 13 random letters and digits and `.tmp`, which
/// is created again and never opened when it exists. It has the mode of the file that it replaces.
///
/// The file is locked while it is open: two processes never write the same one at the same time,
/// and what a killed process left behind, which is not locked, is removed by the next one. A write
/// that fails (a full disk, a quota) is remembered and makes every later one a no-op:
/// `throw_if_failed` and `commit` report it.
class TemporaryFile final : public FileBytes {
 public:
  /// Creates the file. A symbolic link at `path` is followed, so that the link stays. Throws Error
  /// (file) when that is impossible, when `path` is not a regular file or when another process is
  /// writing it.
  explicit TemporaryFile(const std::string& path);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() override;  ///< without commit(), the file is removed

  void write(std::uint64_t offset, const void* data, std::size_t size) noexcept override;
  bool read(std::uint64_t offset, void* data, std::size_t size) const noexcept override;
  void resize(std::uint64_t size) noexcept override;
  std::uint64_t size() const noexcept override { return m_size; }

  /// The name it is to take, and the one it has until then.
  const std::string& path() const noexcept override { return m_path; }
  const std::string& temporary_path() const noexcept { return m_temporary; }

  /// Throws Error (file) with the reason of the first failure.
  void throw_if_failed() const override;

  /// Puts the file on the disk and gives it its name; throws Error (file) otherwise, and then an
  /// older file of that name is unchanged.
  void commit() override;

  /// Does the same, but replaces only a file of this stamp (none, when it is all zero). Keeps any
  /// other file, and then takes the first free one of the names path.1, path.2, ..., the number
  /// before the ending. Returns the name taken.
  std::string commit_beside(const FileStamp& replaceable) override;

 private:
  void create();
  bool find_other_writer() const;
  void prepare_commit();
  void finish_commit();
  /// Remembers the first failure, whose reason is in errno
  void fail(const char* action) noexcept;
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
