// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "models/stable/application.hpp"

#include "core/error.hpp"
#include "models/stable/detail/make_model.hpp"

namespace tessera::stable {

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
  return {"stable", "Evaluates, samples and fits alpha-stable laws", [](config::Section& root) -> ModelFactory {
            const Parameters parameters = Parameters::read(root);
            return [parameters](const RunSettings& settings) { return make_model(parameters, settings); };
          }};
}

}  // namespace tessera::stable
