// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/io/box.hpp"
#include "tessera/core/io/group.hpp"

namespace tessera::io {

/// An array in row-major order, whatever the order in the file.
template <class T>
struct Array {
  Shape shape;
  std::vector<T> values;
};

/// Reads an array that numpy.save wrote, or one in memory (memory.hpp): booleans, integers or
/// floating point, little endian, in C or Fortran order. Numbers are converted to T; a value that T
/// does not hold exactly is an error, except that floating-point numbers round. Throws Error (file)
/// when the file cannot be read, and Error (input) when its content is not as described.
///
/// T is one of double, float, std::int8_t ... std::int64_t and std::uint8_t ... std::uint64_t.
template <class T>
Array<T> read_npy(const std::string& path);

/// The shape of such an array. Throws as read_npy does.
Shape read_npy_shape(const std::string& path);

/// Reads such an array in double precision without holding all of it, unless it is in Fortran
/// order: `take(first, count, values)` gets the elements from number `first` on, in row-major
/// order. Throws as read_npy does.
void read_npy_pieces(
    const std::string& path,
    const std::function<void(std::size_t first, std::size_t count, const double* values)>& take);

/// Reads boxes of an array of two dimensions, but for those of size one, without holding it.
class NpyReader {
 public:
  /// Throws as read_npy does, and Error (input) for an array in Fortran order.
  explicit NpyReader(const std::string& path);
  ~NpyReader();
  NpyReader(const NpyReader&) = delete;
  NpyReader& operator=(const NpyReader&) = delete;

  /// The numbers of a box in double precision, row after row; `columns`: of the array. Throws as
  /// read_npy does. One thread at a time.
  void read(int columns, const Box& box, double* values) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// Writes a file that numpy.load reads; an older one of that name stays whole until the new one is
/// complete. T as above, or bool. Throws Error (file).
template <class T>
void write_npy(const std::string& path, const T* values, const Shape& shape);

}  // namespace tessera::io
