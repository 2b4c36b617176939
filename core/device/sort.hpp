// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/device/kokkos_compat.hpp"
#include "core/error.hpp"

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

/// Orders `values` by `keys` (distinct, below 2^bits) ascending; the keys are lost. On the host an input that is a sorted run followed by
/// unsorted elements, as left by appending to a sorted list, costs little more than sorting the tail.
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
    exec.fence();
    using Pair = std::pair<typename KeyView::non_const_value_type, typename ValueView::non_const_value_type>;
    std::vector<Pair> pairs(n);
    for (std::size_t i = 0; i < n; ++i) pairs[i] = {keys(i), values(i)};
    const auto tail = std::is_sorted_until(pairs.begin(), pairs.end());
    std::sort(tail, pairs.end());
    std::inplace_merge(pairs.begin(), tail, pairs.end());
    for (std::size_t i = 0; i < n; ++i) values(i) = pairs[i].second;
  }
}

}  // namespace tessera
