// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"
#include "tessera/gp/latent/latent.hpp"
#include "tessera/gp/likelihood/solver.hpp"
#include "tests/benchmark/grid_points.hpp"
#include "tests/benchmark/team.hpp"

/// Gaussian processes of several ranks: Vecchia's approximation by ranges of points, exact
/// likelihoods by panels of the matrix, counts by subtrees of a sparse factor or by random vectors.

namespace tessera::bench {

inline std::vector<double> waves(std::int64_t n) {
  std::vector<double> z;
  for (std::int64_t i = 0; i < n; ++i) z.push_back(std::sin(0.001 * static_cast<double>(i)));
  return z;
}

/// The log-likelihood.
inline double evaluate_shared(gp::Solver& solver, const gp::Theta& theta, bool gradient,
                              bool information) {
  const gp::Evaluation evaluation = solver.evaluate(theta, gradient, information);
  if (!evaluation.valid) throw Error(ErrorKind::numerical, evaluation.problem);
  return evaluation.loglik;
}

/// The parts of a Vecchia fit: neighbours, then a likelihood, then a gradient with information.
enum class VecchiaPart { neighbours, likelihood, information };

template <class ExecSpace>
void run_shared_vecchia(benchmark::State& state, Team& team, Backend backend, VecchiaPart part) {
  const std::int64_t n = state.range(0);
  gp::VecchiaOptions options;
  options.neighbours = static_cast<int>(state.range(1));
  options.ordering = gp::Ordering::random;
  gp::CovarianceModel model;
  model.has_nugget = true;
  std::unique_ptr<gp::Solver> solver;
  double nu = 0.8, likelihood = 0;
  const auto theta = [&] { return gp::Theta{1.3, 0.1, nu += 1e-6, 0.01}; };
  const bool evaluates = part != VecchiaPart::neighbours,
             differentiates = part == VecchiaPart::information;
  const auto prepare = [&] {
    if (solver && evaluates) return;
    solver.reset();
    solver = gp::make_vecchia_solver(backend, model, grid_points(n), options, 0, team.ranks());
    if (evaluates) solver->set_data(waves(n), {});
  };
  const auto work = [&] {
    if (evaluates) {
      likelihood = evaluate_shared(*solver, theta(), differentiates, differentiates);
    } else {
      solver->prepare(theta());
    }
  };
  if (!team.repeat(ExecSpace(), prepare, work)) return;
  team.expect_same({likelihood});
  team.report("points/s", static_cast<double>(n));
}

/// A likelihood of the exact solver, without or with its gradient, in the plane with a nugget and
/// mean zero.
template <class ExecSpace>
void run_shared_exact(benchmark::State& state, Team& team, Backend backend, bool with_gradient) {
  const std::int64_t n = state.range(0);
  gp::CovarianceModel model;
  model.has_nugget = true;
  std::unique_ptr<gp::Solver> solver;
  double nu = 0.8, likelihood = 0;
  const auto prepare = [&] {
    if (solver) return;
    solver = gp::make_exact_solver(backend, model, grid_points(n), 0, team.ranks());
    solver->set_data(waves(n), {});
  };
  const auto work = [&] {
    likelihood = evaluate_shared(*solver, {1.3, 0.1, nu += 1e-6, 0.01}, with_gradient, false);
  };
  if (!team.repeat(ExecSpace(), prepare, work)) return;
  team.expect_same({likelihood}, 1e-12);
  const auto order = static_cast<double>(n);
  team.report("flop/s", order * order * order * (with_gradient ? 1 : 1.0 / 3));
}

/// A likelihood of counts with its gradient, from the mode of another theta on.
template <class ExecSpace>
void run_shared_counts(benchmark::State& state, Team& team, Backend backend,
                       gp::Determinant determinant) {
  const std::int64_t n = state.range(0);
  gp::CovarianceModel model;
  model.family = gp::Family::matern32;
  gp::LatentOptions options;
  options.vecchia.neighbours = static_cast<int>(state.range(1));
  options.determinant = determinant;
  std::unique_ptr<gp::LatentSolver> solver;
  double sigma2 = 1, likelihood = 0;
  const auto work = [&] {
    const gp::LatentEvaluation evaluation =
        solver->evaluate({{sigma2 *= 1.1, 0.05}, {gp::ResponseFamily::poisson, 1, 1}, {0.5}},
                         gp::LatentGradient::all);
    if (!evaluation.valid) throw Error(ErrorKind::numerical, evaluation.problem);
    likelihood = evaluation.loglik;
  };
  const auto prepare = [&] {
    if (solver) return;
    solver = gp::make_latent_solver(backend, model, grid_points(n), options, team.ranks());
    std::vector<double> counts;
    for (std::int64_t i = 0; i < n; ++i) counts.push_back(static_cast<double>(i * i % 7 % 4));
    solver->set_data(counts, {}, {std::vector<double>(static_cast<std::size_t>(n), 1.0)});
    solver->prepare({sigma2, 0.05});
    work();
  };
  if (!team.repeat(ExecSpace(), prepare, work)) return;
  team.expect_same({likelihood});
  team.report("points/s", static_cast<double>(n));
}

template <class ExecSpace>
void register_ranks_gp(const std::string& backend) {
  constexpr bool gpu = compat::is_gpu_v<ExecSpace>;
  const Backend device = choose_backend(backend);
  const auto sizes = gpu ? std::vector<std::int64_t>{1000000, 10000000, 100000000}
                         : std::vector<std::int64_t>{20000};
  const auto add = [&](const std::string& name, VecchiaPart part) {
    for (const std::int64_t n : sizes) {
      add_ranks_case(
          {"ranks/gp/vecchia/" + name + "/" + backend, {{"n", n}, {"neighbours", 30}}, 5},
          [=](benchmark::State& state, Team& team) {
            run_shared_vecchia<ExecSpace>(state, team, device, part);
          });
    }
  };
  for (const bool with_gradient : {false, true}) {
    const std::vector<std::int64_t> orders =
        !gpu            ? std::vector<std::int64_t>{4000}
        : with_gradient ? std::vector<std::int64_t>{32768, 65536}
                        : std::vector<std::int64_t>{32768, 65536, 98304, 200000};
    for (const std::int64_t n : orders) {
      add_ranks_case(
          {"ranks/gp/exact/" + std::string(with_gradient ? "gradient/" : "likelihood/") + backend,
           {{"n", n}}},
          [=](benchmark::State& state, Team& team) {
            run_shared_exact<ExecSpace>(state, team, device, with_gradient);
          });
    }
  }
  const auto add_counts = [&](const std::string& name, gp::Determinant determinant,
                              std::int64_t n) {
    add_ranks_case({"ranks/gp/counts/" + name + "/" + backend, {{"n", n}, {"neighbours", 20}}},
                   [=](benchmark::State& state, Team& team) {
                     run_shared_counts<ExecSpace>(state, team, device, determinant);
                   });
  };
  add_counts("cholesky", gp::Determinant::cholesky, gpu ? 100000 : 20000);
  add_counts("stochastic", gp::Determinant::stochastic, gpu ? 1000000 : 20000);
  add("neighbours", VecchiaPart::neighbours);
  add("likelihood", VecchiaPart::likelihood);
  add("information", VecchiaPart::information);
}

}  // namespace tessera::bench
