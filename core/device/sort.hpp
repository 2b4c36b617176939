// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "tessera/core/device/crew.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
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

/// A radix sort on a CPU, 8 bits at a time from the lowest: each pass keeps the order of equal digits. Each worker takes a contiguous part
/// of the input; the first look at it counts, the second moves.
template <class KeyView, class ValueView>
class RadixSort {
 public:
  static constexpr int kBits = 8, kDigits = 1 << kBits;
  using Counts = Kokkos::View<std::uint32_t* [2][kDigits], Kokkos::LayoutRight, typename KeyView::memory_space>;

  KeyView key[2];      ///< the second is scratch
  ValueView value[2];  ///< so is the second; the first gets the result
  Counts counts;       ///< of each worker, in passes by turns: one may count while another still reads the counts of the last pass
  int bits;

  void operator()(const Crew& crew) const {
    const Part part(*this, crew);
    int from = 0;
    for (int pass = 0; pass * kBits < bits; ++pass) {
      count(part, from, pass);
      crew.wait();
      std::uint32_t place[kDigits];
      if (!find_places(part, pass, place)) continue;
      move(part, from, pass, place);
      crew.wait();
      from ^= 1;
    }
    if (from == 0) return;
    for (std::size_t i = part.begin; i < part.end; ++i) value[0](i) = value[1](i);
  }

 private:
  /// What one worker takes.
  struct Part {
    std::size_t worker, workers, begin, end;
    Part(const RadixSort& sort, const Crew& crew)
        : worker(crew.rank()), workers(std::min<std::size_t>(crew.size(), sort.counts.extent(0))) {
      const std::size_t n = sort.key[0].extent(0);
      begin = std::min(n, n * worker / workers);
      end = std::min(n, n * (worker + 1) / workers);
    }
  };

  static std::size_t digit(std::uint64_t key, int pass) { return key >> (pass * kBits) & (kDigits - 1); }

  void count(const Part& part, int from, int pass) const {
    if (part.worker >= part.workers) return;
    std::uint32_t mine[kDigits] = {};
    for (std::size_t i = part.begin; i < part.end; ++i) ++mine[digit(key[from](i), pass)];
    for (int d = 0; d < kDigits; ++d) counts(part.worker, pass & 1, d) = mine[d];
  }

  /// Where a worker's first key of each digit goes. False when all keys have the same digit: then they stay.
  bool find_places(const Part& part, int pass, std::uint32_t* place) const {
    std::uint32_t total[kDigits] = {};
    for (int d = 0; d < kDigits; ++d) place[d] = 0;
    for (std::size_t w = 0; w < part.workers; ++w) {
      const std::uint32_t* const its = &counts(w, pass & 1, 0);
      for (int d = 0; d < kDigits; ++d) place[d] += w < part.worker ? its[d] : 0;
      for (int d = 0; d < kDigits; ++d) total[d] += its[d];
    }
    std::uint32_t before = 0;
    for (int d = 0; d < kDigits; ++d) {
      if (total[d] == key[0].extent(0)) return false;
      place[d] += before;
      before += total[d];
    }
    return true;
  }

  void move(const Part& part, int from, int pass, std::uint32_t* place) const {
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const std::uint32_t to = place[digit(key[from](i), pass)]++;
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
    const auto threads = static_cast<std::size_t>(crew_size(exec));
    const typename Sort::Counts counts("tessera::sort_by_key::counts", std::min(threads, n / kWorthAThread + 1));
    run_crew("tessera::sort_by_key", exec, Sort{{keys, scratch.keys}, {values, scratch.values}, counts, bits});
  }
}

}  // namespace tessera
