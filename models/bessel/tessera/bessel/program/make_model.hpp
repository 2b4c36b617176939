// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/bessel/program/parameters.hpp"
#include "tessera/core/app/run_app.hpp"

namespace tessera::bessel::detail {

/// Builds the model of a task on one execution space. Each is compiled in a file of its own,
/// generated from instantiate.cpp.in.
template <class ExecSpace>
std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings);

}  // namespace tessera::bessel::detail
