// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/arrays.hpp"

#include "tessera/core/device/staging.hpp"

namespace tessera::array_bytes {

namespace {

template <class T, class Space>
using Unmanaged = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

using Byte = unsigned char;

template <class To, class From, class ExecSpace>
void copy_bytes(const ExecSpace& exec, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  Kokkos::deep_copy(exec, Unmanaged<Byte, To>(static_cast<Byte*>(to), bytes),
                    Unmanaged<const Byte, From>(static_cast<const Byte*>(from), bytes));
}

/// The bytes behind the last whole word.
struct FillRest {
  Byte* to;
  std::uint64_t pattern;
  int bytes;
  KOKKOS_INLINE_FUNCTION void operator()(int) const {
    for (int i = 0; i < bytes; ++i) to[i] = static_cast<Byte>(pattern >> 8 * i);
  }
};

}  // namespace

template <class ExecSpace>
void Bytes<ExecSpace>::copy(const ExecSpace& exec, void* to, const void* from, std::size_t bytes) {
  copy_bytes<typename ExecSpace::memory_space, typename ExecSpace::memory_space>(exec, to, from,
                                                                                 bytes);
}

template <class ExecSpace>
void Bytes<ExecSpace>::upload(const ExecSpace& exec, void* device, const void* host,
                              std::size_t bytes) {
  if (upload_staged(exec, device, host, bytes)) return;
  copy_bytes<typename ExecSpace::memory_space, Kokkos::HostSpace>(exec, device, host, bytes);
  exec.fence();
}

template <class ExecSpace>
void Bytes<ExecSpace>::download(const ExecSpace& exec, void* host, const void* device,
                                std::size_t bytes) {
  if (download_staged(exec, host, device, bytes)) return;
  copy_bytes<Kokkos::HostSpace, typename ExecSpace::memory_space>(exec, host, device, bytes);
  exec.fence();
}

template <class ExecSpace>
void Bytes<ExecSpace>::fill(const ExecSpace& exec, void* to, std::uint64_t pattern,
                            std::size_t bytes) {
  using Memory = typename ExecSpace::memory_space;
  auto* const word = static_cast<std::uint64_t*>(to);
  const std::size_t words = bytes / sizeof pattern, rest = bytes % sizeof pattern;
  if (words > 0) Kokkos::deep_copy(exec, Unmanaged<std::uint64_t, Memory>(word, words), pattern);
  if (rest > 0) {
    Kokkos::parallel_for(
        "tessera::fill", Kokkos::RangePolicy<ExecSpace>(exec, 0, 1),
        FillRest{reinterpret_cast<Byte*>(word + words), pattern, static_cast<int>(rest)});
  }
}

#ifdef KOKKOS_ENABLE_SERIAL
template struct Bytes<Kokkos::Serial>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template struct Bytes<Kokkos::OpenMP>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct Bytes<Kokkos::Cuda>;
#endif

}  // namespace tessera::array_bytes
