// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "models/gbees/application.hpp"

#include "core/device/kokkos_compat.hpp"
#include "core/error.hpp"
#include "models/gbees/detail/make_model.hpp"

namespace tessera::gbees {

namespace {

/// Dynamics<N> with the dimension that the parameters ask for, from First to 8.
template <class ExecSpace, template <int> class Dynamics, int First>
std::unique_ptr<Model> make_in_dimension(const Parameters& parameters, const RunSettings& settings) {
  if constexpr (First < 8) {
    if (parameters.dynamics.dimension != First) return make_in_dimension<ExecSpace, Dynamics, First + 1>(parameters, settings);
  }
  return detail::make_model<ExecSpace, Dynamics<First>>(parameters, settings);
}

/// Compiled dynamics where there are, else equations.
template <class ExecSpace>
std::unique_ptr<Model> make_on(const Parameters& parameters, const RunSettings& settings) {
  const DynamicsParameters& dynamics = parameters.dynamics;
  if (!parameters.frame.is_turned()) {
    if (dynamics.name == "lorenz63") return detail::make_model<ExecSpace, Lorenz63>(parameters, settings);
    if (dynamics.name == "lorenz96" && dynamics.dimension == 6) return detail::make_model<ExecSpace, Lorenz96<6>>(parameters, settings);
  }
  return make_in_dimension<ExecSpace, Equations, 1>(parameters, settings);
}

std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings) {
  switch (settings.backend) {
#ifdef TESSERA_HAVE_SERIAL
    case Backend::serial:
      return make_on<Kokkos::Serial>(parameters, settings);
#endif
#ifdef TESSERA_HAVE_OPENMP
    case Backend::openmp:
      return make_on<Kokkos::OpenMP>(parameters, settings);
#endif
#ifdef TESSERA_HAVE_CUDA
    case Backend::cuda:
      return make_on<Kokkos::Cuda>(parameters, settings);
#endif
    default:
      throw Error(ErrorKind::internal, "backend " + to_string(settings.backend) + " is not compiled in");
  }
}

}  // namespace

Application application() {
  return {"gbees", "Carries a probability density through nonlinear dynamics, with measurements (GBEES)",
          [](config::Section& root) -> ModelFactory {
            const Parameters parameters = Parameters::read(root);
            return [parameters](const RunSettings& settings) { return make_model(parameters, settings); };
          }};
}

}  // namespace tessera::gbees
