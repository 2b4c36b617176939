// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/core/app/stop_flag.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::gbees::detail {

/// Loops over a range whose length only the device knows. A fixed number of threads share it: with
/// a stride on a GPU, so that neighbouring threads touch neighbouring rows, in contiguous chunks on
/// a CPU (Chunks).
///
/// A phase (Body) has a member `s`, the StepContext; a member type Loop, a LoopOver; and `void
/// operator()(const View&, std::uint32_t i) const`, or for a reduction `void operator()(const
/// View&, std::uint32_t i, Value& sum) const`, with the StepView that its thread has read once. One
/// that is launched alone has a `label`, and Bounds if it limits its registers.
///
/// A phase with a static member kVector promises that operator()(view, i) neither depends on other
/// indices nor branches, so that a CPU can take several indices at a time. In a reduction such a
/// phase stores its results, and `void sum(const View&, std::uint32_t begin, std::uint32_t end,
/// Value& sum) const` adds those of a range.
///
/// A phase that a CPU takes a block of rows of at a time has a static member kBlock, the most that
/// it takes, and `void block(const View&, std::uint32_t first, std::uint32_t last) const`.
///
/// A phase whose loop may be longer than there are rows says so by a member type Index =
/// std::uint64_t.
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

/// Rows [begin, end) of a loop.
struct Chunk {
  std::uint64_t begin, end;
};

/// The chunks of a loop that belong to one thread on a CPU. The rows that the last prune has packed
/// are ordered, and are shared in contiguous parts, so that most neighbours are another row of the
/// same thread. Rows made since cost more, for their neighbours are scattered, and it is the newest
/// that grow: of these each thread has short chunks, the same ones however many rows follow.
class Chunks {
 public:
  template <class View>
  KOKKOS_INLINE_FUNCTION Chunks(const View& view, std::uint32_t thread, std::uint32_t threads)
      : m_stride(std::uint64_t(kShortest) * threads), m_all(view.first + view.size) {
    const std::uint64_t packed =
        threads == 1 ? view.size : compat::min<std::uint64_t>(view.packed, view.size);
    m_begin = view.first + packed * thread / threads;
    m_end = view.first + packed * (thread + 1) / threads;
    m_made = view.first + packed + std::uint64_t(kShortest) * thread;
    const std::uint64_t length = m_end - m_begin;
    m_length = threads == 1
                   ? length
                   : compat::min(compat::max((length / 8 + 63) / 64 * 64, kShortest), kLongest);
    m_packed = length == 0 ? 0 : static_cast<std::uint32_t>((length + m_length - 1) / m_length);
    m_count =
        m_packed + (m_made < m_all
                        ? static_cast<std::uint32_t>((m_all - m_made + m_stride - 1) / m_stride)
                        : 0);
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t count() const { return m_count; }

  KOKKOS_INLINE_FUNCTION Chunk operator[](std::uint32_t i) const {
    if (i < m_packed)
      return {m_begin + i * m_length, compat::min(m_begin + (i + 1) * m_length, m_end)};
    const std::uint64_t begin = m_made + (i - m_packed) * m_stride;
    return {begin, compat::min(begin + kShortest, m_all)};
  }

 private:
  static constexpr std::uint64_t kShortest = 64, kLongest = 512;
  std::uint64_t m_stride, m_all, m_begin, m_end, m_made, m_length;
  std::uint32_t m_packed, m_count;
};

/// A chunk of a loop on a CPU.
template <class Body, class View>
KOKKOS_INLINE_FUNCTION void for_chunk(const Body& body, const View& view, const Chunk& chunk) {
  using Index = index_of_t<Body>;
  const auto begin = static_cast<Index>(chunk.begin), end = static_cast<Index>(chunk.end);
  if constexpr (requires { Body::kBlock; }) {
    for (Index first = begin; first < end; first += Body::kBlock)
      body.block(view, first, compat::min(first + Body::kBlock, end));
  } else if constexpr (is_vector_body<Body>::value) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) body(view, i);
  } else {
    for (Index i = begin; i < end; ++i) body(view, i);
  }
}

/// A chunk of a reduction on a CPU, added to `sum`.
template <class Body, class View, class Value>
KOKKOS_INLINE_FUNCTION void reduce_chunk(const Body& body, const View& view, const Chunk& chunk,
                                         Value& sum) {
  using Index = index_of_t<Body>;
  const auto first = static_cast<Index>(chunk.begin), last = static_cast<Index>(chunk.end);
  if constexpr (is_vector_body<Body>::value) {
    constexpr Index kBlock = 512;
    for (Index begin = first; begin < last; begin += kBlock) {
      const Index end = begin + kBlock < last ? begin + kBlock : last;
#pragma omp simd
      for (Index i = begin; i < end; ++i) body(view, i);
      body.sum(view, begin, end, sum);
    }
  } else {
    for (Index i = first; i < last; ++i) body(view, i, sum);
  }
}

