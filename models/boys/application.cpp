// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/boys/application.hpp"

#include "tessera/boys/detail/make_model.hpp"
#include "tessera/core/device/on_backend.hpp"

namespace tessera::boys {

namespace {

std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings) {
  return on_backend(settings.backend, [&](auto space) { return detail::make_model<typename decltype(space)::type>(parameters, settings); });
}

}  // namespace

Application application() {
  return make_application<Parameters>("boys", "Evaluates Boys functions, and integrals of s-type Gaussian functions made from them",
                                      make_model);
}

}  // namespace tessera::boys
