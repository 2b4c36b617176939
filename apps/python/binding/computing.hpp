// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/pybind11.h>

#include <mutex>

#include "apps/python/calls/session.hpp"
#include "tessera/core/device/backend.hpp"

namespace tessera::python {

/// While it lives, this thread computes: the interpreter's lock is free, and no other thread computes, since a Kokkos backend serves one at
/// a time.
class Computing {
 public:
  Computing();
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;

 private:
  pybind11::gil_scoped_release m_release;
  std::unique_lock<std::mutex> m_lock;
};

/// Between two parts of a call: raises what a signal has left behind, KeyboardInterrupt above all. With Computing.
void check_signals();

/// The backend that a call names, or the one in use for None. Arrays on a GPU are for 'cuda', which is chosen for them; Error (input) where
/// the call names another one.
Backend choose(pybind11::handle backend, bool on_device = false);

}  // namespace tessera::python
