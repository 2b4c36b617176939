// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/bessel/application.hpp"

#include "tessera/bessel/program/make_model.hpp"
#include "tessera/core/device/memory.hpp"
#include "tessera/core/device/on_backend.hpp"

namespace tessera::bessel {

namespace {

/// Orders, arguments and results stay on the host, those of a range as given and as they are
/// evaluated.
void check_memory(const Parameters& p) {
  const std::size_t size = p.single_precision ? sizeof(float) : sizeof(double);
  const std::size_t each = p.task != Task::bessel_k
                               ? 5 * sizeof(double)
                               : 2 * sizeof(double) + (2 + p.quantities.size()) * size;
  const double points = static_cast<double>(p.task == Task::matern ? p.r.size() : p.x.size());
  require_host_memory(points * static_cast<double>(each), "the points and their results",
                      "evaluate fewer points or quantities at a time");
}

std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings) {
  check_memory(parameters);
  return on_backend(settings.backend, [&](auto space) {
    return detail::make_model<typename decltype(space)::type>(parameters, settings);
  });
}

}  // namespace

Application application() {
  return make_application<Parameters>(
      "bessel",
      "Evaluates Bessel functions K_nu(x) of real order and Matern covariances, with derivatives",
      make_model);
}

}  // namespace tessera::bessel
