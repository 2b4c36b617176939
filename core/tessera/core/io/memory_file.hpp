// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/core/io/file_bytes.hpp"

namespace tessera::io {

/// A file "memory:NAME", which goes to the MemoryFiles when it is complete.
class MemoryFile final : public FileBytes {
 public:
  explicit MemoryFile(std::string name) : m_name(std::move(name)) {}

  void write(std::uint64_t offset, const void* data, std::size_t size) noexcept override;
  bool read(std::uint64_t offset, void* data, std::size_t size) const noexcept override;
  void resize(std::uint64_t size) noexcept override;
  std::uint64_t size() const noexcept override { return m_bytes.size(); }
  const std::string& path() const noexcept override { return m_name; }
  void throw_if_failed() const override;
  void commit() override;
  std::string commit_beside(const FileStamp& replaceable) override;

 private:
  std::string m_name;
  std::vector<char> m_bytes;
  bool m_failed = false;
};

}  // namespace tessera::io
