// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "models/mpr/application.hpp"

#include "core/device/kokkos_compat.hpp"
#include "core/error.hpp"
#include "models/mpr/detail/make_model.hpp"

namespace tessera::mpr {

namespace {

template <class ExecSpace>
std::unique_ptr<Model> make_on(const Parameters& parameters, const RunSettings& settings) {
  return parameters.single ? detail::make_model<ExecSpace, float>(parameters, settings)
                           : detail::make_model<ExecSpace, double>(parameters, settings);
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
  return {"mpr", "Fills gaps in gridded data, with error bars (modified planar rotator)", [](config::Section& root) -> ModelFactory {
            const Parameters parameters = Parameters::read(root);
            return [parameters](const RunSettings& settings) { return make_model(parameters, settings); };
          }};
}

}  // namespace tessera::mpr
