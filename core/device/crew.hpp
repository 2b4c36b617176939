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

/// One thread of a kernel on a CPU in which all threads of the execution space work at the same time and may wait for each other. A meeting
/// takes a fraction of the time of a kernel's beginning and end, so many short loops, one after the other, go into one kernel.
class Crew {
 public:
  /// A number on a line of the cache for itself.
  struct Counter {
    alignas(64) std::atomic<std::uint32_t> number{0};
  };

  /// Where the threads of one kernel meet.
  struct Meeting {
    explicit Meeting(std::uint32_t size) : taken(2 * std::size_t(size)) {}
    Counter arrived, meetings;
    std::vector<Counter> taken;  ///< pieces of each thread that have been taken: of loops with even and with odd numbers
  };

  Crew(Meeting& meeting, std::uint32_t rank, std::uint32_t size) : m_meeting(&meeting), m_rank(rank), m_size(size) {}

  std::uint32_t rank() const { return m_rank; }
  std::uint32_t size() const { return m_size; }

  /// Shares a loop: a thread does its own pieces and then what others have left of theirs, for cores are not equally fast.
  /// `pieces_of(rank)` are those of a thread, with count() and [i]; each goes to do_piece(piece) once. All threads come to this, and meet
  /// before the next.
  template <class PiecesOf, class DoPiece>
  void share(const PiecesOf& pieces_of, const DoPiece& do_piece) {
    Counter* const taken = m_meeting->taken.data() + (m_loops % 2) * m_size;
    Counter* const of_next_loop = m_meeting->taken.data() + (++m_loops % 2) * m_size;
    of_next_loop[m_rank].number.store(0, std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < m_size; ++i) {
      const std::uint32_t owner = m_rank + i < m_size ? m_rank + i : m_rank + i - m_size;
      const auto pieces = pieces_of(owner);
      std::atomic<std::uint32_t>& next = taken[owner].number;
      while (next.load(std::memory_order_relaxed) < pieces.count()) {
        const std::uint32_t mine = next.fetch_add(1, std::memory_order_relaxed);
        if (mine < pieces.count()) do_piece(pieces[mine]);
      }
    }
  }

  /// Returns when all have come; what any of them has written is seen by all afterwards.
  void wait() const {
    wait([] {});
  }

  /// The same; the last to come calls `last` before any returns.
  template <class Last>
  void wait(const Last& last) const {
    const std::uint32_t before = m_meeting->meetings.number.load(std::memory_order_relaxed);
    if (m_meeting->arrived.number.fetch_add(1, std::memory_order_acq_rel) + 1 == m_size) {
      m_meeting->arrived.number.store(0, std::memory_order_relaxed);
      last();
      m_meeting->meetings.number.store(before + 1, std::memory_order_release);
    } else {
      for (int turns = 0; m_meeting->meetings.number.load(std::memory_order_acquire) == before; ++turns) pause(turns);
    }
  }

 private:
  /// For some tens of microseconds a thread keeps its core; then others may need it, such as one of the crew where there are more than
  /// cores.
  static void pause(int turns) {
    constexpr int kPatience = 1024;
    if (turns >= kPatience) {
      std::this_thread::yield();
    } else {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }

  Meeting* m_meeting;
  std::uint32_t m_rank, m_size;
  std::uint32_t m_loops = 0;
};

namespace detail {

template <class Work>
struct CrewMember {
  Work work;
  Crew::Meeting* meeting;
  std::uint32_t size;

  void operator()(std::uint32_t rank) const {
    // With fewer threads than were asked for, which OpenMP may give, one does it all: threads must not wait for one that has not begun.
    std::uint32_t members = size;
#ifdef KOKKOS_ENABLE_OPENMP
    if (size > 1 && static_cast<std::uint32_t>(omp_get_num_threads()) != size) members = 1;
#endif
    if (rank >= members) return;
    Crew crew(*meeting, rank, members);
    work(crew);
  }
};

}  // namespace detail

/// Threads that a kernel of this space has on a CPU. One in a parallel region of the caller.
template <class ExecSpace>
std::uint32_t crew_size(const ExecSpace& exec) {
#ifdef KOKKOS_ENABLE_OPENMP
  if (omp_in_parallel()) return 1;
#endif
  return static_cast<std::uint32_t>(exec.concurrency());
}

/// Calls work(crew) once in each thread of a CPU, and returns when all are done. `work` may hold no more meetings than every thread comes
/// to.
template <class ExecSpace, class Work>
void run_crew(const std::string& label, const ExecSpace& exec, const Work& work) {
  static_assert(!compat::is_gpu_v<ExecSpace>, "threads of a GPU meet otherwise");
  const std::uint32_t size = crew_size(exec);
  Crew::Meeting meeting(size);
  const Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>> threads(exec, 0, size);
  Kokkos::parallel_for(label, threads, detail::CrewMember<Work>{work, &meeting, size});
  exec.fence();
}

}  // namespace tessera
