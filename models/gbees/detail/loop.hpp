// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::gbees::detail {

/// Loops over a range whose length only the device knows. A fixed number of workers share it: with a stride on a GPU, so that neighbouring
/// threads touch neighbouring rows, in contiguous chunks on a CPU (Chunks).
///
/// A Body has `Now now() const`, which a worker calls once and which holds what the body needs of the device's state, the length `size`
/// (0: nothing to do), the first index `first`, and `packed`, how many of the first are in order; and `void operator()(const Now&,
/// std::uint32_t i) const`, or for a reduction `void operator()(const Now&, std::uint32_t i, Value& sum) const`.
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

/// Rows [begin, end) of a loop.
struct Chunk {
  std::uint64_t begin, end;
};

/// The chunks of a loop that belong to one worker on a CPU. The rows that the last prune has packed are ordered, and are shared in
/// contiguous parts, so that most neighbours are another row of the same worker. Rows made since cost more, for their neighbours are
/// scattered, and it is the newest that grow: of these each worker has short chunks, the same ones however many rows follow.
class Chunks {
 public:
  template <class Now>
  KOKKOS_INLINE_FUNCTION Chunks(const Now& now, std::uint32_t worker, std::uint32_t workers)
      : m_stride(std::uint64_t(kShortest) * workers), m_all(now.first + now.size) {
    const std::uint64_t packed = workers == 1 ? now.size : compat::min<std::uint64_t>(now.packed, now.size);
    m_begin = now.first + packed * worker / workers;
    m_end = now.first + packed * (worker + 1) / workers;
    m_made = now.first + packed + std::uint64_t(kShortest) * worker;
    const std::uint64_t length = m_end - m_begin;
    m_length = workers == 1 ? length : compat::min(compat::max((length / 8 + 63) / 64 * 64, kShortest), kLongest);
    m_packed = length == 0 ? 0 : static_cast<std::uint32_t>((length + m_length - 1) / m_length);
    m_count = m_packed + (m_made < m_all ? static_cast<std::uint32_t>((m_all - m_made + m_stride - 1) / m_stride) : 0);
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t count() const { return m_count; }

  KOKKOS_INLINE_FUNCTION Chunk operator[](std::uint32_t i) const {
    if (i < m_packed) return {m_begin + i * m_length, compat::min(m_begin + (i + 1) * m_length, m_end)};
    const std::uint64_t begin = m_made + (i - m_packed) * m_stride;
    return {begin, compat::min(begin + kShortest, m_all)};
  }

 private:
  static constexpr std::uint64_t kShortest = 64, kLongest = 512;
  std::uint64_t m_stride, m_all, m_begin, m_end, m_made, m_length;
  std::uint32_t m_packed, m_count;
};

/// A chunk of a loop on a CPU.
template <class Body, class Now>
KOKKOS_INLINE_FUNCTION void for_chunk(const Body& body, const Now& now, const Chunk& chunk) {
  using Index = index_of_t<Body>;
  const auto begin = static_cast<Index>(chunk.begin), end = static_cast<Index>(chunk.end);
  if constexpr (is_vector_body<Body>::value) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) body(now, i);
  } else {
    for (Index i = begin; i < end; ++i) body(now, i);
  }
}

/// A chunk of a reduction on a CPU, added to `sum`.
template <class Body, class Now, class Value>
KOKKOS_INLINE_FUNCTION void reduce_chunk(const Body& body, const Now& now, const Chunk& chunk, Value& sum) {
  using Index = index_of_t<Body>;
  const auto first = static_cast<Index>(chunk.begin), last = static_cast<Index>(chunk.end);
  if constexpr (is_vector_body<Body>::value) {
    constexpr Index kBlock = 512;
    for (Index begin = first; begin < last; begin += kBlock) {
      const Index end = begin + kBlock < last ? begin + kBlock : last;
#pragma omp simd
      for (Index i = begin; i < end; ++i) body(now, i);
      body.sum(now, begin, end, sum);
    }
  } else {
    for (Index i = first; i < last; ++i) body(now, i, sum);
  }
}

/// A worker's share of a loop.
template <class ExecSpace, class Body, class Now>
KOKKOS_INLINE_FUNCTION void each(const Body& body, const Now& now, std::uint32_t worker, std::uint32_t workers) {
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    using Index = index_of_t<Body>;
    const auto end = static_cast<Index>(now.first + now.size);
    for (Index i = now.first + worker; i < end; i += workers) body(now, i);
  } else {
    const Chunks chunks(now, worker, workers);
    for (std::uint32_t i = 0; i < chunks.count(); ++i) for_chunk(body, now, chunks[i]);
  }
}

/// A worker's share of a reduction, added to `sum`.
template <class ExecSpace, class Body, class Now, class Value>
KOKKOS_INLINE_FUNCTION void reduce(const Body& body, const Now& now, std::uint32_t worker, std::uint32_t workers, Value& sum) {
  Value local = sum;
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    using Index = index_of_t<Body>;
    const auto end = static_cast<Index>(now.first + now.size);
    for (Index i = now.first + worker; i < end; i += workers) {
      if constexpr (is_vector_body<Body>::value) {
        body(now, i);
        body.sum(now, i, i + 1, local);
      } else {
        body(now, i, local);
      }
    }
  } else {
    const Chunks chunks(now, worker, workers);
    for (std::uint32_t i = 0; i < chunks.count(); ++i) reduce_chunk(body, now, chunks[i], local);
  }
  sum = local;
}

template <class ExecSpace, class Body>
struct ForWorkers {
  Body body;
  std::uint32_t workers;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t worker) const { each<ExecSpace>(body, body.now(), worker, workers); }
};

template <class ExecSpace, class Body, class Value>
struct ReduceWorkers {
  Body body;
  std::uint32_t workers;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t worker, Value& sum) const {
    reduce<ExecSpace>(body, body.now(), worker, workers, sum);
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
    return threads;
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
