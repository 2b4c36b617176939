// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// The backend decides where kernels run. An executable holds every backend that its Kokkos was
/// built with.
enum class Backend { serial, openmp, cuda };

/// "serial", "openmp" or "cuda".
std::string to_string(Backend backend);

/// The backends compiled into this executable, slowest first. Does not need Kokkos to run.
std::vector<Backend> compiled_backends();

/// Chooses from "auto", "serial", "openmp" or "cuda"; "auto" takes CUDA (if a device is present),
/// then OpenMP, then Serial. Throws an input error that lists what is there when the name is
/// unknown or the backend is missing.
Backend choose_backend(const std::string& name);

/// Name of the processor a backend runs on, e.g. "NVIDIA H200" or "AMD EPYC 9654, 16 threads".
/// Kokkos must be running.
std::string device_name(Backend backend);

/// Bytes that can still be allocated for a backend's memory space: free device memory, or the host
/// memory available to this process (system, control group and RLIMIT_AS).
std::uint64_t available_memory(Backend backend);

/// Bytes that this process could have in host memory at the most, those it has included: what no
/// process may count on that has allocated more and not used it yet.
std::uint64_t host_memory_within_reach();

}  // namespace tessera
