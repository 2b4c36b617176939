// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/core/app/run_app.hpp"
#include "tessera/gbees/program/conjunction_parameters.hpp"

namespace tessera::gbees {

/// Makes the model of `task: conjunction`: one message after the other, a chunk of pairs a step.
/// Ranks share the pairs of each chunk.
std::unique_ptr<Model> make_conjunction_model(const ConjunctionParameters& parameters,
                                              const RunSettings& settings);

}  // namespace tessera::gbees
