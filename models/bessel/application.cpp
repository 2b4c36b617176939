// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "models/bessel/application.hpp"

#include "core/device/kokkos_compat.hpp"
#include "core/error.hpp"
#include "models/bessel/detail/make_model.hpp"

namespace tessera::bessel {

namespace {

std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings) {
  switch (settings.backend) {
#ifdef TESSERA_HAVE_SERIAL
    case Backend::serial:
      return detail::make_model<Kokkos::Serial>(parameters, settings);
#endif
#ifdef TESSERA_HAVE_OPENMP
    case Backend::openmp:
      return detail::make_model<Kokkos::OpenMP>(parameters, settings);
#endif
#ifdef TESSERA_HAVE_CUDA
    case Backend::cuda:
      return detail::make_model<Kokkos::Cuda>(parameters, settings);
#endif
    default:
      throw Error(ErrorKind::internal, "backend " + to_string(settings.backend) + " is not compiled in");
  }
}

}  // namespace

Application application() {
  return {"bessel", "Evaluates Bessel functions K_nu(x) of real order and Matern covariances, with derivatives",
          [](config::Section& root) -> ModelFactory {
            const Parameters parameters = Parameters::read(root);
            return [parameters](const RunSettings& settings) { return make_model(parameters, settings); };
          }};
}

}  // namespace tessera::bessel
