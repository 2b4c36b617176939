// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/boys/application.hpp"

#include "tessera/boys/program/make_model.hpp"
#include "tessera/core/device/memory.hpp"
#include "tessera/core/device/on_backend.hpp"

namespace tessera::boys {

namespace {

/// Arguments and values stay on the host, arguments as given and as they are evaluated.
void check_memory(const Parameters& p) {
  const bool quadrature = p.task == Task::rys;
  const double size = p.single_precision ? sizeof(float) : sizeof(double);
  const double values = quadrature ? 2 * p.order : p.output_values ? p.n_max + 1 : 0;
  require_host_memory(static_cast<double>(p.x.size()) * (sizeof(double) + (1 + values) * size),
                      "the arguments and the functions there",
                      p.output_values && !quadrature
                          ? "take fewer arguments, or set output.values: false"
                          : "take fewer arguments");
}

std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings) {
  if (parameters.task == Task::evaluate || parameters.task == Task::rys) check_memory(parameters);
  return on_backend(settings.backend, [&](auto space) {
    return detail::make_model<typename decltype(space)::type>(parameters, settings);
  });
}

}  // namespace

Application application() {
  return make_application<Parameters>(
      "boys", "Evaluates Boys functions, and integrals of s-type Gaussian functions made from them",
      make_model);
}

}  // namespace tessera::boys
