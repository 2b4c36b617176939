// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gbees/detail/halo_phases.hpp"

namespace tessera::gbees::detail {

/// A list in device memory that gets longer at its end.
template <class T, class ExecSpace>
class DeviceList {
 public:
  void append(const ExecSpace& exec, const std::vector<T>& values) {
    const std::size_t size = m_size + values.size();
    if (size > m_memory.extent(0)) {
      const auto larger = allocate<decltype(m_memory)>(exec, "tessera::gbees::border", size + size / 2);
      copy(exec, larger.data(), m_memory.data(), m_size);
      exec.fence();
      m_memory = larger;
    }
    copy_from_host(exec, m_memory.data() + m_size, values.data(), values.size());
    m_size = size;
  }
  void clear() { m_size = 0; }
  std::size_t size() const { return m_size; }
  const T* data() const { return m_memory.data(); }

 private:
  Kokkos::View<T*, typename ExecSpace::memory_space> m_memory;
  std::size_t m_size = 0;
};

/// A cell of another rank, as it tells of it.
struct Ghost {
  std::uint64_t key;
  double mass;
};

/// What one rank knows of the others: which part of the cells each of them owns, which rows it exchanges with each of them, and the
/// messages themselves. Every rank makes the same calls in the same order. Ghosts are in rows capacity, capacity - 1, ...: which of them
/// comes from which rank, and towards which rows its faces lie, is listed on both ends in the same order.
template <int D, class ExecSpace>
class Halo {
 public:
  static constexpr bool is_gpu = compat::is_gpu_v<ExecSpace>;
  using Memory = typename ExecSpace::memory_space;
  using Keys = std::vector<std::uint64_t>;
  template <class T>
  using Lists = std::vector<DeviceList<T, ExecSpace>>;

  Halo(const ExecSpace& exec, const parallel::Communicator& ranks)
      : m_exec(exec),
        m_ranks(ranks),
        m_begin(static_cast<std::size_t>(ranks.size()), 0),
        m_own_rows(m_begin.size()),
        m_ghost_rows(m_begin.size()),
        m_own_faces(m_begin.size()),
        m_ghost_faces(m_begin.size()) {
    if (!is_divided()) return;
    m_division = allocate<decltype(m_division)>(exec, "tessera::gbees::division");
    m_count = allocate_zeros<decltype(m_count)>(exec, "tessera::gbees::posted_count");
    enlarge_outbox(1u << 12);
  }

  const parallel::Communicator& ranks() const { return m_ranks; }
  bool is_divided() const { return m_ranks.size() > 1; }

  /// For kernels; null when there is one rank.
  const Division<D, is_gpu>* division() const { return is_divided() ? m_division.data() : nullptr; }

  std::uint32_t ghosts() const { return m_ghosts; }

  /// Positions along the curve at which the ranks' parts begin: ascending, of the first 0, and of ranks without a part ~0.
  void set_ranges(const Keys& begin) {
    m_begin = begin;
    store_division();
  }

  int owner(std::uint64_t key) const {
    const std::uint64_t position = curve_position<D, is_gpu>(key);
    return static_cast<int>(std::upper_bound(m_begin.begin() + 1, m_begin.end(), position) - m_begin.begin()) - 1;
  }

  /// Takes what kernels have posted. False: there was more than room, which there is now; what has posted it is to do so again.
  bool take_posted(std::vector<Posted>& posted) {
    std::uint32_t count = 0;
    copy_to_host(m_exec, &count, m_count.data(), 1);
    if (count > 0) store(m_exec, "tessera::gbees::clear_posted", m_count.data(), 0u);
    posted.resize(std::min<std::size_t>(count, m_posted.extent(0)));
    copy_to_host(m_exec, posted.data(), m_posted.data(), posted.size());
    if (count <= m_posted.extent(0)) return true;
    enlarge_outbox(count + count / 2);
    return false;
  }

