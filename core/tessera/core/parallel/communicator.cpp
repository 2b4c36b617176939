// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/parallel/communicator.hpp"

#include <algorithm>

#include "tessera/core/parallel/transport.hpp"

namespace tessera::parallel {

int Communicator::rank() const { return m_transport ? m_transport->rank() : 0; }

int Communicator::size() const { return m_transport ? m_transport->size() : 1; }

Range Communicator::share_of(int rank, std::int64_t n, std::int64_t block) const {
  const std::int64_t blocks = (n + block - 1) / block, each = blocks / size(),
                     more = blocks % size();
  const auto begin_of = [&](std::int64_t r) {
    return std::min(n, (r * each + std::min(r, more)) * block);
  };
  return {begin_of(rank), begin_of(rank + 1)};
}

bool Communicator::takes_device_memory() const {
  return m_transport && m_transport->takes_device_memory();
}

void Communicator::barrier() const {
  if (m_transport) m_transport->barrier();
}

void Communicator::broadcast_bytes(void* values, std::size_t bytes, int from) const {
  m_transport->broadcast(values, bytes, from);
}

void Communicator::bring_bytes(void* values, std::size_t bytes, int from) const {
  m_transport->bring(values, bytes, from);
}

std::vector<std::size_t> Communicator::sizes_of_all(std::size_t own) const {
  std::vector<std::size_t> sizes(static_cast<std::size_t>(size()));
  m_transport->all_gather(&own, sizes.data(), std::vector<std::size_t>(sizes.size(), sizeof own));
  return sizes;
}

void Communicator::all_gather_bytes(const void* own, void* all,
                                    const std::vector<std::size_t>& bytes) const {
  m_transport->all_gather(own, all, bytes);
}

std::vector<std::string> Communicator::all_gather(const std::string& own) const {
  if (size() == 1) return {own};
  const std::vector<std::size_t> lengths = sizes_of_all(own.size());
  std::string all(sum_of(lengths), '\0');
  all_gather_bytes(own.data(), all.data(), lengths);
  std::vector<std::string> texts;
  std::size_t begin = 0;
  for (const std::size_t length : lengths) {
    texts.push_back(all.substr(begin, length));
    begin += length;
  }
  return texts;
}

std::int64_t Communicator::min(std::int64_t value) const {
  return m_transport ? m_transport->min(value) : value;
}

std::int64_t Communicator::max(std::int64_t value) const {
  return m_transport ? m_transport->max(value) : value;
}

void Communicator::sum(std::vector<std::uint64_t>& values) const {
  if (m_transport) m_transport->sum(values.data(), values.size());
}

void Communicator::words_to_all(const std::int64_t* own, std::int64_t* from_all) const {
  m_transport->all_to_all(own, from_all);
}

void Communicator::exchange_bytes(const void* sent, const std::vector<std::size_t>& going,
                                  void* received, const std::vector<std::size_t>& coming) const {
  const auto own = static_cast<std::size_t>(rank());
  std::copy_n(static_cast<const char*>(sent) + begin_of(going, own), going[own],
              static_cast<char*>(received) + begin_of(coming, own));
  exchange_bytes_with_others(sent, going, received, coming);
}

void Communicator::exchange_bytes_with_others(const void* sent,
                                              const std::vector<std::size_t>& going, void* received,
                                              const std::vector<std::size_t>& coming) const {
  std::vector<Transport::Message> to, from;
  // messages go both ways; those that are sent are only read
  auto* out = static_cast<char*>(const_cast<void*>(sent));
  auto* in = static_cast<char*>(received);
  for (int r = 0; r < size(); ++r) {
    const std::size_t leaving = going[static_cast<std::size_t>(r)],
                      arriving = coming[static_cast<std::size_t>(r)];
    if (r != rank() && leaving > 0) to.push_back({r, out, leaving});
    if (r != rank() && arriving > 0) from.push_back({r, in, arriving});
    out += leaving;
    in += arriving;
  }
  if (m_transport) m_transport->exchange(to, from);
}

void Communicator::share_error(std::optional<Error>& error, int from) const {
  std::int64_t head[2] = {error ? error->exit_code() : 0,
                          error ? static_cast<std::int64_t>(std::string(error->what()).size()) : 0};
  broadcast(head, 2, from);
  if (head[0] == 0) return;
  std::string text = error ? error->what() : "";
  text.resize(static_cast<std::size_t>(head[1]));
  broadcast(text.data(), text.size(), from);
  error = Error(static_cast<ErrorKind>(head[0]), text);
}

}  // namespace tessera::parallel
