// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>
#include <lapacke.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/bessel/matern.hpp"
#include "tessera/core/device/backend.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/gp/covariance/assemble.hpp"
#include "tessera/gp/covariance/correlation.hpp"
#include "tessera/gp/exact/cross_validation.hpp"
#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/gp/points/neighbours.hpp"
#include "tessera/gp/points/ordering.hpp"
#include "tests/benchmark/cases.hpp"
#include "tests/benchmark/grid_points.hpp"
#include "tests/benchmark/timer.hpp"

/// Exact Gaussian processes: generation of the matrix, its factorisation alone, whole likelihoods
/// and gradients, at the same sizes; folds of a cross-validation. Vecchia's approximation: orders,
/// neighbours, likelihoods and gradients.

namespace tessera::bench {

inline double potrf_flops(std::int64_t n) {
  return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / 3;
}

template <class ExecSpace>
gp::PointView<ExecSpace> device_points(const gp::Points& points) {
  const std::vector<double> packed = gp::pack(gp::CovarianceModel{}, points);
  const Kokkos::View<double* [4], Kokkos::LayoutLeft, ExecSpace> device("tessera::bench::gp_points",
                                                                        points.size());
  Kokkos::deep_copy(device, Kokkos::View<const double* [4], Kokkos::LayoutLeft, Kokkos::HostSpace>(
                                packed.data(), points.size()));
  return device;
}

/// Entries of the lower triangle a second.
template <class ExecSpace>
void generate_covariance(benchmark::State& state) {
  const ExecSpace exec;
  const std::int64_t n = state.range(0);
  const gp::PointView<ExecSpace> points = device_points<ExecSpace>(grid_points(n));
  const bessel::MaternTable<ExecSpace> table(0.426);
  const gp::Covariance<gp::Matern, gp::EuclideanDistance<2>> covariance{
      {table.function()}, {{10, 10, 10}}, 1, 0, 0};
  const Kokkos::View<double*, ExecSpace> matrix(
      Kokkos::view_alloc("tessera::bench::gp_matrix", Kokkos::WithoutInitializing), n * n);
  const auto work = [&] { gp::fill_lower(exec, covariance, points, matrix.data(), n); };
  work();
  for (auto _ : state) state.SetIterationTime(seconds(exec, work));
  state.counters["entries/s"] =
      benchmark::Counter(0.5 * static_cast<double>(n) * static_cast<double>(n + 1),
                         benchmark::Counter::kIsIterationInvariantRate);
}

/// The factorisation alone, of a matrix that is generated again (outside the time).
template <class ExecSpace>
void factor_covariance(benchmark::State& state) {
  const ExecSpace exec;
  const std::int64_t n = state.range(0);
  const gp::PointView<ExecSpace> points = device_points<ExecSpace>(grid_points(n));
  const gp::Covariance<gp::HalfIntegerMatern, gp::EuclideanDistance<2>> covariance{
      {0}, {{10, 10, 10}}, 1, 0, 0};
  const Kokkos::View<double*, ExecSpace> matrix(
      Kokkos::view_alloc("tessera::bench::gp_matrix", Kokkos::WithoutInitializing), n * n);
  linalg::Dense<ExecSpace> dense(exec, n);
  const auto time = [&] {
    gp::fill_lower(exec, covariance, points, matrix.data(), n);
    return seconds(exec, [&] { dense.factor({matrix.data(), n, n, n}); });
  };
  time();  // the library's own preparations
  for (auto _ : state) state.SetIterationTime(time());
  state.counters["flop/s"] =
      benchmark::Counter(potrf_flops(n), benchmark::Counter::kIsIterationInvariantRate);
}

/// Measures LAPACK's potrf with its own threads.
inline void factor_by_lapack(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto points = device_points<Kokkos::DefaultHostExecutionSpace>(grid_points(n));
  const gp::Covariance<gp::HalfIntegerMatern, gp::EuclideanDistance<2>> covariance{
      {0}, {{10, 10, 10}}, 1, 0, 0};
  std::vector<double> matrix(static_cast<std::size_t>(n * n));
  const auto time = [&] {
    gp::fill_lower(exec, covariance, points, matrix.data(), n);
    return seconds(exec, [&] {
      LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', static_cast<lapack_int>(n), matrix.data(),
                          static_cast<lapack_int>(n));
    });
  };
  time();
  for (auto _ : state) state.SetIterationTime(time());
  state.counters["flop/s"] =
      benchmark::Counter(potrf_flops(n), benchmark::Counter::kIsIterationInvariantRate);
}

