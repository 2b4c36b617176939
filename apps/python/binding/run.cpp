// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/applications.hpp"
#include "apps/python/binding/array_place.hpp"
#include "apps/python/binding/computing.hpp"
#include "apps/python/binding/errors.hpp"
#include "apps/python/binding/interruptible.hpp"
#include "apps/python/binding/modules.hpp"
#include "apps/python/binding/warnings.hpp"
#include "tessera/core/app/command_line.hpp"
#include "tessera/core/app/run_app.hpp"
#include "tessera/core/io/memory.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/long_work.hpp"

namespace py = pybind11;

namespace tessera::python {

namespace {

logging::ProgressMode mode_of_run(const std::optional<bool>& shown) {
  if (!shown) return progress_mode();
  return *shown ? logging::ProgressMode::on : logging::ProgressMode::off;
}

using Places = std::map<std::string, std::pair<std::array<double, 6>, std::string>>;
using Coordinates = std::map<std::string, ArrayPlaceTuple>;

/// Arrays by name, which the input calls memory:NAME, and the transform and projection, or the
/// coordinates, of some of them.
std::map<std::string, io::MemoryArray> arrays_in_memory(
    const std::map<std::string, py::array>& arrays, const Places& places,
    const Coordinates& coordinates) {
  std::map<std::string, io::MemoryArray> found;
  for (const auto& [name, array] : arrays) {
    if ((array.flags() & py::array::c_style) == 0)
      throw Error(ErrorKind::internal, "the array '" + name + "' has gaps or another order");
    found[name] = {array.dtype().attr("str").cast<std::string>(),
                   io::Shape(array.shape(), array.shape() + array.ndim()), array.data()};
  }
  for (const auto& [name, place] : places)
    found.at(name).place = io::RasterPlace{place.first, place.second};
  for (const auto& [name, given] : coordinates) found.at(name).coordinates = array_place_of(given);
  return found;
}

/// The named arguments of a run in Python.
struct RunCall {
  CommandLine line;
  std::optional<std::string> text;  ///< of the input; not set: it is a file
  std::optional<bool> progress;
  std::map<std::string, io::MemoryArray> arrays;

  explicit RunCall(const py::dict& given)
      : text(given["text"].cast<std::optional<std::string>>()),
        progress(given["progress"].cast<std::optional<bool>>()),
        arrays(arrays_in_memory(given["arrays"].cast<std::map<std::string, py::array>>(),
                                given["places"].cast<Places>(),
                                given["coordinates"].cast<Coordinates>())) {
    line.input = given["input"].cast<std::string>();
    line.overrides = given["overrides"].cast<std::vector<std::string>>();
    line.output = given["output"].cast<std::string>();
    line.backend = given["backend"].cast<std::string>();
    line.restart = given["restart"].cast<std::string>();
    line.seed = given["seed"].cast<std::optional<std::uint64_t>>();
    line.force = given["force"].cast<bool>();
    line.progress = mode_of_run(progress);
    line.level = given["quiet"].cast<bool>() ? logging::Level::quiet : logging::Level::normal;
    line.text = given["call"].cast<std::string>();
  }
};

/// One run of an input, as its program makes it. Returns the name of the results file, or where the
/// output stays in memory its bytes.
py::object run(const py::kwargs& given) {
  RunCall call(given);
  const CommandLine& line = call.line;
  RunOutcome outcome;
  std::vector<char> kept;
  {
    const Computing computing;
    start(line.backend.empty() ? nullptr : line.backend.c_str());  // Kokkos stays after the run
    logging::set_level(line.level);
    logging::show_long_work_only(!call.progress);  // unless it is asked for
    io::MemoryFiles memory(std::move(call.arrays));
    outcome = run_application(apps::applications(), line, call.text);
    kept = memory.take(line.output);
  }
  raise_warnings();
  constexpr int kSignals = 128;
  if (outcome.exit_code > kSignals) pass_on(outcome.exit_code - kSignals);
  if (!outcome.message.empty()) raise(static_cast<ErrorKind>(outcome.exit_code), outcome.message);
  if (io::is_in_memory(line.output)) return py::bytes(kept.data(), kept.size());
  return py::str(outcome.results);
}

}  // namespace

void define_run(py::module_& module) { module.def("run", &run); }

}  // namespace tessera::python
