// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

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

namespace detail {

/// One pass of a radix sort on a CPU: orders by the 8 bits from `shift` and keeps the order of equal ones. Each worker takes a contiguous
/// part of the input; the first pass over it counts, the second moves.
template <class ExecSpace, class KeyView, class ValueView>
class RadixPass {
 public:
  static constexpr int kBits = 8, kDigits = 1 << kBits;
  using Counts = Kokkos::View<std::uint32_t* [kDigits], Kokkos::LayoutRight, typename KeyView::memory_space>;

  KeyView from_key, to_key;
  ValueView from_value, to_value;
  Counts counts;  ///< of each worker; then where each goes on
  int shift;

  /// False, and nothing is moved, when all keys have the same digit.
  bool operator()(const ExecSpace& exec) const {
    const Kokkos::RangePolicy<ExecSpace, Count> count(exec, 0, counts.extent(0));
    Kokkos::parallel_for("tessera::sort_by_key::count", count, *this);
    exec.fence();
    if (!find_places()) return false;
    const Kokkos::RangePolicy<ExecSpace, Move> move(exec, 0, counts.extent(0));
    Kokkos::parallel_for("tessera::sort_by_key::move", move, *this);
    return true;
  }

  struct Count {};
  struct Move {};

  KOKKOS_INLINE_FUNCTION void operator()(Count, std::size_t worker) const {
    for (int d = 0; d < kDigits; ++d) counts(worker, d) = 0;
    for (std::size_t i = begin(worker); i < begin(worker + 1); ++i) ++counts(worker, digit(i));
  }

  KOKKOS_INLINE_FUNCTION void operator()(Move, std::size_t worker) const {
    for (std::size_t i = begin(worker); i < begin(worker + 1); ++i) {
      const std::uint32_t place = counts(worker, digit(i))++;
      to_key(place) = from_key(i);
      to_value(place) = from_value(i);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION std::size_t begin(std::size_t worker) const { return from_key.extent(0) * worker / counts.extent(0); }
  KOKKOS_INLINE_FUNCTION std::size_t digit(std::size_t i) const { return from_key(i) >> shift & (kDigits - 1); }

  bool find_places() const {
    std::uint32_t place = 0;
    for (int d = 0; d < kDigits; ++d) {
      const std::uint32_t before = place;
      for (std::size_t worker = 0; worker < counts.extent(0); ++worker) place += std::exchange(counts(worker, d), place);
      if (place - before == from_key.extent(0)) return false;
    }
    return true;
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
    using Pass = detail::RadixPass<ExecSpace, KeyView, ValueView>;
    constexpr std::size_t kWorthAThread = 4096;
    const std::size_t threads = static_cast<std::size_t>(exec.concurrency());
    const typename Pass::Counts counts("tessera::sort_by_key::counts", std::min(threads, n / kWorthAThread + 1));
    Pass pass{keys, scratch.keys, values, scratch.values, counts, 0};
    for (; pass.shift < bits; pass.shift += Pass::kBits) {
      if (!pass(exec)) continue;
      std::swap(pass.from_key, pass.to_key);
      std::swap(pass.from_value, pass.to_value);
    }
    if (pass.from_value.data() != values.data()) Kokkos::deep_copy(exec, values, scratch.values);
  }
}

}  // namespace tessera
