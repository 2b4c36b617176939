// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/python/calls/numbers.hpp"
#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::python {

/// Memory of the execution space for a part of an array that lies elsewhere. Elements on a CPU, or on the GPU already, stay where they are.
template <class ExecSpace, class T>
class Part {
 public:
  /// `most`: elements of the largest part.
  Part(const ExecSpace& exec, const In<T>& in, std::size_t most)
      : m_from(in.data), m_one(in.one && most > 1), m_staged(stages(in.on_device)) {
    if (m_one || m_staged) m_room = allocate<Room>(exec, "tessera::python::part", most);
    if (m_one) fill(exec, m_room, *in.data);
  }
  Part(const ExecSpace& exec, const Out<T>& out, std::size_t most) : m_to(out.data), m_staged(stages(out.on_device)) {
    if (m_staged) m_room = allocate<Room>(exec, "tessera::python::part", most);
  }

  /// Elements begin ... begin + count - 1 of the input, where kernels can read them.
  T* read(const ExecSpace& exec, std::size_t begin, std::size_t count) const {
    if (m_staged && !m_one) copy_from_host(exec, m_room.data(), m_from + begin, count);
    return m_room.extent(0) > 0 ? m_room.data() : const_cast<T*>(m_from) + begin;  // kernels that take Views of numbers do not write these
  }

  /// Where kernels can write those elements of the output; they get there by `write`.
  T* room(std::size_t begin) const { return m_staged ? m_room.data() : m_to + begin; }
  void write(const ExecSpace& exec, std::size_t begin, std::size_t count) const {
    if (m_staged) copy_to_host(exec, m_to + begin, m_room.data(), count);
  }

 private:
  using Room = Kokkos::View<T*, ExecSpace>;
  static bool stages(bool on_device) { return compat::is_gpu_v<ExecSpace> && !on_device; }

  const T* m_from = nullptr;
  T* m_to = nullptr;
  bool m_one = false, m_staged = false;
  Room m_room;
};

/// Calls work(begin, count) for n elements, at most `most` at a time, and `between` after each part but the last.
template <class Work>
void in_parts(std::size_t n, std::size_t most, const Between& between, const Work& work) {
  for (std::size_t begin = 0; begin < n; begin += most) {
    if (begin > 0) between();
    work(begin, std::min(most, n - begin));
  }
}

}  // namespace tessera::python
