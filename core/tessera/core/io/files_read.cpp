// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/files_read.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/io/bytes.hpp"
#include "tessera/core/io/growing_files.hpp"
#include "tessera/core/io/kept_files.hpp"
#include "tessera/core/io/sha256.hpp"

namespace tessera::io {

namespace {

std::set<std::string>& growing() {
  static std::set<std::string> paths;
  return paths;
}

struct KeptFile {
  std::filesystem::path path;
  std::string what;
};

std::vector<KeptFile>& kept() {
  static std::vector<KeptFile> files;
  return files;
}

/// The same path for each name of a file, also of one that does not exist yet.
std::filesystem::path canonical(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path result =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
  return failed ? std::filesystem::path(path) : result;
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

FileStamp stamp_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  constexpr std::int64_t kNanoseconds = 1000000000;
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
          static_cast<std::uint64_t>(status.st_size),
          static_cast<std::int64_t>(status.st_mtim.tv_sec) * kNanoseconds + status.st_mtim.tv_nsec};
}

FilesRead& FilesRead::global() {
  static FilesRead files;
  return files;
}

void FilesRead::add(const std::string& name, std::string_view bytes) {
  add({name, sha256(bytes.data(), bytes.size()), bytes.size()}, stamp_file(name));
}

void FilesRead::add_file(const std::string& name) {
  const FileStamp stamp = stamp_file(name);
  const auto is_same = [&](const Entry& entry) {
    return entry.file.name == name && entry.stamp == stamp;
  };
  if (stamp != FileStamp() && std::any_of(m_entries.begin(), m_entries.end(), is_same)) return;
  FileDigest file{name, {}, 0};
  Sha256 digest;
  read_pieces(name, [&](const char* data, std::size_t size) {
    digest.add(data, size);
    file.bytes += size;
  });
  file.sha256 = digest.text();
  add(file, stamp);
}

void FilesRead::add(const FileDigest& file, const FileStamp& stamp) {
  check(file);
  for (Entry& entry : m_entries) {
    if (entry.file.name != file.name || entry.file.sha256 != file.sha256) continue;
    entry.stamp = stamp;
    return;
  }
  m_entries.push_back({file, stamp});
}

std::vector<FileDigest> FilesRead::list() const {
  std::vector<FileDigest> files;
  for (const Entry& entry : m_entries) files.push_back(entry.file);
  return files;
}

void FilesRead::hold_to(const std::vector<FileDigest>& files, const std::string& restart) {
  m_held = true;
  m_wanted = files;
  m_restart = restart;
  for (const Entry& entry : m_entries) check(entry.file);
}

void FilesRead::check(const FileDigest& file) const {
  if (!m_held || growing().count(file.name) > 0) return;
  // a run may be continued from another folder, so that only the last part of a path counts
  bool is_named = false;
  for (const FileDigest& wanted : m_wanted) {
    if (file_name(wanted.name) != file_name(file.name)) continue;
    if (wanted.sha256 == file.sha256) return;
    is_named = true;
  }
  const auto is_same = [&](const FileDigest& wanted) { return wanted.sha256 == file.sha256; };
  if (!is_named && std::any_of(m_wanted.begin(), m_wanted.end(), is_same)) return;
  throw Error(ErrorKind::input,
              "cannot continue from '" + m_restart + "': '" + file.name +
                  (is_named ? "' has changed since that run read it"
                            : "' is none of the files that that run read"),
              "put the file of the interrupted run back, or start again");
}

void FilesRead::clear() {
  *this = FilesRead();
  growing().clear();
  kept().clear();
}

void let_grow(const std::string& path) { growing().insert(path); }

void keep_file(const std::string& path, const std::string& what) {
  kept().push_back({canonical(path), what});
}

void check_not_read(const std::string& path) {
  for (const KeptFile& file : kept()) {
    if (file.path == canonical(path))
      throw Error(ErrorKind::file,
                  "cannot write '" + path + "': it is " + file.what + " of this run",
                  "choose another name");
  }
  const FileStamp stamp = stamp_file(path);
  if (stamp == FileStamp()) return;
  for (const FileDigest& file : FilesRead::global().list()) {
    if (stamp == stamp_file(file.name))
      throw Error(ErrorKind::file, "cannot write '" + path + "': it is what this run reads",
                  "choose another name");
  }
}

}  // namespace tessera::io
