// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/memory.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/io/memory_file.hpp"

namespace tessera::io {

namespace {

constexpr std::string_view kBeginning = "memory:";

MemoryFiles* g_files = nullptr;

}  // namespace

bool is_in_memory(const std::string& name) { return name.starts_with(kBeginning); }

std::string name_in_memory(const std::string& name) { return name.substr(kBeginning.size()); }

MemoryFiles::MemoryFiles(std::map<std::string, MemoryArray> arrays) : m_arrays(std::move(arrays)) {
  if (g_files != nullptr) throw Error(ErrorKind::internal, "there are files in memory already");
  g_files = this;
}

MemoryFiles::~MemoryFiles() { g_files = nullptr; }

const MemoryArray& MemoryFiles::array(const std::string& name) {
  if (g_files != nullptr) {
    const auto found = g_files->m_arrays.find(name_in_memory(name));
    if (found != g_files->m_arrays.end()) return found->second;
  }
  throw Error(ErrorKind::file,
              "cannot read '" + name + "': the calling program gives no array of this name",
              "name a file; './" + name + "' is one whose name begins so");
}

void MemoryFiles::check_kept(const std::string& name) {
  if (g_files == nullptr)
    throw Error(ErrorKind::file, "cannot write '" + name + "': no calling program takes it",
                "name a file");
}

void MemoryFiles::keep(const std::string& name, std::vector<char> bytes) {
  check_kept(name);
  g_files->m_files[name_in_memory(name)] = std::move(bytes);
}

std::vector<char> MemoryFiles::take(const std::string& name) {
  return is_in_memory(name) ? std::exchange(m_files[name_in_memory(name)], {})
                            : std::vector<char>();
}

void MemoryFile::write(std::uint64_t offset, const void* data, std::size_t size) noexcept {
  if (offset + size > m_bytes.size()) resize(offset + size);
  if (!m_failed && size > 0) std::memcpy(m_bytes.data() + offset, data, size);
}

bool MemoryFile::read(std::uint64_t offset, void* data, std::size_t size) const noexcept {
  const std::size_t there =
      offset < m_bytes.size() ? std::min<std::size_t>(size, m_bytes.size() - offset) : 0;
  if (there > 0) std::memcpy(data, m_bytes.data() + offset, there);
  if (size > there) std::memset(static_cast<char*>(data) + there, 0, size - there);
  return true;
}

void MemoryFile::resize(std::uint64_t size) noexcept {
  try {
    if (!m_failed) m_bytes.resize(size);
  } catch (const std::exception&) {
    m_failed = true;
  }
}

void MemoryFile::throw_if_failed() const {
  if (m_failed)
    throw Error(ErrorKind::resource, "'" + m_name + "' does not fit into memory",
                "write to a file instead");
}

void MemoryFile::commit() {
  throw_if_failed();
  MemoryFiles::keep(m_name, std::move(m_bytes));
}

std::string MemoryFile::commit_beside(const FileStamp& /*replaceable*/) {
  commit();
  return m_name;
}

}  // namespace tessera::io
