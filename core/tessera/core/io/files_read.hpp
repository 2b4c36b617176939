// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/core/io/file_stamp.hpp"

namespace tessera::io {

/// A data file as it was when it was read.
struct FileDigest {
  std::string name;
  std::string sha256;  ///< see Sha256
  std::uint64_t bytes = 0;
};

/// The data files that this process has read: every reader of this folder adds what it reads.
/// Results and restart files say which they were, and a run that is continued is held to those of
/// its restart file.
class FilesRead {
 public:
  static FilesRead& global();

  /// A file that was read, with its bytes. A file that is read again, and is the same, stands in
  /// the list once.
  void add(const std::string& name, std::string_view bytes);

  /// A regular file that a library is about to read. Throws Error (file) when it cannot be read.
  void add_file(const std::string& name);

  /// Returns the files in the order in which they were first read.
  std::vector<FileDigest> list() const;

  /// Requires that every file that was added before or is added from now on is one of `files`;
  /// otherwise throws Error (input) that names it. Where some of `files` have the same name,
  /// folders aside, the file must be one of these. `restart`: where `files` come from, for the
  /// message.
  void hold_to(const std::vector<FileDigest>& files, const std::string& restart);

  /// Forgets everything.
  void clear();

 private:
  struct Entry {
    FileDigest file;
    FileStamp stamp;
  };

  void add(const FileDigest& file, const FileStamp& stamp);
  void check(const FileDigest& file) const;

  std::vector<Entry> m_entries;
  bool m_held = false;
  std::vector<FileDigest> m_wanted;
  std::string m_restart;
};

/// Throws Error (file) when `path` is a file that this run has read, which what is to be written
/// would replace.
void check_not_read(const std::string& path);

}  // namespace tessera::io
