// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Every difference between the Kokkos versions that Tessera supports (3.4 up to, not including, 6)
/// lives here; those between compilers and processors in tessera/core/device/hardware.hpp, which
/// this header includes.

#ifdef TESSERA_HOST_TEST
#error "a test marked HOST includes a header of Kokkos, which CUDA's compiler has to compile"
#endif

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "tessera/core/device/hardware.hpp"

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cuda/atomic>
#endif

#if KOKKOS_VERSION < 30400 || KOKKOS_VERSION >= 60000
#error "Tessera needs Kokkos 3.4 or newer, below 6"
#endif

namespace tessera::compat {

// Mathematical functions left Kokkos::Experimental in 3.7.
#if KOKKOS_VERSION < 30700
namespace math = Kokkos::Experimental;
#else
namespace math = Kokkos;
#endif

template <class T>
KOKKOS_INLINE_FUNCTION constexpr T min(T a, T b) {
  return b < a ? b : a;
}

template <class T>
KOKKOS_INLINE_FUNCTION constexpr T max(T a, T b) {
  return a < b ? b : a;
}

/// a * b + c with one rounding, on every backend (Kokkos::fma is missing before 3.7).
KOKKOS_INLINE_FUNCTION double fma(double a, double b, double c) { return ::fma(a, b, c); }

/// Returns false for NaN and infinities.
KOKKOS_INLINE_FUNCTION bool is_finite(double x) { return x - x == 0; }

/// Names a region for Kokkos Tools while it lives (Kokkos::Profiling::ScopedRegion came in 4.1).
class ProfilingRegion {
 public:
  explicit ProfilingRegion(const std::string& name) { Kokkos::Profiling::pushRegion(name); }
  ~ProfilingRegion() { Kokkos::Profiling::popRegion(); }
  ProfilingRegion(const ProfilingRegion&) = delete;
  ProfilingRegion& operator=(const ProfilingRegion&) = delete;
};

/// True when kernels of this space run on a GPU.
template <class ExecSpace>
struct is_gpu : std::false_type {};
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct is_gpu<Kokkos::Cuda> : std::true_type {};
#endif
template <class ExecSpace>
inline constexpr bool is_gpu_v = is_gpu<ExecSpace>::value;
/// The number of threads of a warp in kernels of an execution space (threads_of_warp).
template <class ExecSpace>
inline constexpr int kThreadsOfWarp = is_gpu_v<ExecSpace> ? 32 : 1;

template <class ExecSpace>
struct pinned_space {
  using type = Kokkos::HostSpace;
};
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct pinned_space<Kokkos::Cuda> {
  using type = Kokkos::CudaHostPinnedSpace;
};
#endif
/// Pinned host memory: a GPU copies from and to it at full speed, and its kernels read and write it
/// over the bus. Other spaces take any memory of the host.
template <class ExecSpace>
using PinnedSpace = typename pinned_space<ExecSpace>::type;

/// Multiprocessors of the GPU; 1 elsewhere.
template <class ExecSpace>
int multiprocessors([[maybe_unused]] const ExecSpace& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<ExecSpace, Kokkos::Cuda>)
    return exec.cuda_device_prop().multiProcessorCount;
#endif
  return 1;
}

// Kokkos has no weaker memory order than sequential consistency, which costs a GPU more: hence
// these.

/// Adds to a counter with release order: whoever reads the new value by load_acquire sees what was
/// written before. Returns the old value.
KOKKOS_INLINE_FUNCTION std::uint32_t fetch_add_release(std::uint32_t* counter,
                                                       std::uint32_t value) {
#if TESSERA_ON_CUDA
  return cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>(*counter).fetch_add(
      value, cuda::memory_order_acq_rel);
#else
  return __atomic_fetch_add(counter, value, __ATOMIC_ACQ_REL);
#endif
}

/// Reads such a counter.
KOKKOS_INLINE_FUNCTION std::uint32_t load_acquire(std::uint32_t* counter) {
#if TESSERA_ON_CUDA
  return cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>(*counter).load(
      cuda::memory_order_acquire);
#else
  return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
#endif
}

