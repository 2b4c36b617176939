// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/application.hpp"

#include "tessera/core/device/on_backend.hpp"
#include "tessera/mpr/program/make_model.hpp"

namespace tessera::mpr {

namespace {

template <class ExecSpace>
std::unique_ptr<Model> make_on(const Parameters& parameters, const RunSettings& settings) {
  return parameters.single ? detail::make_model<ExecSpace, float>(parameters, settings)
                           : detail::make_model<ExecSpace, double>(parameters, settings);
}

std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings) {
  return on_backend(settings.backend, [&](auto space) {
    return make_on<typename decltype(space)::type>(parameters, settings);
  });
}

}  // namespace

Application application() {
  return make_application<Parameters>(
      "mpr", "Fills gaps in gridded data, with error bars (modified planar rotator)", make_model);
}

}  // namespace tessera::mpr
