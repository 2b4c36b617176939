// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include "tessera/core/error.hpp"

/// cuBLAS and cuSOLVER, as the files *_cuda.cpp of this room call them.

namespace tessera::linalg::detail {

/// Throws Error (resource) where a call failed; `what` names it.
inline void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(ErrorKind::resource,
              std::string("cuBLAS: ") + what + " failed (" + cublasGetStatusString(status) + ")",
              "check with nvidia-smi that the device works and has free memory");
}

inline void check(cusolverStatus_t status, const char* what) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  throw Error(ErrorKind::resource,
              std::string("cuSOLVER: ") + what + " failed (status " +
                  std::to_string(static_cast<int>(status)) + ")",
              "check with nvidia-smi that the device works and has free memory");
}

/// cuSOLVER's and cuBLAS's handles on one stream.
struct CudaLibraries {
  cublasHandle_t blas = nullptr;
  cusolverDnHandle_t solver = nullptr;
  cusolverDnParams_t parameters = nullptr;

  explicit CudaLibraries(const Kokkos::Cuda& exec) {
    check(cublasCreate(&blas), "start");
    check(cublasSetStream(blas, exec.cuda_stream()), "choosing the stream");
    check(cusolverDnCreate(&solver), "start");
    check(cusolverDnSetStream(solver, exec.cuda_stream()), "choosing the stream");
    check(cusolverDnCreateParams(&parameters), "start");
  }
  ~CudaLibraries() {
    cusolverDnDestroyParams(parameters);
    cusolverDnDestroy(solver);
    cublasDestroy(blas);
  }
  CudaLibraries(const CudaLibraries&) = delete;
  CudaLibraries& operator=(const CudaLibraries&) = delete;

  struct Sizes {
    std::size_t device = 0, host = 0;
  };

  /// Returns the sizes of the workspace of potrf for a matrix of order n.
  Sizes workspace(std::int64_t n) const {
    Sizes sizes;
    check(cusolverDnXpotrf_bufferSize(solver, parameters, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F,
                                      nullptr, n, CUDA_R_64F, &sizes.device, &sizes.host),
          "asking for the workspace of potrf");
    return sizes;
  }
};

}  // namespace tessera::linalg::detail
