// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/detail/bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tessera/core/error.hpp"

namespace tessera::io {

std::string read_bytes(const std::string& path) {
  const auto fail = [&path](int reason) {
    throw Error(ErrorKind::file, "cannot read '" + path + "': " + std::strerror(reason),
                reason == ENOENT ? "check the name; a path in an input is relative to the input file" : "check the file and its rights");
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(errno);

  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } closer{descriptor};

  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(errno);
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string bytes(static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)) + 1, '\0');
  std::size_t size = 0;
  while (true) {
    if (size == bytes.size()) bytes.resize(size + std::max(kPiece, size));  // a pipe, or a file that grows
    const ssize_t got = ::read(descriptor, bytes.data() + size, bytes.size() - size);
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace tessera::io
