// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/blocked.hpp"
#include "tessera/core/linalg/cuda_libraries.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/core/linalg/kokkos_kernels.hpp"

#ifndef KOKKOSKERNELS_ENABLE_TPL_CUBLAS
#error \
    "This Kokkos Kernels was built without cuBLAS: build it again with KokkosKernels_ENABLE_TPL_CUBLAS=ON"
#endif

namespace tessera::linalg {

namespace {

using detail::check;
using Handles = detail::CudaLibraries;

/// Calls Kokkos Kernels, which reports a failure of cuBLAS by a plain exception.
template <class Function>
void call(const char* what, const Function& function) {
  try {
    function();
  } catch (const std::runtime_error& failure) {
    throw Error(ErrorKind::resource,
                std::string("Kokkos Kernels: ") + what + " failed (" + failure.what() + ")",
                "check with nvidia-smi that the device works and has free memory");
  }
}

cublasOperation_t cublas(Transpose op) { return op == Transpose::yes ? CUBLAS_OP_T : CUBLAS_OP_N; }

int as_int(std::int64_t size) { return static_cast<int>(size); }

constexpr std::int64_t kBlock = 1024;

/// A unit matrix into a square block.
struct SetIdentity {
  double* data;
  std::int64_t n;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t t) const {
    data[t] = t % n == t / n ? 1.0 : 0.0;
  }
};

/// The lower triangle of a block with zeros above it.
struct CopyTriangle {
  double* to;
  const double* from;
  std::int64_t n, stride;
  bool back;  // only the lower triangle, the other way round
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t t) const {
    const std::int64_t i = t % n, j = t / n;
    if (back) {
      if (i >= j) to[i + j * stride] = from[t];
    } else {
      to[t] = i >= j ? from[i + j * stride] : 0.0;
    }
  }
};

/// The order of the first minor of a factor whose diagonal entry is no positive number.
struct FirstNotPositive {
  const double* data;
  std::int64_t stride;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    if (!(data[i + i * stride] > 0.0) && i + 1 < first) first = i + 1;
  }
};

}  // namespace

template <>
struct Dense<Kokkos::Cuda>::Device {
  static constexpr std::int64_t block = kBlock;

  Kokkos::Cuda exec;
  Handles handles;
  std::int64_t largest;
  Kokkos::View<char*, Kokkos::Cuda> workspace;
  Kokkos::View<double*, Kokkos::Cuda> scratch;  // one block
  Kokkos::View<int, Kokkos::Cuda> failed;
  std::vector<char> host_workspace;

  Device(const Kokkos::Cuda& space, std::int64_t order)
      : exec(space), handles(space), largest(order) {
    const Handles::Sizes sizes = handles.workspace(order);
    workspace = allocate<Kokkos::View<char*, Kokkos::Cuda>>(exec, "tessera::linalg::workspace",
                                                            sizes.device);
    scratch = allocate<Kokkos::View<double*, Kokkos::Cuda>>(exec, "tessera::linalg::scratch",
                                                            kBlock * kBlock);
    failed = allocate_zeros<Kokkos::View<int, Kokkos::Cuda>>(exec, "tessera::linalg::failed");
    host_workspace.resize(sizes.host);
  }

  template <class Functor>
  void each(std::int64_t count, const char* label, const Functor& functor) const {
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
        functor);
  }

  void solve_left(const Block& l, const Block& b) const {
    solve_triangle(kernels::Side::left, 1, l, Transpose::no, b);
  }
  void solve_left_transposed(const Block& l, const Block& b) const {
    solve_triangle(kernels::Side::left, 1, l, Transpose::yes, b);
  }
  void solve_right(double alpha, const Block& l, Transpose op, const Block& b) const {
    solve_triangle(kernels::Side::right, alpha, l, op, b);
  }
  void solve_triangle(kernels::Side side, double alpha, const Block& l, Transpose op,
                      const Block& b) const {
    call("trsm", [&] { kernels::trsm(exec, side, alpha, l, op, b); });
  }
  void multiply_left(const Block& l, const Block& b) const {
    multiply_triangle(l, Transpose::no, b);
  }
  void multiply_left_transposed(const Block& l, const Block& b) const {
    multiply_triangle(l, Transpose::yes, b);
  }
  void multiply_triangle(const Block& l, Transpose op, const Block& b) const {
    call("trmm", [&] { kernels::trmm(exec, l, op, b); });
  }
  void gemm(double alpha, const Block& a, Transpose op_a, const Block& b, Transpose op_b,
            double beta, const Block& c) const {
    if (!kernels::gemm_uses_atomics(op_a, op_b, c)) {
      call("gemm", [&] { kernels::gemm(exec, alpha, a, op_a, b, op_b, beta, c); });
      return;
    }
    const std::int64_t depth = op_a == Transpose::no ? a.columns : a.rows;
    check(cublasDgemm(handles.blas, cublas(op_a), cublas(op_b), as_int(c.rows), as_int(c.columns),
                      as_int(depth), &alpha, a.data, as_int(a.stride), b.data, as_int(b.stride),
                      &beta, c.data, as_int(c.stride)),
          "gemm");
  }
  void syrk(double alpha, const Block& a, Transpose op, double beta, const Block& c) const {
    const std::int64_t depth = op == Transpose::no ? a.columns : a.rows;
    check(
        cublasDsyrk(handles.blas, CUBLAS_FILL_MODE_LOWER, cublas(op), as_int(c.rows), as_int(depth),
                    &alpha, a.data, as_int(a.stride), &beta, c.data, as_int(c.stride)),
        "syrk");
  }
  /// Inverts a triangular block: it solves L X = 1 in a block aside.
  void invert_block(const Block& l) const {
    const std::int64_t n = l.rows;
    each(n * n, "tessera::linalg::set_identity", SetIdentity{scratch.data(), n});
    solve_left(l, {scratch.data(), n, n, n});
    each(n * n, "tessera::linalg::copy_triangle",
         CopyTriangle{l.data, scratch.data(), n, l.stride, true});
  }
  void square_block(const Block& w) const {
    const std::int64_t n = w.rows;
    each(n * n, "tessera::linalg::copy_triangle",
         CopyTriangle{scratch.data(), w.data, n, w.stride, false});
    syrk(1, {scratch.data(), n, n, n}, Transpose::yes, 0, w);
  }
};

