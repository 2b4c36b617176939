// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/solver.hpp"
#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/grid_points.hpp"
#include "tests/benchmark/timer.hpp"

/// What several ranks do together: mpirun -n 4 tessera-bench --benchmark_filter=^ranks/. A fixed number of iterations keeps them in step.

namespace tessera::bench {

/// The parts of a Vecchia fit: neighbours, then a likelihood, then a gradient with information.
enum class VecchiaPart { neighbours, likelihood, information };

template <class ExecSpace>
void run_shared_vecchia(benchmark::State& state, Backend backend, VecchiaPart part) {
  const std::int64_t n = state.range(0);
  gp::VecchiaOptions options;
  options.neighbours = static_cast<int>(state.range(1));
  options.ordering = gp::Ordering::random;
  gp::CovarianceModel model;
  model.has_nugget = true;
  const gp::Points points = grid_points(n);
  const ExecSpace exec;
  std::unique_ptr<gp::Solver> solver;
  double nu = 0.8;
  const auto theta = [&] { return gp::Theta{1.3, 0.1, nu += 1e-6, 0.01}; };
  const auto make = [&] { solver = gp::make_vecchia_solver(backend, model, points, options, 0, ranks()); };
  const auto evaluate = [&] {
    const gp::Evaluation evaluation = solver->evaluate(theta(), part == VecchiaPart::information, part == VecchiaPart::information);
    if (!evaluation.valid) state.SkipWithError(evaluation.problem.c_str());
  };
  const auto measure = [&](const auto& work) {
    ranks().barrier();
    return seconds(exec, work);
  };
  make();
  std::vector<double> z;
  for (std::int64_t i = 0; i < n; ++i) z.push_back(std::sin(0.001 * static_cast<double>(i)));
  if (part == VecchiaPart::neighbours) {
    for (auto _ : state) {
      make();
      state.SetIterationTime(measure([&] { solver->prepare(theta()); }));
    }
  } else {
    solver->set_data(z, {});
    evaluate();
    for (auto _ : state) state.SetIterationTime(measure(evaluate));
  }
  state.counters["ranks"] = ranks().size();
  state.counters["points/s"] = benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate);
}

template <class ExecSpace>
void register_ranks(const std::string& backend) {
  const Backend device = choose_backend(backend);
  using Sizes = std::vector<std::vector<std::int64_t>>;
  const Sizes sizes = compat::is_gpu_v<ExecSpace> ? Sizes{{1000000, 30}, {10000000, 30}, {100000000, 30}} : Sizes{{20000, 30}};
  const auto add = [&](const std::string& name, VecchiaPart part) {
    for (const auto& size : sizes) {
      benchmark::RegisterBenchmark(("ranks/gp/vecchia/" + name + "/" + backend).c_str(),
                                   [=](benchmark::State& state) { run_shared_vecchia<ExecSpace>(state, device, part); })
          ->Args(size)
          ->Iterations(5)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  };
  add("neighbours", VecchiaPart::neighbours);
  add("likelihood", VecchiaPart::likelihood);
  add("information", VecchiaPart::information);
}

}  // namespace tessera::bench
