// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/mpr/fill/gap_fill.hpp"

namespace tessera::mpr::detail {

/// The realisations that the batches of a fill make, of those that are wanted. In sweeps they are
/// as far from each other as their number allows. Where ranks share draws, each has those of its
/// own.
template <class ExecSpace, class Real>
class MemberBatches {
 public:
  MemberBatches(int wanted, int replicas) : m_wanted(wanted), m_replicas(replicas) {}

  /// Throws Error (input) when there are more members than sweeps of all replicas.
  void check(int sweeps) const {
    const int states = sweeps * m_replicas;
    if (m_wanted <= states) return;
    throw Error(ErrorKind::input,
                "output.ensemble asks for " + std::to_string(m_wanted) +
                    " realisations, and there are only " + std::to_string(states) +
                    " sweeps of sampling",
                "raise simulation.sampling_sweeps or simulation.replicas");
  }

  /// One batch of sweeps or draws; false when all are done.
  bool advance(GapFill<ExecSpace, Real>& fill) {
    const int every = spacing(fill);
    const bool more = fill.advance(every);
    const bool is_due = fill.uses_draws() || (every > 0 && fill.sampling_done() > 0 &&
                                              fill.sampling_done() % every == 0);
    m_first = fill.uses_draws() ? fill.first_realisation() : m_end;
    m_end = is_due ? std::max(m_first, std::min(m_first + fill.realisations(), m_wanted)) : m_first;
    if (fill.sampling_sweeps() == 0) m_end = m_wanted;  // all are the mean
    return more;
  }
  /// Members first() ... end() - 1 are realisations 0, 1, ... of the last batch.
  int first() const { return m_first; }
  int end() const { return m_end; }
  /// So many members of sweeps were made before.
  void continue_after(int members) { m_first = m_end = members; }

 private:
  /// Sweeps between two realisations of a replica; 0: none are kept.
  int spacing(const GapFill<ExecSpace, Real>& fill) const {
    if (m_wanted == 0 || fill.uses_draws()) return 0;
    return std::max(1, fill.sampling_sweeps() / ((m_wanted + m_replicas - 1) / m_replicas));
  }

  int m_wanted, m_replicas;
  int m_first = 0, m_end = 0;
};

/// Realisations of a field that are kept on the host while its gaps are filled.
template <class ExecSpace, class Real>
class Ensemble {
 public:
  Ensemble(int wanted, int replicas) : m_batches(wanted, replicas) {}

  /// Checks the number of members as MemberBatches::check does.
  void check(int sweeps) const { m_batches.check(sweeps); }

  /// One batch of sweeps or draws, and its members; false when all are done. Waits for the device
  /// where members are due.
  bool advance(const ExecSpace& exec, GapFill<ExecSpace, Real>& fill) {
    const bool more = m_batches.advance(fill);
    if (m_batches.first() == m_batches.end()) return more;
    const Array<ExecSpace, Real> value(Kokkos::view_alloc(exec, "tessera::mpr::realisation"),
                                       fill.sites());
    for (int number = m_batches.first(); number < m_batches.end(); ++number) {
      fill.realisation(number - m_batches.first(), value);
      keep(number, download(exec, value));
    }
    return more;
  }

  void clear() {
    m_members.clear();
    m_numbers.clear();
    m_batches.continue_after(0);
  }
  /// A member of a run that is continued. Members come in ascending order.
  void add(int number, std::vector<Real> member) {
    keep(number, std::move(member));
    m_batches.continue_after(number + 1);
  }
  std::size_t size() const { return m_members.size(); }
  const std::vector<Real>& operator[](std::size_t member) const { return m_members[member]; }

  /// Collects at the first rank the members of all ranks, which share draws, in the order of their
  /// numbers.
  std::vector<std::vector<Real>> collect(const parallel::Communicator& ranks) const {
    struct Place {
      int number, rank, at;
    };
    std::vector<Place> places;
    for (std::size_t m = 0; m < size(); ++m)
      places.push_back({m_numbers[m], ranks.rank(), static_cast<int>(m)});
    places = ranks.all_gather(places);
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.number < b.number; });
    std::uint64_t sites = size() > 0 ? m_members.front().size() : 0;
    sites = static_cast<std::uint64_t>(ranks.max(static_cast<std::int64_t>(sites)));
    std::vector<std::vector<Real>> all;
    std::vector<Real> sent;
    for (const Place& place : places) {
      const bool is_here = place.rank == ranks.rank();
      if (is_here) sent = m_members[static_cast<std::size_t>(place.at)];
      if (ranks.is_root()) {
        all.push_back(is_here ? sent : std::vector<Real>(sites));
        if (!is_here) ranks.bring(all.back().data(), sites, place.rank);
      } else if (is_here) {
        ranks.bring(sent.data(), sites, place.rank);
      }
    }
    return all;
  }

 private:
  void keep(int number, std::vector<Real> member) {
    m_members.push_back(std::move(member));
    m_numbers.push_back(number);
  }

  MemberBatches<ExecSpace, Real> m_batches;
  std::vector<std::vector<Real>> m_members;
  std::vector<int> m_numbers;
};

}  // namespace tessera::mpr::detail
