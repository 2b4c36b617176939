// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tests/benchmark/mpr_simulation.hpp"
#include "tests/benchmark/team.hpp"

/// Simulations of mpr that several ranks share: the chain of one image by slabs of rows, and the
/// chains of frames. What comes before in a fill, the model that is estimated and the mean, is made
/// by each rank for a whole image and is not measured here; and each rank holds the status and the
/// angles of all sites of an image beside its slab.

namespace tessera::bench {

/// Updates a nanosecond, as in mpr.hpp.
template <class ExecSpace>
void run_shared_mpr(Team& team, Backend backend, const MprRun& run) {
  using Simulation = MprSimulation<ExecSpace, float>;
  const ExecSpace exec;
  const bool by_frames = run.frames > 1;
  std::unique_ptr<Simulation> simulation;
  const auto prepare = [&] {
    if (!simulation) {
      const parallel::Communicator& ranks = team.ranks();
      const mpr::FrameShare share =
          by_frames ? mpr::FrameShare(ranks, run.frames) : mpr::FrameShare();
      team.need(backend, Simulation::memory(
                             run, by_frames ? (run.frames + ranks.size() - 1) / ranks.size() : 1));
      simulation = std::make_unique<Simulation>(
          exec, run, by_frames ? parallel::Communicator() : ranks, share);
    }
    simulation->start();
  };
  if (!team.repeat(exec, prepare, [&] { simulation->sweep(); })) return;
  std::vector<double> energies;
  double updates = 0;
  team.run([&] {
    std::vector<std::uint64_t> missing{simulation->missing()};
    team.ranks().sum(missing);
    const std::vector<mpr::ChainState> own = simulation->states(),
                                       all = by_frames ? team.ranks().all_gather(own) : own;
    updates = static_cast<double>(missing.front()) * all.front().sweep;
    for (const mpr::ChainState& chain : all) energies.push_back(chain.energy);
  });
  team.expect_same(energies);
  team.report("updates/ns", 1e-9 * updates);
  team.count("updates", updates);
}

template <class ExecSpace>
void register_ranks_mpr(const std::string& backend) {
  constexpr bool gpu = compat::is_gpu_v<ExecSpace>;
  const Backend device = choose_backend(backend);
  const auto add = [&](const std::string& name, const MprRun& run) {
    add_ranks_case(
        {"ranks/mpr/" + name + "/" + backend, {}, 5},
        [=](benchmark::State&, Team& team) { run_shared_mpr<ExecSpace>(team, device, run); });
  };
  const auto text = [](int number) { return std::to_string(number); };
  const mpr::Moments variance = mpr::Moments::variance;
  for (const int size : gpu ? std::vector<int>{8192, 32768} : std::vector<int>{1024}) {
    add("default/L" + text(size), {{size, size, 1}, 0.33, 0, 10, 25, variance, true});
    add("paper/L" + text(size), {{size, size, 1}, 0.33, 0, 0, 100, variance, false});
  }
  const int frames = gpu ? 64 : 4, side = gpu ? 2048 : 256;
  add("frames/" + text(frames) + "x" + text(side),
      {{side, side, 1}, 0.33, 0, 10, 25, variance, true, frames});
}

}  // namespace tessera::bench
