// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"

#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace tessera {

/// A persistent team of CPU threads with a spin barrier and work stealing, as one of its threads
/// sees it. All threads of an execution space run at the same time in one kernel and may wait for
/// each other. A barrier costs a fraction of a kernel launch, so a sequence of many short loops
/// runs in one kernel.
///
///     parallel_region("my loops", exec, [&](ThreadTeam& team) {
///       team.for_dynamic(list_chunks, body);
///       team.barrier();
///     });
class ThreadTeam {
 public:
  /// A counter on a cache line of its own.
  struct Counter {
    alignas(64) std::atomic<std::uint32_t> number{0};
  };

  /// The state that the threads of one parallel region share.
  struct BarrierState {
    explicit BarrierState(std::uint32_t num_threads) : next_chunk(2 * std::size_t(num_threads)) {}
    Counter arrived, generation;
    std::vector<Counter> next_chunk;  ///< of each thread, for loops with even and with odd numbers
  };

  ThreadTeam(BarrierState& state, std::uint32_t thread_id, std::uint32_t num_threads)
      : m_state(&state), m_thread_id(thread_id), m_num_threads(num_threads) {}

  std::uint32_t thread_id() const { return m_thread_id; }
  std::uint32_t num_threads() const { return m_num_threads; }

  /// A loop with dynamic scheduling by work stealing: each thread runs its own chunks, then what is
  /// left of the other threads' chunks. `list_chunks(thread_id)` lists the chunks of a thread, with
  /// count() and operator[]; body(chunk) is called once for each. Every thread of the team must
  /// call this, and a barrier must follow before the next loop.
  template <class ListChunks, class Body>
  void for_dynamic(const ListChunks& list_chunks, const Body& body) {
    Counter* const next_chunk = m_state->next_chunk.data() + (m_loops % 2) * m_num_threads;
    Counter* const of_next_loop = m_state->next_chunk.data() + (++m_loops % 2) * m_num_threads;
    of_next_loop[m_thread_id].number.store(0, std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < m_num_threads; ++i) {
      const std::uint32_t owner =
          m_thread_id + i < m_num_threads ? m_thread_id + i : m_thread_id + i - m_num_threads;
      const auto chunks = list_chunks(owner);
      std::atomic<std::uint32_t>& next = next_chunk[owner].number;
      while (next.load(std::memory_order_relaxed) < chunks.count()) {
        const std::uint32_t mine = next.fetch_add(1, std::memory_order_relaxed);
        if (mine < chunks.count()) body(chunks[mine]);
      }
    }
  }

  /// Returns when all threads have arrived. What any of them wrote before is visible to all of them
  /// after.
  void barrier() const {
    barrier([] {});
  }

  /// Does the same; the last thread to arrive calls `last` before any thread returns.
  template <class Last>
  void barrier(const Last& last) const {
    const std::uint32_t before = m_state->generation.number.load(std::memory_order_relaxed);
    if (m_state->arrived.number.fetch_add(1, std::memory_order_acq_rel) + 1 == m_num_threads) {
      m_state->arrived.number.store(0, std::memory_order_relaxed);
      last();
      m_state->generation.number.store(before + 1, std::memory_order_release);
    } else {
      for (int spins = 0; m_state->generation.number.load(std::memory_order_acquire) == before;
           ++spins)
        pause(spins);
    }
  }

 private:
  /// Spins for some tens of microseconds, then yields the core: there may be more threads than
  /// cores.
  static void pause(int spins) {
    constexpr int kMaxSpins = 1024;
    if (spins >= kMaxSpins) {
      std::this_thread::yield();
    } else {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }

  BarrierState* m_state;
  std::uint32_t m_thread_id, m_num_threads;
  std::uint32_t m_loops = 0;
};

namespace detail {

template <class Work>
struct RunTeamThread {
  Work work;
  ThreadTeam::BarrierState* state;
  std::uint32_t num_threads;

  void operator()(std::uint32_t thread_id) const {
    // OpenMP may give fewer threads than were asked for. Then one thread does all the work: none
    // may wait for one that never starts.
    std::uint32_t running = num_threads;
#ifdef KOKKOS_ENABLE_OPENMP
    if (num_threads > 1 && static_cast<std::uint32_t>(omp_get_num_threads()) != num_threads)
      running = 1;
#endif
    if (thread_id >= running) return;
    ThreadTeam team(*state, thread_id, running);
    work(team);
  }
};

}  // namespace detail

/// Returns the number of threads of a parallel region on this execution space: one inside a
/// parallel region of the caller.
template <class ExecSpace>
std::uint32_t thread_team_size(const ExecSpace& exec) {
#ifdef KOKKOS_ENABLE_OPENMP
  if (omp_in_parallel()) return 1;
#endif
  return static_cast<std::uint32_t>(exec.concurrency());
}

/// Calls work(team) once on each thread of a CPU execution space and returns when all have
/// finished. Every thread must reach every barrier in `work`.
template <class ExecSpace, class Work>
void parallel_region(const std::string& label, const ExecSpace& exec, const Work& work) {
  static_assert(!compat::is_gpu_v<ExecSpace>,
                "a thread team is for CPUs; teams of a GPU meet at a GridBarrier");
  const std::uint32_t num_threads = thread_team_size(exec);
  ThreadTeam::BarrierState state(num_threads);
  const Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>> threads(exec, 0,
                                                                                 num_threads);
  Kokkos::parallel_for(label, threads, detail::RunTeamThread<Work>{work, &state, num_threads});
  exec.fence();
}

}  // namespace tessera
