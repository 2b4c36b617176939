// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "tessera/core/io/box.hpp"

namespace tessera::mpr {

/// Maps of numbers over an image in a file of its own, which windows are written to and rows are
/// read from: what a stream has finished before its results are written. The file is no larger than
/// what was written, where the file system knows holes. Real: float or double. Host code.
template <class Real>
class WindowStore {
 public:
  WindowStore() = default;
  /// Creates the file, in the place of an older one of this kind. Throws Error (file), also when
  /// another kind of file has the name.
  static WindowStore create(const std::string& path, int maps, int nx, int ny);
  /// Opens the file of an interrupted run. Throws Error (file) when it is not that.
  static WindowStore open(const std::string& path, int maps, int nx, int ny);
  WindowStore(WindowStore&& other) noexcept;
  WindowStore& operator=(WindowStore&& other) noexcept;
  ~WindowStore();  ///< removes the file, unless it was kept

  const std::string& path() const { return m_path; }
  /// The file outlives this.
  void keep() { m_kept = true; }
  void let_go() { m_kept = false; }

  /// The columns and rows of a box of a map, row after row. Throws Error (file).
  void write(int map, const io::Box& box, const Real* values) const;
  /// Elements first ... first + count - 1 of a map; 0 where none were written. Throws Error (file).
  void read(int map, std::size_t first, std::size_t count, Real* values) const;
  /// Puts on the disk what was written. Throws Error (file).
  void flush() const;

 private:
  WindowStore(const std::string& path, int maps, int nx, int ny, bool again);
  std::size_t offset(int map, std::size_t element) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string m_path;
  int m_maps = 0, m_nx = 0, m_ny = 0;
  int m_descriptor = -1;
  bool m_kept = false;
};

extern template class WindowStore<float>;
extern template class WindowStore<double>;

}  // namespace tessera::mpr
