// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/mpr/fill/array_fill.hpp"
#include "tessera/mpr/linear/evidence.hpp"
#include "tessera/mpr/linear/gaussian_draws.hpp"
#include "tessera/mpr/linear/packs.hpp"

/// The classes that the library tessera::mpr holds compiled, for the backends of this build, in
/// float and double: Chains, GapFill, ArrayFill and LinearFill, and what they are made of. Programs
/// that include this header compile much faster.

namespace tessera::mpr {

#define TESSERA_MPR_INSTANCES(ExecSpace, Real)                                      \
  extern template class detail::Multigrid<ExecSpace, Real, detail::kOne>;           \
  extern template class detail::Multigrid<ExecSpace, Real, detail::kPack>;          \
  extern template class detail::ConjugateGradients<ExecSpace, Real, detail::kOne>;  \
  extern template class detail::ConjugateGradients<ExecSpace, Real, detail::kPack>; \
  extern template class LinearFill<ExecSpace, Real>;                                \
  extern template class detail::EvidenceSearch<ExecSpace, Real>;                    \
  extern template class detail::GaussianDraws<ExecSpace, Real>;                     \
  extern template class Chains<ExecSpace, Real>;                                    \
  extern template class GapFill<ExecSpace, Real>;                                   \
  extern template class ArrayFill<ExecSpace, Real, float>;                          \
  extern template class ArrayFill<ExecSpace, Real, double>;

#ifdef TESSERA_HAVE_SERIAL
TESSERA_MPR_INSTANCES(Kokkos::Serial, float)
TESSERA_MPR_INSTANCES(Kokkos::Serial, double)
#endif
#ifdef TESSERA_HAVE_OPENMP
TESSERA_MPR_INSTANCES(Kokkos::OpenMP, float)
TESSERA_MPR_INSTANCES(Kokkos::OpenMP, double)
#endif
#ifdef TESSERA_HAVE_CUDA
TESSERA_MPR_INSTANCES(Kokkos::Cuda, float)
TESSERA_MPR_INSTANCES(Kokkos::Cuda, double)
#endif

#undef TESSERA_MPR_INSTANCES

}  // namespace tessera::mpr
