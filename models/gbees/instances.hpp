// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "models/gbees/propagator.hpp"

/// The propagators that the library tessera::gbees holds compiled: programs that use one of these dynamics include this header instead of
/// propagator.hpp and compile much faster.

namespace tessera::gbees {

#define TESSERA_GBEES_INSTANCES(ExecSpace)                   \
  extern template class Propagator<ExecSpace, Lorenz63>;     \
  extern template class Propagator<ExecSpace, Lorenz96<4>>;  \
  extern template class Propagator<ExecSpace, Lorenz96<5>>;  \
  extern template class Propagator<ExecSpace, Lorenz96<6>>;  \
  extern template class Propagator<ExecSpace, Lorenz96<7>>;  \
  extern template class Propagator<ExecSpace, Lorenz96<8>>;  \
  extern template class Propagator<ExecSpace, Linear<1>>;    \
  extern template class Propagator<ExecSpace, Linear<2>>;    \
  extern template class Propagator<ExecSpace, Linear<3>>;    \
  extern template class Propagator<ExecSpace, Linear<4>>;    \
  extern template class Propagator<ExecSpace, Linear<5>>;    \
  extern template class Propagator<ExecSpace, Linear<6>>;    \
  extern template class Propagator<ExecSpace, Linear<7>>;    \
  extern template class Propagator<ExecSpace, Linear<8>>;

#ifdef TESSERA_HAVE_SERIAL
TESSERA_GBEES_INSTANCES(Kokkos::Serial)
#endif
#ifdef TESSERA_HAVE_OPENMP
TESSERA_GBEES_INSTANCES(Kokkos::OpenMP)
#endif
#ifdef TESSERA_HAVE_CUDA
TESSERA_GBEES_INSTANCES(Kokkos::Cuda)
#endif

#undef TESSERA_GBEES_INSTANCES

}  // namespace tessera::gbees
