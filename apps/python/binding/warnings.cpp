// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/binding/warnings.hpp"

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "tessera/core/log/warnings.hpp"

namespace py = pybind11;

namespace tessera::python {

void take_over_messages() {
  logging::show_warnings(false);
  logging::show_errors(false);
}

void give_back_messages() {
  logging::show_warnings(true);
  logging::show_errors(true);
}

void raise_warnings() {
  if (logging::warnings().empty()) return;
  const std::vector<std::string> texts = logging::warnings();
  logging::clear_warnings();
  const py::object warn = py::module_::import("tessera._warnings").attr("warn");
  for (const std::string& text : texts) {
    warn(py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace")));
  }
}

}  // namespace tessera::python
