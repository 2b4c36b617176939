// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/core/parallel/transport.hpp"

namespace tessera::parallel {

/// Messages by MPI, among all ranks of MPI_COMM_WORLD. The first starts MPI where it does not run
/// yet and ends it with itself. Waiting is bounded (see Communicator) and leaves the processor to
/// others after a while.
class MpiTransport final : public Transport {
 public:
  MpiTransport();
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  static bool is_running();

  int rank() const override { return m_rank; }
  int size() const override { return m_size; }
  bool takes_device_memory() const override { return m_takes_device_memory; }
  void barrier() const override;
  void broadcast(void* values, std::size_t bytes, int from) const override;
  void all_gather(const void* own, void* all, const std::vector<std::size_t>& bytes) const override;
  void bring(void* values, std::size_t bytes, int from) const override;
  std::int64_t min(std::int64_t value) const override;
  std::int64_t max(std::int64_t value) const override;
  void sum(std::uint64_t* values, std::size_t count) const override;
  void all_to_all(const std::int64_t* own, std::int64_t* from_all) const override;
  void exchange(const std::vector<Message>& sent,
                const std::vector<Message>& received) const override;

  /// Tells whether every rank calls this within so many seconds. It is independent of all other
  /// messages.
  bool all_come(double seconds) const;

  /// Ends all ranks.
  [[noreturn]] void abort(int exit_code) const;

 private:
  enum class Reduction { least, largest };
  std::int64_t reduce(Reduction reduction, std::int64_t value) const;

  /// Waits for an MPI_Request.
  void wait(void* request) const;

  struct Communicators;
  std::unique_ptr<Communicators> m_communicators;
  int m_rank = 0, m_size = 1;
  bool m_started = false, m_takes_device_memory = false;
  double m_timeout;   // seconds
  double m_busy = 0;  // too: how long a wait is busy
};

}  // namespace tessera::parallel
