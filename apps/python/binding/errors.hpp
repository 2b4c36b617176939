// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "tessera/core/error.hpp"

namespace tessera::python {

/// Makes the exceptions tessera.Error and those derived from it, and translates those of C++ into them.
void define_errors(pybind11::module_& module);

/// Raises the exception of this kind. The caller holds the interpreter's lock.
[[noreturn]] void raise(ErrorKind kind, const std::string& message);

}  // namespace tessera::python
