// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/dynamics/compiled_dimensions.hpp"
#include "tessera/gbees/propagator/propagator.hpp"

/// The propagators that the library tessera::gbees holds compiled: programs that use one of these
/// dynamics include this header instead of propagator.hpp and compile much faster.

namespace tessera::gbees {

#ifdef TESSERA_HAVE_SERIAL
#define TESSERA_GBEES_ON_SERIAL(Dynamics, Real) \
  extern template class Propagator<Kokkos::Serial, Dynamics, Real>;
#else
#define TESSERA_GBEES_ON_SERIAL(Dynamics, Real)
#endif
#ifdef TESSERA_HAVE_OPENMP
#define TESSERA_GBEES_ON_OPENMP(Dynamics, Real) \
  extern template class Propagator<Kokkos::OpenMP, Dynamics, Real>;
#else
#define TESSERA_GBEES_ON_OPENMP(Dynamics, Real)
#endif
#ifdef TESSERA_HAVE_CUDA
#define TESSERA_GBEES_ON_CUDA(Dynamics, Real) \
  extern template class Propagator<Kokkos::Cuda, Dynamics, Real>;
#else
#define TESSERA_GBEES_ON_CUDA(Dynamics, Real)
#endif
#define TESSERA_GBEES_STORED_AS(Dynamics, Real) \
  TESSERA_GBEES_ON_SERIAL(Dynamics, Real)       \
  TESSERA_GBEES_ON_OPENMP(Dynamics, Real)       \
  TESSERA_GBEES_ON_CUDA(Dynamics, Real)
#define TESSERA_GBEES_INSTANCES(Dynamics)   \
  TESSERA_GBEES_STORED_AS(Dynamics, double) \
  TESSERA_GBEES_STORED_AS(Dynamics, float)

#if TESSERA_GBEES_HAS(1)
TESSERA_GBEES_INSTANCES(Equations<1>)
#endif
#if TESSERA_GBEES_HAS(2)
TESSERA_GBEES_INSTANCES(Equations<2>)
#endif
#if TESSERA_GBEES_HAS(3)
TESSERA_GBEES_INSTANCES(Equations<3>)
TESSERA_GBEES_INSTANCES(Lorenz63)
#endif
#if TESSERA_GBEES_HAS(4)
TESSERA_GBEES_INSTANCES(Equations<4>)
#endif
#if TESSERA_GBEES_HAS(5)
TESSERA_GBEES_INSTANCES(Equations<5>)
#endif
#if TESSERA_GBEES_HAS(6)
TESSERA_GBEES_INSTANCES(Equations<6>)
TESSERA_GBEES_INSTANCES(Lorenz96<6>)
TESSERA_GBEES_STORED_AS(WithWideKeys<Equations<6>>, double)
#endif
#if TESSERA_GBEES_HAS(7)
TESSERA_GBEES_INSTANCES(Equations<7>)
TESSERA_GBEES_STORED_AS(WithWideKeys<Equations<7>>, double)
#endif
#if TESSERA_GBEES_HAS(8)
TESSERA_GBEES_INSTANCES(Equations<8>)
TESSERA_GBEES_STORED_AS(WithWideKeys<Equations<8>>, double)
#endif

#undef TESSERA_GBEES_INSTANCES
#undef TESSERA_GBEES_STORED_AS
#undef TESSERA_GBEES_ON_SERIAL
#undef TESSERA_GBEES_ON_OPENMP
#undef TESSERA_GBEES_ON_CUDA

}  // namespace tessera::gbees
