// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/binding/computing.hpp"

#include <string>

#include "tessera/core/error.hpp"

namespace py = pybind11;

namespace tessera::python {

namespace {

std::mutex g_mutex;

}  // namespace

Computing::Computing() : m_lock(g_mutex) {}

void check_signals() {
  const py::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

Backend choose(py::handle backend, bool on_device) {
  if (backend.is_none()) return start(on_device ? "cuda" : nullptr);
  if (!py::isinstance<py::str>(backend)) throw py::type_error("backend is a text such as 'openmp', or None");
  const auto name = backend.cast<std::string>();
  if (on_device && name != "cuda" && name != "auto") {
    throw Error(ErrorKind::input, "an array lies on a GPU, and the backend is '" + name + "'",
                "leave the backend out, or give a NumPy array");
  }
  return start(on_device ? "cuda" : name.c_str());
}

}  // namespace tessera::python
