// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/batch.hpp"

/// The batched calls for the backends of this build, with results of any strides, which the library
/// tessera::boys holds compiled. Programs that include this header instead of batch.hpp compile
/// faster.

namespace tessera::boys {

#define TESSERA_BOYS_INSTANCES(ExecSpace)                                                          \
  extern template void boys_batch(const ExecSpace&, int,                                           \
                                  const Kokkos::View<const double*, ExecSpace>&,                   \
                                  const Kokkos::View<double**, Kokkos::LayoutStride, ExecSpace>&); \
  extern template void boys_batch(const ExecSpace&, int,                                           \
                                  const Kokkos::View<const float*, ExecSpace>&,                    \
                                  const Kokkos::View<float**, Kokkos::LayoutStride, ExecSpace>&);  \
  extern template void rys_range_batch(                                                            \
      const ExecSpace&, int, const Kokkos::View<const double*, ExecSpace>&,                        \
      const Kokkos::View<const double*, ExecSpace>&,                                               \
      const Kokkos::View<const double*, ExecSpace>&, bool,                                         \
      const Kokkos::View<double**, Kokkos::LayoutStride, ExecSpace>&,                              \
      const Kokkos::View<double**, Kokkos::LayoutStride, ExecSpace>&);

#ifdef TESSERA_HAVE_SERIAL
TESSERA_BOYS_INSTANCES(Kokkos::Serial)
#endif
#ifdef TESSERA_HAVE_OPENMP
TESSERA_BOYS_INSTANCES(Kokkos::OpenMP)
#endif
#ifdef TESSERA_HAVE_CUDA
TESSERA_BOYS_INSTANCES(Kokkos::Cuda)
#endif

#undef TESSERA_BOYS_INSTANCES

}  // namespace tessera::boys
