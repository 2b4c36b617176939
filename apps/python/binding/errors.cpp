// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/binding/errors.hpp"

#include <cstring>
#include <exception>
#include <optional>
#include <string>

#include "tessera/core/device/memory.hpp"

namespace py = pybind11;

namespace tessera::python {

namespace {

struct Kind {
  ErrorKind kind;
  const char* name;
  const char* base;  ///< the built-in exception that it is too
  const char* doc;
};

constexpr Kind kKinds[] = {
    {ErrorKind::internal, "InternalError", "RuntimeError", "A fault of Tessera itself."},
    {ErrorKind::usage, "UsageError", "ValueError", "A call that does not go together, such as an output that would replace the input."},
    {ErrorKind::input, "InputError", "ValueError",
     "Wrong values, shapes or parameters; for an input file a line for each, with its place."},
    {ErrorKind::file, "FileError", "OSError", "A file that cannot be read or written."},
    {ErrorKind::numerical, "NumericalError", "ArithmeticError", "Values that are not finite, no convergence, or a limit of the method."},
    {ErrorKind::resource, "ResourceError", "MemoryError", "Memory or a device that is not there."},
};

PyObject* g_types[1 + static_cast<int>(ErrorKind::resource)] = {};

/// A message that is not UTF-8 in some place, for it quotes a file that is not, is shown with a mark there.
void set(ErrorKind kind, const char* message) {
  PyObject* const text = PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(std::strlen(message)), "replace");
  if (text == nullptr) return;  // with an exception of Python's
  PyErr_SetObject(g_types[static_cast<int>(kind)], text);
  Py_DECREF(text);
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    set(error.kind(), error.what());
  } catch (const py::error_already_set&) {
    throw;
  } catch (const py::builtin_exception&) {
    throw;
  } catch (const std::exception& failure) {
    const std::optional<Error> error = find_memory_error(failure);
    error ? set(error->kind(), error->what()) : set(ErrorKind::internal, failure.what());
  }
}

}  // namespace

void define_errors(py::module_& module) {
  const py::object builtins = py::module_::import("builtins"), type = builtins.attr("type");
  const auto make = [&](const char* name, const py::tuple& bases, const char* doc) {
    py::dict members;
    members["__doc__"] = doc;
    members["__module__"] = "tessera";
    module.attr(name) = type(name, bases, members);
    return py::object(module.attr(name));
  };
  const py::object base =
      make("Error", py::make_tuple(builtins.attr("Exception")), "What goes wrong in Tessera: what, where, and what to do about it.");
  for (const Kind& kind : kKinds) {
    g_types[static_cast<int>(kind.kind)] = make(kind.name, py::make_tuple(base, builtins.attr(kind.base)), kind.doc).release().ptr();
  }
  py::register_exception_translator(translate);
}

void raise(ErrorKind kind, const std::string& message) {
  set(kind, message.c_str());
  throw py::error_already_set();
}

}  // namespace tessera::python
