// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/device/thread_team.hpp"
#include "tessera/core/error.hpp"

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#endif

namespace tessera {

/// What a sort on a GPU needs besides the sorted arrays: two as large, whose contents are lost, and a little memory that is kept for the
/// next sort. (Kokkos::Experimental::sort_by_key allocates the like at each call, which takes longer than to sort some million keys.)
template <class KeyView, class ValueView>
struct SortScratch {
  KeyView keys;
  ValueView values;
  Kokkos::View<char*, typename KeyView::memory_space>& more;
};

namespace detail {

/// A radix sort on a CPU, 8 bits at a time from the lowest: each pass keeps the order of equal digits. Each thread takes a contiguous part
/// of the input; its first pass counts, its second moves.
template <class KeyView, class ValueView>
class RadixSort {
 public:
  static constexpr int kBits = 8, kDigits = 1 << kBits;
  using Counts = Kokkos::View<std::uint32_t* [2][kDigits], Kokkos::LayoutRight, typename KeyView::memory_space>;

  KeyView key[2];      ///< the second is scratch
  ValueView value[2];  ///< so is the second; the first gets the result
  Counts counts;       ///< of each thread, for even and odd passes: one thread may count while another still reads the last pass's counts
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
    for (std::size_t i = part.begin; i < part.end; ++i) value[0](i) = value[1](i);
  }

 private:
  /// The part of one thread.
  struct Part {
    std::size_t thread_id, num_threads, begin, end;
    Part(const RadixSort& sort, const ThreadTeam& team)
        : thread_id(team.thread_id()), num_threads(std::min<std::size_t>(team.num_threads(), sort.counts.extent(0))) {
      const std::size_t n = sort.key[0].extent(0);
      begin = std::min(n, n * thread_id / num_threads);
      end = std::min(n, n * (thread_id + 1) / num_threads);
    }
  };

  static std::size_t digit(std::uint64_t key, int pass) { return key >> (pass * kBits) & (kDigits - 1); }

  void count(const Part& part, int from, int pass) const {
    if (part.thread_id >= part.num_threads) return;
    std::uint32_t mine[kDigits] = {};
    for (std::size_t i = part.begin; i < part.end; ++i) ++mine[digit(key[from](i), pass)];
    for (int d = 0; d < kDigits; ++d) counts(part.thread_id, pass & 1, d) = mine[d];
  }

  /// Where a thread's first key of each digit goes. False when all keys have the same digit and stay where they are.
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
      if (total[d] == key[0].extent(0)) return false;
      offset[d] += before;
      before += total[d];
    }
    return true;
  }

  void move(const Part& part, int from, int pass, std::uint32_t* offset) const {
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const std::uint32_t to = offset[digit(key[from](i), pass)]++;
      key[from ^ 1](to) = key[from](i);
      value[from ^ 1](to) = value[from](i);
    }
  }
};

}  // namespace detail

/// Orders `values` by `keys` (below 2^bits) ascending, of equal keys as they come; the keys are lost. At most 2^32 - 1 of them.
template <class ExecSpace, class KeyView, class ValueView>
void sort_by_key(const ExecSpace& exec, const KeyView& keys, const ValueView& values, int bits,
                 const SortScratch<KeyView, ValueView>& scratch) {
  const std::size_t n = keys.extent(0);
  if constexpr (compat::is_gpu_v<ExecSpace>) {
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
    const auto check = [](cudaError_t status) {
      if (status != cudaSuccess) throw Error(ErrorKind::internal, std::string("sort_by_key: ") + cudaGetErrorString(status));
    };
    cub::DoubleBuffer<typename KeyView::value_type> key(keys.data(), scratch.keys.data());
    cub::DoubleBuffer<typename ValueView::value_type> value(values.data(), scratch.values.data());
    std::size_t bytes = 0;
    check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, key, value, n, 0, bits, exec.cuda_stream()));
    if (scratch.more.extent(0) < bytes) {
      scratch.more = Kokkos::View<char*, typename KeyView::memory_space>(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::sort_by_key"), bytes);
    }
    check(cub::DeviceRadixSort::SortPairs(scratch.more.data(), bytes, key, value, n, 0, bits, exec.cuda_stream()));
    if (value.Current() != values.data()) Kokkos::deep_copy(exec, values, scratch.values);
#endif
  } else {
    using Sort = detail::RadixSort<KeyView, ValueView>;
    constexpr std::size_t kWorthAThread = 1024;
    const auto threads = static_cast<std::size_t>(thread_team_size(exec));
    const typename Sort::Counts counts("tessera::sort_by_key::counts", std::min(threads, n / kWorthAThread + 1));
    parallel_region("tessera::sort_by_key", exec, Sort{{keys, scratch.keys}, {values, scratch.values}, counts, bits});
  }
}

}  // namespace tessera
