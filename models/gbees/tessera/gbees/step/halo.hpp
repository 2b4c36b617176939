// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/core/parallel/device_messages.hpp"
#include "tessera/gbees/step/halo_phases.hpp"

namespace tessera::gbees::detail {

/// A list in device memory that gets longer at its end.
template <class T, class ExecSpace>
class DeviceList {
 public:
  /// Makes room for more elements and returns where they are.
  T* extend(const ExecSpace& exec, std::size_t more) {
    const std::size_t size = m_size + more;
    if (size > m_memory.extent(0)) {
      const auto larger =
          allocate<decltype(m_memory)>(exec, "tessera::gbees::border", size + size / 2);
      copy(exec, larger.data(), m_memory.data(), m_size);
      exec.fence();
      m_memory = larger;
    }
    T* const begin = m_memory.data() + m_size;
    m_size = size;
    return begin;
  }
  void clear() { m_size = 0; }
  std::size_t size() const { return m_size; }
  const T* data() const { return m_memory.data(); }

 private:
  Kokkos::View<T*, typename ExecSpace::memory_space> m_memory;
  std::size_t m_size = 0;
};

/// The knowledge of one rank about the others: which part of the cells each of them owns, which
/// rows it exchanges with each of them, and the messages themselves. Every rank makes the same
/// calls in the same order. Ghosts are in rows capacity, capacity - 1, ...: which of them comes
/// from which rank, and towards which rows its faces lie, is listed on both ends in the same order.
template <int D, class ExecSpace>
class Halo {
 public:
  static constexpr bool is_gpu = compat::is_gpu_v<ExecSpace>;
  using Memory = typename ExecSpace::memory_space;
  template <class T>
  using Array = Kokkos::View<T*, Memory>;
  template <class T>
  using Lists = std::vector<DeviceList<T, ExecSpace>>;

  Halo(const ExecSpace& exec, const parallel::Communicator& ranks)
      : m_exec(exec),
        m_ranks(ranks),
        m_begin(static_cast<std::size_t>(ranks.size()), 0),
        m_going(m_begin.size()),
        m_coming(m_begin.size()),
        m_posted(m_begin.size()),
        m_own_rows(m_begin.size()),
        m_ghost_rows(m_begin.size()),
        m_own_faces(m_begin.size()),
        m_ghost_faces(m_begin.size()) {
    if (!is_divided()) return;
    m_messages.emplace(exec, ranks);
    logging::detail("ghosts travel by " + m_messages->path());
    m_division = allocate<decltype(m_division)>(exec, "tessera::gbees::division");
    m_begin_device =
        allocate<decltype(m_begin_device)>(exec, "tessera::gbees::ranges", m_begin.size());
    m_outbox = allocate<decltype(m_outbox)>(exec, "tessera::gbees::outbox", m_begin.size());
    m_counts =
        allocate_zeros<decltype(m_counts)>(exec, "tessera::gbees::posted_counts", m_begin.size());
    for (std::size_t r = 0; r < m_posted.size(); ++r) {
      if (static_cast<int>(r) != ranks.rank()) enlarge_outbox(r, 1u << 12);
    }
    store_division();
  }

  const parallel::Communicator& ranks() const { return m_ranks; }
  bool is_divided() const { return m_ranks.size() > 1; }

  /// Lists of device memory to and from other ranks.
  const parallel::DeviceMessages& messages() const { return *m_messages; }

  /// Returns the division as kernels take it, or null when there is one rank.
  const Division<D, is_gpu>* division() const { return is_divided() ? m_division.data() : nullptr; }

  std::uint32_t ghosts() const { return m_ghosts; }

  /// Positions along the curve at which the ranks' parts begin: ascending, of the first 0, and of
  /// ranks without a part ~0.
  void set_ranges(const std::vector<std::uint64_t>& begin) {
    m_begin = begin;
    store_division();
  }

  int owner(std::uint64_t key) const {
    const std::uint64_t position = curve_position<D, is_gpu>(key);
    return static_cast<int>(std::upper_bound(m_begin.begin() + 1, m_begin.end(), position) -
                            m_begin.begin()) -
           1;
  }

