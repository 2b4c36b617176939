// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/bytes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/io/files_read.hpp"

namespace tessera::io {

void read_pieces(const std::string& path,
                 const std::function<void(const char* data, std::size_t size)>& take) {
  const auto fail = [&path](int reason) {
    throw Error(ErrorKind::file, "cannot read '" + path + "': " + std::strerror(reason),
                reason == ENOENT
                    ? "check the name; a path in an input is relative to the input file"
                    : "check the file and its rights");
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(errno);

  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } closer{descriptor};

  std::vector<char> piece(std::size_t{1} << 16);
  while (true) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got == 0) return;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    take(piece.data(), static_cast<std::size_t>(got));
  }
}

std::string read_bytes(const std::string& path) {
  std::string bytes;
  bytes.reserve(stamp_file(path).size);
  read_pieces(path, [&](const char* data, std::size_t size) { bytes.append(data, size); });
  FilesRead::global().add(path, bytes);
  return bytes;
}

}  // namespace tessera::io
