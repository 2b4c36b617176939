// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "core/device/kokkos_compat.hpp"

namespace tessera::gbees::detail {

/// Loops over a range whose length only the device knows. A fixed number of workers share it: with a stride on a GPU, so that neighbouring
/// threads touch neighbouring rows, in contiguous pieces on a CPU.
///
/// A Body has `Now now() const`, which a worker calls once and which holds what the body needs of the device's state, the length `size`
/// (0: nothing to do) and the first index `first`; and `void operator()(const Now&, std::uint32_t i) const`, or for a reduction
/// `void operator()(const Now&, std::uint32_t i, Value& sum) const`.
///
/// A Body with a static member kVector promises that operator()(now, i) neither depends on other indices nor branches, so that a CPU can
/// take several indices at a time. In a reduction such a body stores its results, and `void sum(const Now&, std::uint32_t begin,
/// std::uint32_t end, Value& sum) const` adds those of a range.
///
/// A Body whose loop may be longer than there are rows says so by a member type Index = std::uint64_t.
template <class Body, class = void>
struct IndexOf {
  using type = std::uint32_t;
};
template <class Body>
struct IndexOf<Body, std::void_t<typename Body::Index>> {
  using type = typename Body::Index;
};
template <class Body>
using index_of_t = typename IndexOf<Body>::type;

template <class Body, class = void>
struct is_vector_body : std::false_type {};
template <class Body>
struct is_vector_body<Body, std::void_t<decltype(Body::kVector)>> : std::true_type {};

/// The part of a loop that one worker takes.
template <class ExecSpace, class Index>
struct Share {
  Index begin, end, stride;

  KOKKOS_INLINE_FUNCTION Share(std::uint32_t first, std::uint64_t n, std::uint32_t worker, std::uint32_t workers) {
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      begin = first + worker;
      end = static_cast<Index>(first + n);
      stride = workers;
    } else {
      begin = static_cast<Index>(first + n * worker / workers);
      end = static_cast<Index>(first + n * (worker + 1) / workers);
      stride = 1;
    }
  }
};

template <class ExecSpace, class Body>
struct ForWorkers {
  Body body;
  std::uint32_t workers;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t worker) const {
    const auto now = body.now();
    using Index = index_of_t<Body>;
    const Share<ExecSpace, Index> share(now.first, now.size, worker, workers);
    if constexpr (is_vector_body<Body>::value && !compat::is_gpu_v<ExecSpace>) {
      const std::uint32_t end = share.end;
#pragma omp simd
      for (std::uint32_t i = share.begin; i < end; ++i) body(now, i);
    } else {
      for (Index i = share.begin; i < share.end; i += share.stride) body(now, i);
    }
  }
};

template <class ExecSpace, class Body, class Value>
struct ReduceWorkers {
  Body body;
  std::uint32_t workers;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t worker, Value& sum) const {
    const auto now = body.now();
    using Index = index_of_t<Body>;
    const Share<ExecSpace, Index> share(now.first, now.size, worker, workers);
    Value local = sum;
    if constexpr (is_vector_body<Body>::value && !compat::is_gpu_v<ExecSpace>) {
      constexpr std::uint32_t kBlock = 512;
      for (std::uint32_t begin = share.begin; begin < share.end; begin += kBlock) {
        const std::uint32_t end = begin + kBlock < share.end ? begin + kBlock : share.end;
#pragma omp simd
        for (std::uint32_t i = begin; i < end; ++i) body(now, i);
        body.sum(now, begin, end, local);
      }
    } else if constexpr (is_vector_body<Body>::value) {
      for (std::uint32_t i = share.begin; i < share.end; i += share.stride) {
        body(now, i);
        body.sum(now, i, i + 1, local);
      }
    } else {
      for (Index i = share.begin; i < share.end; i += share.stride) body(now, i, local);
    }
    sum = local;
  }
};

/// Workers for a loop of about `expected` items. On a GPU a small loop gets few, so that they start and finish fast.
template <class ExecSpace>
std::uint32_t worker_count(const ExecSpace& exec, std::uint64_t expected) {
  const auto threads = static_cast<std::uint32_t>(exec.concurrency());
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    constexpr std::uint64_t kBlock = 256;
    return static_cast<std::uint32_t>(compat::min<std::uint64_t>(threads, (expected + kBlock) / kBlock * kBlock));
  } else {
    return threads == 1 ? 1 : 4 * threads;
  }
}

/// At most 256 threads a block, so that small loops spread over the whole GPU, and at least kBlocks blocks at a time on a multiprocessor,
/// which caps the registers.
template <unsigned kBlocks = 1>
using Blocks = Kokkos::LaunchBounds<256, kBlocks>;

/// The policy of both loops. Its functors travel as kernel arguments: the alternative that Kokkos has for functors above 512 bytes waits
/// for the preceding kernel.
template <class Bounds, class ExecSpace>
auto worker_policy(const ExecSpace& exec, std::uint32_t workers) {
  return Kokkos::Experimental::require(Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>, Bounds>(exec, 0, workers),
                                       Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

/// Asynchronous. `expected` is about how many items there will be.
template <class Bounds = Blocks<>, class ExecSpace, class Body>
void for_each(const ExecSpace& exec, const std::string& label, std::uint64_t expected, const Body& body) {
  const std::uint32_t workers = worker_count(exec, expected);
  Kokkos::parallel_for(label, worker_policy<Bounds>(exec, workers), ForWorkers<ExecSpace, Body>{body, workers});
}

/// Asynchronous: the reducer's result is a View.
template <class Bounds = Blocks<>, class ExecSpace, class Body, class Reducer>
void reduce_each(const ExecSpace& exec, const std::string& label, std::uint64_t expected, const Body& body, const Reducer& reducer) {
  const std::uint32_t workers = worker_count(exec, expected);
  Kokkos::parallel_reduce(label, worker_policy<Bounds>(exec, workers),
                          ReduceWorkers<ExecSpace, Body, typename Reducer::value_type>{body, workers}, reducer);
}

}  // namespace tessera::gbees::detail