template <>
Dense<Kokkos::Cuda>::Dense(const Kokkos::Cuda& exec, std::int64_t largest)
    : m_device(std::make_unique<Device>(exec, largest)) {}

template <>
Dense<Kokkos::Cuda>::~Dense() = default;

template <>
std::uint64_t Dense<Kokkos::Cuda>::workspace_bytes(const Kokkos::Cuda& exec, std::int64_t largest) {
  return Handles(exec).workspace(largest).device + kBlock * kBlock * sizeof(double);
}

template <>
std::int64_t Dense<Kokkos::Cuda>::factor(const Block& a) {
  Device& d = *m_device;
  if (a.rows > d.largest)
    throw Error(ErrorKind::internal, "a matrix of order " + std::to_string(a.rows) + " where " +
                                         std::to_string(d.largest) + " is the largest");
  check(cusolverDnXpotrf(d.handles.solver, d.handles.parameters, CUBLAS_FILL_MODE_LOWER, a.rows,
                         CUDA_R_64F, a.data, a.stride, CUDA_R_64F, d.workspace.data(),
                         d.workspace.size(), d.host_workspace.data(), d.host_workspace.size(),
                         d.failed.data()),
        "potrf");
  const int failed = download_scalar(d.exec, d.failed);
  if (failed < 0)
    throw Error(ErrorKind::internal,
                "cuSOLVER: argument " + std::to_string(-failed) + " of potrf is wrong");
  if (failed > 0) return failed;
  // cuSOLVER (CUDA 13.0) does not report the last minor of a matrix of order 1024: the diagonal
  // tells.
  std::int64_t first = 0;
  Kokkos::parallel_reduce(
      "tessera::linalg::first_not_positive",
      Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(d.exec, 0, a.rows),
      FirstNotPositive{a.data, a.stride}, Kokkos::Min<std::int64_t>(first));
  return first > a.rows ? 0 : first;
}

template <>
void Dense<Kokkos::Cuda>::invert(const Block& l) {
  detail::invert_triangle(*m_device, l);
  detail::square_triangle(*m_device, l);
}

template <>
void Dense<Kokkos::Cuda>::solve(const Block& l, const Block& b) {
  m_device->solve_left(l, b);
}

template <>
void Dense<Kokkos::Cuda>::solve_transposed(const Block& l, const Block& b) {
  m_device->solve_left_transposed(l, b);
}

template <>
void Dense<Kokkos::Cuda>::solve_right_transposed(const Block& l, const Block& b) {
  m_device->solve_right(1, l, Transpose::yes, b);
}

template <>
void Dense<Kokkos::Cuda>::multiply(const Block& l, const Block& b) {
  m_device->multiply_left(l, b);
}

template <>
void Dense<Kokkos::Cuda>::multiply_transposed(const Block& l, const Block& b) {
  m_device->multiply_left_transposed(l, b);
}

template <>
void Dense<Kokkos::Cuda>::gemm(double alpha, const Block& a, Transpose op_a, const Block& b,
                               Transpose op_b, double beta, const Block& c) {
  m_device->gemm(alpha, a, op_a, b, op_b, beta, c);
}

template <>
void Dense<Kokkos::Cuda>::syrk(double alpha, const Block& a, Transpose op, double beta,
                               const Block& c) {
  m_device->syrk(alpha, a, op, beta, c);
}

template class Dense<Kokkos::Cuda>;

}  // namespace tessera::linalg
