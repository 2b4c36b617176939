// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/applications.hpp"
#include "apps/compare/program.hpp"
#include "apps/python/binding/modules.hpp"
#include "apps/python/binding/warnings.hpp"
#include "tessera/core/app/run_app.hpp"
#include "tessera/core/error.hpp"

namespace tessera::python {

namespace {

/// Runs the program tessera-NAME in this process, which does nothing else, and returns its exit
/// code. `arguments`: those of the command line, with the name of the program.
int run_program(const std::string& name, std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const auto count = static_cast<int>(arguments.size());

  const pybind11::gil_scoped_release release;
  give_back_messages();
  if (name == "compare") return compare::run_program(count, pointers.data());
  const std::vector<Application> all = apps::applications();
  const auto application = std::find_if(
      all.begin(), all.end(), [&](const Application& candidate) { return candidate.name == name; });
  if (application == all.end())
    throw Error(ErrorKind::internal, "there is no program tessera-" + name);
  return run_app(*application, count, pointers.data());
}

}  // namespace

void define_programs(pybind11::module_& module) { module.def("run_program", &run_program); }

}  // namespace tessera::python
