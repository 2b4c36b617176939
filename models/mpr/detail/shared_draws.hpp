// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/mpr/detail/gather_blocks.hpp"
#include "tessera/mpr/detail/layout.hpp"
#include "tessera/mpr/grid.hpp"

/// Sums over exact draws that several ranks make of the same field.

namespace tessera::mpr::detail {

/// out(k) = numbers at site k of a list. A functor over the list.
template <class ExecSpace, class Real>
struct TakeListed {
  Array<ExecSpace, const std::int64_t> sites;
  Array<ExecSpace, const Real> numbers;
  Array<ExecSpace, Real> out;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const { out(k) = numbers(sites(k)); }
};

/// The way back.
template <class ExecSpace, class Real>
struct PutListed {
  Array<ExecSpace, const std::int64_t> sites;
  Array<ExecSpace, const Real> numbers;
  Array<ExecSpace, Real> out;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const { out(sites(k)) = numbers(k); }
};

/// Each rank adds up, for a range of the sites that are filled, what the packs of all ranks have, one pack after the other: the bits are
/// those of one rank that makes all packs. All ranks call everything together.
template <class ExecSpace, class Real>
class SharedDraws {
 public:
  SharedDraws(const ExecSpace& exec, const parallel::Communicator& ranks, const Array<ExecSpace, const std::uint8_t>& status)
      : m_exec(exec), m_ranks(ranks) {
    const std::vector<std::uint8_t> kinds = download(exec, status);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (is_unknown(kinds[i])) m_sites.push_back(static_cast<std::int64_t>(i));
    }
    m_own = ranks.share(static_cast<std::int64_t>(m_sites.size()));
    m_sums.assign(static_cast<std::size_t>(m_own.size()), 0);
    m_list = upload(exec, "tessera::mpr::filled_sites", m_sites);
    m_packed = allocate<Array<ExecSpace, Real>>(exec, "tessera::mpr::packed_squares", m_sites.size());
  }

  /// Bytes on the device at most, with the squares of a pack.
  static double memory(const Grid& grid) { return static_cast<double>(grid.sites()) * (sizeof(std::int64_t) + 2 * sizeof(Real)); }

  const parallel::Communicator& ranks() const { return m_ranks; }

  /// Adds what the first `packs` ranks have, [site].
  void add(int packs, const Array<ExecSpace, const Real>& squares) {
    const auto count = static_cast<std::size_t>(packs);
    std::vector<std::size_t> going(static_cast<std::size_t>(m_ranks.size()), 0), coming(going.size(), 0);
    std::vector<Real> sent;
    if (m_ranks.rank() < packs) {
      Kokkos::parallel_for("tessera::mpr::take_listed", range(), TakeListed<ExecSpace, Real>{m_list, squares, m_packed});
      sent = download(m_exec, m_packed);
      for (std::size_t r = 0; r < going.size(); ++r)
        going[r] = static_cast<std::size_t>(m_ranks.share_of(static_cast<int>(r), static_cast<std::int64_t>(m_sites.size())).size());
    }
    for (std::size_t r = 0; r < count; ++r) coming[r] = m_sums.size();
    std::vector<Real> received(count * m_sums.size());
    m_ranks.exchange(sent.data(), going, received.data(), coming);
    for (std::size_t pack = 0; pack < count; ++pack) {
      for (std::size_t i = 0; i < m_sums.size(); ++i) m_sums[i] += received[pack * m_sums.size() + i];
    }
  }

  /// The sums at the first rank, [site]; other sites are not written.
  void collect(const Array<ExecSpace, Real>& squares) const {
    const std::vector<Real> all = gather_blocks(m_ranks, m_sums);
    if (!m_ranks.is_root()) return;
    upload_to(m_exec, all, m_packed);
    Kokkos::parallel_for("tessera::mpr::put_listed", range(), PutListed<ExecSpace, Real>{m_list, m_packed, squares});
  }

  /// Goes on from sums, [site], that all ranks have.
  void restore(const std::vector<Real>& squares) {
    for (std::size_t i = 0; i < m_sums.size(); ++i)
      m_sums[i] = squares[static_cast<std::size_t>(m_sites[static_cast<std::size_t>(m_own.begin) + i])];
  }

 private:
  Range<ExecSpace> range() const { return {m_exec, 0, static_cast<std::int64_t>(m_sites.size())}; }

  ExecSpace m_exec;
  parallel::Communicator m_ranks;
  std::vector<std::int64_t> m_sites;  // that are filled
  parallel::Range m_own;              // of them
  std::vector<Real> m_sums;           // there
  Array<ExecSpace, const std::int64_t> m_list;
  Array<ExecSpace, Real> m_packed;
};

}  // namespace tessera::mpr::detail
