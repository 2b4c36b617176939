// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The library behind the Python package tessera. Each function is one call of apps/python/calls;
// defaults, names and documentation are the package's.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "apps/python/binding/computing.hpp"
#include "apps/python/binding/device_array.hpp"
#include "apps/python/binding/errors.hpp"
#include "apps/python/binding/modules.hpp"
#include "apps/python/binding/warnings.hpp"
#include "apps/python/calls/session.hpp"
#include "tessera/core/version.hpp"

namespace py = pybind11;

namespace tessera::python {

namespace {

/// Returns the backends, fastest first.
std::vector<std::string> backends() {
  std::vector<std::string> names;
  for (const Backend backend : compiled_backends()) names.insert(names.begin(), to_string(backend));
  return names;
}

std::string device(py::handle backend) {
  const Backend chosen = choose(backend);
  return device_name(chosen);
}

/// Arrays of NumPy 2 have another layout than pybind11 knew before version 2.12.
void require_numpy_that_pybind11_knows() {
  constexpr int kFirstThatKnows = 0x020C00;
  if (PYBIND11_VERSION_HEX >= kFirstThatKnows) return;
  const auto version = py::module_::import("numpy").attr("__version__").cast<std::string>();
  if (std::stoi(version) < 2) return;
  throw py::import_error("this build of tessera knows NumPy 1 alone, and NumPy is " + version +
                         "; install numpy<2, or build tessera with pybind11 2.12 or later");
}

void choose_progress(const std::optional<bool>& shown) {
  show_progress(!shown ? ShowProgress::automatic : *shown ? ShowProgress::on : ShowProgress::off);
}

/// Returns whether progress shows; none: where stderr is a terminal.
std::optional<bool> chosen_progress() {
  return progress_choice() == ShowProgress::automatic
             ? std::nullopt
             : std::optional(progress_choice() == ShowProgress::on);
}

}  // namespace

PYBIND11_MODULE(_tessera, module) {
  require_numpy_that_pybind11_knows();
  take_over_messages();
  define_errors(module);
  define_device_array(module);
  define_bessel(module);
  define_boys(module);
  define_mpr(module);
  define_orbit(module);
  define_programs(module);
  define_run(module);
  define_stable(module);
  module.def("backends", &backends);
  module.def("use", [](const std::string& name) { use_backend(name.c_str()); });
  module.def("used", &used_backend);
  module.def("show_progress", &choose_progress);
  module.def("progress", &chosen_progress);
  module.def("device", &device);
  module.def("version", &version_text);
  py::module_::import("atexit").attr("register")(py::cpp_function(&finish));
}

}  // namespace tessera::python