  /// Takes what kernels have posted, for the next delivery. False: there was more than room, which
  /// there is now; nothing has been taken, and what has posted it may do so again.
  bool take_posted() {
    copy_to_host(m_exec, m_going.data(), m_counts.data(), m_going.size());
    fill(m_exec, m_counts, PostedCounts());
    bool had_room = true;
    for (std::size_t r = 0; r < m_going.size(); ++r) {
      if (m_going[r].cells() <= m_posted[r].extent(0)) continue;
      enlarge_outbox(r, m_going[r].cells() + m_going[r].cells() / 2);
      had_room = false;
    }
    if (had_room) return true;
    m_going.assign(m_going.size(), {});
    store_division();
    return false;
  }

  /// Sends what has been taken to the ranks that it is for. Returns what has come from others,
  /// which stays until the next delivery.
  Array<const Posted> deliver() {
    m_coming = m_ranks.all_to_all(m_going);
    const std::vector<std::size_t> going = cells_of(m_going), coming = cells_of(m_coming);
    Posted* const sent = buffer<Posted>(m_sent, going);
    std::size_t first = 0;
    for (std::size_t r = 0; r < going.size(); ++r) {
      copy(m_exec, sent + first, m_posted[r].data(), going[r]);
      first += going[r];
    }
    Posted* const received = buffer<Posted>(m_inbox, coming);
    m_messages->exchange(sent, going, received, coming);
    m_going.assign(m_going.size(), {});
    return Array<const Posted>(received, parallel::sum_of(coming));
  }

  /// Delivers own cells that share faces with the parts of other ranks, and lists them. Returns how
  /// many of theirs have come.
  std::uint64_t announce_border() {
    for (std::size_t r = 0; r < m_going.size(); ++r) {
      list_border(m_going[r], m_posted[r].data(), 0, m_own_rows[r], m_own_faces[r]);
    }
    return deliver().extent(0);
  }

