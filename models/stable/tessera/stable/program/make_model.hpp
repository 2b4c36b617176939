// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/core/app/run_app.hpp"
#include "tessera/stable/program/parameters.hpp"

namespace tessera::stable::detail {

/// Builds the model on one execution space; compiled in a file of its own for each, generated from
/// instantiate.cpp.in.
template <class ExecSpace>
std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings);

}  // namespace tessera::stable::detail
