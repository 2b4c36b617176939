// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"

namespace tessera::gbees {

/// A double precision array file of SPICE (DAF Required Reading of NAIF), of either byte order: the
/// summaries of its arrays, and their numbers. Numbers have addresses from 1.
class ArrayFile {
 public:
  /// What a summary of an SPK file says: ND = 2 numbers and NI = 6 integers.
  struct Summary {
    std::array<double, 2> numbers{};
    std::array<std::int32_t, 6> integers{};
  };

  /// Throws Error (file) where it cannot be read. Throws Error (input) where it is no SPK file, was
  /// damaged by a transfer as text, or ends before its summaries do.
  explicit ArrayFile(const std::string& path);

  const std::string& path() const { return m_path; }

  /// Returns the summaries of all arrays, in the order of the file.
  const std::vector<Summary>& summaries() const { return m_summaries; }

  /// Numbers from an address on. Throws Error (input) where the file ends before them.
  std::vector<double> numbers(std::int64_t first, std::size_t count) const;

  /// An error with the file's name.
  Error error(const std::string& what) const;

 private:
  void read_summaries(std::int32_t first_record, std::int64_t record_count);
  std::string bytes(std::int64_t offset, std::size_t count) const;
  template <class T>
  T value(const std::string& bytes, std::size_t at) const;

  std::string m_path;
  mutable std::ifstream m_file;
  bool m_swaps = false;  // the bytes of numbers
  std::vector<Summary> m_summaries;
};

}  // namespace tessera::gbees
