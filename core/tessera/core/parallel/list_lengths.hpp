// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace tessera::parallel {

/// The elements of several lists.
inline std::size_t sum_of(const std::vector<std::size_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
}

/// Returns where a list begins when the lists stand one behind another.
inline std::size_t begin_of(const std::vector<std::size_t>& lengths, std::size_t list) {
  return std::accumulate(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(list),
                         std::size_t{0});
}

/// The bytes of each list, of elements of `size` bytes.
inline std::vector<std::size_t> in_bytes(std::vector<std::size_t> lengths, std::size_t size) {
  for (std::size_t& length : lengths) length *= size;
  return lengths;
}

}  // namespace tessera::parallel
