// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/bessel/batch.hpp"
#include "tessera/bessel/complex.hpp"
#include "tessera/bessel/matern.hpp"

/// The batched calls for the backends of this build, in Views without further properties, which the
/// library tessera::bessel holds compiled. Programs that include this header instead of batch.hpp
/// or matern.hpp compile faster.

namespace tessera::bessel {

#define TESSERA_BESSEL_INSTANCES(ExecSpace)                                                     \
  extern template void bessel_k(const ExecSpace&, const Kokkos::View<double*, ExecSpace>&,      \
                                const Kokkos::View<double*, ExecSpace>&,                        \
                                const BesselResults<Kokkos::View<double*, ExecSpace>>&);        \
  extern template void bessel_k(const ExecSpace&, const Kokkos::View<float*, ExecSpace>&,       \
                                const Kokkos::View<float*, ExecSpace>&,                         \
                                const BesselResults<Kokkos::View<float*, ExecSpace>>&);         \
  extern template void bessel_k(const ExecSpace&, const double&,                                \
                                const Kokkos::View<double*, ExecSpace>&,                        \
                                const BesselResults<Kokkos::View<double*, ExecSpace>>&);        \
  extern template void bessel_k(const ExecSpace&, const float&,                                 \
                                const Kokkos::View<float*, ExecSpace>&,                         \
                                const BesselResults<Kokkos::View<float*, ExecSpace>>&);         \
  extern template void bessel_i(const ExecSpace&, const Kokkos::View<double*, ExecSpace>&,      \
                                const Kokkos::View<double*, ExecSpace>&,                        \
                                const BesselIResults<Kokkos::View<double*, ExecSpace>>&);       \
  extern template void bessel_i(const ExecSpace&, const Kokkos::View<float*, ExecSpace>&,       \
                                const Kokkos::View<float*, ExecSpace>&,                         \
                                const BesselIResults<Kokkos::View<float*, ExecSpace>>&);        \
  extern template void bessel_i(const ExecSpace&, const double&,                                \
                                const Kokkos::View<double*, ExecSpace>&,                        \
                                const BesselIResults<Kokkos::View<double*, ExecSpace>>&);       \
  extern template void bessel_i(const ExecSpace&, const float&,                                 \
                                const Kokkos::View<float*, ExecSpace>&,                         \
                                const BesselIResults<Kokkos::View<float*, ExecSpace>>&);        \
  extern template void bessel_complex(                                                          \
      const ExecSpace&, ComplexForm, const Kokkos::View<double*, ExecSpace>&,                   \
      const Kokkos::View<double*, ExecSpace>&, const Kokkos::View<double*, ExecSpace>&,         \
      const Kokkos::View<double*, ExecSpace>&, const Kokkos::View<double*, ExecSpace>&);        \
  extern template void matern_and_derivatives(                                                  \
      const ExecSpace&, const MaternTable<ExecSpace>&, const Kokkos::View<double*, ExecSpace>&, \
      const MaternResults<Kokkos::View<double*, ExecSpace>>&);                                  \
  extern template void matern(const ExecSpace&, const MaternTable<ExecSpace>&,                  \
                              const Kokkos::View<double*, ExecSpace>&,                          \
                              const Kokkos::View<double*, ExecSpace>&);

#ifdef TESSERA_HAVE_SERIAL
TESSERA_BESSEL_INSTANCES(Kokkos::Serial)
#endif
#ifdef TESSERA_HAVE_OPENMP
TESSERA_BESSEL_INSTANCES(Kokkos::OpenMP)
#endif
#ifdef TESSERA_HAVE_CUDA
TESSERA_BESSEL_INSTANCES(Kokkos::Cuda)
#endif

#undef TESSERA_BESSEL_INSTANCES

}  // namespace tessera::bessel
