// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"

namespace tessera {

/// An execution space as a value, for generic lambdas.
template <class Space>
struct ExecSpaceOf {
  using type = Space;
};

/// Calls f with the ExecSpaceOf of a backend that was chosen at run time, and returns what it
/// returns:
///
///     return on_backend(settings.backend, [&](auto space) { return make_model<typename decltype(space)::type>(settings); });
template <class F>
auto on_backend(Backend backend, const F& f) {
  switch (backend) {
#ifdef TESSERA_HAVE_SERIAL
    case Backend::serial:
      return f(ExecSpaceOf<Kokkos::Serial>());
#endif
#ifdef TESSERA_HAVE_OPENMP
    case Backend::openmp:
      return f(ExecSpaceOf<Kokkos::OpenMP>());
#endif
#ifdef TESSERA_HAVE_CUDA
    case Backend::cuda:
      return f(ExecSpaceOf<Kokkos::Cuda>());
#endif
    default:
      throw Error(ErrorKind::internal, "backend " + to_string(backend) + " is not compiled in");
  }
}

}  // namespace tessera
