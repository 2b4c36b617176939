// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The differences between compilers and processors: qualifiers, hints to the optimizer, and
/// instructions that C++ has no name for. This is the one file that asks which processor code is
/// compiled for, and the one that holds assembly (a test checks it).
///
/// It needs a C++20 compiler and nothing else, so that it serves in Kokkos kernels, in plain CUDA
/// or HIP, and in plain C++. Every function works on every processor unless it says otherwise.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// 1 while code for a GPU is compiled, 0 in the host's pass over the same source. For code that
/// needs another form on each; where a function below does, take that.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define TESSERA_ON_GPU 1
#else
#define TESSERA_ON_GPU 0
#endif

/// 1 while code for a GPU is compiled by CUDA, with its intrinsic functions.
#if defined(__CUDA_ARCH__)
#define TESSERA_ON_CUDA 1
#else
#define TESSERA_ON_CUDA 0
#endif

/// 1 where the processor multiplies and adds in one instruction.
#if TESSERA_ON_GPU || (defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF))
#define TESSERA_HAS_FMA 1
#else
#define TESSERA_HAS_FMA 0
#endif

/// The qualifiers of a function that is copied into its callers, on the host and on a GPU.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define TESSERA_FUNCTION __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define TESSERA_FUNCTION inline __attribute__((always_inline))
#else
#define TESSERA_FUNCTION inline
#endif

/// The qualifier of a function that is called from many places and is too long to be copied into
/// each.
#if defined(__CUDACC__)
#define TESSERA_NOINLINE __noinline__
#else
#define TESSERA_NOINLINE __attribute__((noinline))
#endif

/// Suppresses nvcc's warning at a function template for host and device that calls functions of the
/// host alone where it is instantiated for the host.
#if defined(__CUDACC__)
#define TESSERA_HOST_OR_DEVICE _Pragma("nv_exec_check_disable")
#else
#define TESSERA_HOST_OR_DEVICE
#endif

/// Asks for a loop of compile-time length to be unrolled, so that arrays indexed by its counter
/// live in registers.
#if TESSERA_ON_CUDA
#define TESSERA_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define TESSERA_UNROLL  // nvcc's pass over the host code knows no such pragma
#elif defined(__clang__)
#define TESSERA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TESSERA_UNROLL _Pragma("GCC unroll 16")
#endif

/// Does the same in device code alone.
#if TESSERA_ON_CUDA
#define TESSERA_UNROLL_ON_GPU _Pragma("unroll")
#else
#define TESSERA_UNROLL_ON_GPU
#endif

/// Keeps a loop of device code rolled, where copies of its long body would not fit the instruction
/// cache.
#if TESSERA_ON_CUDA
#define TESSERA_NO_UNROLL _Pragma("unroll 1")
#else
#define TESSERA_NO_UNROLL
#endif

/// The iterations of the next loop are independent: a CPU's compiler may put one into each SIMD
/// lane.
#if TESSERA_ON_GPU
#define TESSERA_VECTORIZE
#elif defined(__clang__)
#define TESSERA_VECTORIZE _Pragma("clang loop vectorize(enable)")
#elif defined(__GNUC__)
#define TESSERA_VECTORIZE _Pragma("GCC ivdep")
#else
#define TESSERA_VECTORIZE
#endif

namespace tessera::compat {

// Numbers and their bits.

/// The bits of a number as another type of the same size (std::bit_cast, which plain CUDA does not
/// take in device code).
template <class To, class From>
TESSERA_FUNCTION To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "the two types have the same size");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

/// Element i of an array. A GPU selects it from registers, which have no addresses, where indexing
/// would put the array into memory; for short arrays.
template <class T, std::size_t N>
TESSERA_FUNCTION T element(const T (&array)[N], std::uint32_t i) {
#if TESSERA_ON_GPU
  T chosen[N];
  TESSERA_UNROLL
  for (std::uint32_t k = 0; k < N; ++k) chosen[k] = array[k];
  TESSERA_UNROLL
  // Each bit of i halves the number of elements that are left, which are every `bit`th.
  for (std::uint32_t bit = 1; bit < N; bit *= 2) {
    TESSERA_UNROLL
    for (std::uint32_t k = 0; k + bit < N; k += 2 * bit)
      chosen[k] = (i & bit) != 0 ? chosen[k + bit] : chosen[k];
  }
  return chosen[0];
#else
  return array[i];
#endif
}

