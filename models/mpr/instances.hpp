// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/mpr/array_fill.hpp"

/// Chains, GapFill and ArrayFill for the backends of this build, in float and double, which the library tessera::mpr holds compiled.
/// Programs that include this header instead of chains.hpp, gap_fill.hpp or array_fill.hpp compile much faster.

namespace tessera::mpr {

#define TESSERA_MPR_INSTANCES(ExecSpace)                     \
  extern template class Chains<ExecSpace, float>;            \
  extern template class Chains<ExecSpace, double>;           \
  extern template class GapFill<ExecSpace, float>;           \
  extern template class GapFill<ExecSpace, double>;          \
  extern template class ArrayFill<ExecSpace, float, float>;  \
  extern template class ArrayFill<ExecSpace, float, double>; \
  extern template class ArrayFill<ExecSpace, double, float>; \
  extern template class ArrayFill<ExecSpace, double, double>;

#ifdef TESSERA_HAVE_SERIAL
TESSERA_MPR_INSTANCES(Kokkos::Serial)
#endif
#ifdef TESSERA_HAVE_OPENMP
TESSERA_MPR_INSTANCES(Kokkos::OpenMP)
#endif
#ifdef TESSERA_HAVE_CUDA
TESSERA_MPR_INSTANCES(Kokkos::Cuda)
#endif

#undef TESSERA_MPR_INSTANCES

}  // namespace tessera::mpr
