// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::io {

/// The SHA-256 digest of FIPS 180-4, which `sha256sum` prints too: 64 hexadecimal digits that tell
/// whether two files are the same.
///
///     Sha256 digest;
///     digest.add(data, size);               // any number of times
///     const std::string text = digest.text();
///
/// With the SHA instructions of x86 processors (AMD since 2017, Intel since 2021) a core takes some
/// 1 to 2 GB/s, without them some 0.2 to 0.3 GB/s.
class Sha256 {
 public:
  /// `use_instructions`: the processor's own instructions where it has them. The digest is the
  /// same.
  explicit Sha256(bool use_instructions = true);

  void add(const void* data, std::size_t size);

  /// Ends the digest; nothing can be added after it.
  std::string text();

  static constexpr std::size_t kTextLength = 64;

 private:
  static constexpr std::size_t kBlockBytes = 64;
  using Compress = void (*)(std::uint32_t* state, const unsigned char* blocks, std::size_t count);

  Compress m_compress;
  std::array<std::uint32_t, 8> m_state;
  /// The last bytes, which do not fill a block
  std::array<unsigned char, kBlockBytes> m_pending{};
  std::uint64_t m_size = 0;  ///< bytes added
};

/// The digest of some bytes.
std::string sha256(const void* data, std::size_t size);

}  // namespace tessera::io
