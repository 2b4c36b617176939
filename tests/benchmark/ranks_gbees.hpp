// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tests/benchmark/gbees.hpp"
#include "tests/benchmark/team.hpp"

/// Densities whose cells several ranks share: Lorenz '96 on the paper's grid, and on CPUs on twice
/// its spacing.

namespace tessera::bench {

/// So many intervals of 0.1 each: cell-steps a second, as in gbees.hpp.
template <class ExecSpace, class Problem>
void run_shared_gbees(Team& team, Problem problem, std::int64_t intervals) {
  problem.options.ranks = team.ranks();
  using Density = decltype(problem.template start<ExecSpace>());
  std::unique_ptr<Density> density;
  gbees::StepperState end;
  const auto prepare = [&] {
    density.reset();  // before there is another one
    density.reset(new Density(problem.template start<ExecSpace>()));
  };
  const auto work = [&] {
    for (std::int64_t i = 0; i < intervals; ++i) density->propagate(0.1);
    end = density->state();
  };
  if (!team.repeat(ExecSpace(), prepare, work)) return;
  const auto cell_steps = static_cast<double>(end.cell_steps),
             cells = static_cast<double>(end.max_cells);
  team.expect_same({end.mass, end.time, cell_steps, cells});
  team.report("cell-steps/s", cell_steps);
  team.count("cell-steps", cell_steps);
  team.count("steps", static_cast<double>(end.steps));
  team.count("max_cells", cells);
}

/// About as many cells for each of so many ranks: smaller cells, of which the density above the
/// threshold, less by as much, takes ranks times as many. The cells beside these grow in number by
/// less, so each rank has fewer in all. There are about ranks^(1/6) times as many steps.
template <class Problem>
Problem with_cells_for(Problem problem, int ranks) {
  for (double& spacing : problem.spacing) spacing *= std::pow(ranks, -1.0 / Problem::D);
  problem.options.threshold /= ranks;
  return problem;
}

template <class ExecSpace>
void register_ranks_gbees(const std::string& backend) {
  using gbees::Scheme;
  constexpr bool gpu = compat::is_gpu_v<ExecSpace>;
  const auto problem_with = [](Scheme scheme, double threshold) {
    auto problem = gpu ? lorenz96(scheme) : test::lorenz96_coarse(scheme);
    if (threshold > 0) problem.options.threshold = threshold;
    return problem;
  };
  const auto add = [&](const std::string& name, const auto& problem, std::int64_t intervals,
                       int iterations, bool grows = false) {
    const RanksCase added{"ranks/gbees/" + name + "/" + backend,
                          {{"intervals", intervals}},
                          iterations,
                          iterations > 1,
                          !grows};
    add_ranks_case(added, [=](benchmark::State& state, Team& team) {
      run_shared_gbees<ExecSpace>(team, with_cells_for(problem, grows ? team.size() : 1),
                                  state.range(0));
    });
  };
  // The paper's run, to t = 1.3.
  add("paper/conservative", problem_with(Scheme::conservative, 0), 13, 2);
  add("paper/reference", problem_with(Scheme::reference, 0), 13, 2);
  // A low threshold, which on a GPU leaves hundreds of millions of cells, to an early end and to
  // the end; and weak scaling from both.
  const double low = gpu ? 1e-10 : 1e-7;
  add("weak_paper/conservative", problem_with(Scheme::conservative, 0), 13, 1, true);
  for (const std::int64_t intervals :
       gpu ? std::vector<std::int64_t>{6, 13} : std::vector<std::int64_t>{2}) {
    add("threshold/conservative", problem_with(Scheme::conservative, low), intervals, 1);
    add("weak_threshold/conservative", problem_with(Scheme::conservative, low), intervals, 1, true);
  }
}

}  // namespace tessera::bench
