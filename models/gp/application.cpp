// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/application.hpp"

#include "tessera/gp/model.hpp"
#include "tessera/gp/parameters.hpp"

namespace tessera::gp {

Application application() {
  return {"gp", "Gaussian processes: simulates, fits and predicts spatial fields, with a Matern covariance of any smoothness",
          [](config::Section& root) -> ModelFactory {
            const Parameters parameters = Parameters::read(root);
            return [parameters](const RunSettings& settings) { return std::make_unique<GpModel>(parameters, settings); };
          }};
}

}  // namespace tessera::gp
