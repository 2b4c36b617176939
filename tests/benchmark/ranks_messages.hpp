// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/parallel/device_messages.hpp"
#include "tests/benchmark/team.hpp"

/// Cases of messages alone: lists of device memory that go both ways around a ring of ranks, and a
/// number that all ranks add up.

namespace tessera::bench {

/// Exchanges in a row, each of `bytes` to the rank before and to the rank behind.
template <class ExecSpace>
void run_ring(Team& team, std::size_t bytes) {
  constexpr int kTimes = 200;
  const ExecSpace exec;
  const auto size = static_cast<std::size_t>(team.ranks().size()),
             own = static_cast<std::size_t>(team.ranks().rank());
  std::vector<std::size_t> counts(size, 0);
  if (size > 1) counts[(own + 1) % size] = counts[(own + size - 1) % size] = bytes;
  const auto sent =
      allocate_zeros<Kokkos::View<char*, ExecSpace>>(exec, "tessera::bench::sent", 2 * bytes);
  const auto received =
      allocate_zeros<Kokkos::View<char*, ExecSpace>>(exec, "tessera::bench::received", 2 * bytes);
  const parallel::DeviceMessages messages(exec, team.ranks());
  const auto work = [&] {
    for (int i = 0; i < kTimes; ++i)
      messages.exchange(sent.data(), counts, received.data(), counts);
  };
  if (!team.repeat(
          exec, [] {}, work))
    return;
  const std::size_t to = size > 2 ? 2 : size - 1;
  team.report("B/s", static_cast<double>(to * bytes) * kTimes);
  team.count("exchanges", kTimes);
}

/// Measures sums over the ranks, through their hosts.
template <class ExecSpace>
void run_sum(Team& team) {
  constexpr int kTimes = 1000;
  const auto work = [&] {
    for (int i = 0; i < kTimes; ++i) benchmark::DoNotOptimize(team.ranks().sum(std::int64_t{i}));
  };
  if (!team.repeat(
          ExecSpace(), [] {}, work))
    return;
  team.report("sums/s", kTimes);
}

template <class ExecSpace>
void register_ranks_messages(const std::string& backend) {
  for (const std::int64_t bytes : {std::int64_t{8} << 10, std::int64_t{1} << 20,
                                   std::int64_t{8} << 20, std::int64_t{64} << 20}) {
    add_ranks_case({"ranks/messages/ring/" + backend, {{"bytes", bytes}}, 3},
                   [](benchmark::State& state, Team& team) {
                     run_ring<ExecSpace>(team, static_cast<std::size_t>(state.range(0)));
                   });
  }
  add_ranks_case({"ranks/messages/sum/" + backend, {}, 3},
                 [](benchmark::State&, Team& team) { run_sum<ExecSpace>(team); });
}

}  // namespace tessera::bench
