// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/application.hpp"

#include "tessera/core/device/on_backend.hpp"
#include "tessera/gbees/detail/instance.hpp"

namespace tessera::gbees {

namespace {

template <class ExecSpace, class Dynamics, class Real>
std::unique_ptr<Model> make(const Parameters& parameters, const RunSettings& settings) {
  return detail::make_model(detail::instance<ExecSpace, Dynamics, Real>(), parameters, settings);
}

/// Dynamics<N> with the dimension that the parameters ask for, from First to 8.
template <class ExecSpace, class Real, template <int> class Dynamics, int First>
std::unique_ptr<Model> make_in_dimension(const Parameters& parameters, const RunSettings& settings) {
  if constexpr (First < 8) {
    if (parameters.dynamics.dimension != First) return make_in_dimension<ExecSpace, Real, Dynamics, First + 1>(parameters, settings);
  }
  return make<ExecSpace, Dynamics<First>, Real>(parameters, settings);
}

/// Equations with wide keys, of which there are few dimensions.
template <class ExecSpace, int D = kWideKeysFrom>
std::unique_ptr<Model> make_wide(const Parameters& parameters, const RunSettings& settings) {
  if constexpr (D < 8) {
    if (parameters.dynamics.dimension != D) return make_wide<ExecSpace, D + 1>(parameters, settings);
  }
  return detail::make_model(detail::wide_instance<ExecSpace, D>(), parameters, settings);
}

/// Compiled dynamics where there are, else equations.
template <class ExecSpace, class Real>
std::unique_ptr<Model> make_on(const Parameters& parameters, const RunSettings& settings) {
  const DynamicsParameters& dynamics = parameters.dynamics;
  if (!parameters.frame.is_turned()) {
    if (dynamics.name == "lorenz63") return make<ExecSpace, Lorenz63, Real>(parameters, settings);
    if (dynamics.name == "lorenz96" && dynamics.dimension == 6) return make<ExecSpace, Lorenz96<6>, Real>(parameters, settings);
  }
  return make_in_dimension<ExecSpace, Real, Equations, 1>(parameters, settings);
}

std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings) {
  return on_backend(settings.backend, [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    if (parameters.wide_keys) return make_wide<ExecSpace>(parameters, settings);
    return parameters.is_single ? make_on<ExecSpace, float>(parameters, settings) : make_on<ExecSpace, double>(parameters, settings);
  });
}

}  // namespace

Application application() {
  return make_application<Parameters>("gbees", "Carries a probability density through nonlinear dynamics, with measurements (GBEES)",
                                      make_model, {"model.name", "initial.shape"}, {{"time.end"}, {"measurements"}});
}

}  // namespace tessera::gbees
