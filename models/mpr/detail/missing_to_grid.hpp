// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/mpr/detail/missing.hpp"
#include "tessera/mpr/rotator.hpp"

/// From what a chain knows of its missing sites, in the order of their list, to arrays over the sites of the grid.

namespace tessera::mpr::detail {

/// Calls f(place in the list, site of the grid without padding, frame) for an entry of the list.
template <class ExecSpace, class Entry>
struct EntrySites {
  MissingList<ExecSpace, Entry> list;

  /// Teams of a frame: one per tile, or enough of them for a stack.
  KOKKOS_INLINE_FUNCTION int teams() const { return list.tiled() ? list.tiles() : kTeamsOfStack; }
  static constexpr int kTeamsOfStack = 1024;

  template <class Member, class F>
  KOKKOS_INLINE_FUNCTION void each(const Member& team, const F& f) const {
    const int segments = list.colouring.segments();
    const int frame = team.league_rank() / teams(), part = team.league_rank() % teams(), tile = list.tiled() ? part : 0;
    const std::size_t group = (static_cast<std::size_t>(frame) * list.tiles() + tile) * segments;
    std::uint32_t begin = list.begin(group), end = list.begin(group + segments);
    if (!list.tiled()) {
      const std::uint32_t share = (end - begin + teams() - 1) / teams();
      begin = compat::min(begin + part * share, end);
      end = compat::min(begin + share, end);
    }
    const std::int64_t first = frame * list.grid.sites();
    for (std::uint32_t j = begin + team.team_rank(); j < end; j += team.team_size()) {
      const std::uint32_t entry = list.entries(j);
      if (list.tiled()) {
        const int x = tile % list.tiles_x * Layout::kTile + static_cast<int>(entry % Layout::kTile);
        const int y = tile / list.tiles_x * list.tile_rows + static_cast<int>(entry / Layout::kTile);
        f(j, first + static_cast<std::int64_t>(y) * list.grid.nx + x, frame, list.layout.index(x, y, 0));
      } else {
        const std::uint32_t row = entry / static_cast<std::uint32_t>(list.layout.pitch);
        const std::uint32_t rows = static_cast<std::uint32_t>(list.layout.plane / list.layout.pitch);
        const std::int64_t x = entry % list.layout.pitch - Layout::kHalo, y = row % rows - Layout::kHalo, z = row / rows - Layout::kHalo;
        f(j, first + (z * list.grid.ny + y) * list.grid.nx + x, frame, static_cast<int>(entry));
      }
    }
  }
};

/// Pools the replicas' moments and puts them in their places.
template <class ExecSpace, class Real, class Entry>
struct PlaceMoments {
  EntrySites<ExecSpace, Entry> sites;
  int replicas;
  Real samples;  // of a replica
  Array<ExecSpace, const Real> mean, deviation;
  Array<ExecSpace, Real> mean_out, variance_out;

  struct Place {
    const PlaceMoments& all;
    KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t j, std::int64_t site, int, int) const {
      const std::size_t count = all.sites.list.count;
      Real average = 0, within = 0, between = 0;
      for (int r = 0; r < all.replicas; ++r) average += all.mean(r * count + j);
      average /= static_cast<Real>(all.replicas);
      all.mean_out(site) = average;
      if (all.variance_out.extent(0) == 0) return;
      for (int r = 0; r < all.replicas; ++r) {
        const Real gap = all.mean(r * count + j) - average;
        within += all.deviation(r * count + j);
        between += gap * gap;
      }
      all.variance_out(site) = (within / all.samples + between) / static_cast<Real>(all.replicas);
    }
  };
  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    sites.each(team, Place{*this});
  }
};

/// The present angles of one chain in their places.
template <class ExecSpace, class Real, class Entry>
struct PlaceAngles {
  EntrySites<ExecSpace, Entry> sites;
  int replicas, replica;
  Array<ExecSpace, const Rotor<Real>> state;
  Array<ExecSpace, Real> out;

  struct Place {
    const PlaceAngles& all;
    KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t, std::int64_t site, int frame, int place) const {
      const std::size_t chain = static_cast<std::size_t>(frame) * all.replicas + all.replica;
      all.out(site) = angle_of(all.state(chain * all.sites.list.layout.frame + place));
    }
  };
  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    sites.each(team, Place{*this});
  }
};

}  // namespace tessera::mpr::detail
