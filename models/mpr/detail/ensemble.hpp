// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/mpr/gap_fill.hpp"

namespace tessera::mpr::detail {

/// Realisations of a field that are kept on the host while its gaps are filled. In sweeps they are as far from each other as their number
/// allows.
template <class ExecSpace, class Real>
class Ensemble {
 public:
  Ensemble(int wanted, int replicas) : m_wanted(wanted), m_replicas(replicas) {}

  /// Throws Error (input) when there are more members than sweeps of all replicas.
  void check(int sweeps) const {
    const int states = sweeps * m_replicas;
    if (m_wanted <= states) return;
    throw Error(ErrorKind::input,
                "output.ensemble asks for " + std::to_string(m_wanted) + " realisations, and there are only " + std::to_string(states) +
                    " sweeps of sampling",
                "raise simulation.sampling_sweeps or simulation.replicas");
  }

  /// One batch of sweeps or draws, and its members; false when all are done. Waits for the device where members are due.
  bool advance(const ExecSpace& exec, GapFill<ExecSpace, Real>& fill) {
    const int every = spacing(fill);
    const bool more = fill.advance(every);
    const bool is_due = fill.uses_draws() || (every > 0 && fill.sampling_done() > 0 && fill.sampling_done() % every == 0);
    if (!is_due || is_full()) return more;
    const Array<ExecSpace, Real> value(Kokkos::view_alloc(exec, "tessera::mpr::realisation"), fill.sites());
    for (int r = 0; r < fill.realisations() && !is_full(); ++r) {
      fill.realisation(r, value);
      m_members.push_back(download(exec, value));
    }
    return more;
  }

  void clear() { m_members.clear(); }
  void add(std::vector<Real> member) { m_members.push_back(std::move(member)); }
  std::size_t size() const { return m_members.size(); }
  const std::vector<Real>& operator[](std::size_t member) const { return m_members[member]; }

 private:
  bool is_full() const { return static_cast<int>(m_members.size()) >= m_wanted; }
  /// Sweeps between two realisations of a replica; 0: none are kept.
  int spacing(const GapFill<ExecSpace, Real>& fill) const {
    if (m_wanted == 0 || fill.uses_draws()) return 0;
    return std::max(1, fill.sampling_sweeps() / ((m_wanted + m_replicas - 1) / m_replicas));
  }

  int m_wanted, m_replicas;
  std::vector<std::vector<Real>> m_members;
};

}  // namespace tessera::mpr::detail
