// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/pybind11.h>

namespace tessera::python {

/// The functions of each system, which the Python package calls.
void define_bessel(pybind11::module_& module);
void define_boys(pybind11::module_& module);
void define_mpr(pybind11::module_& module);
void define_orbit(pybind11::module_& module);
void define_programs(pybind11::module_& module);
void define_run(pybind11::module_& module);
void define_stable(pybind11::module_& module);

}  // namespace tessera::python