/// a b + c: with one rounding where the processor has the instruction, else with two.
TESSERA_FUNCTION double multiply_add(double a, double b, double c) {
#if TESSERA_ON_GPU
  return ::fma(a, b, c);
#elif TESSERA_HAS_FMA
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
TESSERA_FUNCTION float multiply_add(float a, float b, float c) {
#if TESSERA_ON_GPU
  return ::fmaf(a, b, c);
#elif TESSERA_HAS_FMA
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

/// bits 2^-23 for bits < 2^23, exactly. A GPU sets the bits of the result, because conversions are
/// slow there.
TESSERA_FUNCTION float fraction_of_23_bits(std::uint32_t bits) {
#if TESSERA_ON_CUDA
  return __uint_as_float(bits | 0x3f800000) - 1.0f;
#else
  return static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-23f;
#endif
}

/// Bits of a number that are set (Kokkos::popcount came in 4.1).
TESSERA_FUNCTION int popcount(std::uint32_t number) {
#if TESSERA_ON_CUDA
  return __popc(number);
#else
  return __builtin_popcount(number);
#endif
}

/// Position of the lowest bit of a number that is set. Domain: not 0.
TESSERA_FUNCTION int countr_zero(std::uint32_t number) {
#if TESSERA_ON_CUDA
  return __ffs(static_cast<int>(number)) - 1;
#else
  return __builtin_ctz(number);
#endif
}

// Approximate functions: one instruction of a CUDA GPU, which takes subnormal numbers for 0.
// Elsewhere the function of the C library.

/// 1 / x; relative error 2^-23 on a GPU.
TESSERA_FUNCTION float approximate_reciprocal(float x) {
#if TESSERA_ON_CUDA
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1.0f / x;
#endif
}

/// 1 / sqrt(x), x > 0; relative error 2^-22 (float) or 2^-20 (double) on a GPU.
TESSERA_FUNCTION float approximate_reciprocal_sqrt(float x) {
#if TESSERA_ON_CUDA
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1.0f / ::sqrtf(x);
#endif
}
TESSERA_FUNCTION double approximate_reciprocal_sqrt(double x) {
#if TESSERA_ON_CUDA
  double result;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(x));
  return result;
#else
  return 1.0 / ::sqrt(x);
#endif
}

/// cos x and sin x; absolute error 5e-7 for |x| <= pi on a GPU.
TESSERA_FUNCTION float approximate_cos(float x) {
#if TESSERA_ON_CUDA
  float result;
  asm("cos.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return ::cosf(x);
#endif
}
TESSERA_FUNCTION float approximate_sin(float x) {
#if TESSERA_ON_CUDA
  float result;
  asm("sin.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return ::sinf(x);
#endif
}

/// 2^x; relative error 2^-22 on a GPU.
TESSERA_FUNCTION float approximate_exp2(float x) {
#if TESSERA_ON_CUDA
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return ::exp2f(x);
#endif
}

// Memory and time.

/// Stores numbers that fill 16 bytes to an aligned address. On a CUDA GPU in one instruction that
/// bypasses the caches.
template <class Real, int W>
TESSERA_FUNCTION void store_streaming(Real* to, const Real (&value)[W]) {
  static_assert(W * sizeof(Real) == 16, "16 bytes are stored");
#if TESSERA_ON_CUDA
  if constexpr (sizeof(Real) == 8) {
    __stcs(reinterpret_cast<double2*>(to), make_double2(value[0], value[1]));
  } else {
    __stcs(reinterpret_cast<float4*>(to), make_float4(value[0], value[1], value[2], value[3]));
  }
#else
  for (int w = 0; w < W; ++w) to[w] = value[w];
#endif
}

/// A clock of the GPU, in nanoseconds; 0 on a CPU.
TESSERA_FUNCTION std::uint64_t device_nanoseconds() {
#if TESSERA_ON_CUDA
  std::uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
#else
  return 0;
#endif
}

// The threads of a warp of a CUDA GPU; elsewhere a warp is one thread. All of a warp come to these
// together.

/// The number of threads of a warp.
TESSERA_FUNCTION constexpr int threads_of_warp() {
#if TESSERA_ON_CUDA
  return 32;
#else
  return 1;
#endif
}

/// Number of a thread in its warp, and a mask with the bits of the threads before it.
struct WarpLane {
  std::uint32_t index = 0, earlier = 0;
};
TESSERA_FUNCTION WarpLane this_warp_lane() {
  WarpLane lane;
#if TESSERA_ON_CUDA
  asm("mov.u32 %0, %laneid;" : "=r"(lane.index));
  asm("mov.u32 %0, %lanemask_lt;" : "=r"(lane.earlier));
#endif
  return lane;
}

/// Returns the mask with the bits of the threads before this one, in a kernel of Kokkos, from the
/// number of the thread in its team.
TESSERA_FUNCTION std::uint32_t warp_lanes_below() {
#if TESSERA_ON_CUDA
  return (1u << (threadIdx.y * blockDim.x + threadIdx.x) % 32) - 1;
#else
  return 0;
#endif
}

/// Returns whether a thread is the first of its warp, in a kernel of Kokkos.
TESSERA_FUNCTION bool is_first_of_warp() {
#if TESSERA_ON_CUDA
  return (threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0;
#else
  return true;
#endif
}

/// Returns a mask with a bit for each thread, which is set where the thread says yes.
TESSERA_FUNCTION std::uint32_t warp_ballot(bool yes) {
#if TESSERA_ON_CUDA
  return __ballot_sync(0xffffffffu, yes);
#else
  return yes ? 1 : 0;
#endif
}

/// The value of the first thread.
TESSERA_FUNCTION std::uint32_t warp_broadcast(std::uint32_t value) {
#if TESSERA_ON_CUDA
  return __shfl_sync(0xffffffffu, value, 0);
#else
  return value;
#endif
}

/// The value of thread `lane`, and of the thread whose number differs by the bits of `mask`.
template <class T>
TESSERA_FUNCTION T warp_shuffle(T value, [[maybe_unused]] int lane) {
#if TESSERA_ON_CUDA
  return __shfl_sync(0xffffffffu, value, lane);
#else
  return value;
#endif
}
template <class T>
TESSERA_FUNCTION T warp_shuffle_xor(T value, [[maybe_unused]] int mask) {
#if TESSERA_ON_CUDA
  return __shfl_xor_sync(0xffffffffu, value, mask);
#else
  return value;
#endif
}

/// Lets all threads of the warp read what each of them wrote to memory before.
TESSERA_FUNCTION void warp_sync() {
#if TESSERA_ON_CUDA
  __syncwarp();
#endif
}

/// The sum of the values of all threads, in each of them.
TESSERA_FUNCTION std::uint32_t warp_sum(std::uint32_t value) {
#if TESSERA_ON_CUDA && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, value);
#elif TESSERA_ON_CUDA
  std::uint32_t sum = value;
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  return sum;
#else
  return value;
#endif
}

}  // namespace tessera::compat
