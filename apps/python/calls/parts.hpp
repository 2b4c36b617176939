// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

#include "apps/python/calls/numbers.hpp"
#include "apps/python/calls/room.hpp"

namespace tessera::python {

/// Memory of the execution space for a part of an array that lies elsewhere. Elements on a CPU, or
/// on the GPU already, stay where they are.
template <class ExecSpace, class T>
class Part {
 public:
  /// `most`: elements of the largest part.
  Part(const ExecSpace& exec, const In<T>& in, std::size_t most)
      : m_from(in.data),
        m_one(in.one && most > 1),
        m_staged(stages(in.on_device)),
        m_room(exec, m_one || m_staged ? most : 0) {
    if (m_one) m_room.fill(exec, *in.data);
  }
  Part(const ExecSpace& exec, const Out<T>& out, std::size_t most)
      : m_to(out.data), m_staged(stages(out.on_device)), m_room(exec, m_staged ? most : 0) {}

  /// Elements begin ... begin + count - 1 of the input, where kernels can read them.
  T* read(const ExecSpace& exec, std::size_t begin, std::size_t count) const {
    if (m_staged && !m_one) m_room.read(exec, m_from + begin, count);
    // kernels that take Views of numbers do not write these
    return m_one || m_staged ? m_room.data() : const_cast<T*>(m_from) + begin;
  }

  /// Returns the memory in which kernels write those elements of the output; `write` waits for the
  /// kernels and copies the elements to the output.
  T* room(std::size_t begin) const { return m_staged ? m_room.data() : m_to + begin; }
  void write(const ExecSpace& exec, std::size_t begin, std::size_t count) const {
    m_staged ? m_room.write(exec, m_to + begin, 0, count) : exec.fence();
  }

  /// Returns whether data on the host has to be copied to the execution space.
  static bool stages(bool on_device) { return compat::is_gpu_v<ExecSpace> && !on_device; }

 private:
  const T* m_from = nullptr;
  T* m_to = nullptr;
  bool m_one = false, m_staged = false;
  Room<ExecSpace, T> m_room;
};

/// Calls work(begin, count) for n elements, at most `most` at a time, and `between` after each part
/// where there are several.
template <class Work>
void in_parts(std::size_t n, std::size_t most, const Between& between, const Work& work) {
  for (std::size_t begin = 0; begin < n; begin += most) {
    const std::size_t count = std::min(most, n - begin);
    work(begin, count);
    if (count < n) between(begin + count, n);
  }
}

}  // namespace tessera::python
