// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/core/parallel/list_lengths.hpp"

namespace tessera::parallel {

/// Lists in device memory that go from each rank to each other, in the order of an execution space.
/// By NCCL where it was found, else by MPI where that is GPU-aware, else through the host. Every
/// rank makes the same calls. Copies share what connects the devices.
///
/// Example (tests/unit/device_exchange.cpp):
///
///     const DeviceExchange<ExecSpace> exchange(exec, ranks());
///     exchange(sent.data(), going, received.data(), coming);
template <class ExecSpace>
class DeviceExchange {
 public:
  /// Throws Error (resource) when NCCL cannot connect the devices.
  DeviceExchange(const ExecSpace& exec, const Communicator& ranks);

  /// `going[r]` elements of `sent` to rank r, one list after another, and `coming[r]` from there;
  /// both ends know how long the lists are. What goes from a rank to itself is copied. May return
  /// before the lists are there: what the execution space is given next finds them.
  template <class T>
  void operator()(const T* sent, const std::vector<std::size_t>& going, T* received,
                  const std::vector<std::size_t>& coming) const {
    static_assert(std::is_trivially_copyable_v<T>);
    send_bytes(sent, in_bytes(going, sizeof(T)), received, in_bytes(coming, sizeof(T)));
  }

  /// How lists travel: "NCCL 2.27", "GPU-aware MPI", "the host".
  std::string path() const;

 private:
  void send_bytes(const void* sent, const std::vector<std::size_t>& going, void* received,
                  const std::vector<std::size_t>& coming) const;

  struct State;
  std::shared_ptr<State> m_state;
};

}  // namespace tessera::parallel
