// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

/// Memory of the GPU that Kokkos computes on. Without CUDA in the build there is none, and every
/// call throws Error (resource).
namespace tessera::python {

/// Allocates memory. Throws Error (resource) when there is not as much. The memory may be freed at
/// any time, also behind the end of Kokkos.
void* allocate_on_device(std::size_t bytes);
void free_on_device(void* memory) noexcept;

/// Returns whether this is memory that the GPU of Kokkos reaches.
bool is_reachable(const void* memory);

/// Throws Error (input) unless it is.
void require_on_device(const void* memory);

/// Waits for what a CUDA stream has been given so far.
void wait_for_stream(std::uintptr_t stream);

/// The number of the GPU.
int device_number();

/// Copies from the memory of any GPU, and to it.
void copy_from_device(void* host, const void* device, std::size_t bytes);
void copy_to_device(void* device, const void* host, std::size_t bytes);

}  // namespace tessera::python