/// A whole likelihood, from theta to the number on the host, with or without its gradient. Each has
/// another nu, so that the table is built again.
template <class ExecSpace>
void evaluate_likelihood(benchmark::State& state, Backend backend, bool with_gradient) {
  const std::int64_t n = state.range(0);
  std::unique_ptr<gp::Solver> solver;
  try {
    solver = gp::make_exact_solver(backend, gp::CovarianceModel{}, grid_points(n), 0);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
    return;
  }
  std::vector<double> z;
  for (std::int64_t i = 0; i < n; ++i) z.push_back(std::sin(0.001 * static_cast<double>(i)));
  solver->set_data(z, {});
  const ExecSpace exec;
  double nu = 0.426;
  const auto work = [&] {
    nu += 1e-6;
    benchmark::DoNotOptimize(solver->evaluate({1, 0.1, nu}, with_gradient).loglik);
  };
  work();  // the library's own preparations
  for (auto _ : state) state.SetIterationTime(seconds(exec, work));
  state.counters["flop/s"] = benchmark::Counter(potrf_flops(n) * (with_gradient ? 3 : 1),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

/// The folds of a cross-validation of 4096 points, given the precision matrix: all in one launch by
/// batched routines of Kokkos Kernels, or one after another by LAPACK or cuSOLVER. The solver takes
/// the one or the other by the size of the folds.
template <class ExecSpace>
void solve_folds(benchmark::State& state, bool together) {
  constexpr std::int64_t n = 4096;
  const std::int64_t size = state.range(0);
  const ExecSpace exec;
  const gp::Covariance<gp::HalfIntegerMatern, gp::EuclideanDistance<2>> covariance{
      {0}, {{10, 10, 10}}, 1, 0, 0};
  const Kokkos::View<double*, ExecSpace> matrix(
      Kokkos::view_alloc("tessera::bench::gp_matrix", Kokkos::WithoutInitializing), n * n),
      weight("tessera::bench::gp_weight", n);
  gp::fill_lower(exec, covariance, device_points<ExecSpace>(grid_points(n)), matrix.data(), n);
  std::vector<int> fold;
  for (std::int64_t i = 0; i < n; ++i) fold.push_back(static_cast<int>(i % (n / size)));
  const gp::detail::Folds folds(fold);
  const linalg::Block precision{matrix.data(), n, n, n};
  const auto work = [&] {
    const auto errors = together ? gp::detail::solve_small_folds(exec, precision, weight, folds)
                                 : gp::detail::solve_large_folds(exec, precision, weight, folds);
    benchmark::DoNotOptimize(errors->variance[0]);
  };
  work();  // the library's own preparations
  for (auto _ : state) state.SetIterationTime(seconds(exec, work));
  state.counters["folds/s"] = benchmark::Counter(static_cast<double>(n / size),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

/// Coordinates of the same points, made on the device.
template <class ExecSpace>
struct MakeGridPoints {
  Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> points;
  std::int64_t side;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const double wobble = 0.4 * compat::math::sin(12.9898 * static_cast<double>(i));
    points(i, 0) = (static_cast<double>(i % side) + 0.5 + wobble) / static_cast<double>(side);
    points(i, 1) = (static_cast<double>(i / side) + 0.5 - wobble) / static_cast<double>(side);
  }
};
template <class ExecSpace>
struct TakeOrder {
  Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> from, to;
  Kokkos::View<std::uint32_t*, ExecSpace> order;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    to(k, 0) = from(order(k), 0);
    to(k, 1) = from(order(k), 1);
  }
};

/// An order of N points and the m nearest predecessors of each, with all arrays that they take.
template <class ExecSpace>
void find_vecchia_neighbours(benchmark::State& state, gp::Ordering ordering) {
  const ExecSpace exec;
  const std::int64_t n = state.range(0);
  const Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>> range(exec, 0, n);
  using Coordinates = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;
  const auto make = [&](const std::string& label) {
    return Coordinates(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), n, 2);
  };
  const Coordinates points = make("tessera::bench::points"),
                    ordered = make("tessera::bench::ordered");
  const Kokkos::View<std::uint32_t*, ExecSpace> order(
      Kokkos::view_alloc("tessera::bench::order", Kokkos::WithoutInitializing), n);
  const gp::NeighbourView<ExecSpace> neighbours(
      Kokkos::view_alloc("tessera::bench::neighbours", Kokkos::WithoutInitializing), n,
      state.range(1));
  const auto side = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  Kokkos::parallel_for("tessera::bench::points", range, MakeGridPoints<ExecSpace>{points, side});
  const auto work = [&] {
    gp::order_points<ExecSpace>(exec, points, ordering, 1, order);
    Kokkos::parallel_for("tessera::bench::take_order", range,
                         TakeOrder<ExecSpace>{points, ordered, order});
    gp::find_predecessors<ExecSpace>(exec, ordered, 0, neighbours);
  };
  work();
  for (auto _ : state) state.SetIterationTime(seconds(exec, work));
  state.counters["points/s"] =
      benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate);
}

