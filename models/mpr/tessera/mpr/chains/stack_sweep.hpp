// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/chains/site_update.hpp"
#include "tessera/mpr/lattice/couplings.hpp"
#include "tessera/mpr/lattice/missing.hpp"
#include "tessera/mpr/lattice/row_weights.hpp"

/// Sweeps over stacks (three dimensions, or images over time): one launch for each colour, without
/// scratch memory.

namespace tessera::mpr::detail {

/// The work of a team: some of the sites of a colour in a few layers, all regular or all at edges.
struct StackTeam {
  std::uint32_t begin = 0, end = 0;  ///< in the list
  std::int32_t tally = 0;            ///< where the count goes, in the order of the list
  std::int32_t regular = 1;
};

/// The teams of each colour of each frame. Those at edges, which take longer, go first.
template <class ExecSpace>
struct StackTeams {
  Array<ExecSpace, StackTeam> team;
  /// The first of each (frame, colour) in `team`, and the end of the last one
  Array<ExecSpace, std::uint32_t> begin;
  std::vector<int> most;  ///< of each colour, in a frame
  int tallies = 0;        ///< of a sweep of a frame at most

  StackTeams() = default;
  /// begin: of each (frame, tile, segment), and the end of the last one.
  StackTeams(const ExecSpace& exec, const Colouring& colouring, int frames, int tiles,
             const std::vector<std::uint32_t>& begin, std::uint32_t chunk) {
    const auto colours = static_cast<std::size_t>(colouring.colours());
    const auto segments = static_cast<std::size_t>(colouring.segments()),
               of_colour = segments / colours;
    const std::size_t of_frame = static_cast<std::size_t>(tiles) * segments;
    std::vector<StackTeam> teams;
    std::vector<std::uint32_t> ends{0};
    most.assign(colours, 0);
    for (std::size_t f = 0; f < static_cast<std::size_t>(frames); ++f) {
      std::vector<std::vector<StackTeam>> edge(colours), regular(colours);
      std::int32_t tally = 0;
      for (std::size_t segment = f * of_frame; segment < (f + 1) * of_frame; ++segment) {
        const bool is_regular = segment % of_colour == 0;
        for (std::uint32_t at = begin[segment]; at < begin[segment + 1]; at += chunk) {
          auto& list = is_regular ? regular : edge;
          list[segment % segments / of_colour].push_back(
              {at, std::min(at + chunk, begin[segment + 1]), tally++, is_regular ? 1 : 0});
        }
      }
      tallies = std::max(tallies, tally);
      for (std::size_t c = 0; c < colours; ++c) {
        teams.insert(teams.end(), edge[c].begin(), edge[c].end());
        teams.insert(teams.end(), regular[c].begin(), regular[c].end());
        most[c] = std::max(most[c], static_cast<int>(edge[c].size() + regular[c].size()));
        ends.push_back(static_cast<std::uint32_t>(teams.size()));
      }
    }
    team = upload(exec, "tessera::mpr::stack_teams", teams);
    this->begin = upload(exec, "tessera::mpr::stack_teams_begin", ends);
  }
};

/// Weights: SameWeights or WeightsByRow.
template <class ExecSpace, class Real, bool SecondNeighbours, bool Local, Moments M, class Weights>
struct StackSweep {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr bool kGpu = compat::is_gpu_v<ExecSpace>;
  static constexpr std::uint32_t kChunk = kGpu ? 512 : 2048;  // sites of a team

  MissingList<ExecSpace, std::uint32_t> list;
  Weights weights;
  Array<ExecSpace, const StackTeam> teams;
  Array<ExecSpace, const std::uint32_t> teams_begin;
  int colour, most_teams, replicas, sweep_in_batch;
  int first_tally, all_tallies;  // of the slab here, and of a sweep
  bool burning_in, rao_blackwell;
  std::uint32_t samples_before;
  Array<ExecSpace, Rotor<Real>> state;
  Array<ExecSpace, const ChainState> chains;
  Array<ExecSpace, Tally> tallies;  // [chain][sweep][team]
  Array<ExecSpace, Real> mean, deviation;

