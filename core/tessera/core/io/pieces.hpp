// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"

/// Datasets that are read and written piece by piece, so that no second copy of a large array is
/// needed. Pieces are runs of about a million elements in row-major order; they come in order and
/// cover the whole dataset. T is double, float or an integer.

namespace tessera::io {

/// Writes a dataset without attributes; `produce(first, count, values)` gives the elements from
/// number `first` on.
template <class T>
void write_pieces(
    const Group& group, const std::string& name, const Shape& shape,
    const std::function<void(std::uint64_t first, std::uint64_t count, T* values)>& produce);

/// Throws Error (resource) when the numbers of a dataset do not fit into memory in double
/// precision, Error (file) when it holds none or claims more bytes than its file has: a file may
/// claim any number of them.
void check_values_fit(const Group& group, const std::string& name);

/// Reads the numbers of a dataset in double precision; `take(first, count, values)` gets the
/// elements from number `first` on. Throws Error (file) when it cannot be read or a number cannot
/// be held.
void read_pieces(const Group& group, const std::string& name,
                 const std::function<void(std::uint64_t first, std::uint64_t count,
                                          const double* values)>& take);

/// Reads a box of the numbers of a dataset in double precision, in row-major order: `extent`
/// elements along each dimension from `start` on. Throws as read_pieces does.
void read_box(const Group& group, const std::string& name, const std::vector<std::uint64_t>& start,
              const std::vector<std::uint64_t>& extent, double* values);

/// The extents of a chunk of a dataset; 1 along each dimension where it is not stored in chunks.
Shape chunk_shape(const Group& group, const std::string& name);

}  // namespace tessera::io
