// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tessera::python {

/// Numbers that a call reads, side by side.
template <class T>
struct In {
  const T* data = nullptr;
  bool one = false;        ///< a single number for all elements, on the host
  bool on_device = false;  ///< in the memory of the GPU; only with the backend cuda
};

/// Memory that a call writes: room for one number an element.
template <class T>
struct Out {
  T* data = nullptr;
  bool on_device = false;
};

/// Called between the parts of a long call, with how many of its elements are done, and behind the
/// last part; ends it by an exception.
using Between = std::function<void(std::size_t done, std::size_t of)>;

}  // namespace tessera::python
