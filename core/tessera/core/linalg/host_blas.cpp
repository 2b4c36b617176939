// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/linalg/host_blas.hpp"

#include <sys/mman.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tessera/core/log/progress.hpp"
#include "tessera/core/memory_error.hpp"

// Weak: with another BLAS there is nothing to call, and nothing to fear.
extern "C" {
void openblas_set_num_threads(int) __attribute__((weak));
int openblas_get_num_threads() __attribute__((weak));
}

namespace tessera::linalg {

namespace {

constexpr std::size_t kBuffer = std::size_t{128} << 20;  // bytes, as OpenBLAS 0.3 asks for them

/// Returns whether there is address space for that many buffers, and gives it back.
bool has_room(int buffers) {
  std::vector<void*> taken;
  while (static_cast<int>(taken.size()) < buffers) {
    void* const buffer =
        mmap(nullptr, kBuffer, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED) break;
    taken.push_back(buffer);
  }
  for (void* const buffer : taken) munmap(buffer, kBuffer);
  return static_cast<int>(taken.size()) >= buffers;
}

/// Threads that OpenBLAS has started with the program, each of which asks for a buffer.
int started_threads() {
  return openblas_get_num_threads != nullptr ? openblas_get_num_threads() - 1 : 0;
}

/// Returns whether there is room for the buffers of the callers where there is not room for all: a
/// moment later too, when the threads that ask all the time have taken theirs.
bool has_room_in_the_end(int buffers) {
  if (!has_room(buffers)) return false;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return has_room(buffers);
}

void set_threads(int threads) {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
}

}  // namespace

void HostBlas::require_buffers(int callers) {
  static std::mutex mutex;
  static int known = 0;  // buffers that OpenBLAS has, which it keeps, or will get
  if (openblas_get_num_threads == nullptr) return;
  const std::lock_guard<std::mutex> lock(mutex);
  if (callers <= known) return;
  const int more = callers - known;
  if (!has_room(more + started_threads()) && !has_room_in_the_end(more)) {
    const std::string size = logging::bytes(kBuffer);
    throw MemoryError(
        Error(ErrorKind::resource,
              "there is no memory for OpenBLAS: " +
                  (callers == 1
                       ? "it needs a buffer of " + size
                       : std::to_string(callers) + " threads need a buffer of " + size + " each"),
              std::string("raise the limit of the process's address space (ulimit -v)") +
                  (callers == 1 ? "" : ", run with fewer threads") +
                  ", or use a machine with more memory"));
  }
  known = callers;
}

HostBlas::HostBlas()
    : m_threads(openblas_get_num_threads != nullptr ? openblas_get_num_threads() : 1) {
  require_buffers(1);
  set_threads(1);
}

HostBlas::~HostBlas() { set_threads(m_threads); }

int end_host_blas(int exit_code) {
  if (has_room(started_threads())) return exit_code;
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(exit_code);
}

}  // namespace tessera::linalg