  /// Sends keys to the ranks that own them, each once. Returns what has come here.
  Keys send_to_owners(const std::vector<Posted>& posted) const {
    Keys keys;
    for (const Posted& item : posted) keys.push_back(item.key);
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::vector<Keys> lists(m_begin.size());
    for (const std::uint64_t key : keys) lists[static_cast<std::size_t>(owner(key))].push_back(key);
    Keys all;
    for (const Keys& list : m_ranks.all_to_all(lists)) all.insert(all.end(), list.begin(), list.end());
    return all;
  }

  /// Tells other ranks of own cells that share faces with their parts (PostBorder). Returns those that others have told of, from each
  /// rank.
  std::vector<std::vector<Ghost>> announce(std::vector<Posted> border) {
    std::sort(border.begin(), border.end(),
              [](const Posted& a, const Posted& b) { return a.row != b.row ? a.row < b.row : a.direction < b.direction; });
    std::vector<std::vector<Ghost>> told(m_begin.size());
    std::vector<std::vector<std::uint32_t>> rows(m_begin.size());
    std::vector<std::vector<BorderFace>> faces(m_begin.size());
    for (const Posted& item : border) {
      const auto to = static_cast<std::size_t>(owner(item.key + key_step<D>(static_cast<int>(item.direction))));
      faces[to].push_back({item.row, item.direction});
      if (!rows[to].empty() && rows[to].back() == item.row) continue;
      rows[to].push_back(item.row);
      told[to].push_back({item.key, item.mass});
    }
    for (std::size_t r = 0; r < m_begin.size(); ++r) {
      m_own_rows[r].append(m_exec, rows[r]);
      m_own_faces[r].append(m_exec, faces[r]);
    }
    return m_ranks.all_to_all(told);
  }

  /// The ghosts' rows, one after another from the top of `capacity` rows downwards; there is room for them. Returns the keys and the
  /// masses, and the first row.
  struct NewGhosts {
    Keys key;
    std::vector<double> mass;
    std::uint32_t top = 0;
  };
  NewGhosts add_ghosts(const std::vector<std::vector<Ghost>>& told, std::uint32_t capacity) {
    NewGhosts ghosts;
    ghosts.top = capacity - m_ghosts;
    for (std::size_t r = 0; r < told.size(); ++r) {
      std::vector<std::uint32_t> rows;
      std::vector<BorderFace> faces;
      for (const Ghost& ghost : told[r]) {
        const std::uint32_t row = capacity - m_ghosts++;
        rows.push_back(row);
        ghosts.key.push_back(ghost.key);
        ghosts.mass.push_back(ghost.mass);
        for (std::uint32_t d = 0; d < 2 * D; ++d) {
          if (owner(ghost.key + key_step<D>(static_cast<int>(d))) == m_ranks.rank()) faces.push_back({row, d});
        }
      }
      m_ghost_rows[r].append(m_exec, rows);
      m_ghost_faces[r].append(m_exec, faces);
    }
    return ghosts;
  }

  void forget_ghosts() {
    m_ghosts = 0;
    for (auto* lists : {&m_own_rows, &m_ghost_rows}) {
      for (auto& list : *lists) list.clear();
    }
    for (auto* lists : {&m_own_faces, &m_ghost_faces}) {
      for (auto& list : *lists) list.clear();
    }
  }

  /// What ghosts need: values of the rows that others own, or through faces towards them.
  template <class Context>
  void exchange(const MassOfGhosts<Context>& masses) {
    exchange(masses, m_own_rows, m_ghost_rows);
  }
  template <class Context, bool is_limited>
  void exchange(const FluxBetweenRanks<Context, is_limited>& fluxes) {
    exchange(fluxes, m_own_faces, m_ghost_faces);
  }

