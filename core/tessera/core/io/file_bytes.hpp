// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tessera/core/io/file_stamp.hpp"

namespace tessera::io {

/// The bytes of a file that is being written, wherever they lie. A write that fails is remembered
/// and makes every later one a no-op: `throw_if_failed` and `commit` report it.
class FileBytes {
 public:
  virtual ~FileBytes() = default;

  virtual void write(std::uint64_t offset, const void* data, std::size_t size) noexcept = 0;

  /// Reads back; what lies beyond the end reads as zero. False on failure.
  virtual bool read(std::uint64_t offset, void* data, std::size_t size) const noexcept = 0;

  virtual void resize(std::uint64_t size) noexcept = 0;
  virtual std::uint64_t size() const noexcept = 0;

  /// The name that it is to take.
  virtual const std::string& path() const noexcept = 0;

  /// Throws Error with the reason of the first failure.
  virtual void throw_if_failed() const = 0;

  /// Ends writing: the file has its name from now on.
  virtual void commit() = 0;

  /// Does the same, but replaces only a file of this stamp: see File::commit_beside. Returns the
  /// name taken.
  virtual std::string commit_beside(const FileStamp& replaceable) = 0;
};

}  // namespace tessera::io
