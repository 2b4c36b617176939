// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/mpr/lattice/missing.hpp"
#include "tessera/mpr/lattice/rotator.hpp"

/// Transfers from arrays over the list of missing sites to arrays over the sites of the grid.

namespace tessera::mpr::detail {

/// Calls f(j, site, frame, index) for each missing site: its number in the list, its number in all
/// frames, its frame, and where its spin lies in a chain.
template <class ExecSpace, class Entry>
struct EntrySites {
  MissingList<ExecSpace, Entry> list;

  /// Teams of a frame: one per tile, or enough of them for a stack.
  KOKKOS_INLINE_FUNCTION int teams() const { return list.tiled() ? list.tiles() : kTeamsOfStack; }
  static constexpr int kTeamsOfStack = 1024;

  template <class Member, class F>
  KOKKOS_INLINE_FUNCTION void each(const Member& team, const F& f) const {
    const int frame = team.league_rank() / teams(), team_of_frame = team.league_rank() % teams(),
              tile = list.tiled() ? team_of_frame : 0;
    const std::size_t group =
        (static_cast<std::size_t>(frame) * list.tiles() + tile) * list.colouring.segments();
    const int groups = (list.tiled() ? 1 : list.tiles()) * list.colouring.segments();
    std::uint32_t begin = list.begin(group), end = list.begin(group + groups);
    if (!list.tiled()) {
      const std::uint32_t share = (end - begin + teams() - 1) / teams();
      begin = compat::min(begin + team_of_frame * share, end);
      end = compat::min(begin + share, end);
    }
    const std::int64_t first = frame * list.grid.sites();
    const int x0 = list.tiled() ? list.columns.first(tile % list.tiles_x) : 0;
    for (std::uint32_t j = begin + team.team_rank(); j < end; j += team.team_size()) {
      const std::uint32_t entry = list.entries(j);
      if (list.tiled()) {
        const int x = x0 + static_cast<int>(entry % Layout::kTile);
        const int y =
            tile / list.tiles_x * list.tile_rows + static_cast<int>(entry / Layout::kTile);
        f(j, first + static_cast<std::int64_t>(list.first + y) * list.grid.nx + x, frame,
          list.layout.index(x, y, 0));
      } else {
        const std::uint32_t row = entry / static_cast<std::uint32_t>(list.layout.pitch);
        const std::uint32_t rows =
            static_cast<std::uint32_t>(list.layout.plane / list.layout.pitch);
        const std::int64_t x = entry % list.layout.pitch - Layout::kHalo,
                           y = row % rows - Layout::kHalo,
                           z = row / rows - Layout::kHalo + list.first;
        f(j, first + (z * list.grid.ny + y) * list.grid.nx + x, frame, static_cast<int>(entry));
      }
    }
  }
};

/// `body` for each missing site (see EntrySites). A functor over teams.
template <class ExecSpace, class Entry, class Body>
struct ForEachMissing {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  EntrySites<ExecSpace, Entry> sites;
  Body body;

  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
    sites.each(team, body);
  }
};

template <class ExecSpace, class Entry, class Body>
void for_each_missing(const ExecSpace& exec, const char* label,
                      const MissingList<ExecSpace, Entry>& list, const Body& body) {
  using Each = ForEachMissing<ExecSpace, Entry, Body>;
  const Each each{{list}, body};
  Kokkos::parallel_for(label,
                       typename Each::Policy(exec, list.frames * each.sites.teams(),
                                             compat::is_gpu_v<ExecSpace> ? 256 : 1),
                       each);
}

/// Pools the moments of the replicas: mean and variance of each missing site.
template <class ExecSpace, class Real>
struct PoolMoments {
  std::size_t count;  // of missing sites
  int replicas;
  Real samples;  // of a replica
  Array<ExecSpace, const Real> mean, deviation;
  Array<ExecSpace, Real> mean_out, variance_out;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t j, std::int64_t site, int, int) const {
    Real average = 0, within = 0, between = 0;
    for (int r = 0; r < replicas; ++r) average += mean(r * count + j);
    average /= static_cast<Real>(replicas);
    mean_out(site) = average;
    if (variance_out.extent(0) == 0) return;
    for (int r = 0; r < replicas; ++r) {
      const Real gap = mean(r * count + j) - average;
      within += deviation(r * count + j);
      between += gap * gap;
    }
    variance_out(site) = (within / samples + between) / static_cast<Real>(replicas);
  }
};

/// The present angles of one replica.
template <class ExecSpace, class Real>
struct PresentAngles {
  std::int64_t frame_size;  // spins of a chain
  int replicas, replica;
  Array<ExecSpace, const Rotor<Real>> state;
  Array<ExecSpace, Real> out;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t, std::int64_t site, int frame,
                                         int index) const {
    const std::size_t chain = static_cast<std::size_t>(frame) * replicas + replica;
    out(site) = angle(state(chain * frame_size + index));
  }
};

}  // namespace tessera::mpr::detail
