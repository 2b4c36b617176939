// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/binding/errors.hpp"

#include <cerrno>
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
};

constexpr Kind kKinds[] = {
    {ErrorKind::internal, "InternalError"},   {ErrorKind::usage, "UsageError"},
    {ErrorKind::input, "InputError"},         {ErrorKind::file, "FileError"},
    {ErrorKind::numerical, "NumericalError"}, {ErrorKind::resource, "ResourceError"}};

PyObject* g_types[1 + static_cast<int>(ErrorKind::resource)] = {};
PyObject* g_missing_file = nullptr;

/// Returns the Python type of an error. A file that is not there is known by the system's text in
/// the message.
PyObject* type_of(ErrorKind kind, const char* message) {
  const bool of_files = kind == ErrorKind::input || kind == ErrorKind::file;
  const bool is_missing = of_files && (std::strstr(message, std::strerror(ENOENT)) != nullptr ||
                                       std::strstr(message, ": no such file") != nullptr);
  return is_missing ? g_missing_file : g_types[static_cast<int>(kind)];
}

/// Sets an exception of Python. A message that is not UTF-8 in some place, because it quotes such a
/// file, is shown with a mark there.
void set(ErrorKind kind, const char* message) {
  PyObject* const text =
      PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(std::strlen(message)), "replace");
  if (text == nullptr) return;  // with an exception of Python's
  PyErr_SetObject(type_of(kind, message), text);
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
  const py::module_ errors = py::module_::import("tessera._errors");
  const auto take = [&](const char* name) {
    const py::object type = errors.attr(name);
    module.attr(name) = type;
    return py::object(type).release().ptr();
  };
  for (const Kind& kind : kKinds) g_types[static_cast<int>(kind.kind)] = take(kind.name);
  g_missing_file = take("MissingFileError");
  for (const char* name : {"Error", "ArgumentTypeError"}) module.attr(name) = errors.attr(name);
  py::register_exception_translator(translate);
}

void raise(ErrorKind kind, const std::string& message) {
  set(kind, message.c_str());
  throw py::error_already_set();
}

}  // namespace tessera::python
