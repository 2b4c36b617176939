// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/core/app/run_app.hpp"
#include "tessera/mpr/data/parameters.hpp"

namespace tessera::mpr::detail {

/// Builds the model of a task in one precision on one execution space. Each pair is compiled in a
/// file of its own, generated from instantiate.cpp.in.
template <class ExecSpace, class Real>
std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings);

}  // namespace tessera::mpr::detail
