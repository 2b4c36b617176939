// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

#include "apps/python/calls/session.hpp"
#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

/// Memory for the numbers of a call that kernels read and write.
namespace tessera::python {

/// A piece of the memory for small calls, which the process keeps until Kokkos ends. It is the
/// host's, where kernels reach it: on a GPU a call of a few numbers then takes one kernel and one
/// wait, while allocations and copies there take several times as long. One thread computes at a
/// time (Computing); pieces are given back in the opposite order.
template <class ExecSpace>
class SmallPiece {
 public:
  /// The most bytes that a piece has.
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  explicit SmallPiece(std::size_t bytes)
      : m_bytes((bytes + kAlignment - 1) / kAlignment * kAlignment) {
    if (bytes == 0 || bytes > kMost) m_bytes = 0;
    if (m_bytes == 0) return;
    Kept& memory = kept();
    if (memory.used + m_bytes > kAll) {
      m_bytes = 0;
      return;
    }
    m_data = memory.bytes.data() + memory.used;
    memory.used += m_bytes;
  }
  ~SmallPiece() {
    if (m_bytes > 0) kept().used -= m_bytes;
  }
  SmallPiece(const SmallPiece&) = delete;
  SmallPiece& operator=(const SmallPiece&) = delete;

  /// Returns the memory; null where nothing is wanted, or more than a piece has.
  char* data() const { return m_data; }

 private:
  static constexpr std::size_t kAlignment = 64, kAll = 8 * kMost;
  using Memory = Kokkos::View<char*, compat::PinnedSpace<ExecSpace>>;
  struct Kept {
    Memory bytes;
    std::size_t used = 0;
  };

  static Kept& kept() {
    static Kept kept;
    static const bool registered = (at_finish([] { kept.bytes = Memory(); }), true);
    static_cast<void>(registered);
    if (kept.bytes.extent(0) == 0)
      kept.bytes =
          Memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::python::small"), kAll);
    return kept;
  }

  char* m_data = nullptr;
  std::size_t m_bytes;
};

/// Room for n numbers that kernels reach.
template <class ExecSpace, class T>
class Room {
 public:
  Room(const ExecSpace& exec, std::size_t n) : m_small(n * sizeof(T)) {
    if (n > 0 && !is_small())
      m_large = allocate<Kokkos::View<T*, ExecSpace>>(exec, "tessera::python::room", n);
    m_size = n;
  }

  std::size_t size() const { return m_size; }
  T* data() const { return is_small() ? reinterpret_cast<T*>(m_small.data()) : m_large.data(); }

  /// Gives all numbers a value.
  void fill(const ExecSpace& exec, const T& value) const {
    is_small() ? static_cast<void>(std::fill_n(data(), m_size, value))
               : tessera::fill(exec, m_large, value);
  }

  /// Copies the first numbers from the host, and waits.
  void read(const ExecSpace& exec, const T* host, std::size_t count) const {
    is_small() ? static_cast<void>(std::copy_n(host, count, data()))
               : copy_from_host(exec, data(), host, count);
  }

  /// Waits, and copies numbers first ... first + count - 1 to the host.
  void write(const ExecSpace& exec, T* host, std::size_t first, std::size_t count) const {
    if (!is_small()) return copy_to_host(exec, host, data() + first, count);
    exec.fence();
    std::copy_n(data() + first, count, host);
  }

 private:
  bool is_small() const { return m_small.data() != nullptr; }

  SmallPiece<ExecSpace> m_small;
  Kokkos::View<T*, ExecSpace> m_large;
  std::size_t m_size = 0;
};

}  // namespace tessera::python
