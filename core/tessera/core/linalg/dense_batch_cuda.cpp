// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <cstdint>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/linalg/cuda_libraries.hpp"
#include "tessera/core/linalg/dense_batch.hpp"

namespace tessera::linalg {

using detail::check;

namespace {

/// Marks matrices whose factor has a diagonal entry that is no positive number: cuSOLVER (CUDA
/// 13.0) does not report every last minor.
struct MarkNotPositive {
  const double* data;
  std::int64_t n;
  Kokkos::View<int*, Kokkos::Cuda> failed;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    for (std::int64_t i = 0; i < n; ++i) {
      if (!(data[(k * n + i) * n + i] > 0.0)) failed(k) = 1;
    }
  }
};

/// Addresses of matrices, as numbers: a View of pointers would be one of rank two.
using Addresses = std::vector<std::uintptr_t>;

std::uintptr_t address(const double* matrix) { return reinterpret_cast<std::uintptr_t>(matrix); }

/// The matrices at these addresses on the device, as the libraries take them.
double** matrices_at(const Kokkos::View<std::uintptr_t*, Kokkos::Cuda>& addresses) {
  return reinterpret_cast<double**>(addresses.data());
}

}  // namespace

template <>
struct DenseBatch<Kokkos::Cuda>::Device {
  Kokkos::Cuda exec;
  detail::CudaLibraries libraries;

  explicit Device(const Kokkos::Cuda& space) : exec(space), libraries(space) {}
};

template <>
DenseBatch<Kokkos::Cuda>::DenseBatch(const Kokkos::Cuda& exec)
    : m_device(std::make_unique<Device>(exec)) {}

template <>
DenseBatch<Kokkos::Cuda>::~DenseBatch() = default;

template <>
std::vector<std::int64_t> DenseBatch<Kokkos::Cuda>::factor(double* a, std::int64_t n,
                                                           std::int64_t count) {
  if (count == 0) return {};
  Device& d = *m_device;
  Addresses matrices;
  for (std::int64_t k = 0; k < count; ++k) matrices.push_back(address(a + k * n * n));
  const auto at = upload(d.exec, "tessera::linalg::matrices", matrices);
  const auto result =
      allocate_zeros<Kokkos::View<int*, Kokkos::Cuda>>(d.exec, "tessera::linalg::failed", count);
  const int order = static_cast<int>(n);
  check(cusolverDnDpotrfBatched(d.libraries.solver, CUBLAS_FILL_MODE_LOWER, order, matrices_at(at),
                                order, result.data(), static_cast<int>(count)),
        "potrfBatched");
  Kokkos::parallel_for(
      "tessera::linalg::mark_not_positive",
      Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(d.exec, 0, count),
      MarkNotPositive{a, n, result});
  const std::vector<int> info = download(d.exec, result);
  std::vector<std::int64_t> failed;
  for (std::int64_t k = 0; k < count; ++k) {
    if (info[static_cast<std::size_t>(k)] != 0) failed.push_back(k);
  }
  return failed;
}

template <>
void DenseBatch<Kokkos::Cuda>::solve(const double* l, std::int64_t n,
                                     const std::vector<std::int64_t>& factor_of, double* b,
                                     std::int64_t width, const std::vector<std::int64_t>&) {
  if (factor_of.empty()) return;
  Device& d = *m_device;
  Addresses factors, sides;
  for (std::size_t k = 0; k < factor_of.size(); ++k) {
    factors.push_back(address(l + factor_of[k] * n * n));
    sides.push_back(address(b + static_cast<std::int64_t>(k) * n * width));
  }
  const auto factor_at = upload(d.exec, "tessera::linalg::factors", factors),
             side_at = upload(d.exec, "tessera::linalg::sides", sides);
  const double one = 1;
  const int order = static_cast<int>(n);
  check(cublasDtrsmBatched(d.libraries.blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                           CUBLAS_DIAG_NON_UNIT, order, static_cast<int>(width), &one,
                           matrices_at(factor_at), order, matrices_at(side_at), order,
                           static_cast<int>(factors.size())),
        "trsmBatched");
  d.exec.fence();  // the lists of matrices go
}

template class DenseBatch<Kokkos::Cuda>;

}  // namespace tessera::linalg
