// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/daf.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace tessera::gbees {

namespace {

constexpr std::int64_t kRecord = 1024;  // bytes
constexpr std::size_t kSummary = 40;    // bytes, of two numbers and six integers

/// A word of the file record by which NAIF's tools find transfers as text; it stands in files since
/// 1998.
constexpr std::string_view kTransferTest{"FTPSTR:\r:\n:\r\n:\r\0:\x81:\x10\xce:ENDFTP", 28};

}  // namespace

ArrayFile::ArrayFile(const std::string& path) : m_path(path), m_file(path, std::ios::binary) {
  if (!m_file) throw Error(ErrorKind::file, "cannot read '" + path + "': " + std::strerror(errno));
  std::error_code code;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, code));
  if (code) throw Error(ErrorKind::file, "cannot read '" + path + "': " + code.message());
  const std::string head = size < kRecord ? std::string() : bytes(0, kRecord);
  const std::string identity = head.substr(0, 8);
  if (identity != "DAF/SPK " && identity != "NAIF/DAF") {
    throw error("the file is no SPK kernel: it does not begin with DAF/SPK" +
                std::string(identity == "DAFETF N" ? ", but in transfer format (.xsp)" : ""));
  }
  const bool is_little = std::endian::native == std::endian::little;
  const std::string order = head.substr(88, 8);
  if (order == "LTL-IEEE" || order == "BIG-IEEE") {
    m_swaps = is_little != (order == "LTL-IEEE");
  } else {
    m_swaps = value<std::int32_t>(head, 8) != 2;  // old files do not say
  }
  if (value<std::int32_t>(head, 8) != 2 || value<std::int32_t>(head, 12) != 6)
    throw error("the file is no SPK kernel: its summaries have not two numbers and six integers");
  const std::size_t test = head.find("FTPSTR");
  if (test != std::string::npos && head.compare(test, kTransferTest.size(), kTransferTest) != 0)
    throw error("the file was damaged by a transfer as text: fetch it again as binary");
  read_summaries(value<std::int32_t>(head, 76), size / kRecord);
}

void ArrayFile::read_summaries(std::int32_t first_record, std::int64_t record_count) {
  std::int64_t record = first_record;
  for (std::int64_t passed = 0; record != 0; ++passed) {
    if (record < 2 || record > record_count || passed > record_count)
      throw error("the records of the summaries lead out of the file: it may be cut off");
    const std::string all = bytes((record - 1) * kRecord, kRecord);
    const double count = value<double>(all, 16);
    if (!(count >= 0 && count <= 25))
      throw error("a record of summaries holds 25 at most: the file is damaged");
    for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
      const std::size_t at = 24 + n * kSummary;
      Summary summary;
      for (std::size_t k = 0; k < 2; ++k) summary.numbers[k] = value<double>(all, at + 8 * k);
      for (std::size_t k = 0; k < 6; ++k)
        summary.integers[k] = value<std::int32_t>(all, at + 16 + 4 * k);
      m_summaries.push_back(summary);
    }
    record = static_cast<std::int64_t>(value<double>(all, 0));
  }
  if (m_summaries.empty()) throw error("the kernel holds no segment");
}

std::vector<double> ArrayFile::numbers(std::int64_t first, std::size_t count) const {
  const std::string all = bytes((first - 1) * 8, 8 * count);
  std::vector<double> result(count);
  for (std::size_t n = 0; n < count; ++n) result[n] = value<double>(all, 8 * n);
  return result;
}

std::string ArrayFile::bytes(std::int64_t offset, std::size_t count) const {
  std::string result(count, '\0');
  m_file.clear();
  if (offset >= 0) {
    m_file.seekg(offset);
    m_file.read(result.data(), static_cast<std::streamsize>(count));
  }
  if (offset < 0 || m_file.gcount() != static_cast<std::streamsize>(count))
    throw error("the file ends before its data do: it may be cut off, fetch it again");
  return result;
}

template <class T>
T ArrayFile::value(const std::string& bytes, std::size_t at) const {
  std::array<char, sizeof(T)> raw;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), sizeof(T), raw.begin());
  if (m_swaps) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

Error ArrayFile::error(const std::string& what) const {
  return {ErrorKind::input, m_path + ": " + what};
}

}  // namespace tessera::gbees