  std::uint64_t bytes() const {
    std::uint64_t total = m_posted.span() * sizeof(Posted) + m_sent.span() + m_received.span();
    for (std::size_t r = 0; r < m_begin.size(); ++r) {
      total += (m_own_rows[r].size() + m_ghost_rows[r].size()) * sizeof(std::uint32_t);
      total += (m_own_faces[r].size() + m_ghost_faces[r].size()) * sizeof(BorderFace);
    }
    return total;
  }

 private:
  using Bytes = Kokkos::View<char*, Memory>;

  void enlarge_outbox(std::uint32_t room) {
    m_posted = {};
    m_posted = allocate<decltype(m_posted)>(m_exec, "tessera::gbees::posted", room);
    store_division();
  }

  void store_division() {
    Division<D, is_gpu> division;
    const auto own = static_cast<std::size_t>(m_ranks.rank());
    division.first = m_begin[own];
    division.length = (own + 1 < m_begin.size() ? m_begin[own + 1] : ~std::uint64_t(0)) - division.first;
    division.outbox = {m_posted.data(), m_count.data(), static_cast<std::uint32_t>(m_posted.extent(0))};
    copy_from_host(m_exec, m_division.data(), &division, 1);
  }

  /// The one place where rows of device memory go from rank to rank: through the host.
  template <class Exchanged>
  void exchange(const Exchanged& exchanged, const Lists<typename Exchanged::Item>& own, const Lists<typename Exchanged::Item>& ghosts) {
    using Value = typename Exchanged::Value;
    using Items = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>;
    std::vector<std::size_t> going, coming;
    for (std::size_t r = 0; r < own.size(); ++r) {
      going.push_back(own[r].size());
      coming.push_back(ghosts[r].size());
    }
    Value* const sent = buffer<Value>(m_sent, going);
    Value* const received = buffer<Value>(m_received, coming);
    std::size_t first = 0;
    for (const auto& list : own) {
      if (list.size() > 0) {
        Kokkos::parallel_for("tessera::gbees::get_values", Items(m_exec, 0, static_cast<std::uint32_t>(list.size())),
                             GetValues<Exchanged>{exchanged, list.data(), sent + first});
      }
      first += list.size();
    }
    if constexpr (is_gpu) {
      const std::vector<Value> host = download(m_exec, Kokkos::View<Value*, Memory>(sent, first));
      std::vector<Value> answer(std::accumulate(coming.begin(), coming.end(), std::size_t(0)));
      m_ranks.exchange(host.data(), going, answer.data(), coming);
      copy_from_host(m_exec, received, answer.data(), answer.size());
    } else {
      m_exec.fence();
      m_ranks.exchange(sent, going, received, coming);
    }
    first = 0;
    for (const auto& list : ghosts) {
      if (list.size() > 0) {
        Kokkos::parallel_for("tessera::gbees::put_values", Items(m_exec, 0, static_cast<std::uint32_t>(list.size())),
                             PutValues<Exchanged>{exchanged, list.data(), received + first});
      }
      first += list.size();
    }
  }

  template <class Value>
  Value* buffer(Bytes& memory, const std::vector<std::size_t>& counts) {
    const std::size_t bytes = std::accumulate(counts.begin(), counts.end(), std::size_t(0)) * sizeof(Value);
    if (bytes > memory.extent(0)) memory = allocate<Bytes>(m_exec, "tessera::gbees::message", bytes + bytes / 2);
    return reinterpret_cast<Value*>(memory.data());
  }

  ExecSpace m_exec;
  parallel::Communicator m_ranks;
  Keys m_begin;
  Kokkos::View<Division<D, is_gpu>, Memory> m_division;
  Kokkos::View<Posted*, Memory> m_posted;
  Kokkos::View<std::uint32_t, Memory> m_count;
  std::uint32_t m_ghosts = 0;
  Lists<std::uint32_t> m_own_rows, m_ghost_rows;  // of or for each rank
  Lists<BorderFace> m_own_faces, m_ghost_faces;
  Bytes m_sent, m_received;
};

}  // namespace tessera::gbees::detail
