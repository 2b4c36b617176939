// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The storage of datasets: in chunks, compressed where that pays. The sources of this folder share
/// this header; nothing outside includes it.

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tessera/core/io/compressible.hpp"
#include "tessera/core/io/hdf5.hpp"

namespace tessera::io {

inline constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 20;
inline constexpr unsigned kDeflateLevel = 2;

template <class T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, std::int8_t>) return H5T_NATIVE_INT8;
  if constexpr (std::is_same_v<T, std::int16_t>) return H5T_NATIVE_INT16;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, bool>) return H5T_NATIVE_UINT8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return H5T_NATIVE_UINT16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
}

/// Chunks of about 1 MB, as near to a cube as the shape allows, so that a slice in any direction
/// reads few of them.
inline std::vector<hsize_t> chunk_extents(const Shape& shape, std::size_t element_bytes) {
  std::vector<hsize_t> chunk(shape.begin(), shape.end());
  std::uint64_t bytes = element_bytes;
  for (const hsize_t extent : chunk) bytes *= extent;
  while (bytes > kChunkBytes) {
    const auto longest = std::max_element(chunk.begin(), chunk.end());
    bytes /= *longest;
    *longest = (*longest + 1) / 2;
    bytes *= *longest;
  }
  return chunk;
}

/// Makes the properties of the storage of an array: in chunks when it is large, and then compressed
/// where that pays; in memory as it is.
template <class T>
Id make_creation_properties(const T* values, const Shape& shape, std::uint64_t size, bool checksum,
                            bool in_memory) {
  Id creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(creation, false);
  if constexpr (std::is_same_v<T, std::string>) return creation;
  const bool large = size > kChunkBytes / sizeof(T) && !in_memory;
  checksum = checksum && size > 0 && !shape.empty();  // HDF5 has filters for chunked datasets alone
  if (large || checksum) {
    const std::vector<hsize_t> chunk = chunk_extents(shape, sizeof(T));
    H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
  }
  if (large && is_compressible(values, size, sizeof(T)) &&
      H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, kDeflateLevel);
  }
  if (checksum) H5Pset_fletcher32(creation);
  return creation;
}

inline Id link_creation() {
  Id creation(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(creation, 1);
  H5Pset_char_encoding(creation, H5T_CSET_UTF8);
  return creation;
}

}  // namespace tessera::io