/// A model that is evaluated by Vecchia's approximation.
struct VecchiaCase {
  gp::Mean mean = gp::Mean::zero;
  bool with_gradient = false, with_information = false;
  int block = 1;
  bool rotated = false;  ///< two ranges along turned axes
  bool errors = false;   ///< of known variances
};

/// A whole likelihood by Vecchia's approximation, with a table for a new nu, with a nugget.
template <class ExecSpace>
void evaluate_vecchia(benchmark::State& state, Backend backend, const VecchiaCase& what) {
  const std::int64_t n = state.range(0);
  gp::VecchiaOptions options;
  options.neighbours = static_cast<int>(state.range(1));
  options.ordering = gp::Ordering::random;
  options.block = what.block;
  gp::CovarianceModel model;
  model.has_nugget = true;
  model.anisotropic = model.rotated = what.rotated;
  std::unique_ptr<gp::Solver> solver;
  try {
    gp::Points points = grid_points(n);
    for (std::int64_t i = 0; i < n && what.errors; ++i)
      points.error_variance.push_back(0.01 * static_cast<double>(i % 4));
    solver = gp::make_vecchia_solver(backend, model, points, options, 0);
    std::vector<double> z;
    for (std::int64_t i = 0; i < n; ++i) z.push_back(std::sin(0.001 * static_cast<double>(i)));
    solver->set_data(z, gp::trend(what.mean, points, points));
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
    return;
  }
  const ExecSpace exec;
  double nu = 0.8;
  const auto work = [&] {
    nu += 1e-6;
    const gp::Theta theta =
        what.rotated ? gp::Theta{1.3, 0.12, 0.06, 0.4, nu, 0.01} : gp::Theta{1.3, 0.1, nu, 0.01};
    const gp::Evaluation evaluation =
        solver->evaluate(theta, what.with_gradient, what.with_information);
    if (!evaluation.valid) state.SkipWithError(evaluation.problem.c_str());
  };
  work();  // order, neighbours and memory
  for (auto _ : state) state.SetIterationTime(seconds(exec, work));
  state.counters["points/s"] =
      benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate);
}

/// Points in the unit cube of d coordinates, the same on every machine.
inline gp::Points cube_points(std::int64_t n, int d) {
  gp::Points points;
  for (int k = 0; k < d; ++k) {
    std::vector<double>& column = points.coordinate.emplace_back();
    for (std::int64_t i = 0; i < n; ++i) {
      const double turns = std::sqrt(2.0 + k) * static_cast<double>(i) * (1 + 0.37 * k);
      column.push_back(turns - std::floor(turns));
    }
  }
  return points;
}

/// In ten coordinates, the ranges of half of which are long: a likelihood, one with gradient and
/// information in all ranges, or order and neighbours, which other ranges change.
template <class ExecSpace>
void evaluate_many_ranges(benchmark::State& state, Backend backend, bool with_information,
                          bool find_neighbours) {
  constexpr int kCoordinates = 10;
  const std::int64_t n = state.range(0);
  gp::VecchiaOptions options;
  options.neighbours = static_cast<int>(state.range(1));
  gp::CovarianceModel model;
  model.family = gp::Family::matern52;
  model.dimension = kCoordinates;
  model.anisotropic = model.has_nugget = true;
  gp::Theta theta{1.3};
  for (int k = 0; k < kCoordinates; ++k) theta.push_back(k < 5 ? 0.5 + 0.1 * k : 20.0 + k);
  theta.push_back(0.01);
  std::unique_ptr<gp::Solver> solver;
  try {
    const gp::Points points = cube_points(n, kCoordinates);
    solver = gp::make_vecchia_solver(backend, model, points, options, 0);
    std::vector<double> z;
    for (std::int64_t i = 0; i < n; ++i) z.push_back(std::sin(0.001 * static_cast<double>(i)));
    solver->set_data(z, {});
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
    return;
  }
  const ExecSpace exec;
  const auto work = [&] {
    theta[1] *= 1 + 1e-9;
    if (find_neighbours) solver->prepare(theta);
    if (find_neighbours) return;
    const gp::Evaluation evaluation = solver->evaluate(theta, with_information, with_information);
    if (!evaluation.valid) state.SkipWithError(evaluation.problem.c_str());
  };
  work();  // order, neighbours and memory
  for (auto _ : state) state.SetIterationTime(seconds(exec, work));
  state.counters["points/s"] =
      benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate);
}

