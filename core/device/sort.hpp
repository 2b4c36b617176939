// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Sort.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/device/kokkos_compat.hpp"

namespace tessera {

/// Sorts `keys` (distinct) ascending and carries `values` along. On the host an input that is a sorted run followed by unsorted
/// elements, as left by appending to a sorted list, costs little more than sorting the tail.
template <class ExecSpace, class KeyView, class ValueView>
void sort_by_key(const ExecSpace& exec, const KeyView& keys, const ValueView& values) {
  if constexpr (compat::is_gpu_v<ExecSpace>) {
#ifdef KOKKOS_ENABLE_CUDA  // sort_by_key is not in the host-only Kokkos 3.4
    Kokkos::Experimental::sort_by_key(exec, keys, values);
#endif
  } else {
    exec.fence();
    using Pair = std::pair<typename KeyView::non_const_value_type, typename ValueView::non_const_value_type>;
    const std::size_t n = keys.extent(0);
    std::vector<Pair> pairs(n);
    for (std::size_t i = 0; i < n; ++i) pairs[i] = {keys(i), values(i)};
    const auto tail = std::is_sorted_until(pairs.begin(), pairs.end());
    std::sort(tail, pairs.end());
    std::inplace_merge(pairs.begin(), tail, pairs.end());
    for (std::size_t i = 0; i < n; ++i) {
      keys(i) = pairs[i].first;
      values(i) = pairs[i].second;
    }
  }
}

}  // namespace tessera
