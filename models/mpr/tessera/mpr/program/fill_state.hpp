// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/mpr/fill/gap_fill.hpp"
#include "tessera/mpr/lattice/gather_blocks.hpp"
#include "tessera/mpr/program/chain_record.hpp"

namespace tessera::mpr::detail {

/// The part of a restart file for a fill whose start is over: counters, and the state of draws or
/// chains on the host, of all frames or of those of a rank.
template <class ExecSpace, class Real>
struct FillState {
  using Snapshot = typename Chains<ExecSpace, Real>::Snapshot;
  using MeansSnapshot = typename BatchMeans<ExecSpace, Real>::Snapshot;

  int done = 0, burn_in = 0;
  double updates = 0;
  std::vector<Real> squares;  ///< of draws
  Snapshot chains;
  MeansSnapshot means;
  std::vector<std::vector<Real>> members;
};

/// A number of things of which each rank has some, in the order of the ranks.
struct SharedCount {
  std::size_t here = 0, first = 0, all = 0;

  SharedCount() = default;
  SharedCount(const parallel::Communicator& ranks, std::size_t own) : here(own) {
    const std::vector<std::uint64_t> counts = ranks.all_gather(std::vector<std::uint64_t>{own});
    for (std::size_t r = 0; r < counts.size(); ++r) {
      first += static_cast<int>(r) < ranks.rank() ? counts[r] : 0;
      all += counts[r];
    }
  }
};

/// Returns the present state of `fill`; the members are the caller's.
template <class ExecSpace, class Real>
FillState<ExecSpace, Real> take_state(GapFill<ExecSpace, Real>& fill) {
  FillState<ExecSpace, Real> state;
  state.done = fill.sampling_done();
  state.burn_in = fill.burn_in_sweeps();
  state.updates = fill.updates();
  if (fill.uses_draws()) {
    state.squares = fill.squares();
    return state;
  }
  state.chains = fill.chains().save();
  if (fill.batch_means()) state.means = fill.batch_means()->save();
  return state;
}

/// The parts of all ranks at the first one.
template <class ExecSpace, class Real>
void gather_state(const parallel::Communicator& ranks, int replicas,
                  FillState<ExecSpace, Real>& state) {
  const auto each = static_cast<std::size_t>(replicas);
  state.squares = gather_blocks(ranks, state.squares);
  state.chains.spins = gather_blocks(ranks, state.chains.spins);
  state.chains.mean = gather_blocks(ranks, state.chains.mean, each);
  state.chains.deviation = gather_blocks(ranks, state.chains.deviation, each);
  state.chains.series = gather_blocks(ranks, state.chains.series, 4);
  state.chains.chains = gather_blocks(ranks, state.chains.chains);
  state.means.before = gather_blocks(ranks, state.means.before);
  state.means.squares = gather_blocks(ranks, state.means.squares);
  for (std::vector<Real>& member : state.members) member = gather_blocks(ranks, member);
}

/// The slabs of all ranks that share a chain of one frame, at the first one.
template <class ExecSpace, class Real>
void gather_slabs(const parallel::Communicator& ranks, const GapFill<ExecSpace, Real>& fill,
                  FillState<ExecSpace, Real>& state) {
  const Chains<ExecSpace, Real>& chains = fill.chains();
  const SiteRange own = chains.sites();
  const auto each = static_cast<std::size_t>(chains.chains());
  const auto gather_sites = [&](const std::vector<Real>& numbers) {
    return gather_blocks(ranks,
                         numbers.empty() ? numbers : take_blocks(numbers, 1, own.first, own.count));
  };
  state.chains.spins = gather_blocks(ranks, chains.own_spins(state.chains.spins), each);
  state.chains.mean = gather_blocks(ranks, state.chains.mean, each);
  state.chains.deviation = gather_blocks(ranks, state.chains.deviation, each);
  state.means.before = gather_sites(state.means.before);
  state.means.squares = gather_sites(state.means.squares);
  for (std::vector<Real>& member : state.members) member = gather_sites(member);
}

template <class ExecSpace, class Real>
void save_state(const io::Group& group, const GapFill<ExecSpace, Real>& fill, bool has_batch_means,
                const FillState<ExecSpace, Real>& state) {
  const io::Attributes plain;
  group.set_attribute("sampling_sweeps", state.done);
  if (fill.uses_draws()) {
    group.write("squares", state.squares, plain);
  } else {
    group.set_attribute("burn_in_sweeps", state.burn_in);
    group.set_attribute("updates", state.updates);
    group.write("spins", state.chains.spins, plain);
    group.write("mean", state.chains.mean, plain);
    group.write("deviation", state.chains.deviation, plain);
    group.write("series", state.chains.series, plain);
    group.set_attribute("samples", state.chains.samples);
    save_chains(group.group("chains"), state.chains.chains);
    if (has_batch_means) {
      group.write("batch_mean", state.means.before, plain);
      group.write("batch_squares", state.means.squares, plain);
      group.set_attribute("batch_sweeps", state.means.sweeps);
      group.set_attribute("batches", state.means.batches);
    }
  }
  group.set_attribute("members", static_cast<std::uint64_t>(state.members.size()));
  for (std::size_t m = 0; m < state.members.size(); ++m)
    group.write("member_" + std::to_string(m), state.members[m], plain);
}

/// The chains of the frames here. missing: sites. Throws Error where the numbers are not those of
/// such chains; Chains::fits finds the rest.
template <class ExecSpace, class Real>
typename Chains<ExecSpace, Real>::Snapshot load_chains_of(const io::Group& group,
                                                          const Chains<ExecSpace, Real>& chains,
                                                          const FrameShare& share, int replicas,
                                                          const SharedCount& missing) {
  const auto each = static_cast<std::size_t>(replicas),
             here = static_cast<std::size_t>(chains.chains());
  const std::size_t all = static_cast<std::size_t>(share.in_all(chains.chains() / replicas)) * each;
  const std::size_t first = static_cast<std::size_t>(share.first) * each;
  const auto check = [&](bool fits) {
    if (!fits) throw group.misfit("", "does not fit the grid and the sweeps of this run");
  };
  const auto of_chains = [&](const auto& values, std::size_t blocks) {
    check(values.size() % (blocks * all) == 0);
    const std::size_t of_chain = values.size() / (blocks * all);
    return take_blocks(values, blocks, first * of_chain, here * of_chain);
  };
  const auto of_sites = [&](const std::vector<Real>& values) {
    check(values.empty() || values.size() == each * missing.all);
    return values.empty() ? values : take_blocks(values, each, missing.first, missing.here);
  };
  typename Chains<ExecSpace, Real>::Snapshot snapshot;
  const std::vector<Real> spins = group.read<Real>("spins");
  snapshot.spins = share.is_divided() ? of_chains(spins, 1) : chains.spins_here(spins);
  snapshot.series = of_chains(group.read<double>("series"), 4);
  snapshot.mean = of_sites(group.read<Real>("mean"));
  snapshot.deviation = of_sites(group.read<Real>("deviation"));
  snapshot.samples = group.attribute<std::uint32_t>("samples");
  snapshot.chains = take_blocks(load_chains(group.group("chains"), all), 1, first, here);
  return snapshot;
}

}  // namespace tessera::mpr::detail