  /// The cells that have come get rows, for which there is room: one after another from the top of
  /// `capacity` rows downwards.
  struct NewGhosts {
    const Posted* cell;
    std::uint32_t count, top;
  };
  NewGhosts add_ghosts(std::uint32_t capacity) {
    const auto* const cells = reinterpret_cast<const Posted*>(m_inbox.data());
    NewGhosts ghosts{cells, 0, capacity - m_ghosts};
    for (std::size_t r = 0; r < m_coming.size(); ++r) {
      list_border(m_coming[r], cells + ghosts.count, ghosts.top - ghosts.count, m_ghost_rows[r],
                  m_ghost_faces[r]);
      ghosts.count += m_coming[r].cells();
    }
    m_ghosts += ghosts.count;
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

  /// Exchanges the values that ghosts need: of the rows that others own, or through faces towards
  /// them.
  template <class Context>
  void exchange(const MassOfGhosts<Context>& masses) {
    exchange(masses, m_own_rows, m_ghost_rows);
  }
  template <class Context, bool is_limited>
  void exchange(const FluxBetweenRanks<Context, is_limited>& fluxes) {
    exchange(fluxes, m_own_faces, m_ghost_faces);
  }
  template <class Context>
  void exchange(const FluxOutOfBorder<Context>& fluxes) {
    exchange(fluxes, m_own_faces, m_ghost_faces);
  }

  std::uint64_t bytes() const {
    std::uint64_t total = m_sent.span() + m_received.span() + m_inbox.span();
    for (std::size_t r = 0; r < m_begin.size(); ++r) {
      total += m_posted[r].span() * sizeof(Posted);
      total += (m_own_rows[r].size() + m_ghost_rows[r].size()) * sizeof(std::uint32_t);
      total += (m_own_faces[r].size() + m_ghost_faces[r].size()) * sizeof(BorderFace);
    }
    return total;
  }

 private:
  using Bytes = Kokkos::View<char*, Memory>;
  using Items = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint32_t>>;

  static std::vector<std::size_t> cells_of(const std::vector<PostedCounts>& counts) {
    std::vector<std::size_t> cells;
    for (const PostedCounts& count : counts) cells.push_back(count.cells());
    return cells;
  }

  void enlarge_outbox(std::size_t rank, std::uint32_t room) {
    m_posted[rank] = {};
    m_posted[rank] = allocate<Array<Posted>>(m_exec, "tessera::gbees::posted", room);
  }

  void store_division() {
    std::vector<Outbox> outbox;
    for (std::size_t r = 0; r < m_posted.size(); ++r) {
      outbox.push_back({m_posted[r].data(), m_counts.data() + r,
                        static_cast<std::uint32_t>(m_posted[r].extent(0))});
    }
    copy_from_host(m_exec, m_outbox.data(), outbox.data(), outbox.size());
    copy_from_host(m_exec, m_begin_device.data(), m_begin.data(), m_begin.size());
    Division<D, is_gpu> division;
    const auto own = static_cast<std::size_t>(m_ranks.rank());
    division.first = m_begin[own];
    division.length =
        (own + 1 < m_begin.size() ? m_begin[own + 1] : ~std::uint64_t(0)) - division.first;
    division.begin = m_begin_device.data();
    division.outbox = m_outbox.data();
    division.ranks = m_ranks.size();
    copy_from_host(m_exec, m_division.data(), &division, 1);
  }

  void list_border(const PostedCounts& counts, const Posted* cells, std::uint32_t top,
                   DeviceList<std::uint32_t, ExecSpace>& rows,
                   DeviceList<BorderFace, ExecSpace>& faces) {
    if (counts.cells() == 0) return;
    Kokkos::parallel_for("tessera::gbees::list_border", Items(m_exec, 0, counts.cells()),
                         ListBorder<D>{cells, rows.extend(m_exec, counts.cells()),
                                       faces.extend(m_exec, counts.faces()), top});
  }

  /// The one place where values of rows go from rank to rank.
  template <class Exchanged>
  void exchange(const Exchanged& exchanged, const Lists<typename Exchanged::Item>& own,
                const Lists<typename Exchanged::Item>& ghosts) {
    using Value = typename Exchanged::Value;
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
        Kokkos::parallel_for("tessera::gbees::get_values",
                             Items(m_exec, 0, static_cast<std::uint32_t>(list.size())),
                             GetValues<Exchanged>{exchanged, list.data(), sent + first});
      }
      first += list.size();
    }
    m_messages->exchange(sent, going, received, coming);
    first = 0;
    for (const auto& list : ghosts) {
      if (list.size() > 0) {
        Kokkos::parallel_for("tessera::gbees::put_values",
                             Items(m_exec, 0, static_cast<std::uint32_t>(list.size())),
                             PutValues<Exchanged>{exchanged, list.data(), received + first});
      }
      first += list.size();
    }
  }

  template <class Value>
  Value* buffer(Bytes& memory, const std::vector<std::size_t>& counts) {
    const std::size_t bytes = parallel::sum_of(counts) * sizeof(Value);
    if (bytes > memory.extent(0))
      memory = allocate<Bytes>(m_exec, "tessera::gbees::message", bytes + bytes / 2);
    return reinterpret_cast<Value*>(memory.data());
  }

  ExecSpace m_exec;
  parallel::Communicator m_ranks;
  std::optional<parallel::DeviceMessages> m_messages;  // among several ranks
  std::vector<std::uint64_t> m_begin;
  std::vector<PostedCounts> m_going, m_coming;  // to and from each rank
  std::vector<Array<Posted>> m_posted;          // for each rank
  Kokkos::View<Division<D, is_gpu>, Memory> m_division;
  Array<std::uint64_t> m_begin_device;
  Array<Outbox> m_outbox;
  Array<PostedCounts> m_counts;
  std::uint32_t m_ghosts = 0;
  Lists<std::uint32_t> m_own_rows, m_ghost_rows;  // of or for each rank
  Lists<BorderFace> m_own_faces, m_ghost_faces;
  Bytes m_sent, m_received, m_inbox;
};

}  // namespace tessera::gbees::detail
