// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/temporary_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
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

/// The folder of a file.
std::string parent_folder(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::size_t kRandomLetters = 13;  // 65 bits
constexpr std::string_view kEnding = ".tmp";

/// Returns the beginning of the temporary names of a file, in its folder.
std::string beginning(const std::string& target) {
  constexpr std::size_t kLongestName = 255;
  return fs::path(target).filename().string().substr(
             0, kLongestName - 1 - kRandomLetters - kEnding.size()) +
         ".";
}

std::string random_letters() {
  std::array<unsigned char, kRandomLetters> random{};
  if (::getentropy(random.data(), random.size()) != 0) {
    throw Error(ErrorKind::file,
                std::string("the system gives no random numbers: ") + std::strerror(errno));
  }
  std::string letters;
  for (const unsigned char byte : random) letters += kLetters[byte % kLetters.size()];
  return letters;
}

bool is_temporary_name(std::string_view name, std::string_view beginning) {
  if (name.size() != beginning.size() + kRandomLetters + kEnding.size() ||
      !name.starts_with(beginning) || !name.ends_with(kEnding)) {
    return false;
  }
  return name.substr(beginning.size(), kRandomLetters).find_first_not_of(kLetters) ==
         std::string_view::npos;
}

/// An open file descriptor, or none.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : m_descriptor(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    const int reason = errno;  // of what was done with it
    if (m_descriptor >= 0) ::close(m_descriptor);
    errno = reason;
  }
  operator int() const { return m_descriptor; }

 private:
  int m_descriptor;
};

/// Locks a folder for the moment in which a file is created in it and others are looked for, so
/// that of two processes that begin together one comes first. Somebody may hold that lock for long,
/// and some file systems have none for folders: then it goes without.
void lock_folder(int folder) {
  constexpr int kTries = 10;
  constexpr useconds_t kPause = 2000;  // microseconds
  for (int i = 0; i < kTries && ::flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
       ++i)
    ::usleep(kPause);
}

/// Looks at a file with a temporary name that is not our own: true when a process is writing it.
/// What a killed process left is removed.
bool is_being_written(const std::string& path) {
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int opened = ::open(path.c_str(), O_RDWR | kFlags);
  if (opened < 0 && errno == EACCES) opened = ::open(path.c_str(), O_RDONLY | kFlags);
  const Descriptor file(opened);
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  // File systems without locks answer otherwise than EWOULDBLOCK: then nobody can tell.
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  if (status.st_uid == ::geteuid()) ::unlink(path.c_str());
  return false;
}

