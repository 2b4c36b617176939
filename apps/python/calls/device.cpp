// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/device.hpp"

#include <string>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"

namespace tessera::python {

#ifdef TESSERA_HAVE_CUDA

namespace {

void check(cudaError_t status, const std::string& doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw Error(ErrorKind::resource, doing + ": " + cudaGetErrorString(status));
}

cudaPointerAttributes attributes_of(const void* memory) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "cannot tell where an array lies");
  return attributes;
}

}  // namespace

void* allocate_on_device(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes > 0)
    check(cudaMalloc(&memory, bytes),
          "cannot allocate " + std::to_string(bytes) + " bytes on the GPU");
  return memory;
}

void free_on_device(void* memory) noexcept { cudaFree(memory); }

bool is_reachable(const void* memory) {
  if (memory == nullptr) return true;  // of an array without elements
  const cudaPointerAttributes attributes = attributes_of(memory);
  return attributes.type == cudaMemoryTypeManaged ||
         (attributes.type == cudaMemoryTypeDevice && attributes.device == device_number());
}

void require_on_device(const void* memory) {
  if (is_reachable(memory)) return;
  const cudaPointerAttributes attributes = attributes_of(memory);
  throw Error(ErrorKind::input,
              attributes.type == cudaMemoryTypeDevice
                  ? "an array lies on GPU " + std::to_string(attributes.device) +
                        ", and computations run on GPU " + std::to_string(device_number())
                  : std::string("an array that says that it lies on a GPU does not"),
              "copy it there, or give a NumPy array");
}

void wait_for_stream(std::uintptr_t stream) {
  check(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream)),
        "cannot wait for the stream of an array");
}

int device_number() {
  int device = 0;
  check(cudaGetDevice(&device), "cannot tell the GPU");
  return device;
}

void copy_from_device(void* host, const void* device, std::size_t bytes) {
  check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "cannot copy from the GPU");
}

void copy_to_device(void* device, const void* host, std::size_t bytes) {
  check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "cannot copy to the GPU");
}

#else

namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::resource, "an array lies on a GPU, and this build has no backend 'cuda'",
              "give a NumPy array, or build with a Kokkos that has CUDA");
}

}  // namespace

void* allocate_on_device(std::size_t) { refuse(); }
void free_on_device(void*) noexcept {}
bool is_reachable(const void*) { refuse(); }
void require_on_device(const void*) { refuse(); }
void wait_for_stream(std::uintptr_t) { refuse(); }
int device_number() { refuse(); }
void copy_from_device(void*, const void*, std::size_t) { refuse(); }
void copy_to_device(void*, const void*, std::size_t) { refuse(); }

#endif

}  // namespace tessera::python