/// Reads a number of 32 or 64 bits that other threads may be writing.
template <class T>
KOKKOS_INLINE_FUNCTION T load_relaxed(const T* number) {
#if TESSERA_ON_CUDA
  return cuda::atomic_ref<T, cuda::thread_scope_device>(*const_cast<T*>(number))
      .load(cuda::memory_order_relaxed);
#else
  return __atomic_load_n(number, __ATOMIC_RELAXED);
#endif
}

/// Reads a number of 32 or 64 bits that other threads may be writing, where an old value does no
/// harm, since an atomic exchange follows. A GPU may then answer from its first-level cache.
template <class T>
KOKKOS_INLINE_FUNCTION T load_cached(const T* number) {
#if TESSERA_ON_CUDA
  return *number;
#else
  return __atomic_load_n(number, __ATOMIC_RELAXED);
#endif
}

/// Writes a number of 32 or 64 bits that other threads may be reading.
template <class T>
KOKKOS_INLINE_FUNCTION void store_relaxed(T* number, T value) {
#if TESSERA_ON_CUDA
  cuda::atomic_ref<T, cuda::thread_scope_device>(*number).store(value, cuda::memory_order_relaxed);
#else
  __atomic_store_n(number, value, __ATOMIC_RELAXED);
#endif
}

/// Lowers a positive number that other threads lower at the same time: positive numbers are ordered
/// as their bits are.
KOKKOS_INLINE_FUNCTION void atomic_min_positive(double* number, double value) {
#if TESSERA_ON_CUDA
  atomicMin(reinterpret_cast<unsigned long long*>(number),
            static_cast<unsigned long long>(__double_as_longlong(value)));
#else
  Kokkos::atomic_fetch_min(number, value);
#endif
}

/// Adds the values of all threads of a warp to a number; all of them come to this together.
/// Elsewhere each thread adds its own.
KOKKOS_INLINE_FUNCTION void warp_add(std::uint32_t* number, std::uint32_t value) {
  const std::uint32_t sum = warp_sum(value);
#if TESSERA_ON_CUDA
  if (is_first_of_warp() && sum != 0) Kokkos::atomic_add(number, sum);
#else
  Kokkos::atomic_add(number, sum);
#endif
}

/// Adds to a number as Kokkos::atomic_fetch_add does, for threads of which many add to the same
/// number: those of a warp that are here at the moment with the same one add together, in the order
/// of their numbers.
KOKKOS_INLINE_FUNCTION std::uint64_t warp_fetch_add(std::uint64_t* number, std::uint64_t value) {
#if TESSERA_ON_CUDA
  const std::uint32_t together =
      __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(number));
  const std::uint32_t earlier = this_warp_lane().earlier & together;
  std::uint64_t before = 0, sum = 0;
  for (std::uint32_t rest = together; rest != 0; rest &= rest - 1) {
    const int lane = countr_zero(rest);
    const std::uint64_t of_lane = __shfl_sync(together, value, lane);
    before += earlier >> lane & 1 ? of_lane : 0;
    sum += of_lane;
  }
  const int first = countr_zero(together);
  std::uint64_t old = 0;
  if (earlier == 0) old = Kokkos::atomic_fetch_add(number, sum);
  return __shfl_sync(together, old, first) + before;
#else
  return Kokkos::atomic_fetch_add(number, value);
#endif
}

/// Reducer that sums any type with a zero-valued default constructor and operator+= into a View,
/// asynchronously. Before 3.7 Kokkos joins through volatile references.
template <class T, class Space>
class Sum {
 public:
  using reducer = Sum;
  using value_type = T;
  using result_view_type = Kokkos::View<T, Space>;

  KOKKOS_INLINE_FUNCTION explicit Sum(const result_view_type& result) : m_result(result) {}
  KOKKOS_INLINE_FUNCTION void join(T& into, const T& from) const { into += from; }
#if KOKKOS_VERSION < 30700
  KOKKOS_INLINE_FUNCTION void join(volatile T& into, const volatile T& from) const {
    const_cast<T&>(into) += const_cast<const T&>(from);
  }
#endif
  KOKKOS_INLINE_FUNCTION void init(T& value) const { value = T(); }
  KOKKOS_INLINE_FUNCTION T& reference() const { return *m_result.data(); }
  KOKKOS_INLINE_FUNCTION result_view_type view() const { return m_result; }
  KOKKOS_INLINE_FUNCTION bool references_scalar() const { return false; }

 private:
  result_view_type m_result;
};

}  // namespace tessera::compat
