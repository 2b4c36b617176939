// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "tessera/core/error.hpp"

namespace tessera::python {

/// Translates errors of C++ into the exceptions of tessera/_errors.py, which are members of the
/// module too.
void define_errors(pybind11::module_& module);

/// Raises the exception of this kind. The caller holds the interpreter's lock.
[[noreturn]] void raise(ErrorKind kind, const std::string& message);

}  // namespace tessera::python