/// The share of thread `thread` of `threads` of a loop.
template <class ExecSpace, class Body, class View>
KOKKOS_INLINE_FUNCTION void for_share(const Body& body, const View& view, std::uint32_t thread,
                                      std::uint32_t threads) {
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    using Index = index_of_t<Body>;
    const auto end = static_cast<Index>(view.first + view.size);
    for (Index i = view.first + thread; i < end; i += threads) body(view, i);
  } else {
    const Chunks chunks(view, thread, threads);
    for (std::uint32_t i = 0; i < chunks.count(); ++i) for_chunk(body, view, chunks[i]);
  }
}

/// The share of a reduction, added to `sum`.
template <class ExecSpace, class Body, class View, class Value>
KOKKOS_INLINE_FUNCTION void reduce_share(const Body& body, const View& view, std::uint32_t thread,
                                         std::uint32_t threads, Value& sum) {
  Value local = sum;
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    using Index = index_of_t<Body>;
    const auto end = static_cast<Index>(view.first + view.size);
    for (Index i = view.first + thread; i < end; i += threads) {
      if constexpr (is_vector_body<Body>::value) {
        body(view, i);
        body.sum(view, i, i + 1, local);
      } else {
        body(view, i, local);
      }
    }
  } else {
    const Chunks chunks(view, thread, threads);
    for (std::uint32_t i = 0; i < chunks.count(); ++i) reduce_chunk(body, view, chunks[i], local);
  }
  sum = local;
}

template <class ExecSpace, class Body>
struct ForThreads {
  Body body;
  std::uint32_t threads;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t thread) const {
    for_share<ExecSpace>(body, body.s.template view<typename Body::Loop>(), thread, threads);
  }
};

template <class ExecSpace, class Body, class Value>
struct ReduceThreads {
  Body body;
  std::uint32_t threads;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t thread, Value& sum) const {
    reduce_share<ExecSpace>(body, body.s.template view<typename Body::Loop>(), thread, threads,
                            sum);
  }
};

/// Threads for a loop of about `expected` items. On a GPU a small loop gets few, so that they start
/// and finish fast.
template <class ExecSpace>
std::uint32_t thread_count(const ExecSpace& exec, std::uint64_t expected) {
  const auto threads = static_cast<std::uint32_t>(exec.concurrency());
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    constexpr std::uint64_t kBlock = 256;
    return static_cast<std::uint32_t>(
        compat::min<std::uint64_t>(threads, (expected + kBlock) / kBlock * kBlock));
  } else {
    return threads;
  }
}

/// A phase that ends early when a signal has been received (StopFlag); the host then gives up what
/// it was for.
template <class Body, class ExecSpace>
struct UntilSignal : Body {
  StopFlag<ExecSpace> stop;

  explicit UntilSignal(const Body& body) : Body(body) {}

  template <class View, class Index, class... Value>
  KOKKOS_INLINE_FUNCTION void operator()(const View& view, Index i, Value&... value) const {
    if (!stop.raised()) Body::operator()(view, i, value...);
  }
};

template <class ExecSpace, class Body>
UntilSignal<Body, ExecSpace> until_signal(const Body& body) {
  return UntilSignal<Body, ExecSpace>(body);
}

/// A block has at most 256 threads, so that small loops spread over the whole GPU. A multiprocessor
/// runs at least kBlocks blocks at a time, which caps the registers.
template <unsigned kBlocks = 1>
using Blocks = Kokkos::LaunchBounds<256, kBlocks>;

template <class Body, class = void>
struct BoundsOf {
  using type = Blocks<>;
};
template <class Body>
struct BoundsOf<Body, std::void_t<typename Body::Bounds>> {
  using type = typename Body::Bounds;
};

/// The policy of both loops. Its functors travel as kernel arguments: the alternative that Kokkos
/// has for functors above 512 bytes waits for the preceding kernel.
template <class Body, class ExecSpace>
auto thread_policy(const ExecSpace& exec, std::uint32_t threads) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>,
                                     typename BoundsOf<Body>::type>;
  return Kokkos::Experimental::require(Policy(exec, 0, threads),
                                       Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

/// Launches a loop; asynchronous. `expected` is about how many items there will be.
template <class ExecSpace, class Body>
void launch_for(const ExecSpace& exec, std::uint64_t expected, const Body& body) {
  const std::uint32_t threads = thread_count(exec, expected);
  Kokkos::parallel_for(Body::label, thread_policy<Body>(exec, threads),
                       ForThreads<ExecSpace, Body>{body, threads});
}

/// Launches a reduction; asynchronous, for the reducer's result is a View.
template <class ExecSpace, class Body, class Reducer>
void launch_reduce(const ExecSpace& exec, std::uint64_t expected, const Body& body,
                   const Reducer& reducer) {
  const std::uint32_t threads = thread_count(exec, expected);
  Kokkos::parallel_reduce(
      Body::label, thread_policy<Body>(exec, threads),
      ReduceThreads<ExecSpace, Body, typename Reducer::value_type>{body, threads}, reducer);
}

}  // namespace tessera::gbees::detail
