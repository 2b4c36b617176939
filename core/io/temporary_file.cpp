// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/detail/temporary_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "tessera/core/error.hpp"

namespace tessera::io {

namespace {

namespace fs = std::filesystem;

const char* remedy_for(int reason) {
  switch (reason) {
    case ENOSPC:
      return "free space on that disk or choose another output";
    case EDQUOT:
      return "free part of your disk quota or choose another output";
    case EFBIG:
      return "raise the limit on the size of a file (ulimit -f) or choose another output";
    case ENOENT:
      return "create the folder first";
    case ENAMETOOLONG:
      return "choose a shorter name";
    default:
      return "choose an output in a folder that can be written";
  }
}

/// Follows a symbolic link as far as it leads, also when the file at its end does not exist yet.
std::string follow_link(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel
  fs::path target = path;
  std::error_code failure;
  for (int i = 0; i < kMostLinks && fs::is_symlink(target, failure); ++i) {
    const fs::path next = fs::read_symlink(target, failure);
    if (failure) break;
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

/// Puts the new name itself on the disk. File systems that cannot do that for a folder answer EINVAL.
bool sync_folder(const std::string& path) {
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES;
  const bool good = ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP;
  const int reason = errno;
  ::close(descriptor);
  errno = reason;
  return good;
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& path) : m_path(path), m_target(follow_link(path)), m_temporary(m_target + ".tmp") {
  std::error_code ignored;
  const fs::file_status target = fs::status(m_target, ignored);
  if (m_path.empty()) throw Error(ErrorKind::file, "the name of the output is empty");
  if (fs::exists(target) && !fs::is_regular_file(target)) {
    throw Error(ErrorKind::file, "cannot write '" + m_path + "': it is " + (fs::is_directory(target) ? "a folder" : "not a regular file"),
                "choose another output");
  }
  open_and_lock();
  resize(0);
}

TemporaryFile::~TemporaryFile() {
  if (m_descriptor < 0) return;
  ::unlink(m_temporary.c_str());
  close();
}

void TemporaryFile::open_and_lock() {
  while (true) {
    m_descriptor = ::open(m_temporary.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (m_descriptor < 0) {
      const int reason = errno;
      throw Error(ErrorKind::file, "cannot write '" + m_temporary + "': " + std::strerror(reason), remedy_for(reason));
    }
    // File systems without locks answer otherwise than EWOULDBLOCK and are used without.
    if (::flock(m_descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close();
      throw Error(ErrorKind::file, "another process is writing '" + m_path + "'", "wait for it or choose another output");
    }
    // Between open and lock the other process may have finished: then this is no longer the file of that name.
    struct stat opened {
    }, named{};
    if (::fstat(m_descriptor, &opened) == 0 && ::lstat(m_temporary.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
        opened.st_dev == named.st_dev) {
      m_size = static_cast<std::uint64_t>(opened.st_size);
      return;
    }
    close();
  }
}

void TemporaryFile::close() noexcept {
  if (m_descriptor >= 0) ::close(m_descriptor);
  m_descriptor = -1;
}

void TemporaryFile::fail(const char* action) noexcept {
  if (m_failed_action != nullptr) return;
  m_failed_errno = errno;
  m_failed_action = action;
}

void TemporaryFile::write(std::uint64_t offset, const void* data, std::size_t size) noexcept {
  const char* from = static_cast<const char*>(data);
  const std::uint64_t end = offset + size;
  while (size > 0 && m_failed_action == nullptr) {
    const ssize_t written = ::pwrite(m_descriptor, from, size, static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      return fail("write");
    }
    from += written;
    size -= static_cast<std::size_t>(written);
    offset += static_cast<std::uint64_t>(written);
  }
  if (end > m_size) m_size = end;
}

bool TemporaryFile::read(std::uint64_t offset, void* data, std::size_t size) const noexcept {
  char* to = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::pread(m_descriptor, to, size, static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (got == 0) {
      std::memset(to, 0, size);
      return true;
    }
    to += got;
    size -= static_cast<std::size_t>(got);
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

void TemporaryFile::resize(std::uint64_t size) noexcept {
  if (m_failed_action == nullptr && ::ftruncate(m_descriptor, static_cast<off_t>(size)) != 0) fail("set the size of");
  m_size = size;
}

void TemporaryFile::throw_if_failed() const {
  if (m_failed_action == nullptr) return;
  std::string remedy = remedy_for(m_failed_errno);
  std::error_code ignored;
  if (fs::exists(m_target, ignored)) remedy += "; the older '" + m_path + "' is unchanged";
  throw Error(ErrorKind::file, std::string("cannot ") + m_failed_action + " '" + m_temporary + "': " + std::strerror(m_failed_errno),
              remedy);
}

void TemporaryFile::commit() {
  if (m_descriptor < 0) throw Error(ErrorKind::internal, "the file '" + m_path + "' is committed twice");
  if (m_failed_action == nullptr && ::fsync(m_descriptor) != 0) fail("write");
  if (m_failed_action == nullptr && ::rename(m_temporary.c_str(), m_target.c_str()) != 0) fail("rename");
  throw_if_failed();
  const bool named = sync_folder(m_target);
  const int reason = errno;
  close();
  if (!named) {
    throw Error(ErrorKind::file, "the folder of '" + m_path + "' could not be put on the disk: " + std::strerror(reason),
                "check that disk; after a power cut the file may be missing");
  }
}

}  // namespace tessera::io
