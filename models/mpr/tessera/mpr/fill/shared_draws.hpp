// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/core/parallel/device_messages.hpp"
#include "tessera/mpr/lattice/frame_layout.hpp"
#include "tessera/mpr/lattice/gather_blocks.hpp"
#include "tessera/mpr/lattice/grid.hpp"

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

/// Adds the numbers of packs, [pack][k], one pack after the other. A functor over the sums.
template <class ExecSpace, class Real>
struct AddPacks {
  Array<ExecSpace, const Real> packs;
  int count;
  Array<ExecSpace, Real> sums;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const auto n = static_cast<std::int64_t>(sums.extent(0));
    for (int pack = 0; pack < count; ++pack) sums(k) += packs(pack * n + k);
  }
};

/// Each rank adds up, for a range of the sites that are filled, what the packs of all ranks have,
/// one pack after the other: the bits are those of one rank that makes all packs. All ranks call
/// everything together.
template <class ExecSpace, class Real>
class SharedDraws {
 public:
  SharedDraws(const ExecSpace& exec, const parallel::Communicator& ranks,
              const Array<ExecSpace, const std::uint8_t>& status)
      : m_exec(exec), m_ranks(ranks), m_messages(exec, ranks) {
    const std::vector<std::uint8_t> kinds = download(exec, status);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (is_unknown(kinds[i])) m_sites.push_back(static_cast<std::int64_t>(i));
    }
    m_own = ranks.share(static_cast<std::int64_t>(m_sites.size()));
    m_sums = allocate_zeros<Array<ExecSpace, Real>>(exec, "tessera::mpr::sums_of_squares",
                                                    static_cast<std::size_t>(m_own.size()));
    m_list = upload(exec, "tessera::mpr::filled_sites", m_sites);
    m_packed =
        allocate<Array<ExecSpace, Real>>(exec, "tessera::mpr::packed_squares", m_sites.size());
  }

  /// Bytes on the device at most, with the squares of a pack.
  static double memory(const Grid& grid) {
    return static_cast<double>(grid.sites()) * (sizeof(std::int64_t) + 4 * sizeof(Real));
  }

  const parallel::Communicator& ranks() const { return m_ranks; }

  /// Adds what the first `packs` ranks have, [site].
  void add(int packs, const Array<ExecSpace, const Real>& squares) {
    std::vector<std::size_t> going(static_cast<std::size_t>(m_ranks.size()), 0),
        coming(going.size(), 0);
    if (m_ranks.rank() < packs) {
      Kokkos::parallel_for("tessera::mpr::take_listed", range(),
                           TakeListed<ExecSpace, Real>{m_list, squares, m_packed});
      for (std::size_t r = 0; r < going.size(); ++r)
        going[r] = static_cast<std::size_t>(
            m_ranks.share_of(static_cast<int>(r), static_cast<std::int64_t>(m_sites.size()))
                .size());
    }
    const std::size_t own = m_sums.extent(0);
    for (std::size_t r = 0; r < static_cast<std::size_t>(packs); ++r) coming[r] = own;
    if (m_received.extent(0) < static_cast<std::size_t>(packs) * own)
      m_received = allocate<Array<ExecSpace, Real>>(m_exec, "tessera::mpr::received_squares",
                                                    static_cast<std::size_t>(packs) * own);
    m_messages.exchange(m_packed.data(), going, m_received.data(), coming);
    Kokkos::parallel_for("tessera::mpr::add_packs",
                         Range<ExecSpace>(m_exec, 0, static_cast<std::int64_t>(own)),
                         AddPacks<ExecSpace, Real>{m_received, packs, m_sums});
  }

  /// The sums at the first rank, [site]; other sites are not written.
  void collect(const Array<ExecSpace, Real>& squares) const {
    const std::vector<Real> all = gather_blocks(m_ranks, download(m_exec, m_sums));
    if (!m_ranks.is_root()) return;
    upload_to(m_exec, all, m_packed);
    Kokkos::parallel_for("tessera::mpr::put_listed", range(),
                         PutListed<ExecSpace, Real>{m_list, m_packed, squares});
  }

  /// Goes on from sums, [site], that all ranks have.
  void restore(const std::vector<Real>& squares) {
    std::vector<Real> own;
    for (std::int64_t i = m_own.begin; i < m_own.end; ++i)
      own.push_back(squares[static_cast<std::size_t>(m_sites[static_cast<std::size_t>(i)])]);
    upload_to(m_exec, own, m_sums);
  }

 private:
  Range<ExecSpace> range() const { return {m_exec, 0, static_cast<std::int64_t>(m_sites.size())}; }

  ExecSpace m_exec;
  parallel::Communicator m_ranks;
  parallel::DeviceMessages m_messages;
  std::vector<std::int64_t> m_sites;  // that are filled
  parallel::Range m_own;              // of them
  Array<ExecSpace, Real> m_sums;      // there
  Array<ExecSpace, const std::int64_t> m_list;
  Array<ExecSpace, Real> m_packed, m_received;
};

}  // namespace tessera::mpr::detail
