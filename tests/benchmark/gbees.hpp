// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <string>

#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/timer.hpp"
#include "tests/unit/gbees_problems.hpp"

/// Cell-steps a second: the sum over the steps of the cells that exist, divided by the wall time of
/// the stepping (prunes and measurement included, initial density excluded).

namespace tessera::bench {

struct GbeesRun {
  double duration = 1;  ///< of a segment
  int intervals = 4;    ///< in each segment
  int segments = 1;     ///< with the paper's measurement of z between them
};

template <class ExecSpace, class Real, class Problem>
void run_gbees(benchmark::State& state, const Problem& problem, const GbeesRun& run) {
  const ExecSpace exec;
  double cell_steps = 0, steps = 0, cells = 0, bytes = 0;
  for (auto _ : state) {
    auto density = problem.template start<ExecSpace, Real>();
    state.SetIterationTime(seconds(exec, [&] {
      for (int segment = 0; segment < run.segments; ++segment) {
        if (segment > 0) density.observe({{2, -8.0, 1.0}});
        for (int i = 0; i < run.intervals; ++i) density.propagate(run.duration / run.intervals);
      }
    }));
    cell_steps = static_cast<double>(density.state().cell_steps);
    steps = static_cast<double>(density.state().steps);
    cells = density.state().max_cells;
    bytes = static_cast<double>(density.memory());
  }
  state.counters["cell-steps/s"] =
      benchmark::Counter(cell_steps, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["steps"] = steps;
  state.counters["cell-steps"] = cell_steps;
  state.counters["max_cells"] = cells;
  state.counters["B/cell"] = bytes / cells;
}

/// The paper's Lorenz '96 grid: spacing 0.1, threshold 8e-9.
inline test::GbeesProblem<gbees::Lorenz96<6>> lorenz96(gbees::Scheme scheme) {
  auto problem = test::lorenz96_coarse(scheme);
  problem.spacing = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
  problem.options.threshold = 8e-9;
  return problem;
}

/// Lorenz '63 on a quarter of the paper's spacing, with the threshold scaled by the volume of a
/// cell.
inline test::GbeesProblem<gbees::Lorenz63> lorenz63_fine(gbees::Scheme scheme) {
  auto problem = test::lorenz63(scheme);
  problem.spacing = {0.125, 0.125, 0.125};
  problem.options.threshold = 5e-6 / 64;
  return problem;
}

/// Coarse Lorenz '96 from equations.
inline auto lorenz96_coarse_equations(gbees::Scheme scheme) {
  return test::from_equations(test::lorenz96_coarse(scheme), gbees::lorenz96_equations(6, 4));
}

/// Returns the problem with the container of the directory given.
template <class Problem>
Problem with_directory(Problem problem, gbees::DirectoryKind kind) {
  problem.options.directory = kind;
  return problem;
}

template <class Problem>
Problem with_kernels(Problem problem, Kernels kernels) {
  problem.options.kernels = kernels;
  return problem;
}

/// Returns the problem with so many slots of the directory for each cell and threads of a team; 0:
/// by itself.
template <class Problem>
Problem with_tuning(Problem problem, double slots_per_cell, int team_size) {
  problem.options.slots_per_cell = slots_per_cell;
  problem.options.team_size = team_size;
  return problem;
}

template <class ExecSpace, class Real = double, class Problem>
void add_gbees(const std::string& name, const Problem& problem, const GbeesRun& run) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [problem, run](benchmark::State& state) { run_gbees<ExecSpace, Real>(state, problem, run); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

/// An update of many cells by an observation, with the prune that follows: all cells there are
/// before it, divided by its time.
template <class ExecSpace>
void add_gbees_update(const std::string& name, const gbees::Observation& observation) {
  auto problem = test::lorenz96_coarse(gbees::Scheme::conservative);
  problem.options.threshold = 1e-9;  // 0.2 million cells
  if (compat::is_gpu_v<ExecSpace>) {
    problem = lorenz96(gbees::Scheme::conservative);
    problem.options.threshold = 1e-16;  // 54 million
  }
  benchmark::RegisterBenchmark(
      name.c_str(),
      [problem, observation](benchmark::State& state) {
        const ExecSpace exec;
        double cells = 0;
        for (auto _ : state) {
          auto density = problem.template start<ExecSpace>();
          cells = density.state().cells;
          state.SetIterationTime(seconds(exec, [&] { density.observe({observation}); }));
        }
        state.counters["cells/s"] =
            benchmark::Counter(cells, benchmark::Counter::kIsIterationInvariantRate);
        state.counters["cells"] = cells;
      })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

/// A problem with several numbers of slots for each cell in either container and, on a GPU, sizes
/// of teams (PropagatorOptions::slots_per_cell, team_size).
template <class ExecSpace, class Problem>
void add_gbees_tuning(const std::string& name, const std::string& backend, const Problem& problem,
                      const GbeesRun& run) {
  for (const auto& [kind, container] :
       {std::pair{gbees::DirectoryKind::automatic, "slots_"},
        std::pair{gbees::DirectoryKind::unordered_map, "unordered_map_slots_"}}) {
    for (const auto& [slots, text] :
         {std::pair{1.2, "1.2"}, std::pair{1.5, "1.5"}, std::pair{2.0, "2"}, std::pair{4.0, "4"}}) {
      add_gbees<ExecSpace>(name + container + text + "/" + backend,
                           with_directory(with_tuning(problem, slots, 0), kind), run);
    }
  }
  if (!compat::is_gpu_v<ExecSpace>) return;
  for (const int team_size : {32, 64, 128, 192, 256, 320, 384}) {
    add_gbees<ExecSpace>(name + "team_" + std::to_string(team_size) + "/" + backend,
                         with_tuning(problem, 0, team_size), run);
  }
}

template <class ExecSpace>
void register_gbees(const std::string& backend) {
  using gbees::Scheme;
  const auto written = gbees::lorenz96_equations(6, 4);
  const auto of_text = [&](const std::string& function) {
    return gbees::compile_functions(written, {function});
  };
  add_gbees_update<ExecSpace>("gbees/update/gaussian/" + backend,
                              gbees::Observation(of_text("sqrt(x1^2 + x2^2)"), {6.0}, {{0.01}}));
  add_gbees_update<ExecSpace>("gbees/update/likelihood/" + backend,
                              gbees::Observation::likelihood(of_text("exp(-abs(x1 - 4.4)/0.7)")));
  // At most 20 000 and 123 000 cells: team sizes by themselves change at 32 768.
  add_gbees_tuning<ExecSpace>("gbees/lorenz63_tuning/", backend, test::lorenz63(Scheme::reference),
                              {1.0, 4, 2});
  add_gbees_tuning<ExecSpace>("gbees/lorenz96_coarse_tuning/", backend,
                              test::lorenz96_coarse(Scheme::reference), {1.3, 13, 1});
  for (const auto& [scheme, text] : {std::pair{Scheme::reference, "reference"},
                                     std::pair{Scheme::conservative, "conservative"}}) {
    const std::string end = std::string("/") + text + "/" + backend;
    add_gbees<ExecSpace>("gbees/lorenz63" + end, test::lorenz63(scheme), {1.0, 4, 2});
    add_gbees<ExecSpace>("gbees/lorenz63_fine" + end, lorenz63_fine(scheme), {1.0, 4, 2});
    add_gbees<ExecSpace>("gbees/lorenz96_coarse" + end, test::lorenz96_coarse(scheme),
                         {1.3, 13, 1});
    add_gbees<ExecSpace, float>("gbees/lorenz96_coarse_single" + end, test::lorenz96_coarse(scheme),
                                {1.3, 13, 1});
    add_gbees<ExecSpace>("gbees/lorenz96_coarse_equations" + end, lorenz96_coarse_equations(scheme),
                         {1.3, 13, 1});
    add_gbees<ExecSpace>(
        "gbees/lorenz96_coarse_equations_unordered_map" + end,
        with_directory(lorenz96_coarse_equations(scheme), gbees::DirectoryKind::unordered_map),
        {1.3, 13, 1});
    add_gbees<ExecSpace>("gbees/lorenz96_coarse_equations_keys_128" + end,
                         test::with_wide_keys(lorenz96_coarse_equations(scheme)), {1.3, 13, 1});
    add_gbees<ExecSpace>("gbees/lorenz96_t0.2" + end, lorenz96(scheme), {0.2, 1, 1});
    if (compat::is_gpu_v<ExecSpace>)
      add_gbees<ExecSpace, float>("gbees/lorenz96_t0.2_single" + end, lorenz96(scheme),
                                  {0.2, 1, 1});
    if (compat::is_gpu_v<ExecSpace>)
      add_gbees<ExecSpace>("gbees/lorenz96_t0.2_equations" + end,
                           test::from_equations(lorenz96(scheme), written), {0.2, 1, 1});
    if (compat::is_gpu_v<ExecSpace>)
      add_gbees<ExecSpace>("gbees/lorenz96_t0.2_equations_keys_128" + end,
                           test::with_wide_keys(test::from_equations(lorenz96(scheme), written)),
                           {0.2, 1, 1});
    if (compat::is_gpu_v<ExecSpace>)
      add_gbees<ExecSpace>("gbees/lorenz96_paper" + end, lorenz96(scheme), {1.3, 13, 1});
    for (const auto& [kernels, kind] :
         {std::pair{Kernels::plain, "_plain"}, std::pair{Kernels::fused, "_fused"}}) {
      add_gbees<ExecSpace>("gbees/lorenz63" + (kind + end),
                           with_kernels(test::lorenz63(scheme), kernels), {1.0, 4, 2});
      add_gbees<ExecSpace>("gbees/lorenz96_coarse" + (kind + end),
                           with_kernels(test::lorenz96_coarse(scheme), kernels), {1.3, 13, 1});
      if (compat::is_gpu_v<ExecSpace>) {
        add_gbees<ExecSpace>("gbees/lorenz96_t0.2" + (kind + end),
                             with_kernels(lorenz96(scheme), kernels), {0.2, 1, 1});
      }
    }
    for (const auto& [kind, container] :
         {std::pair{gbees::DirectoryKind::unordered_map, "unordered_map"},
          std::pair{gbees::DirectoryKind::flat_map, "flat_map"}}) {
      const std::string directory = std::string("_") + container + end;
      add_gbees<ExecSpace>("gbees/lorenz63" + directory,
                           with_directory(test::lorenz63(scheme), kind), {1.0, 4, 2});
      add_gbees<ExecSpace>("gbees/lorenz96_coarse" + directory,
                           with_directory(test::lorenz96_coarse(scheme), kind), {1.3, 13, 1});
      if (!compat::is_gpu_v<ExecSpace>) continue;
      add_gbees<ExecSpace>("gbees/lorenz96_t0.2" + directory,
                           with_directory(lorenz96(scheme), kind), {0.2, 1, 1});
      add_gbees<ExecSpace>("gbees/lorenz96_paper" + directory,
                           with_directory(lorenz96(scheme), kind), {1.3, 13, 1});
    }
  }
}

}  // namespace tessera::bench
