// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/fit/fit.hpp"
#include "tessera/stable/garch/garch.hpp"
#include "tessera/stable/law/batch.hpp"
#include "tessera/stable/law/quantile_function.hpp"
#include "tessera/stable/law/sample.hpp"
#include "tessera/stable/law/table.hpp"
#include "tessera/stable/regression/regression.hpp"

/// Batched calls, tables and fits for the backends of this build, which the library tessera::stable
/// holds compiled. Programs that include this header instead of batch.hpp, fit.hpp, sample.hpp or
/// table.hpp compile faster.

namespace tessera::stable {

#define TESSERA_STABLE_INSTANCES(ExecSpace)                                                      \
  extern template class Table<ExecSpace>;                                                        \
  extern template class QuantileTable<ExecSpace>;                                                \
  extern template class Fitter<ExecSpace>;                                                       \
  extern template class Regressor<ExecSpace>;                                                    \
  extern template class GarchFitter<ExecSpace>;                                                  \
  extern template void evaluate_batch<ExecSpace>(                                                \
      const ExecSpace&, double, double, const LocationScale&,                                    \
      const Kokkos::View<const double*, ExecSpace>&, const EvaluationViews<ExecSpace>&,          \
      EvaluationScratch<ExecSpace>&);                                                            \
  extern template void evaluate_batch<ExecSpace>(                                                \
      const ExecSpace&, const Kokkos::View<const double*, ExecSpace>&,                           \
      const Kokkos::View<const double*, ExecSpace>&, const LocationScale&,                       \
      const Kokkos::View<const double*, ExecSpace>&, const EvaluationViews<ExecSpace>&,          \
      EvaluationScratch<ExecSpace>&);                                                            \
  extern template void detail::evaluate_view_points<Quantities::pdf>(                            \
      const ExecSpace&, const detail::ViewPoints<ExecSpace>&, EvaluationScratch<ExecSpace>&);    \
  extern template void detail::evaluate_view_points<Quantities::sf>(                             \
      const ExecSpace&, const detail::ViewPoints<ExecSpace>&, EvaluationScratch<ExecSpace>&);    \
  extern template void detail::evaluate_view_points<Quantities::scores>(                         \
      const ExecSpace&, const detail::ViewPoints<ExecSpace>&, EvaluationScratch<ExecSpace>&);    \
  extern template void detail::evaluate_view_points<Quantities::tail_scores>(                    \
      const ExecSpace&, const detail::ViewPoints<ExecSpace>&, EvaluationScratch<ExecSpace>&);    \
  extern template void quantile_batch<ExecSpace>(const ExecSpace&, double, double,               \
                                                 const LocationScale&,                           \
                                                 const Kokkos::View<const double*, ExecSpace>&,  \
                                                 const Kokkos::View<double*, ExecSpace>&, bool); \
  extern template void quantile_batch<ExecSpace>(                                                \
      const ExecSpace&, const Kokkos::View<const double*, ExecSpace>&,                           \
      const Kokkos::View<const double*, ExecSpace>&, const LocationScale&,                       \
      const Kokkos::View<const double*, ExecSpace>&, const Kokkos::View<double*, ExecSpace>&);   \
  extern template void sample_batch<ExecSpace>(                                                  \
      const ExecSpace&, const Kokkos::View<const double*, ExecSpace>&,                           \
      const Kokkos::View<const double*, ExecSpace>&,                                             \
      const Kokkos::View<const double*, ExecSpace>&,                                             \
      const Kokkos::View<const double*, ExecSpace>&, const Kokkos::View<double*, ExecSpace>&);   \
  extern template void sample_batch<ExecSpace>(                                                  \
      const ExecSpace&, double, double, const LocationScale&, const Philox&, std::uint64_t,      \
      std::uint64_t, const Kokkos::View<double*, ExecSpace>&);

#ifdef TESSERA_HAVE_SERIAL
TESSERA_STABLE_INSTANCES(Kokkos::Serial)
#endif
#ifdef TESSERA_HAVE_OPENMP
TESSERA_STABLE_INSTANCES(Kokkos::OpenMP)
#endif
#ifdef TESSERA_HAVE_CUDA
TESSERA_STABLE_INSTANCES(Kokkos::Cuda)
#endif

#undef TESSERA_STABLE_INSTANCES

}  // namespace tessera::stable
