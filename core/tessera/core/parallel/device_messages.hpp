// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tessera/core/parallel/communicator.hpp"

namespace tessera::parallel {

/// One way by which arrays travel from device to device. DeviceMessages chooses it, and says what
/// the calls do.
class DevicePath {
 public:
  virtual ~DevicePath() = default;

  virtual std::string name() const = 0;

  /// Exchanges lists whose lengths are in bytes.
  virtual void exchange(const void* sent, const std::vector<std::size_t>& going, void* received,
                        const std::vector<std::size_t>& coming) = 0;

  virtual void start_broadcast(double* values, std::size_t count, int from) = 0;
  virtual void finish_broadcast() = 0;
};

/// Messages of arrays in device memory among ranks, in the order of an execution space: a message
/// comes behind what `exec` was given so far, and what `exec` is given next finds its values. They
/// go by NCCL where it was found, else by MPI where that is GPU-aware, else through the host. Every
/// rank makes the same calls. Copies share the connection of the devices.
///
/// Example (tests/unit/device_messages.cpp):
///
///     DeviceMessages messages(exec, ranks());
///     messages.exchange(sent.data(), going, received.data(), coming);
///     messages.start_broadcast(panel.data(), panel.size(), 0);
///     // what exec is given here runs meanwhile
///     messages.finish_broadcast();
class DeviceMessages {
 public:
  /// Throws Error (resource) when NCCL cannot connect the devices.
  template <class ExecSpace>
  DeviceMessages(const ExecSpace& exec, const Communicator& ranks);

  /// Sends `going[r]` elements of `sent` to rank r, one list after another, and receives
  /// `coming[r]` from there; both ends know how long the lists are. What goes from a rank to itself
  /// is copied. The call may return before the lists are there.
  template <class T>
  void exchange(const T* sent, const std::vector<std::size_t>& going, T* received,
                const std::vector<std::size_t>& coming) const {
    static_assert(std::is_trivially_copyable_v<T>);
    m_path->exchange(sent, in_bytes(going, sizeof(T)), received, in_bytes(coming, sizeof(T)));
  }

  /// Starts to send the values of rank `from` to every rank. `exec` goes on with other work, and
  /// leaves the array alone until the broadcast is finished. One broadcast is under way at a time.
  /// By MPI all of it happens in finish_broadcast.
  void start_broadcast(double* values, std::size_t count, int from) {
    m_path->start_broadcast(values, count, from);
  }

  /// Lets the work that `exec` is given after this call find the values. The host may return
  /// earlier.
  void finish_broadcast() { m_path->finish_broadcast(); }

  /// Names the path of the messages: "NCCL 2.27", "GPU-aware MPI", "the host".
  std::string path() const { return m_path->name(); }

 private:
  std::shared_ptr<DevicePath> m_path;
};

/// The path by NCCL. It is compiled for CUDA where NCCL was found (device_messages_nccl.cpp).
template <class ExecSpace>
std::shared_ptr<DevicePath> connect_by_nccl(const ExecSpace& exec, const Communicator& ranks);

}  // namespace tessera::parallel
