// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/application.hpp"

#include "tessera/gp/program/generation_model.hpp"
#include "tessera/gp/program/latent_model.hpp"
#include "tessera/gp/program/model.hpp"
#include "tessera/gp/program/parameters.hpp"

namespace tessera::gp {

namespace {

std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings) {
  if (parameters.generate.given) return std::make_unique<GenerationModel>(parameters, settings);
  if (parameters.response.given()) return std::make_unique<LatentModel>(parameters, settings);
  return std::make_unique<GpModel>(parameters, settings);  // its solvers choose the backend
}

}  // namespace

Application application() {
  Application gp =
      make_application<Parameters>("gp",
                                   "Gaussian processes: simulates, fits and predicts spatial "
                                   "fields, with a Matern covariance of any smoothness",
                                   make_model);
  gp.kernels =
      "plain: by Kokkos alone; fused: a CUDA GPU keeps the covariance of a point and its "
      "neighbours in registers, where Vecchia's approximation has at most 60 of them; auto: the "
      "faster one. The results agree to rounding";
  gp.section_forms = {{"method", "vecchia", "{vecchia: {}}"}};
  return gp;
}

}  // namespace tessera::gp