/// Fields simulated by Vecchia's approximation, from normal numbers on the host to values there;
/// or, conditionally, draws at as many points as there are data, with their order and neighbours.
template <class ExecSpace>
void simulate_vecchia(benchmark::State& state, Backend backend, gp::Ordering ordering,
                      bool conditional) {
  const std::int64_t n = state.range(0), fields = state.range(2);
  gp::VecchiaOptions options;
  options.neighbours = options.prediction_neighbours = static_cast<int>(state.range(1));
  options.ordering = ordering;
  const gp::Theta theta{1.3, 0.1, 0.8};
  gp::DrawOptions draws;
  draws.count = static_cast<int>(fields);
  for (std::int64_t i = 0; i < n * fields; ++i)
    draws.normals.push_back(std::sin(12.9898 * static_cast<double>(i)));
  const gp::Points points = grid_points(n);
  gp::Points targets = points;
  for (double& x : targets.coordinate[0]) x += 0.5 / std::sqrt(static_cast<double>(n));
  std::unique_ptr<gp::Solver> solver;
  try {
    solver = gp::make_vecchia_solver(backend, gp::CovarianceModel{}, points, options, 0);
    solver->set_data(std::vector<double>(draws.normals.begin(), draws.normals.begin() + n), {});
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
    return;
  }
  const ExecSpace exec;
  const auto work = [&] {
    if (conditional) {
      benchmark::DoNotOptimize(solver->predict(theta, targets, {}, draws).draws[0]);
    } else {
      benchmark::DoNotOptimize(solver->simulate(theta, draws.normals, {})[0]);
    }
  };
  work();  // order, neighbours and memory
  for (auto _ : state) state.SetIterationTime(seconds(exec, work));
  state.counters["levels"] = static_cast<double>(solver->levels());
  state.counters["values/s"] = benchmark::Counter(static_cast<double>(n * fields),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

template <class ExecSpace>
void register_vecchia(const std::string& backend) {
  const Backend device = choose_backend(backend);
  const bool gpu = compat::is_gpu_v<ExecSpace>;
  using Sizes = std::vector<std::vector<std::int64_t>>;
  const auto add = [&](const std::string& name, const auto& function, const Sizes& sizes) {
    for (const auto& size : sizes)
      benchmark::RegisterBenchmark(("gp/vecchia/" + name + "/" + backend).c_str(), function)
          ->Args(size)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
  };
  const Sizes large =
      gpu ? Sizes{{1000000, 30}, {10000000, 30}, {100000000, 30}} : Sizes{{100000, 30}};
  Sizes sizes = large, sizes_of_one{large[0]};
  for (const std::int64_t m : {10, 20, 60}) {
    sizes.push_back({large[0][0], m});
    sizes_of_one.push_back(sizes.back());
  }
  add(
      "neighbours_random",
      [](benchmark::State& state) {
        find_vecchia_neighbours<ExecSpace>(state, gp::Ordering::random);
      },
      large);
  add(
      "neighbours_maxmin",
      [](benchmark::State& state) {
        find_vecchia_neighbours<ExecSpace>(state, gp::Ordering::maxmin);
      },
      large);
  const auto evaluate = [&](const std::string& name, const VecchiaCase& what, const Sizes& of) {
    add(
        name, [=](benchmark::State& state) { evaluate_vecchia<ExecSpace>(state, device, what); },
        of);
  };
  VecchiaCase likelihood, gradient;
  gradient.with_gradient = true;
  VecchiaCase information = gradient;
  information.with_information = true;
  evaluate("likelihood", likelihood, sizes);
  evaluate("gradient", gradient, sizes);
  evaluate("information", information, sizes);
  for (const bool turned : {true, false}) {
    const std::string end = turned ? "_rotated" : "_with_errors";
    for (VecchiaCase* what : {&likelihood, &gradient, &information}) {
      what->rotated = turned;
      what->errors = !turned;
    }
    evaluate("likelihood" + end, likelihood, {large[0]});
    evaluate("gradient" + end, gradient, sizes_of_one);
    evaluate("information" + end, information, sizes_of_one);
  }
  const auto add_many_ranges = [&](const std::string& name, bool with_information,
                                   bool find_neighbours) {
    add(name,
        [=](benchmark::State& state) {
          evaluate_many_ranges<ExecSpace>(state, device, with_information, find_neighbours);
        },
        {{10000, 30}, {100000, 30}});
  };
  add_many_ranges("likelihood_of_ten", false, false);
  add_many_ranges("information_of_ten", true, false);
  add_many_ranges("neighbours_of_ten", false, true);
  likelihood = gradient = {gp::Mean::constant};
  gradient.with_gradient = true;
  evaluate("likelihood_with_mean", likelihood, {large[0]});
  evaluate("gradient_with_mean", gradient, {large[0]});
  const std::int64_t some = large[0][0];
  const auto add_simulation = [&](const std::string& name, gp::Ordering ordering, bool conditional,
                                  const Sizes& of) {
    add(
        "simulate/" + name,
        [=](benchmark::State& state) {
          simulate_vecchia<ExecSpace>(state, device, ordering, conditional);
        },
        of);
  };
  Sizes fields{{some, 30, 1}, {some, 30, 20}};
  if (gpu) fields.push_back({10 * some, 30, 1});
  add_simulation("maxmin", gp::Ordering::maxmin, false, fields);
  add_simulation("random", gp::Ordering::random, false, {{some, 30, 1}});
  add_simulation("coordinate", gp::Ordering::coordinate, false, {{some, 30, 1}});
  add_simulation("conditional", gp::Ordering::maxmin, true, {{some, 30, 1}, {some, 30, 20}});
  for (const int block : {2, 8, 32}) {  // by Kokkos Kernels' batched routines
    for (const bool with_gradient : {false, true}) {
      evaluate((with_gradient ? "gradient_by_" : "likelihood_by_") + std::to_string(block),
               {gp::Mean::zero, with_gradient, false, block},
               {{large[0][0], 10}, {large[0][0], 20}, {large[0][0], 30}});
    }
  }
}

template <class ExecSpace>
void register_gp(const std::string& backend) {
  register_vecchia<ExecSpace>(backend);
  const Backend device = choose_backend(backend);
  const std::vector<std::int64_t> sizes = compat::is_gpu_v<ExecSpace>
                                              ? std::vector<std::int64_t>{2048, 8192, 32768}
                                              : std::vector<std::int64_t>{1024, 4096};
  const auto add = [&](const std::string& name, const auto& function,
                       const std::vector<std::int64_t>& orders) {
    for (const std::int64_t n : orders)
      benchmark::RegisterBenchmark(("gp/" + name + "/" + backend).c_str(), function)
          ->Arg(n)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
  };
  add("generate", generate_covariance<ExecSpace>, sizes);
  add("factor", factor_covariance<ExecSpace>, sizes);
  add(
      "likelihood",
      [device](benchmark::State& state) { evaluate_likelihood<ExecSpace>(state, device, false); },
      sizes);
  add(
      "gradient",
      [device](benchmark::State& state) { evaluate_likelihood<ExecSpace>(state, device, true); },
      sizes);
  const std::vector<std::int64_t> fold_sizes{2, 4, 8, 16, 32, 64};
  add(
      "folds/together", [](benchmark::State& state) { solve_folds<ExecSpace>(state, true); },
      fold_sizes);
  add(
      "folds/one_by_one", [](benchmark::State& state) { solve_folds<ExecSpace>(state, false); },
      fold_sizes);
  if (compat::is_gpu_v<ExecSpace>) {
    benchmark::RegisterBenchmark(
        ("gp/likelihood/" + backend).c_str(),
        [device](benchmark::State& state) { evaluate_likelihood<ExecSpace>(state, device, false); })
        ->Arg(100000)
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  } else if (backend == "serial") {
    add("factor_by_lapack", factor_by_lapack, sizes);
  }
}

}  // namespace tessera::bench
