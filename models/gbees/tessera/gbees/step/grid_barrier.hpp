// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::gbees::detail {

/// A barrier at which all teams of one GPU kernel wait for each other. There must not be more teams
/// than the GPU runs at a time. Where another program uses the GPU too, some teams may not start
/// before others end: then the barrier gives up after `kPatience` nanoseconds.
class GridBarrier {
 public:
  static constexpr std::uint64_t kPatience = 10'000'000'000;

  /// The state lies in device memory and is set to this before the kernel.
  struct State {
    std::uint32_t arrived = 0;    ///< teams, since the kernel began
    std::uint32_t timed_out = 0;  ///< a team has given up; for good
  };

  KOKKOS_INLINE_FUNCTION explicit GridBarrier(State* state) : m_state(state) {}

  /// Returns when every team has come. What any of them has written is visible to all of them
  /// after. When its threads have come, one thread of each team calls `publish` before the team
  /// counts as there. That thread returns false when the barrier has given up.
  template <class Team, class Publish>
  KOKKOS_INLINE_FUNCTION bool wait(const Team& team, const Publish& publish) const {
    bool complete = true;
    team.team_barrier();
    if (team.team_rank() == 0) {
      publish();
      const auto teams = static_cast<std::uint32_t>(team.league_size());
      const std::uint32_t before = compat::fetch_add_release(&m_state->arrived, 1);
      complete = wait_for(before - before % teams + teams);
    }
    team.team_barrier();
    return complete;
  }

 private:
  KOKKOS_INLINE_FUNCTION bool wait_for(std::uint32_t wanted) const {
    constexpr int kSpinsBetweenLooks = 1 << 14;
    std::uint64_t begin = 0;
    while (true) {
      for (int spin = 0; spin < kSpinsBetweenLooks; ++spin) {
        if (compat::load_acquire(&m_state->arrived) >= wanted) return true;
      }
      if (compat::load_relaxed(&m_state->timed_out) != 0) return false;
      const std::uint64_t time = compat::device_nanoseconds();
      if (begin == 0) begin = time;
      if (time - begin > kPatience) {
        compat::store_relaxed(&m_state->timed_out, 1u);
        return false;
      }
    }
  }

  State* m_state;
};

}  // namespace tessera::gbees::detail
