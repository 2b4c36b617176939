// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/mpr/gap_fill.hpp"

/// Chains and GapFill for the backends of this build, in float and double, which the library tessera::mpr holds compiled. Programs that
/// include this header instead of chains.hpp or gap_fill.hpp compile much faster.

namespace tessera::mpr {

#ifdef TESSERA_HAVE_SERIAL
extern template class Chains<Kokkos::Serial, float>;
extern template class GapFill<Kokkos::Serial, float>;
extern template class Chains<Kokkos::Serial, double>;
extern template class GapFill<Kokkos::Serial, double>;
#endif
#ifdef TESSERA_HAVE_OPENMP
extern template class Chains<Kokkos::OpenMP, float>;
extern template class GapFill<Kokkos::OpenMP, float>;
extern template class Chains<Kokkos::OpenMP, double>;
extern template class GapFill<Kokkos::OpenMP, double>;
#endif
#ifdef TESSERA_HAVE_CUDA
extern template class Chains<Kokkos::Cuda, float>;
extern template class GapFill<Kokkos::Cuda, float>;
extern template class Chains<Kokkos::Cuda, double>;
extern template class GapFill<Kokkos::Cuda, double>;
#endif

}  // namespace tessera::mpr
