// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/mpr/detail/make_model.hpp"
#include "tessera/mpr/fill_model.hpp"
#include "tessera/mpr/simulate_model.hpp"
#include "tessera/mpr/synthesize_model.hpp"
#include "tessera/mpr/validate_model.hpp"

/// The runs of an input file, one class per task.

namespace tessera::mpr {

template <class ExecSpace, class Real>
std::unique_ptr<Model> detail::make_model(const Parameters& parameters, const RunSettings& settings) {
  if (parameters.task == "validate") return std::make_unique<ValidateModel<ExecSpace, Real>>(parameters, settings);
  if (parameters.task == "simulate") return std::make_unique<SimulateModel<ExecSpace, Real>>(parameters, settings);
  if (parameters.task == "synthesize") return std::make_unique<SynthesizeModel>(parameters, settings);
  return std::make_unique<FillModel<ExecSpace, Real>>(parameters, settings);
}

}  // namespace tessera::mpr
