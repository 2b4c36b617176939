// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/application.hpp"

#include "tessera/core/device/on_backend.hpp"
#include "tessera/stable/program/make_model.hpp"

namespace tessera::stable {

namespace {

std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings) {
  return on_backend(settings.backend, [&](auto space) {
    return detail::make_model<typename decltype(space)::type>(parameters, settings);
  });
}

}  // namespace

Application application() {
  return make_application<Parameters>("stable",
                                      "Evaluates, samples and fits alpha-stable distributions",
                                      make_model, {"problem.task"});
}

}  // namespace tessera::stable
