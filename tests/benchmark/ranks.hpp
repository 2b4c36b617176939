// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/solver.hpp"
#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/grid_points.hpp"
#include "tests/benchmark/shared_cholesky.hpp"
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

/// A likelihood of the exact solver, without or with its gradient, in the plane with a nugget and mean zero.
template <class ExecSpace>
void run_shared_exact(benchmark::State& state, Backend backend, bool with_gradient) {
  const std::int64_t n = state.range(0);
  gp::CovarianceModel model;
  model.has_nugget = true;
  const ExecSpace exec;
  double nu = 0.8;
  try {
    const std::unique_ptr<gp::Solver> solver = gp::make_exact_solver(backend, model, grid_points(n), 0, ranks());
    std::vector<double> z;
    for (std::int64_t i = 0; i < n; ++i) z.push_back(std::sin(0.001 * static_cast<double>(i)));
    solver->set_data(z, {});
    const auto evaluate = [&] {
      const gp::Evaluation evaluation = solver->evaluate({1.3, 0.1, nu += 1e-6, 0.01}, with_gradient);
      if (!evaluation.valid) state.SkipWithError(evaluation.problem.c_str());
    };
    evaluate();
    for (auto _ : state) {
      ranks().barrier();
      state.SetIterationTime(seconds(exec, evaluate));
    }
  } catch (const std::exception& error) {  // of memory, on all ranks alike
    for (auto _ : state) state.SetIterationTime(0);
    state.SkipWithError(error.what());
    return;
  }
  state.counters["ranks"] = ranks().size();
  const double flops = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) * (with_gradient ? 1 : 1.0 / 3);
  state.counters["flop/s"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
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
  for (const bool with_gradient : {false, true}) {
    const std::vector<std::int64_t> orders = !compat::is_gpu_v<ExecSpace> ? std::vector<std::int64_t>{4000}
                                             : with_gradient              ? std::vector<std::int64_t>{32768, 65536}
                                                                          : std::vector<std::int64_t>{32768, 65536, 98304, 200000};
    for (const std::int64_t n : orders) {
      benchmark::RegisterBenchmark(("ranks/gp/exact/" + std::string(with_gradient ? "gradient/" : "likelihood/") + backend).c_str(),
                                   [=](benchmark::State& state) { run_shared_exact<ExecSpace>(state, device, with_gradient); })
          ->Arg(n)
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  add("neighbours", VecchiaPart::neighbours);
  add("likelihood", VecchiaPart::likelihood);
  add("information", VecchiaPart::information);
  register_shared_cholesky<ExecSpace>(backend);
}

}  // namespace tessera::bench
