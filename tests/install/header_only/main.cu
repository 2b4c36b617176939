// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// A program of its own that uses one header of Tessera and nothing else: F_0 to F_8 on a GPU, when
// a CUDA compiler compiles it (nvcc -std=c++20 -I<prefix>/include main.cu), or on the CPU (g++
// -std=c++20 -x c++ -I<prefix>/include main.cu).
#include <cmath>
#include <cstdio>
#include <vector>

#include "tessera/boys/boys.hpp"

constexpr int kOrders = 9, kSkipped = 77;

/// F_n(x) by its power series: slow, and independent of the header.
double series(int n, double x) {
  long double term = 1.0L / (2 * n + 1), sum = term;
  for (int k = 1; k < 400; ++k) sum += term *= x / (n + k + 0.5L);
  return static_cast<double>(sum * std::exp(-static_cast<long double>(x)));
}

#if defined(__CUDACC__)
__global__ void evaluate(int count, const double* x, double* F) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) tessera::boys::boys<kOrders - 1>(x[i], F + kOrders * i);
}

bool evaluate_all(const std::vector<double>& x, std::vector<double>& F) {
  const int count = static_cast<int>(x.size());
  double *device_x = nullptr, *device_F = nullptr;
  if (cudaMalloc(&device_x, x.size() * sizeof(double)) != cudaSuccess) return false;
  if (cudaMalloc(&device_F, F.size() * sizeof(double)) != cudaSuccess) return false;
  cudaMemcpy(device_x, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice);
  evaluate<<<(count + 127) / 128, 128>>>(count, device_x, device_F);
  const bool done = cudaMemcpy(F.data(), device_F, F.size() * sizeof(double),
                               cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(device_x);
  cudaFree(device_F);
  return done;
}
#else
bool evaluate_all(const std::vector<double>& x, std::vector<double>& F) {
  for (std::size_t i = 0; i < x.size(); ++i)
    tessera::boys::boys<kOrders - 1>(x[i], &F[kOrders * i]);
  return true;
}
#endif

int main() {
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i) x.push_back(0.05 * i);
  std::vector<double> F(kOrders * x.size());
  if (!evaluate_all(x, F)) {
    std::puts("skipped: no CUDA device answers");
    return kSkipped;
  }
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int n = 0; n < kOrders; ++n)
      worst = std::fmax(worst, std::fabs(F[kOrders * i + n] / series(n, x[i]) - 1));
  }
  std::printf("F_0 to F_8 at %zu arguments: largest relative error %.1e\n", x.size(), worst);
  return worst < 1e-14 ? 0 : 1;
}
