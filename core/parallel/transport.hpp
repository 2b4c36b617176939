// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::parallel {

/// How several ranks exchange bytes: what a Communicator is built on. Every rank makes the same calls in the same order.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  virtual void barrier() const = 0;
  virtual void broadcast(void* values, std::size_t bytes, int from) const = 0;
  /// `bytes[r]` of each rank, one rank after another.
  virtual void all_gather(const void* own, void* all, const std::vector<std::size_t>& bytes) const = 0;
  /// The first rank gets the bytes of rank `from`; all others return at once.
  virtual void bring(void* values, std::size_t bytes, int from) const = 0;
  virtual std::int64_t min(std::int64_t value) const = 0;
  virtual std::int64_t max(std::int64_t value) const = 0;
};

}  // namespace tessera::parallel
