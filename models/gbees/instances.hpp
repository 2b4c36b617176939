// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/propagator.hpp"

/// The propagators that the library tessera::gbees holds compiled: programs that use one of these dynamics include this header instead of
/// propagator.hpp and compile much faster.

namespace tessera::gbees {

#define TESSERA_GBEES_INSTANCES(ExecSpace)             \
  TESSERA_GBEES_INSTANCES_STORED_AS(ExecSpace, double) \
  TESSERA_GBEES_INSTANCES_STORED_AS(ExecSpace, float)

#define TESSERA_GBEES_INSTANCES_STORED_AS(ExecSpace, Real)         \
  extern template class Propagator<ExecSpace, Lorenz63, Real>;     \
  extern template class Propagator<ExecSpace, Lorenz96<6>, Real>;  \
  extern template class Propagator<ExecSpace, Equations<1>, Real>; \
  extern template class Propagator<ExecSpace, Equations<2>, Real>; \
  extern template class Propagator<ExecSpace, Equations<3>, Real>; \
  extern template class Propagator<ExecSpace, Equations<4>, Real>; \
  extern template class Propagator<ExecSpace, Equations<5>, Real>; \
  extern template class Propagator<ExecSpace, Equations<6>, Real>; \
  extern template class Propagator<ExecSpace, Equations<7>, Real>; \
  extern template class Propagator<ExecSpace, Equations<8>, Real>;

#define TESSERA_GBEES_WIDE_INSTANCES(ExecSpace)                                    \
  extern template class Propagator<ExecSpace, WithWideKeys<Equations<6>>, double>; \
  extern template class Propagator<ExecSpace, WithWideKeys<Equations<7>>, double>; \
  extern template class Propagator<ExecSpace, WithWideKeys<Equations<8>>, double>;

#ifdef TESSERA_HAVE_SERIAL
TESSERA_GBEES_INSTANCES(Kokkos::Serial)
TESSERA_GBEES_WIDE_INSTANCES(Kokkos::Serial)
#endif
#ifdef TESSERA_HAVE_OPENMP
TESSERA_GBEES_INSTANCES(Kokkos::OpenMP)
TESSERA_GBEES_WIDE_INSTANCES(Kokkos::OpenMP)
#endif
#ifdef TESSERA_HAVE_CUDA
TESSERA_GBEES_INSTANCES(Kokkos::Cuda)
TESSERA_GBEES_WIDE_INSTANCES(Kokkos::Cuda)
#endif

#undef TESSERA_GBEES_INSTANCES
#undef TESSERA_GBEES_INSTANCES_STORED_AS
#undef TESSERA_GBEES_WIDE_INSTANCES

}  // namespace tessera::gbees
