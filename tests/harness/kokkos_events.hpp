// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::test {

/// Something that Kokkos was asked to do, as its tools interface reports it.
struct KokkosEvent {
  enum class Kind { parallel_for, parallel_reduce, parallel_scan, allocation, fence };

  Kind kind;
  std::string label;  ///< of the kernel, the View or the fence
  /// Device and execution-space instance of a kernel or a fence, as `instance_id` has it
  std::uint32_t instance = 0;

  bool is_kernel() const { return kind != Kind::allocation && kind != Kind::fence; }
};

/// Returns the calls of Kokkos while `work` runs, in order. Replaces the callbacks of a tool that
/// is loaded.
std::vector<KokkosEvent> record_events(const std::function<void()>& work);

/// Returns whether fences are reported; older versions of Kokkos do not report them.
constexpr bool fences_are_reported() { return KOKKOS_VERSION >= 40000; }

/// Returns whether an event is a fence of a whole device: Kokkos::fence(), or a deep_copy or an
/// allocation without an execution-space instance.
bool is_global_fence(const KokkosEvent& event);

/// Returns whether an event is a fence that Kokkos makes by itself before it gives the memory of a
/// View back.
bool is_deallocation_fence(const KokkosEvent& event);

/// The instance of an execution space, as events name it.
template <class ExecSpace>
std::uint32_t instance_id(const ExecSpace& exec) {
  return Kokkos::Tools::Experimental::device_id(exec);
}

/// The labels of kernels and Views that do not say what they belong to: they begin neither with
/// "tessera::" nor with a name of Kokkos' own.
std::vector<std::string> foreign_labels(const std::vector<KokkosEvent>& events);

}  // namespace tessera::test
