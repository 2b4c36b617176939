// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/mpr/couplings.hpp"
#include "tessera/mpr/detail/missing.hpp"
#include "tessera/mpr/detail/row_weights.hpp"
#include "tessera/mpr/detail/site_update.hpp"

/// Sweeps over stacks (three dimensions, or images over time): one launch for each colour, without scratch memory.

namespace tessera::mpr::detail {

/// The most teams that share the sites of a colour: sites at edges, which take longer and go first, and regular ones.
struct StackChunks {
  int edge = 0, regular = 1;
  KOKKOS_INLINE_FUNCTION int all() const { return edge + regular; }
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
  int colour, replicas, sweep_in_batch;
  StackChunks chunks;
  bool burning_in, rao_blackwell;
  std::uint32_t samples_before;
  Array<ExecSpace, Rotor<Real>> state;
  Array<ExecSpace, const ChainState> chains;
  Array<ExecSpace, Tally> tallies;  // [chain][sweep][colour, chunk]
  Array<ExecSpace, Real> mean, deviation;

  static void launch(const ExecSpace& exec, const StackSweep& sweep, int chains) {
    Kokkos::parallel_for("tessera::mpr::sweep_stack", Policy(exec, chains * sweep.chunks.all(), kGpu ? 256 : 1), sweep);
  }

  /// Reads the spins and fields of a segment, and writes spins and moments.
  template <bool Regular>
  struct Access {
    const StackSweep& all;
    Rotor<Real>* v;
    std::size_t moments;  // first element in mean and deviation
    Steps step;
    int first_row;  // of the frame, of all rows that have weights

    KOKKOS_FORCEINLINE_FUNCTION void gather(std::uint32_t j, SiteUpdate<Real>& s) const {
      s.site = all.list.entries(j);
      const int slot = static_cast<int>(s.site);
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
        const Real before = static_cast<Real>(all.samples_before), share = Real(1) / (before + Real(1));
        const Real gap = s.angle - all.mean(moments + j);
        all.mean(moments + j) += gap * share;
        if constexpr (M == Moments::variance) all.deviation(moments + j) += gap * gap * before * share + s.variance;
      }
    }
  };

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const int chain = team.league_rank() / chunks.all(), chunk_of_chain = team.league_rank() % chunks.all(), frame = chain / replicas;
    const ChainState now = chains(chain);
    if (burning_in && now.settled) return;
    const bool regular = chunk_of_chain >= chunks.edge;
    const int chunk = regular ? chunk_of_chain - chunks.edge : chunk_of_chain;
    const std::size_t segment = static_cast<std::size_t>(SecondNeighbours ? 2 * colour + (regular ? 0 : 1) : colour);
    const std::size_t group = static_cast<std::size_t>(frame) * list.colouring.segments() + segment;
    const std::uint32_t begin = compat::min(list.begin(group) + chunk * kChunk, list.begin(group + 1));
    const std::uint32_t end = compat::min(begin + kChunk, list.begin(group + 1));
    SweepContext<Real> context = make_context<Real>(now);
    context.sweep = now.sweep + static_cast<std::uint32_t>(sweep_in_batch);
    context.proposal.reach = static_cast<Real>(kPi / now.step_control_at(sweep_in_batch, burning_in));
    Rotor<Real>* const v = state.data() + static_cast<std::size_t>(chain) * list.layout.frame;
    const std::size_t moments = static_cast<std::size_t>(chain % replicas) * list.count;
    const Steps step{list.layout.pitch, list.layout.plane};
    const int first_row = frame * static_cast<int>(list.layout.frame / list.layout.pitch);
    double energy = 0;
    int accepted = 0;
    if (!SecondNeighbours || regular) {
      update_sites<kGpu, Local, M>(context, rao_blackwell, Access<true>{*this, v, moments, step, first_row}, begin, end, team.team_rank(),
                                   team.team_size(), energy, accepted);
    } else {
      update_sites<kGpu, Local, M>(context, rao_blackwell, Access<false>{*this, v, moments, step, first_row}, begin, end, team.team_rank(),
                                   team.team_size(), energy, accepted);
    }
    team.team_reduce(Kokkos::Sum<double>(energy));
    team.team_reduce(Kokkos::Sum<int>(accepted));
    if (team.team_rank() == 0) {
      const std::size_t sweep = static_cast<std::size_t>(chain) * kMostSweeps + sweep_in_batch;
      tallies((sweep * list.colouring.colours() + colour) * chunks.all() + chunk_of_chain) = {energy, static_cast<std::uint32_t>(accepted)};
    }
  }
};

}  // namespace tessera::mpr::detail
