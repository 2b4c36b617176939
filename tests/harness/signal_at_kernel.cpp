// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <mutex>

/// A tool of Kokkos that sends its own process SIGTERM at the beginning of the kernel with the
/// number TESSERA_TEST_SIGNAL_AT, from 1 on; 0 sends none. It writes the labels of the kernels to
/// the file TESSERA_TEST_KERNELS, a line each. Kokkos finds its functions by their names.

namespace {

std::mutex g_mutex;  // kernels may begin on several threads

void note_kernel(const char* label) {
  static const char* const name = std::getenv("TESSERA_TEST_KERNELS");
  static const char* const wanted = std::getenv("TESSERA_TEST_SIGNAL_AT");
  static std::ofstream file(name == nullptr ? "/dev/null" : name);
  static const std::uint64_t at = wanted == nullptr ? 0 : std::strtoull(wanted, nullptr, 10);
  static std::uint64_t kernels = 0;
  const std::lock_guard<std::mutex> lock(g_mutex);
  file << label << '\n';
  if (++kernels == at) std::raise(SIGTERM);
}

}  // namespace

extern "C" {

void kokkosp_begin_parallel_for(const char* label, std::uint32_t, std::uint64_t*) {
  note_kernel(label);
}
void kokkosp_begin_parallel_reduce(const char* label, std::uint32_t, std::uint64_t*) {
  note_kernel(label);
}
void kokkosp_begin_parallel_scan(const char* label, std::uint32_t, std::uint64_t*) {
  note_kernel(label);
}

}  // extern "C"
