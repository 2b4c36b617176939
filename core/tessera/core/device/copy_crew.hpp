// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

namespace tessera {

/// Threads that copy pieces of memory on the host, each of them a slice of every piece: one thread
/// alone is slower than memory, and than the bus to a GPU. At most kAhead pieces may be given and
/// not waited for.
///
///     CopyCrew crew(4);           // throws std::system_error where threads cannot be had
///     crew.give(to, from, size);  // piece 0
///     crew.wait(0);
class CopyCrew {
 public:
  static constexpr int kAhead = 2;

  explicit CopyCrew(int threads) {
    try {
      for (int t = 0; t < threads; ++t)
        m_threads.emplace_back([this, t, threads] { work(t, threads); });
    } catch (...) {
      dismiss();
      throw;
    }
  }
  ~CopyCrew() { dismiss(); }
  CopyCrew(const CopyCrew&) = delete;
  CopyCrew& operator=(const CopyCrew&) = delete;

  /// Hands over the next piece; pieces are numbered from 0.
  void give(void* to, const void* from, std::size_t bytes) {
    const int piece = m_given.load(std::memory_order_relaxed);
    m_pieces[piece % kAhead] = {static_cast<char*>(to), static_cast<const char*>(from), bytes};
    m_given.store(piece + 1, std::memory_order_release);
    m_given.notify_all();
  }

  /// Waits until a piece is copied.
  void wait(int piece) const {
    const std::atomic<int>& slices = m_done[piece % kAhead];
    const int all = (piece / kAhead + 1) * static_cast<int>(m_threads.size());
    for (int done = slices.load(std::memory_order_acquire); done < all;
         done = slices.load(std::memory_order_acquire))
      slices.wait(done);
  }

 private:
  struct Piece {
    char* to;
    const char* from;  ///< none: there is nothing more to do
    std::size_t bytes;
  };

  void work(int thread, int threads) {
    for (int piece = 0;; ++piece) {
      for (int given = m_given.load(std::memory_order_acquire); given <= piece;
           given = m_given.load(std::memory_order_acquire))
        m_given.wait(given);
      const Piece& now = m_pieces[piece % kAhead];
      if (now.from == nullptr) return;
      constexpr std::size_t kLine = 64;
      const std::size_t slice = (now.bytes / static_cast<std::size_t>(threads) / kLine + 1) * kLine,
                        begin = std::min(now.bytes, slice * static_cast<std::size_t>(thread)),
                        end = std::min(now.bytes, begin + slice);
      std::memcpy(now.to + begin, now.from + begin, end - begin);
      m_done[piece % kAhead].fetch_add(1, std::memory_order_release);
      m_done[piece % kAhead].notify_one();
    }
  }

  void dismiss() {
    give(nullptr, nullptr, 0);
    for (std::thread& thread : m_threads) thread.join();
  }

  Piece m_pieces[kAhead] = {};  ///< the last ones
  std::atomic<int> m_given{0};
  std::atomic<int> m_done[kAhead] = {};  ///< slices of all pieces that had a place
  std::vector<std::thread> m_threads;
};

}  // namespace tessera
