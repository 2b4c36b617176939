// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/binding/interruptible.hpp"

#include <csignal>

#include "apps/python/binding/computing.hpp"
#include "apps/python/binding/warnings.hpp"
#include "tessera/core/app/signals.hpp"

namespace py = pybind11;

namespace tessera::python {

void compute_interruptibly(const std::function<void()>& work) {
  int signal = 0;
  {
    const Computing computing;
    const SignalWatch watch;
    try {
      work();
    } catch (const Interrupted& given_up) {
      signal = given_up.signal;
    }
    if (signal == 0) signal = watch.received();
  }
  if (signal != 0) pass_on(signal);
  raise_warnings();
}

void pass_on(int signal) {
  // The handler of the signal is Python's again.
  std::raise(signal);
  // In a thread other than the main one Python checks no signals.
  if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

}  // namespace tessera::python
