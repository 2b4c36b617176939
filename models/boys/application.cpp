// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "models/boys/application.hpp"

#include "core/device/kokkos_compat.hpp"
#include "core/error.hpp"
#include "models/boys/detail/make_model.hpp"

namespace tessera::boys {

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
  return {"boys", "Evaluates Boys functions, and integrals of s-type Gaussian functions made from them",
          [](config::Section& root) -> ModelFactory {
            const Parameters parameters = Parameters::read(root);
            return [parameters](const RunSettings& settings) { return make_model(parameters, settings); };
          }};
}

}  // namespace tessera::boys
