// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/bessel/application.hpp"

#include "tessera/bessel/detail/make_model.hpp"
#include "tessera/core/device/on_backend.hpp"

namespace tessera::bessel {

namespace {

std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings) {
  return on_backend(settings.backend, [&](auto space) { return detail::make_model<typename decltype(space)::type>(parameters, settings); });
}

}  // namespace

Application application() {
  return make_application<Parameters>("bessel", "Evaluates Bessel functions K_nu(x) of real order and Matern covariances, with derivatives",
                                      make_model);
}

}  // namespace tessera::bessel
