// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/seal.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/io/bytes.hpp"
#include "tessera/core/io/sha256.hpp"

namespace tessera::io {

namespace {

constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n";

std::string seal(std::uint64_t bytes, const std::string& digest) {
  std::string text = std::string(kRestartFormat) + " " + kRestartVersion + "\nbytes " +
                     std::to_string(bytes) + "\nsha256 " + digest + "\n";
  text.resize(kSealBytes, '\0');
  return text;
}

/// The version that the first line of a seal gives; empty when that is none.
std::string read_version(std::string_view begin) {
  constexpr std::size_t kLongest = 8;
  const std::size_t first = std::string_view(kRestartFormat).size() + 1;
  const std::string_view version = begin.substr(first, begin.find('\n', first) - first);
  const bool is_version = version.size() <= kLongest &&
                          version.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_version ? std::string(version) : std::string();
}

[[noreturn]] void refuse_damaged(const std::string& path, const std::string& how) {
  throw Error(ErrorKind::file, "the restart file '" + path + "' is damaged: " + how, "start again");
}

[[noreturn]] void refuse_version(const std::string& path, const std::string& version) {
  throw Error(ErrorKind::file,
              "'" + path + "' has the restart format " + version + "; this program reads " +
                  kRestartVersion,
              "continue it with the version of Tessera that wrote it, or start again");
}

/// Says what an HDF5 file without a seal is, as far as its bytes tell.
[[noreturn]] void refuse_unsealed(const std::string& path, std::string_view begin) {
  const std::size_t results = begin.find("tessera-results"), restart = begin.find(kRestartFormat);
  if (results < restart) {
    throw Error(ErrorKind::file, "'" + path + "' is a results file, not a restart file",
                "give the file that ends in .restart.h5");
  }
  if (restart == std::string_view::npos) {
    throw Error(ErrorKind::file, "'" + path + "' is not a restart file of Tessera",
                "give the file that ends in .restart.h5");
  }
  refuse_version(path, "1.0");  // the one that had no seal
}

}  // namespace

void write_seal(FileBytes& file) {
  Sha256 digest;
  std::vector<char> piece(std::size_t{1} << 20);
  for (std::uint64_t at = kSealBytes; at < file.size(); at += piece.size()) {
    const std::size_t size = std::min<std::uint64_t>(piece.size(), file.size() - at);
    if (!file.read(at, piece.data(), size)) {
      throw Error(ErrorKind::file, "cannot read back what was written for '" + file.path() + "'",
                  "check that disk");
    }
    digest.add(piece.data(), size);
  }
  const std::string text =
      seal(file.size() - std::min<std::uint64_t>(file.size(), kSealBytes), digest.text());
  file.write(0, text.data(), text.size());
}

void check_seal(const std::string& path) {
  // The part of a file without a seal that is searched: its attributes stand near its beginning
  constexpr std::size_t kSearched = std::size_t{1} << 20;
  std::string begin;
  Sha256 digest;
  std::uint64_t bytes = 0;
  read_pieces(path, [&](const char* data, std::size_t size) {
    if (begin.size() < kSearched) begin.append(data, std::min(size, kSearched - begin.size()));
    const std::size_t skipped =
        std::min<std::uint64_t>(size, kSealBytes - std::min<std::uint64_t>(bytes, kSealBytes));
    digest.add(data + skipped, size - skipped);
    bytes += size;
  });
  if (begin.starts_with(kHdf5Signature)) refuse_unsealed(path, begin);
  if (!begin.starts_with(std::string(kRestartFormat) + " ")) {
    throw Error(ErrorKind::file, "cannot read '" + path + "': it is not an HDF5 file or is damaged",
                "check the name, or start again");
  }
  const std::string version = read_version(begin);
  if (!version.empty() && version != kRestartVersion) refuse_version(path, version);
  if (bytes < kSealBytes) refuse_damaged(path, "it ends after " + std::to_string(bytes) + " bytes");
  const std::uint64_t content = bytes - kSealBytes;
  if (begin.compare(0, kSealBytes, seal(content, digest.text())) != 0) {
    refuse_damaged(path, "its " + std::to_string(bytes) + " bytes are not those that were written");
  }
}

}  // namespace tessera::io