  static void launch(const ExecSpace& exec, const StackSweep& sweep, int chains) {
    if (sweep.most_teams == 0) return;
    Kokkos::parallel_for("tessera::mpr::sweep_stack",
                         Policy(exec, chains * sweep.most_teams, kGpu ? 256 : 1), sweep);
  }

  /// Reads the spins and fields of a segment, and writes spins and moments.
  template <bool Regular>
  struct Access {
    const StackSweep& all;
    Rotor<Real>* v;
    std::size_t moments;  // first element in mean and deviation
    Steps step;
    int first_row;  // of the layout, of all rows that have weights

    KOKKOS_FORCEINLINE_FUNCTION void gather(std::uint32_t j, SiteUpdate<Real>& s) const {
      const int slot = static_cast<int>(all.list.entries(j));
      s.site = all.list.first_number + static_cast<std::uint32_t>(slot);
      s.slot = slot;
      s.spin = v[slot];
      const auto& near = all.weights.at(first_row + slot / step.pitch);
      if constexpr (!SecondNeighbours) {
        s.field = nearest_field<3>(v, slot, step, near);
      } else if constexpr (Regular) {
        s.field = curvature_field<3>(v, slot, step, near);
      } else {
        s.field = curvature_field_at_edge<3>(v, slot, step, near);
      }
    }

    KOKKOS_FORCEINLINE_FUNCTION void scatter(std::uint32_t j, const SiteUpdate<Real>& s) const {
      v[s.slot] = s.spin;
      if constexpr (M != Moments::none) {  // Welford's running mean and sum of squared deviations
        const Real before = static_cast<Real>(all.samples_before),
                   share = Real(1) / (before + Real(1));
        const Real gap = s.angle - all.mean(moments + j);
        all.mean(moments + j) += gap * share;
        if constexpr (M == Moments::variance)
          all.deviation(moments + j) += gap * gap * before * share + s.variance;
      }
    }
  };

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const int chain = team.league_rank() / most_teams,
              team_of_chain = team.league_rank() % most_teams, frame = chain / replicas;
    const ChainState now = chains(chain);
    if (burning_in && now.settled) return;
    const int group = frame * list.colouring.colours() + colour;
    const std::uint32_t at = teams_begin(group) + static_cast<std::uint32_t>(team_of_chain);
    if (at >= teams_begin(group + 1)) return;
    const StackTeam own = teams(at);
    SweepContext<Real> context = make_context<Real>(now);
    context.sweep = now.sweep + static_cast<std::uint32_t>(sweep_in_batch);
    context.proposal.reach =
        static_cast<Real>(kPi / now.step_control_at(sweep_in_batch, burning_in));
    Rotor<Real>* const v = state.data() + static_cast<std::size_t>(chain) * list.layout.frame;
    const std::size_t moments = static_cast<std::size_t>(chain % replicas) * list.count;
    const Steps step{list.layout.pitch, list.layout.plane};
    const int rows = list.layout.plane / list.layout.pitch,
              first_row = (frame * (list.grid.nz + 2 * Layout::kHalo) + list.first) * rows;
    double energy = 0;
    int accepted = 0;
    if (!SecondNeighbours || own.regular != 0) {
      update_sites<kGpu, Local, false, M>(
          context, rao_blackwell, Access<true>{*this, v, moments, step, first_row}, own.begin,
          own.end, team.team_rank(), team.team_size(), energy, accepted);
    } else {
      update_sites<kGpu, Local, false, M>(
          context, rao_blackwell, Access<false>{*this, v, moments, step, first_row}, own.begin,
          own.end, team.team_rank(), team.team_size(), energy, accepted);
    }
    team.team_reduce(Kokkos::Sum<double>(energy));
    team.team_reduce(Kokkos::Sum<int>(accepted));
    if (team.team_rank() == 0) {
      const std::size_t sweep = static_cast<std::size_t>(chain) * kMostSweeps + sweep_in_batch;
      tallies(sweep * all_tallies + first_tally + own.tally) = {
          energy, static_cast<std::uint32_t>(accepted)};
    }
  }
};

}  // namespace tessera::mpr::detail
