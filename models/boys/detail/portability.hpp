// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Differences between compilers. The functions need nothing but C++20, so that they work inside Kokkos kernels, in plain CUDA or HIP, and
// in plain C++.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

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

// Whether loops of device code are unrolled: all of the next one, or nothing of it.
#if defined(__CUDA_ARCH__)
#define TESSERA_BOYS_UNROLL _Pragma("unroll")
#define TESSERA_BOYS_NO_UNROLL _Pragma("unroll 1")
#else
#define TESSERA_BOYS_UNROLL
#define TESSERA_BOYS_NO_UNROLL
#endif

// The iterations of the next loop are independent: compilers may put one in each SIMD lane.
#if defined(__clang__)
#define TESSERA_BOYS_VECTORIZE _Pragma("clang loop vectorize(enable)")
#elif defined(__GNUC__)
#define TESSERA_BOYS_VECTORIZE _Pragma("GCC ivdep")
#else
#define TESSERA_BOYS_VECTORIZE
#endif

// A constant as an operand of floating-point operations on GPUs: from constant memory, as part of the instruction that uses it. Written
// into the code, one of 64 bits would cost two more instructions, and the units that issue them would be busier than those that multiply.
#if defined(__CUDACC__)
namespace tessera::boys::detail {
template <auto value>
__constant__ std::remove_const_t<decltype(value)> constant_operand = value;
}
#endif
#if defined(__CUDA_ARCH__) && defined(TESSERA_BOYS_CONSTANT_MEMORY)
#define TESSERA_BOYS_USES_CONSTANT_MEMORY 1
#define TESSERA_BOYS_OPERAND(...) (::tessera::boys::detail::constant_operand<__VA_ARGS__>)
#else
#define TESSERA_BOYS_USES_CONSTANT_MEMORY 0
#define TESSERA_BOYS_OPERAND(...) (__VA_ARGS__)
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
struct SameSizeInteger;
template <>
struct SameSizeInteger<double> {
  using type = std::int64_t;
};
template <>
struct SameSizeInteger<float> {
  using type = std::int32_t;
};

template <class Real>
TESSERA_BOYS_FUNCTION typename SameSizeInteger<Real>::type to_bits(Real a) {
  typename SameSizeInteger<Real>::type bits;
  memcpy(&bits, &a, sizeof(Real));
  return bits;
}

template <class Real>
TESSERA_BOYS_FUNCTION Real from_bits(typename SameSizeInteger<Real>::type bits) {
  Real a;
  memcpy(&a, &bits, sizeof(Real));
  return a;
}

#if TESSERA_BOYS_ON_GPU
/// Sign, exponent and leading bits of the mantissa, as an integer that orders positive numbers as they are.
TESSERA_BOYS_FUNCTION int leading_bits(double a) { return __double2hiint(a); }
TESSERA_BOYS_FUNCTION int leading_bits(float a) { return __float_as_int(a); }

/// 2^exponent a, for a in [1/2, 2].
TESSERA_BOYS_FUNCTION double scale_by_power(double a, int exponent) {
  return __hiloint2double(static_cast<int>(static_cast<unsigned>(__double2hiint(a)) + (static_cast<unsigned>(exponent) << 20)),
                          __double2loint(a));
}
TESSERA_BOYS_FUNCTION float scale_by_power(float a, int exponent) {
  return __int_as_float(static_cast<int>(static_cast<unsigned>(__float_as_int(a)) + (static_cast<unsigned>(exponent) << 23)));
}

/// The integer that was found by adding `shifter`, 3/2 times the power of two of the mantissa's length.
TESSERA_BOYS_FUNCTION int shifted_integer(double shifted) { return __double2loint(shifted); }
TESSERA_BOYS_FUNCTION int shifted_integer(float shifted) { return __float_as_int(shifted) - __float_as_int(0x1.8p+23F); }

/// x^(-1/2) for x well inside the normal range.
template <class Real>
TESSERA_BOYS_FUNCTION Real inverse_root(Real x) {
#if defined(__CUDA_ARCH__)
  // The hardware's estimate, good to 20 (double) or 22 bits, and one step of third or second order.
  Real r;
  if constexpr (sizeof(Real) == 8) {
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    const Real h = multiply_add(-x * r, r, Real(1));
    return multiply_add(multiply_add(h, Real(0.375), Real(0.5)), h * r, r);
  } else {
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return multiply_add(multiply_add(-x * r, r, Real(1)), Real(0.5) * r, r);
  }
#else
  return ::rsqrt(x);
#endif
}
#endif

/// Stores numbers that fill 16 bytes to an aligned address. On a CUDA GPU in one instruction that bypasses the caches.
template <class Real, int W>
TESSERA_BOYS_FUNCTION void store_streaming(Real* to, const Real (&value)[W]) {
  static_assert(W * sizeof(Real) == 16, "16 bytes are stored");
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Real) == 8) {
    __stcs(reinterpret_cast<double2*>(to), make_double2(value[0], value[1]));
  } else {
    __stcs(reinterpret_cast<float4*>(to), make_float4(value[0], value[1], value[2], value[3]));
  }
#else
  for (int w = 0; w < W; ++w) to[w] = value[w];
#endif
}

#if defined(__CUDACC__)
/// Number of a thread in its warp, and a mask with the bits of the threads before it.
struct Lane {
  unsigned index, earlier;
};

__device__ __forceinline__ Lane this_lane() {
  Lane lane{};
#if defined(__CUDA_ARCH__)
  asm("mov.u32 %0, %laneid;" : "=r"(lane.index));
  asm("mov.u32 %0, %lanemask_lt;" : "=r"(lane.earlier));
#endif
  return lane;
}
#endif

}  // namespace tessera::boys::detail
