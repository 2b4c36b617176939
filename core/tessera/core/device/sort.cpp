// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/sort.hpp"

#include <algorithm>
#include <string>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/thread_team.hpp"
#include "tessera/core/error.hpp"

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#endif

namespace tessera {

namespace {

/// A radix sort on a CPU, 8 bits at a time from the lowest: each pass keeps the order of equal
/// digits. Each thread takes a contiguous part of the input; its first pass counts, its second
/// moves.
template <class Memory, class Key>
class RadixSort {
 public:
  static constexpr int kBits = 8, kDigits = 1 << kBits;
  using Counts = Kokkos::View<std::uint32_t* [2][kDigits], Kokkos::LayoutRight, Memory>;

  std::size_t n;
  Key* key[2];              ///< the second is scratch
  std::uint32_t* value[2];  ///< so is the second; the first gets the result
  /// The counts of each thread, for even and odd passes: one thread may count while another still
  /// reads the last pass's counts
  Counts counts;
  int bits;

  void operator()(const ThreadTeam& team) const {
    const Part part(*this, team);
    int from = 0;
    for (int pass = 0; pass * kBits < bits; ++pass) {
      count(part, from, pass);
      team.barrier();
      std::uint32_t offset[kDigits];
      if (!find_offsets(part, pass, offset)) continue;
      move(part, from, pass, offset);
      team.barrier();
      from ^= 1;
    }
    if (from == 0) return;
    for (std::size_t i = part.begin; i < part.end; ++i) value[0][i] = value[1][i];
  }

 private:
  /// The part of one thread.
  struct Part {
    std::size_t thread_id, num_threads, begin, end;
    Part(const RadixSort& sort, const ThreadTeam& team)
        : thread_id(team.thread_id()),
          num_threads(std::min<std::size_t>(team.num_threads(), sort.counts.extent(0))) {
      const std::size_t n = sort.n;
      begin = std::min(n, n * thread_id / num_threads);
      end = std::min(n, n * (thread_id + 1) / num_threads);
    }
  };

  static std::size_t digit(std::uint64_t key, int pass) {
    return key >> (pass * kBits) & (kDigits - 1);
  }

  void count(const Part& part, int from, int pass) const {
    if (part.thread_id >= part.num_threads) return;
    std::uint32_t mine[kDigits] = {};
    for (std::size_t i = part.begin; i < part.end; ++i) ++mine[digit(key[from][i], pass)];
    for (int d = 0; d < kDigits; ++d) counts(part.thread_id, pass & 1, d) = mine[d];
  }

  /// Finds where a thread's first key of each digit goes. Returns false when all keys have the same
  /// digit and stay where they are.
  bool find_offsets(const Part& part, int pass, std::uint32_t* offset) const {
    std::uint32_t total[kDigits] = {};
    for (int d = 0; d < kDigits; ++d) offset[d] = 0;
    for (std::size_t w = 0; w < part.num_threads; ++w) {
      const std::uint32_t* const its = &counts(w, pass & 1, 0);
      for (int d = 0; d < kDigits; ++d) offset[d] += w < part.thread_id ? its[d] : 0;
      for (int d = 0; d < kDigits; ++d) total[d] += its[d];
    }
    std::uint32_t before = 0;
    for (int d = 0; d < kDigits; ++d) {
      if (total[d] == n) return false;
      offset[d] += before;
      before += total[d];
    }
    return true;
  }

  void move(const Part& part, int from, int pass, std::uint32_t* offset) const {
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const std::uint32_t to = offset[digit(key[from][i], pass)]++;
      key[from ^ 1][to] = key[from][i];
      value[from ^ 1][to] = value[from][i];
    }
  }
};

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
template <class Key>
void sort_on_gpu(const Kokkos::Cuda& exec, Key* keys, std::uint32_t* values, std::size_t n,
                 int bits, const SortScratch<Kokkos::Cuda, Key>& scratch) {
  const auto check = [](cudaError_t status) {
    if (status != cudaSuccess)
      throw Error(ErrorKind::internal, std::string("sort_by_key: ") + cudaGetErrorString(status));
  };
  cub::DoubleBuffer<Key> key(keys, scratch.keys);
  cub::DoubleBuffer<std::uint32_t> value(values, scratch.values);
  std::size_t bytes = 0;
  check(
      cub::DeviceRadixSort::SortPairs(nullptr, bytes, key, value, n, 0, bits, exec.cuda_stream()));
  if (scratch.more.extent(0) < bytes) {
    scratch.more = allocate<Kokkos::View<char*, Kokkos::Cuda::memory_space>>(
        exec, "tessera::sort_by_key", bytes);
  }
  check(cub::DeviceRadixSort::SortPairs(scratch.more.data(), bytes, key, value, n, 0, bits,
                                        exec.cuda_stream()));
  if (value.Current() != values) copy(exec, values, value.Current(), n);
}
#endif

template <class ExecSpace, class Key>
void sort_on_cpu(const ExecSpace& exec, Key* keys, std::uint32_t* values, std::size_t n, int bits,
                 const SortScratch<ExecSpace, Key>& scratch) {
  using Sort = RadixSort<typename ExecSpace::memory_space, Key>;
  constexpr std::size_t kWorthAThread = 1024;
  const auto threads = static_cast<std::size_t>(thread_team_size(exec));
  const auto counts = allocate<typename Sort::Counts>(exec, "tessera::sort_by_key::counts",
                                                      std::min(threads, n / kWorthAThread + 1));
  parallel_region("tessera::sort_by_key", exec,
                  Sort{n, {keys, scratch.keys}, {values, scratch.values}, counts, bits});
}

}  // namespace

template <class ExecSpace, class Key>
void sort_by_key(const ExecSpace& exec, Key* keys, std::uint32_t* values, std::size_t n, int bits,
                 const SortScratch<ExecSpace, Key>& scratch) {
  if constexpr (compat::is_gpu_v<ExecSpace>) {
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
    sort_on_gpu(exec, keys, values, n, bits, scratch);
#endif
  } else {
    sort_on_cpu(exec, keys, values, n, bits, scratch);
  }
}

#define TESSERA_SORT_INSTANCES(ExecSpace)                                                       \
  template void sort_by_key(const ExecSpace&, std::uint32_t*, std::uint32_t*, std::size_t, int, \
                            const SortScratch<ExecSpace, std::uint32_t>&);                      \
  template void sort_by_key(const ExecSpace&, std::uint64_t*, std::uint32_t*, std::size_t, int, \
                            const SortScratch<ExecSpace, std::uint64_t>&);
#ifdef KOKKOS_ENABLE_SERIAL
TESSERA_SORT_INSTANCES(Kokkos::Serial)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
TESSERA_SORT_INSTANCES(Kokkos::OpenMP)
#endif
#ifdef KOKKOS_ENABLE_CUDA
TESSERA_SORT_INSTANCES(Kokkos::Cuda)
#endif
#undef TESSERA_SORT_INSTANCES

}  // namespace tessera
