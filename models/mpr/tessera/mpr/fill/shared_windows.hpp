// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/lattice/frame_layout.hpp"
#include "tessera/mpr/lattice/frame_share.hpp"
#include "tessera/mpr/lattice/window.hpp"

/// Windows of frames of which some are on other ranks.

namespace tessera::mpr::detail {

/// Angles of sites, what they are, and the errors of samples; none where there are no errors.
template <class ExecSpace, class Real>
struct SiteArrays {
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> angles, noise;
};

/// The places of the windows of a list: each in arrays of all of them.
template <class ExecSpace, class Real>
struct PlacedWindows {
  SiteArrays<ExecSpace, Real> data;
  std::vector<Window> places;
};

/// Brings windows together whose frames are on several ranks. Each list goes to the rank of its
/// first window. All ranks make it together, with the same lists.
template <class ExecSpace, class Real>
class WindowExchange {
 public:
  using Lists = std::vector<std::vector<Window>>;

  WindowExchange(const ExecSpace& exec, const FrameShare& share, const Lists& lists,
                 const SiteArrays<ExecSpace, Real>& own)
      : m_exec(exec), m_share(share), m_own(own) {
    if (!share.is_divided()) return;
    m_has_noise = share.ranks.max(own.noise.extent(0) > 0 ? 1 : 0) > 0;
    m_status = exchange(lists, own.status);
    m_angles = exchange(lists, own.angles);
    if (m_has_noise) m_noise = exchange(lists, own.noise);
    m_read.assign(static_cast<std::size_t>(share.ranks.size()), 0);
  }

  bool is_mine(const std::vector<Window>& list) const {
    return target(list) == m_share.ranks.rank();
  }

  /// Returns the windows of a list. Callers pass the lists that are this rank's, in their order.
  PlacedWindows<ExecSpace, Real> take(const std::vector<Window>& list) {
    PlacedWindows<ExecSpace, Real> placed;
    if (!is_scattered(list)) {
      placed.data = m_own;
      for (const Window& window : list) placed.places.push_back(window.counted_from(m_share.first));
      return placed;
    }
    std::vector<std::uint8_t> status;
    std::vector<Real> angles, noise;
    for (const Window& window : list) {
      const auto from = static_cast<std::size_t>(m_share.owner(window.frame));
      const auto sites = static_cast<std::size_t>(window.sites());
      const auto append = [&](const auto& received, auto& numbers) {
        const auto begin = received[from].begin() + static_cast<std::ptrdiff_t>(m_read[from]);
        numbers.insert(numbers.end(), begin, begin + static_cast<std::ptrdiff_t>(sites));
      };
      append(m_status, status);
      append(m_angles, angles);
      if (m_has_noise) append(m_noise, noise);
      m_read[from] += sites;
      const int number = static_cast<int>(placed.places.size());
      placed.places.push_back({window.box, window.box, 0, 0, 0, number});
    }
    placed.data = {upload(m_exec, "tessera::mpr::window_status", status),
                   upload(m_exec, "tessera::mpr::window_angles", angles),
                   upload(m_exec, "tessera::mpr::window_noise", noise)};
    return placed;
  }

 private:
  int target(const std::vector<Window>& list) const {
    return m_share.is_divided() ? m_share.owner(list.front().frame) : 0;
  }
  bool is_scattered(const std::vector<Window>& list) const {
    return m_share.is_divided() && std::any_of(list.begin(), list.end(), [&](const Window& window) {
             return m_share.owner(window.frame) != target(list);
           });
  }

  /// Returns what has come from each rank: its windows of the lists that are this rank's and not
  /// all on it.
  template <class Number>
  std::vector<std::vector<Number>> exchange(const Lists& lists,
                                            const Array<ExecSpace, const Number>& numbers) const {
    std::vector<std::vector<Number>> sent(static_cast<std::size_t>(m_share.ranks.size()));
    for (const std::vector<Window>& list : lists) {
      if (!is_scattered(list)) continue;
      std::vector<Number>& to = sent[static_cast<std::size_t>(target(list))];
      for (const Window& window : list) {
        if (!m_share.owns(window.frame)) continue;
        const auto cut = allocate<Array<ExecSpace, Number>>(
            m_exec, "tessera::mpr::sent_window", static_cast<std::size_t>(window.sites()));
        Kokkos::parallel_for(
            "tessera::mpr::cut_window", Range<ExecSpace>(m_exec, 0, window.sites()),
            CutNumbers<ExecSpace, Number>{window.counted_from(m_share.first), 0, numbers, cut});
        const std::vector<Number> copy = download(m_exec, cut);
        to.insert(to.end(), copy.begin(), copy.end());
      }
    }
    return m_share.ranks.all_to_all(sent);
  }

  ExecSpace m_exec;
  FrameShare m_share;
  SiteArrays<ExecSpace, Real> m_own;
  bool m_has_noise = false;
  std::vector<std::vector<std::uint8_t>> m_status;
  std::vector<std::vector<Real>> m_angles, m_noise;
  std::vector<std::size_t> m_read;  // sites of each rank that were taken
};

}  // namespace tessera::mpr::detail
