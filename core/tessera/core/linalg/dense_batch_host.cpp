// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <cblas.h>
#include <lapacke.h>

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "tessera/core/linalg/dense_batch.hpp"
#include "tessera/core/linalg/host_blas.hpp"

namespace tessera::linalg {

template <class ExecSpace>
struct DenseBatch<ExecSpace>::Device {
  ExecSpace exec;

  /// Calls the functor with each number below `count`, in threads that call BLAS.
  template <class Functor>
  void each(std::int64_t count, const char* label, const Functor& functor) const {
    HostBlas::require_buffers(static_cast<int>(std::min<std::int64_t>(count, exec.concurrency())));
    Kokkos::parallel_for(label,
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>,
                                             Kokkos::Schedule<Kokkos::Dynamic>>(
                             exec, 0, count, Kokkos::ChunkSize(1)),
                         functor);
    exec.fence();
  }
};

template <class ExecSpace>
DenseBatch<ExecSpace>::DenseBatch(const ExecSpace& exec) : m_device(new Device{exec}) {}

template <class ExecSpace>
DenseBatch<ExecSpace>::~DenseBatch() = default;

template <class ExecSpace>
std::vector<std::int64_t> DenseBatch<ExecSpace>::factor(double* a, std::int64_t n,
                                                        std::int64_t count) {
  const HostBlas blas;
  std::vector<int> result(static_cast<std::size_t>(count));
  const int order = static_cast<int>(n);
  m_device->each(count, "tessera::linalg::factor_batch", [=, at = result.data()](std::int64_t k) {
    at[k] = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', order, a + k * n * n, order);
  });
  std::vector<std::int64_t> failed;
  for (std::int64_t k = 0; k < count; ++k) {
    if (result[static_cast<std::size_t>(k)] != 0) failed.push_back(k);
  }
  return failed;
}

template <class ExecSpace>
void DenseBatch<ExecSpace>::solve(const double* l, std::int64_t n,
                                  const std::vector<std::int64_t>& factor_of, double* b,
                                  std::int64_t width, const std::vector<std::int64_t>& columns) {
  const HostBlas blas;
  const int order = static_cast<int>(n);
  m_device->each(static_cast<std::int64_t>(factor_of.size()), "tessera::linalg::solve_batch",
                 [=, of = factor_of.data(), count = columns.data()](std::int64_t k) {
                   cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit,
                               order, static_cast<int>(count[k]), 1, l + of[k] * n * n, order,
                               b + k * n * width, order);
                 });
}

#ifdef KOKKOS_ENABLE_SERIAL
template class DenseBatch<Kokkos::Serial>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template class DenseBatch<Kokkos::OpenMP>;
#endif

}  // namespace tessera::linalg
