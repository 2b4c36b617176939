// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/memory.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/core/memory_error.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESSERA_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TESSERA_ADDRESS_SANITIZER
#endif

#ifdef TESSERA_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>

/// An allocation that is too large fails as it does without the sanitizer, which would end the
/// program.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif

namespace tessera {

namespace {

struct Usage {
  std::uint64_t held = 0, peak = 0;
};

// Kokkos calls plain functions, which can reach nothing but a global.
std::mutex g_mutex;
std::map<std::string, Usage> g_usage;

/// Memory that could not be had: how much, what for, and where.
struct Request {
  std::string bytes, label, space;
};

Error refuse(const Request& request) {
  const std::string size = request.bytes.empty() ? "memory" : request.bytes;
  const bool on_host = request.space.empty() || request.space == "Host";
  return {ErrorKind::resource,
          "cannot allocate " + size +
              (request.label.empty() ? "" : " for '" + request.label + "'") +
              (on_host ? "" : " in the memory space " + request.space),
          std::string("make the problem smaller, or use a ") + (on_host ? "machine" : "device") +
              " with more memory"};
}

void ignore_leak([[maybe_unused]] const void* memory) {
#ifdef TESSERA_ADDRESS_SANITIZER
  __lsan_ignore_object(memory);
#endif
}

void note_allocation(const Kokkos::Tools::SpaceHandle space, const char* label, const void* array,
                     const std::uint64_t size) {
  constexpr std::uint64_t kLarge = std::uint64_t{64} << 20;  // worth a look at what there is
  const std::lock_guard<std::mutex> lock(g_mutex);
  Usage& usage = g_usage[space.name];
  if (size >= kLarge && std::string(space.name) == Kokkos::HostSpace::name() &&
      usage.held + size > host_memory_within_reach()) {
    ignore_leak(array);  // Kokkos does not free it after an exception
    throw MemoryError(refuse({logging::bytes(size), label, space.name}));
  }
  usage.held += size;
  usage.peak = compat::max(usage.peak, usage.held);
}

void note_deallocation(const Kokkos::Tools::SpaceHandle space, const char*, const void*,
                       const std::uint64_t size) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  Usage& usage = g_usage[space.name];
  usage.held -= compat::min(usage.held, size);
}

/// Returns the text between the first `before` and the next `after`; empty when there is none.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t start = text.find(before);
  if (start == std::string::npos) return {};
  const std::size_t begin = start + before.size(), end = text.find(after, begin);
  return end == std::string::npos ? std::string() : text.substr(begin, end - begin);
}

/// "64 G" or "64 GiB", as Kokkos writes 2^36 bytes, in this program's units.
std::string read_size(const std::string& text) {
  char* unit = nullptr;
  double bytes = std::strtod(text.c_str(), &unit);
  if (unit == text.c_str()) return {};
  const std::size_t power =
      std::string(" KMGT").find(unit[0] == ' ' && unit[1] != 'B' ? unit[1] : ' ');
  for (std::size_t i = 0; power != std::string::npos && i < power; ++i) bytes *= 1024;
  return bytes < 1e19 ? logging::bytes(static_cast<std::uint64_t>(bytes)) : text;
}

/// Parses what Kokkos says in a std::runtime_error about an allocation that failed: until 4.5
/// "Kokkos failed to allocate memory for label "A". Allocation using MemorySpace named "Host"
/// failed with the following error:  Allocation of size 64 G failed", then "Kokkos ERROR: Host
/// memory space failed to allocate 64 GiB (label="A").".
std::optional<Request> parse_kokkos_message(const std::string& text) {
  if (text.find("Kokkos failed to allocate memory for label \"") != std::string::npos) {
    return Request{read_size(between(text, "Allocation of size ", " failed")),
                   between(text, "for label \"", "\".  "),
                   between(text, "MemorySpace named \"", "\"")};
  }
  if (text.find("memory space failed to allocate ") != std::string::npos) {
    return Request{read_size(between(text, "failed to allocate ", " (")),
                   between(text, "(label=\"", "\")"),
                   between(text, "Kokkos ERROR: ", " memory space")};
  }
  if (text.find("cudaErrorMemoryAllocation") != std::string::npos) return Request{"", "", "Cuda"};
  return {};
}

}  // namespace

std::optional<Error> find_memory_error(const std::exception& failure, const std::string& doing) {
  if (dynamic_cast<const Error*>(&failure) != nullptr) return {};
  if (const auto* const known = dynamic_cast<const MemoryError*>(&failure)) return known->error();
  if (const auto request = parse_kokkos_message(failure.what())) return refuse(*request);
  const std::string when = doing.empty() ? "" : " " + doing;
  if (dynamic_cast<const std::length_error*>(&failure) != nullptr) {
    return Error(
        ErrorKind::resource,
        "more values than memory can hold were asked for" + when + " (" + failure.what() + ")",
        "make the problem smaller");
  }
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) {
    return Error(ErrorKind::resource, "out of memory" + when,
                 "make the problem smaller, or use a machine with more memory");
  }
  return {};
}

void require_host_memory(double bytes, const std::string& purpose, const std::string& remedy) {
  const std::uint64_t there = host_memory_within_reach();
  if (bytes <= static_cast<double>(there)) return;
  throw Error(ErrorKind::resource,
              purpose + " need " + logging::si(bytes) + "B of memory, and there are " +
                  logging::bytes(there),
              remedy);
}

void watch_memory() {
  if (Kokkos::Profiling::profileLibraryLoaded()) return;
  Kokkos::Tools::Experimental::set_allocate_data_callback(note_allocation);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(note_deallocation);
}

std::vector<std::pair<std::string, std::uint64_t>> peak_memory() {
  std::vector<std::pair<std::string, std::uint64_t>> peaks;
  {
    const std::lock_guard<std::mutex> lock(g_mutex);
    for (const auto& [space, usage] : g_usage) peaks.emplace_back(space, usage.peak);
  }
  rusage process{};
  getrusage(RUSAGE_SELF, &process);
  peaks.emplace_back("process", static_cast<std::uint64_t>(process.ru_maxrss) << 10);
  return peaks;
}

}  // namespace tessera
