// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/io/files_read.hpp"
#include "tessera/core/io/hdf5.hpp"
#include "tessera/core/io/memory.hpp"
#include "tessera/core/io/memory_file.hpp"
#include "tessera/core/io/seal.hpp"
#include "tessera/core/io/temporary_file.hpp"

namespace tessera::io {

struct File::State {
  std::shared_ptr<OpenFile> open;
  std::string path;
};

namespace {

void check_readable(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int reason = errno;
  if (descriptor >= 0) ::close(descriptor);
  std::error_code ignored;
  if (descriptor < 0) {
    throw Error(ErrorKind::file, "cannot read '" + path + "': " + std::strerror(reason),
                reason == ENOENT ? "check the name" : "check the rights of the file");
  }
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw Error(ErrorKind::file, "cannot read '" + path + "': it is not a regular file",
                "give an HDF5 file");
  }
}

/// Files take their name only when they are whole, so readers need no locks, which some network
/// file systems lack.
Id access_without_locks() {
  Id access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, false, true);
#endif
  return access;
}

/// Makes the properties of a file without times, so that equal contents give equal bytes.
Id creation_without_times() {
  Id creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_obj_track_times(creation, false);
  return creation;
}

}  // namespace

File::File(std::unique_ptr<State> state) : m_state(std::move(state)) {}
File::File(File&&) noexcept = default;

File& File::operator=(File&& other) noexcept {
  std::swap(m_state, other.m_state);
  return *this;
}

File::~File() {
  if (!m_state || !m_state->open || !m_state->open->writing()) return;
  m_state->open->close();
  m_state->open->bytes.reset();
}

File File::open(const std::string& path, Role role) {
  QuietHdf5 quiet;
  check_readable(path);
  if (role == Role::restart) check_seal(path);
  auto open = std::make_shared<OpenFile>();
  open->path = path;
  const Id access = access_without_locks();
  open->id = Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access));
  if (open->id < 0) {
    throw Error(ErrorKind::file,
                "cannot read '" + path + "': it is not an HDF5 file or is damaged" + hdf5_reason(),
                "check the name, or write the file again");
  }
  if (role == Role::data) FilesRead::global().add_file(path);
  return File(std::make_unique<State>(State{std::move(open), path}));
}

File File::in_memory(const std::string& name) {
  constexpr std::size_t kGrowth = std::size_t{1} << 20;
  QuietHdf5 quiet;
  auto open = std::make_shared<OpenFile>();
  open->path = name;
  Id access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_fapl_core(access, kGrowth, false);
  static std::atomic<unsigned> number = 0;  // HDF5 takes two files of one name for the same
  open->id = Id(H5Fcreate((name + "#" + std::to_string(++number)).c_str(), H5F_ACC_TRUNC,
                          H5P_DEFAULT, access));
  if (open->id < 0)
    throw Error(ErrorKind::resource, "cannot hold '" + name + "' in memory" + hdf5_reason());
  return File(std::make_unique<State>(State{std::move(open), name}));
}

File File::create(const std::string& path, Role role) {
  QuietHdf5 quiet;
  auto open = std::make_shared<OpenFile>();
  open->path = path;
  open->in_memory = is_in_memory(path);
  if (open->in_memory) {
    open->bytes = std::make_unique<MemoryFile>(path);
  } else {
    open->bytes = std::make_unique<TemporaryFile>(path);
  }
  open->sealed = role == Role::restart;
  const Id access = access_through(*open->bytes);
  const Id creation = creation_without_times();
  if (open->sealed) H5Pset_userblock(creation, kSealBytes);
  if (role == Role::netcdf) {
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  }
  open->id = Id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access));
  open->check();
  if (open->id < 0)
    throw Error(ErrorKind::file, "cannot create the HDF5 file '" + path + "'" + hdf5_reason());
  return File(std::make_unique<State>(State{std::move(open), path}));
}

Group File::root() const {
  QuietHdf5 quiet;
  const auto& open = m_state->open;
  if (!open) throw Error(ErrorKind::internal, "the file '" + m_state->path + "' is already closed");
  auto handle = std::make_shared<Group::Handle>();
  handle->file = open;
  handle->path = "/";
  handle->id = Id(H5Gopen2(open->id, "/", H5P_DEFAULT));
  if (handle->id < 0)
    throw Error(ErrorKind::file, "cannot open '" + m_state->path + ":/'" + hdf5_reason(),
                "the file may be damaged");
  return Group(std::move(handle));
}

void File::commit() { complete()->commit(); }

std::string File::commit_beside(const FileStamp& replaceable) {
  return complete()->commit_beside(replaceable);
}

/// Ends writing. What is returned removes the file unless it is committed.
std::unique_ptr<FileBytes> File::complete() {
  QuietHdf5 quiet;
  const std::shared_ptr<OpenFile> open = std::exchange(m_state->open, nullptr);
  if (!open || !open->writing())
    throw Error(ErrorKind::internal, "the file '" + m_state->path + "' is not being written");
  const bool flushed = H5Fflush(open->id, H5F_SCOPE_GLOBAL) >= 0;
  std::string reason = flushed ? std::string() : hdf5_reason();
  const bool closed = open->close();
  if (flushed && !closed) reason = hdf5_reason();
  std::unique_ptr<FileBytes> bytes = std::move(open->bytes);
  bytes->throw_if_failed();
  if (!flushed || !closed)
    throw Error(ErrorKind::file, "cannot complete '" + m_state->path + "'" + reason);
  if (open->sealed) write_seal(*bytes);
  return bytes;
}

const std::string& File::path() const { return m_state->path; }

void check_writable(const std::string& path, bool force) {
  if (is_in_memory(path)) return MemoryFiles::check_kept(path);
  std::error_code ignored;
  if (!force && std::filesystem::is_regular_file(path, ignored)) {
    throw Error(ErrorKind::file, "the output '" + path + "' exists",
                "choose another with --output, or overwrite it with --force");
  }
  TemporaryFile trial(path);
}

}  // namespace tessera::io
