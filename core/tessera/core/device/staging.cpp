// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/staging.hpp"

#ifdef KOKKOS_ENABLE_CUDA

#include <algorithm>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "tessera/core/device/copy_crew.hpp"

namespace tessera::array_bytes {

namespace {

constexpr std::size_t kPiece = std::size_t{4} << 20;   ///< bytes of a buffer
constexpr std::size_t kLeast = std::size_t{16} << 20;  ///< of a copy that is worth the threads
constexpr unsigned kMostThreads = 8;

using Byte = unsigned char;
using PinnedSpace = compat::PinnedSpace<Kokkos::Cuda>;
template <class T, class Space>
using Unmanaged = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The buffers, which take milliseconds to make, live until Kokkos ends; each has a queue of its
/// own.
struct Buffers {
  using Buffer = Kokkos::View<Byte*, PinnedSpace>;
  Buffer memory[2];
  std::vector<Kokkos::Cuda> queue;

  explicit Buffers(const Kokkos::Cuda& exec)
      : queue(Kokkos::Experimental::partition_space(exec, std::vector<int>{1, 1})) {
    for (auto& buffer : memory)
      buffer = Buffer(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::staging"), kPiece);
  }
};

std::mutex buffers_in_use;
std::unique_ptr<Buffers> buffers;

Buffers& get_buffers(const Kokkos::Cuda& exec) {
  if (buffers) return *buffers;
  buffers = std::make_unique<Buffers>(exec);
  Kokkos::push_finalize_hook([] { buffers.reset(); });
  return *buffers;
}

/// Starts the threads of a crew. Returns none where threads cannot be had.
std::unique_ptr<CopyCrew> call_crew() try {
  return std::make_unique<CopyCrew>(
      static_cast<int>(std::clamp(std::thread::hardware_concurrency() / 2, 1u, kMostThreads)));
} catch (const std::system_error&) {
  return nullptr;
}

struct Piece {
  std::size_t begin, size;
};

Piece piece_of(int number, std::size_t bytes) {
  const std::size_t begin = static_cast<std::size_t>(number) * kPiece;
  return {begin, std::min(kPiece, bytes - begin)};
}

int count_pieces(std::size_t bytes) { return static_cast<int>((bytes + kPiece - 1) / kPiece); }

bool wants_staging(const void* host, std::size_t bytes) {
  if (bytes < kLeast) return false;
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, host) != cudaSuccess) {
    cudaGetLastError();
    return true;
  }
  return attributes.type == cudaMemoryTypeUnregistered;
}

}  // namespace

template <>
bool upload_staged(const Kokkos::Cuda& exec, void* device, const void* host, std::size_t bytes) {
  if (!wants_staging(host, bytes)) return false;
  const std::lock_guard lock(buffers_in_use);
  const std::unique_ptr<CopyCrew> crew = call_crew();
  if (!crew) return false;
  Buffers& use = get_buffers(exec);
  exec.fence("tessera::upload");
  for (int k = 0; k < count_pieces(bytes); ++k) {
    const Piece piece = piece_of(k, bytes);
    const auto& buffer = use.memory[k % 2];
    const Kokkos::Cuda& queue = use.queue[static_cast<std::size_t>(k % 2)];
    queue.fence("tessera::upload");
    crew->give(buffer.data(), static_cast<const Byte*>(host) + piece.begin, piece.size);
    crew->wait(k);
    Kokkos::deep_copy(
        queue,
        Unmanaged<Byte, Kokkos::CudaSpace>(static_cast<Byte*>(device) + piece.begin, piece.size),
        Unmanaged<const Byte, PinnedSpace>(buffer.data(), piece.size));
  }
  for (const Kokkos::Cuda& queue : use.queue) queue.fence("tessera::upload");
  return true;
}

template <>
bool download_staged(const Kokkos::Cuda& exec, void* host, const void* device, std::size_t bytes) {
  if (!wants_staging(host, bytes)) return false;
  const std::lock_guard lock(buffers_in_use);
  const std::unique_ptr<CopyCrew> crew = call_crew();
  if (!crew) return false;
  Buffers& use = get_buffers(exec);
  exec.fence("tessera::download");
  const int count = count_pieces(bytes);
  const auto fetch = [&](int k) {
    const Piece piece = piece_of(k, bytes);
    Kokkos::deep_copy(use.queue[static_cast<std::size_t>(k % 2)],
                      Unmanaged<Byte, PinnedSpace>(use.memory[k % 2].data(), piece.size),
                      Unmanaged<const Byte, Kokkos::CudaSpace>(
                          static_cast<const Byte*>(device) + piece.begin, piece.size));
  };
  fetch(0);
  for (int k = 0; k < count; ++k) {
    if (k > 0) crew->wait(k - 1);
    if (k + 1 < count) fetch(k + 1);
    use.queue[static_cast<std::size_t>(k % 2)].fence("tessera::download");
    const Piece piece = piece_of(k, bytes);
    crew->give(static_cast<Byte*>(host) + piece.begin, use.memory[k % 2].data(), piece.size);
  }
  crew->wait(count - 1);
  return true;
}

}  // namespace tessera::array_bytes

#endif
