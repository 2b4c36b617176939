// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/backend.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"

namespace tessera {

namespace {

/// The number after `key:` in a file of lines like "MemAvailable:  123 kB", or `missing`.
std::uint64_t value_in(const char* path, const std::string& key, std::uint64_t missing) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) == 0) {
      std::istringstream words(line.substr(key.size()));
      std::uint64_t value = 0;
      if (words >> value) return value;
    }
  }
  return missing;
}

std::string text_after(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (line.rfind(key, 0) == 0 && colon != std::string::npos)
      return line.substr(std::min(colon + 2, line.size()));
  }
  return {};
}

std::uint64_t first_number(const char* path, std::uint64_t missing) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : missing;  // a control group without a limit says "max"
}

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t available_host_memory() {
  const std::uint64_t system = value_in("/proc/meminfo", "MemAvailable:", kUnlimited >> 10) << 10;
  const std::uint64_t group_limit = first_number("/sys/fs/cgroup/memory.max", kUnlimited);
  const std::uint64_t group_used = first_number("/sys/fs/cgroup/memory.current", 0);
  const std::uint64_t group =
      group_limit == kUnlimited ? kUnlimited : group_limit - std::min(group_limit, group_used);
  std::uint64_t process = kUnlimited;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const std::uint64_t used = value_in("/proc/self/status", "VmSize:", 0) << 10;
    process = limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
  }
  return std::min({system, group, process});
}

std::uint64_t kilobytes_in(const char* path, const std::string& key) {
  return value_in(path, key, 0) << 10;
}

#ifdef KOKKOS_ENABLE_CUDA
bool cuda_device_present() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}
#endif

std::string list(const std::vector<Backend>& backends) {
  std::string text;
  for (const Backend backend : backends) text += (text.empty() ? "" : ", ") + to_string(backend);
  return text;
}

}  // namespace

std::string to_string(Backend backend) {
  switch (backend) {
    case Backend::serial:
      return "serial";
    case Backend::openmp:
      return "openmp";
    case Backend::cuda:
      return "cuda";
  }
  return "unknown";
}

std::vector<Backend> compiled_backends() {
  std::vector<Backend> backends;
#ifdef TESSERA_HAVE_SERIAL
  backends.push_back(Backend::serial);
#endif
#ifdef TESSERA_HAVE_OPENMP
  backends.push_back(Backend::openmp);
#endif
#ifdef TESSERA_HAVE_CUDA
  backends.push_back(Backend::cuda);
#endif
  return backends;
}

Backend choose_backend(const std::string& name) {
  const std::vector<Backend> compiled = compiled_backends();
  if (name == "auto") {
    Backend best = compiled.back();
#ifdef KOKKOS_ENABLE_CUDA
    if (best == Backend::cuda && !cuda_device_present() && compiled.size() > 1)
      best = compiled[compiled.size() - 2];
#endif
    return best;
  }
  for (const Backend backend : {Backend::serial, Backend::openmp, Backend::cuda}) {
    if (name != to_string(backend)) continue;
    if (std::find(compiled.begin(), compiled.end(), backend) != compiled.end()) return backend;
    throw Error(ErrorKind::input,
                "backend '" + name + "' is not in this executable, which has: " + list(compiled),
                "choose one of those, or build with a Kokkos that has it");
  }
  throw Error(ErrorKind::input, "unknown backend '" + name + "'",
              "choose auto, or one of those in this executable: " + list(compiled));
}

std::string device_name(Backend backend) {
#ifdef KOKKOS_ENABLE_CUDA
  if (backend == Backend::cuda) {
    int device = 0;
    cudaDeviceProp properties{};
    if (cudaGetDevice(&device) == cudaSuccess &&
        cudaGetDeviceProperties(&properties, device) == cudaSuccess)
      return properties.name;
    return "unknown CUDA device";
  }
#endif
  std::string name = text_after("/proc/cpuinfo", "model name");
  if (name.empty()) name = "CPU";
  int threads = 1;
#ifdef KOKKOS_ENABLE_OPENMP
  if (backend == Backend::openmp) threads = Kokkos::OpenMP().concurrency();
#endif
  static_cast<void>(backend);
  return name + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::uint64_t available_memory(Backend backend) {
#ifdef KOKKOS_ENABLE_CUDA
  if (backend == Backend::cuda) {
    std::size_t free = 0, total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : 0;
  }
#endif
  static_cast<void>(backend);
  return available_host_memory();
}

std::uint64_t host_memory_within_reach() {
  const std::uint64_t free =
      kilobytes_in("/proc/meminfo", "MemAvailable:") + kilobytes_in("/proc/meminfo", "SwapFree:");
  const std::uint64_t own =
      kilobytes_in("/proc/self/status", "VmRSS:") + kilobytes_in("/proc/self/status", "VmSwap:");
  const std::uint64_t system = free == 0 ? kUnlimited : free + own;  // 0: not a system that says it
  rlimit limit{};
  const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return std::min({system, first_number("/sys/fs/cgroup/memory.max", kUnlimited),
                   is_limited ? std::uint64_t{limit.rlim_cur} : kUnlimited});
}

}  // namespace tessera
