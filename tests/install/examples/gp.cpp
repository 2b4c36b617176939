// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The examples of tessera::gp, of which its README and its headers show parts.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <tessera/bessel/matern.hpp>
#include <tessera/core/device/backend.hpp>
#include <tessera/core/linalg/dense.hpp>
#include <tessera/core/optimize/maximizer.hpp>
#include <tessera/gp/covariance/assemble.hpp>
#include <tessera/gp/covariance/correlation.hpp>
#include <tessera/gp/likelihood/solver.hpp>
#include <vector>

namespace gp = tessera::gp;
namespace linalg = tessera::linalg;
namespace optimize = tessera::optimize;

/// A grid whose points are moved a little, from (0, 0) to (1, 1).
gp::Points moved_grid(int side) {
  gp::Points points{{{}, {}}, {}};
  for (int i = 0; i < side * side; ++i) {
    points.coordinate[0].push_back((i % side + 0.5 + 0.3 * std::sin(7.0 * i)) / side);
    points.coordinate[1].push_back((i / side + 0.5 + 0.3 * std::cos(5.0 * i)) / side);
  }
  return points;
}

/// Simulates a field, finds the range and the variance again, and predicts in the middle.
bool fit_and_predict() {
  const gp::Points observed = moved_grid(16), targets{{{0.5}, {0.5}}, {}};
  const gp::CovarianceModel model;       // sigma2 M_nu(r / beta) of points in a plane
  const gp::Theta truth{1.0, 0.1, 0.5};  // sigma2, beta, nu

  const tessera::Backend backend = tessera::choose_backend("auto");
  const std::unique_ptr<gp::Solver> solver = gp::make_exact_solver(backend, model, observed, 0);
  std::vector<double> normals;
  for (std::size_t i = 0; i < observed.size(); ++i)
    normals.push_back(1.4 * std::sin(1e3 * std::sin(static_cast<double>(i))));
  const std::vector<double> z = solver->simulate(truth, normals, {});

  // The mean is an unknown constant.
  solver->set_data(z, gp::trend(gp::Mean::constant, observed, observed));
  const gp::Evaluation likelihood = solver->evaluate(truth, true);  // with its gradient

  double best = likelihood.loglik;
  gp::Theta theta = truth;
  if (optimize::Maximizer::available()) {
    optimize::Problem problem;  // in the logarithms of the parameters
    problem.start = {std::log(0.5), std::log(0.2), std::log(0.5)};
    problem.lower = {std::log(0.01), std::log(0.01), std::log(0.1)};
    problem.upper = {std::log(100.0), std::log(3.0), std::log(5.0)};
    problem.step = {0.3, 0.3, 0.3};
    optimize::Maximizer search(problem);
    std::vector<double> x;
    while (search.ask(x)) {
      const gp::Evaluation trial =
          solver->evaluate({std::exp(x[0]), std::exp(x[1]), std::exp(x[2])}, false);
      trial.valid ? search.tell(trial.loglik) : search.tell_invalid();
    }
    best = search.outcome().value;
    for (int k = 0; k < 3; ++k) theta[k] = std::exp(search.outcome().best[k]);
  }
  const auto trend = gp::trend(gp::Mean::constant, targets, observed);
  const gp::Prediction middle = solver->predict(theta, targets, trend, {});

  std::printf(
      "log-likelihood %.4f at the truth, %.4f at (%.3f, %.3f, %.3f); prediction %.3f +- %.3f\n",
      likelihood.loglik, best, theta[0], theta[1], theta[2], middle.mean[0],
      std::sqrt(middle.variance[0]));
  return likelihood.valid && best >= likelihood.loglik && middle.variance[0] > 0 &&
         middle.variance[0] < theta[0];
}

/// A covariance matrix that stays on the device, its Cholesky factor and a solution with it.
bool factor_on_the_device() {
  using ExecSpace = Kokkos::DefaultExecutionSpace;
  const ExecSpace exec;
  const gp::Points points = moved_grid(10);
  const std::int64_t n = static_cast<std::int64_t>(points.size());
  const std::vector<double> packed = gp::pack(gp::CovarianceModel{}, points);
  const Kokkos::View<double* [4], Kokkos::LayoutLeft, ExecSpace> device_points("points", n);
  Kokkos::deep_copy(
      device_points,
      Kokkos::View<const double* [4], Kokkos::LayoutLeft, Kokkos::HostSpace>(packed.data(), n));

  const tessera::bessel::MaternTable<ExecSpace> table(exec, 0.8);
  // 1 / beta, sigma2
  const gp::Covariance<gp::Matern, gp::EuclideanDistance<2>> covariance{
      {table.function()}, {{10, 10}}, 2.0};
  const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> matrix("matrix", n, n), b("b", n, 1);
  Kokkos::deep_copy(exec, b, 1.0);
  gp::fill_lower(exec, covariance, gp::PointView<ExecSpace>(device_points), matrix.data(), n);

  linalg::Dense<ExecSpace> dense(exec, n);
  const linalg::Block l{matrix.data(), n, n, n}, x{b.data(), n, 1, n};
  const std::int64_t failed = dense.factor(l);  // A = L L'; 0: positive definite
  dense.solve(l, x);                            // x := L^-1 x
  dense.multiply(l, x);                         // x := L x

  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) largest = std::fmax(largest, std::fabs(result(i, 0) - 1));
  std::printf("Cholesky on the device: L (L^-1 b) - b is %.1e\n", largest);
  return failed == 0 && largest < 1e-12;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return fit_and_predict() && factor_on_the_device() ? 0 : 1;
}
