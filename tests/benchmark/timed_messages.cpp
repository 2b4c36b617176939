// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/benchmark/timed_messages.hpp"

#include <utility>

#include "tests/benchmark/cases.hpp"

#ifdef TESSERA_HAVE_MPI

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tessera/core/parallel/mpi_transport.hpp"

namespace tessera::bench {

namespace {

MessageTotals& totals() {
  static MessageTotals instance;
  return instance;
}

/// Counts what MPI does.
class TimedTransport final : public parallel::Transport {
 public:
  int rank() const override { return m_mpi.rank(); }
  int size() const override { return m_mpi.size(); }
  bool takes_device_memory() const override { return m_mpi.takes_device_memory(); }
  void barrier() const override {
    count(0, [&] { m_mpi.barrier(); });
  }
  void broadcast(void* values, std::size_t bytes, int from) const override {
    count(bytes, [&] { m_mpi.broadcast(values, bytes, from); });
  }
  void all_gather(const void* own, void* all,
                  const std::vector<std::size_t>& bytes) const override {
    count(bytes[static_cast<std::size_t>(rank())], [&] { m_mpi.all_gather(own, all, bytes); });
  }
  void bring(void* values, std::size_t bytes, int from) const override {
    count(rank() == from ? bytes : 0, [&] { m_mpi.bring(values, bytes, from); });
  }
  std::int64_t min(std::int64_t value) const override {
    count(sizeof value, [&] { value = m_mpi.min(value); });
    return value;
  }
  std::int64_t max(std::int64_t value) const override {
    count(sizeof value, [&] { value = m_mpi.max(value); });
    return value;
  }
  void sum(std::uint64_t* values, std::size_t length) const override {
    count(length * sizeof *values, [&] { m_mpi.sum(values, length); });
  }
  void all_to_all(const std::int64_t* own, std::int64_t* from_all) const override {
    count(static_cast<std::size_t>(size()) * sizeof *own, [&] { m_mpi.all_to_all(own, from_all); });
  }
  void exchange(const std::vector<Message>& sent,
                const std::vector<Message>& received) const override {
    std::size_t bytes = 0;
    for (const Message& message : sent) bytes += message.bytes;
    count(bytes, [&] { m_mpi.exchange(sent, received); });
  }

 private:
  template <class Body>
  static void count(std::size_t bytes, const Body& body) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    body();
    totals() += {std::chrono::duration<double>(Clock::now() - start).count(), 1,
                 static_cast<double>(bytes)};
  }

  parallel::MpiTransport m_mpi;
};

}  // namespace

const parallel::Communicator& timed_ranks() {
  static const parallel::Communicator several =
      ranks().size() > 1 ? parallel::Communicator(std::make_shared<const TimedTransport>())
                         : parallel::Communicator();
  return several;
}

MessageTotals take_message_totals() { return std::exchange(totals(), {}); }

}  // namespace tessera::bench

#else

namespace tessera::bench {

const parallel::Communicator& timed_ranks() { return ranks(); }

MessageTotals take_message_totals() { return {}; }

}  // namespace tessera::bench

#endif