bool has_name(int descriptor, const std::string& path) {
  struct stat opened {
  }, named{};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/// Gives a file a name that no other has; false, with EEXIST in errno, when one has.
bool rename_without_replacing(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return true;
  }
  if (errno == EEXIST) return false;
  struct stat other {};  // a file system without hard links
  if (::lstat(to.c_str(), &other) == 0) {
    errno = EEXIST;
    return false;
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

/// "run.2.h5"
std::string numbered(const std::string& path, int number) {
  const fs::path file(path);
  return (file.parent_path() /
          (file.stem().string() + "." + std::to_string(number) + file.extension().string()))
      .string();
}

/// Puts the new name itself on the disk. File systems that cannot do that for a folder answer
/// EINVAL.
bool sync_folder(const std::string& path) {
  const Descriptor folder(::open(parent_folder(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder < 0) return errno == EACCES;
  return ::fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP;
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& path) : m_path(path), m_target(follow_link(path)) {
  if (m_path.empty()) throw Error(ErrorKind::file, "the name of the output is empty");
  std::error_code ignored;
  const fs::file_status target = fs::status(m_target, ignored);
  if (fs::exists(target) && !fs::is_regular_file(target)) {
    throw Error(ErrorKind::file,
                "cannot write '" + m_path + "': it is " +
                    (fs::is_directory(target) ? "a folder" : "not a regular file"),
                "choose another output");
  }
  const Descriptor folder(
      ::open(parent_folder(m_target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder >= 0) lock_folder(folder);
  create();
  if (find_other_writer()) {
    ::unlink(m_temporary.c_str());
    close();
    throw Error(ErrorKind::file, "another process is writing '" + m_path + "'",
                "wait for it or choose another output");
  }
}

TemporaryFile::~TemporaryFile() {
  if (m_descriptor < 0) return;
  ::unlink(m_temporary.c_str());
  close();
}

/// A new file, locked, with the mode and the owner of the one that it is to replace.
void TemporaryFile::create() {
  const auto fail = [this](int reason) {
    throw Error(ErrorKind::file, "cannot write '" + m_path + "': " + std::strerror(reason),
                remedy_for(reason));
  };
  struct stat older {};
  const bool replaces = ::stat(m_target.c_str(), &older) == 0;
  if (!replaces && errno != ENOENT) fail(errno);
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    m_temporary = (fs::path(m_target).parent_path() /
                   (beginning(m_target) + random_letters() + std::string(kEnding)))
                      .string();
    m_descriptor = ::open(m_temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                          replaces ? 0600 : 0666);
    if (m_descriptor < 0 && errno == EEXIST) continue;
    if (m_descriptor < 0) fail(errno);
    // Before it was locked another process may have taken it for one that was left behind.
    const bool locked = ::flock(m_descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (locked && has_name(m_descriptor, m_temporary)) {
      if (!replaces) return;
      const bool is_ours = older.st_uid == ::geteuid() && older.st_gid == ::getegid();
      if (!is_ours && ::fchown(m_descriptor, older.st_uid, older.st_gid) != 0)
        older.st_mode &= ~static_cast<mode_t>(S_ISUID | S_ISGID);
      ::fchmod(m_descriptor, older.st_mode & 07777);
      return;
    }
    close();
  }
  fail(EEXIST);
}

/// Returns whether another process is writing a file that is to have the same name. Removes what
/// killed ones left behind.
bool TemporaryFile::find_other_writer() const {
  const std::string folder = parent_folder(m_target), begins = beginning(m_target),
                    own = fs::path(m_temporary).filename().string();
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.c_str()), ::closedir);
  if (!listing) return false;
  bool found = false;
  while (const dirent* entry = ::readdir(listing.get())) {
    if (is_temporary_name(entry->d_name, begins) && entry->d_name != own)
      found = is_being_written(folder + "/" + entry->d_name) || found;
  }
  return found;
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
  if (m_failed_action == nullptr && ::ftruncate(m_descriptor, static_cast<off_t>(size)) != 0)
    fail("set the size of");
  m_size = size;
}

void TemporaryFile::throw_if_failed() const {
  if (m_failed_action == nullptr) return;
  std::string remedy = remedy_for(m_failed_errno);
  std::error_code ignored;
  if (fs::exists(m_target, ignored)) remedy += "; the older '" + m_path + "' is unchanged";
  throw Error(ErrorKind::file,
              std::string("cannot ") + m_failed_action + " '" + m_path +
                  "': " + std::strerror(m_failed_errno),
              remedy);
}

void TemporaryFile::commit() {
  prepare_commit();
  if (m_failed_action == nullptr && ::rename(m_temporary.c_str(), m_target.c_str()) != 0)
    fail("rename");
  finish_commit();
}

std::string TemporaryFile::commit_beside(const FileStamp& replaceable) {
  prepare_commit();
  const bool may_replace = replaceable != FileStamp() && stamp_file(m_target) == replaceable;
  std::string name = m_path;
  if (m_failed_action != nullptr || may_replace) {
    if (m_failed_action == nullptr && ::rename(m_temporary.c_str(), m_target.c_str()) != 0)
      fail("rename");
  } else {
    bool renamed = rename_without_replacing(m_temporary, m_target);
    for (int number = 1; !renamed && errno == EEXIST; ++number) {
      name = numbered(m_target, number);
      renamed = rename_without_replacing(m_temporary, name);
    }
    if (!renamed) fail("rename");
  }
  finish_commit();
  return name;
}

void TemporaryFile::prepare_commit() {
  if (m_descriptor < 0)
    throw Error(ErrorKind::internal, "the file '" + m_path + "' is committed twice");
  if (m_failed_action == nullptr && ::fsync(m_descriptor) != 0) fail("write");
}

void TemporaryFile::finish_commit() {
  throw_if_failed();
  const bool named = sync_folder(m_target);
  const int reason = errno;
  close();
  if (!named) {
    throw Error(
        ErrorKind::file,
        "the folder of '" + m_path + "' could not be put on the disk: " + std::strerror(reason),
        "check that disk; after a power cut the file may be missing");
  }
}

}  // namespace tessera::io
