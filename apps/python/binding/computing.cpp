// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/binding/computing.hpp"

#include <unistd.h>

#include <string>

#include "tessera/core/error.hpp"
#include "tessera/core/log/long_work.hpp"

namespace py = pybind11;

namespace tessera::python {

namespace {

std::mutex g_mutex;
ShowProgress g_progress = ShowProgress::automatic;

}  // namespace

Computing::Computing() : m_lock(g_mutex) {}

void show_progress(ShowProgress choice) { g_progress = choice; }

ShowProgress progress_choice() { return g_progress; }

logging::ProgressMode progress_mode() {
  const bool shown = g_progress == ShowProgress::on ||
                     (g_progress == ShowProgress::automatic && isatty(STDERR_FILENO) != 0);
  return shown ? logging::ProgressMode::on : logging::ProgressMode::off;
}

void CallWatch::operator()(std::size_t done, std::size_t of) {
  {
    const py::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!m_reporter) {
      logging::show_long_work_only(true);
      m_reporter.emplace(progress_mode());
    }
  }
  const auto number = static_cast<double>(done);
  m_reporter->update({number, static_cast<double>(of), m_unit, number, m_unit, ""});
}

Backend choose(py::handle backend, bool on_device) {
  if (backend.is_none()) return start(on_device ? "cuda" : nullptr);
  if (!py::isinstance<py::str>(backend)) {
    PyErr_SetString(py::module_::import("tessera._errors").attr("ArgumentTypeError").ptr(),
                    "backend is a text such as 'openmp', or None");
    throw py::error_already_set();
  }
  const auto name = backend.cast<std::string>();
  if (on_device && name != "cuda" && name != "auto") {
    throw Error(ErrorKind::input, "an array lies on a GPU, and the backend is '" + name + "'",
                "leave the backend out, or give a NumPy array");
  }
  return start(on_device ? "cuda" : name.c_str());
}

}  // namespace tessera::python
