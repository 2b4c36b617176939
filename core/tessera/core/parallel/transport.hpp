// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::parallel {

/// The exchange of bytes among several ranks, which a Communicator is built on. Every rank makes
/// the same calls in the same order.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Tells whether `broadcast` and `exchange` take arrays in the memory of a device.
  virtual bool takes_device_memory() const = 0;

  virtual void barrier() const = 0;
  virtual void broadcast(void* values, std::size_t bytes, int from) const = 0;
  /// Gathers `bytes[r]` of each rank, one rank after another.
  virtual void all_gather(const void* own, void* all,
                          const std::vector<std::size_t>& bytes) const = 0;
  /// The first rank gets the bytes of rank `from`; all others return at once.
  virtual void bring(void* values, std::size_t bytes, int from) const = 0;
  virtual std::int64_t min(std::int64_t value) const = 0;
  virtual std::int64_t max(std::int64_t value) const = 0;

  /// Adds up element by element over the ranks, modulo 2^64.
  virtual void sum(std::uint64_t* values, std::size_t count) const = 0;

  /// Number r of `own` goes to rank r; number r of `from_all` has come from there.
  virtual void all_to_all(const std::int64_t* own, std::int64_t* from_all) const = 0;

  /// Bytes to or from another rank.
  struct Message {
    int rank;
    void* data;
    std::size_t bytes;
  };
  /// Sends and receives. Both ends know the lengths; at most one message goes from one rank to
  /// another.
  virtual void exchange(const std::vector<Message>& sent,
                        const std::vector<Message>& received) const = 0;
};

}  // namespace tessera::parallel
