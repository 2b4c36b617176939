// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the functions need of the compiler: nothing but C++20, so that they serve inside Kokkos kernels, in plain CUDA or HIP, and in C++.

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define TESSERA_BOYS_FUNCTION __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define TESSERA_BOYS_FUNCTION inline __attribute__((always_inline))
#else
#define TESSERA_BOYS_FUNCTION inline
#endif

// Set while code for a GPU is compiled, as opposed to the host's half of the same source.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define TESSERA_BOYS_ON_GPU 1
#else
#define TESSERA_BOYS_ON_GPU 0
#endif

// Whether the host's processor multiplies and adds in one instruction.
#if defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)
#define TESSERA_BOYS_HAS_FMA 1
#else
#define TESSERA_BOYS_HAS_FMA 0
#endif

// The iterations of the next loop are independent: compilers may put one in each SIMD lane.
#if defined(__clang__)
#define TESSERA_BOYS_VECTORIZE _Pragma("clang loop vectorize(enable)")
#elif defined(__GNUC__)
#define TESSERA_BOYS_VECTORIZE _Pragma("GCC ivdep")
#else
#define TESSERA_BOYS_VECTORIZE
#endif

namespace tessera::boys::detail {

/// a b + c: with one rounding where the processor has the instruction, else with two.
template <class Real>
TESSERA_BOYS_FUNCTION Real multiply_add(Real a, Real b, Real c) {
#if TESSERA_BOYS_ON_GPU
  return ::fma(a, b, c);
#elif TESSERA_BOYS_HAS_FMA
  if constexpr (sizeof(Real) == 8) {
    return __builtin_fma(a, b, c);
  } else {
    return __builtin_fmaf(a, b, c);
  }
#else
  return a * b + c;
#endif
}

/// a b + c where the two nearly cancel, without the rounding of the product; |a|, |b| < 2^100.
template <class Real>
TESSERA_BOYS_FUNCTION Real product_residual(Real a, Real b, Real c) {
#if TESSERA_BOYS_ON_GPU || TESSERA_BOYS_HAS_FMA
  return multiply_add(a, b, c);
#else
  constexpr Real splitter = sizeof(Real) == 8 ? Real(134217729) : Real(4097);  // Veltkamp's splitting into halves, Dekker's product
  const Real a_scaled = splitter * a, a_high = a_scaled - (a_scaled - a), a_low = a - a_high;
  const Real b_scaled = splitter * b, b_high = b_scaled - (b_scaled - b), b_low = b - b_high;
  const Real product = a * b;
  const Real rounding = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return (product + c) + rounding;
#endif
}

/// Integer of the size of a floating-point type.
template <class Real>
struct BitsOf;
template <>
struct BitsOf<double> {
  using type = std::int64_t;
};
template <>
struct BitsOf<float> {
  using type = std::int32_t;
};

template <class Real>
TESSERA_BOYS_FUNCTION typename BitsOf<Real>::type to_bits(Real a) {
  typename BitsOf<Real>::type bits;
  memcpy(&bits, &a, sizeof(Real));
  return bits;
}

template <class Real>
TESSERA_BOYS_FUNCTION Real from_bits(typename BitsOf<Real>::type bits) {
  Real a;
  memcpy(&a, &bits, sizeof(Real));
  return a;
}

}  // namespace tessera::boys::detail
