// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Vecchia's approximation by blocks: one block is the exact solver, several are what their
// definition says, and nearer to the exact likelihood than points by themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gp_cases.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::Case;
using test::cases;
using test::ExecSpace;
using test::expect_close;
using test::expect_information;
using test::normals;
using test::random_points;
using Exact = ExactSolver<ExecSpace>;
using Vecchia = VecchiaSolver<ExecSpace>;

VecchiaOptions blocks(int size, int neighbours) {
  VecchiaOptions options = test::vecchia_options(neighbours);
  options.block = size;
  return options;
}

/// One block gives the numbers of the exact solver however few the neighbours are.
TEST(GpBlocks, OneBlockIsExact) {
  const std::size_t n = 150;
  for (const Case& c : cases()) {
    if (c.model.is_high_dimensional()) continue;  // no blocks there
    Points points = random_points(c.model, n, 1);
    for (const bool has_errors : {false, true}) {
      if (has_errors) points.error_variance = std::vector<double>(n, 0.1);
      for (std::size_t i = 0; i < points.error_variance.size(); ++i)
        points.error_variance[i] += 0.01 * static_cast<double>(i % 7);
      const std::vector<double> z = normals(2 * n, 2);
      const auto columns = trend(Mean::linear, points, points);
      Exact exact(ExecSpace(), c.model, points);
      exact.set_data(z, columns);
      Vecchia vecchia(ExecSpace(), c.model, points, blocks(256, 3));
      vecchia.set_data(z, columns);
      const Evaluation expected = exact.evaluate(c.theta, true),
                       found = vecchia.evaluate(c.theta, true, true);
      ASSERT_TRUE(found.valid) << c.name << ": " << found.problem;
      EXPECT_NEAR(found.loglik / expected.loglik, 1, 1e-10) << c.name;
      EXPECT_NEAR(vecchia.evaluate(c.theta, false).loglik / expected.loglik, 1, 1e-10) << c.name;
      expect_close(found.gradient, expected.gradient, 1e-10, c.name + " gradient");
      expect_close(vecchia.evaluate(c.theta, true).gradient, expected.gradient, 1e-10,
                   c.name + " gradient alone");
      expect_information(found.information, exact.fisher_information(c.theta), 1e-10,
                         c.name + " information");
    }
  }
}

/// The gradient against differences, over several blocks and more than one load of them.
TEST(GpBlocks, Gradient) {
  for (const Case& c : cases()) {
    if (c.model.is_high_dimensional()) continue;  // no blocks there
    const std::size_t n = c.name == "matern" ? 9000 : 700;
    const Points points = random_points(c.model, n, 6);
    Vecchia solver(ExecSpace(), c.model, points, blocks(8, 6));
    solver.set_data(normals(n, 7), trend(Mean::constant, points, points));
    test::expect_gradient(solver, c.model, c.theta, 2e-7, c.name);
  }
}

template <class View>
std::vector<typename View::non_const_value_type> on_host(const View& view) {
  std::vector<typename View::non_const_value_type> host(view.extent(0));
  copy_to_host(ExecSpace(), host.data(), view.data(), host.size());
  return host;
}

/// Each point given those of its block's points that come before it, one dense conditional
/// distribution after another.
double log_likelihood_by_definition(const Vecchia& solver, const Points& points,
                                    const std::vector<double>& z, int size, double range,
                                    double nugget) {
  const std::size_t n = z.size(), m = solver.neighbours().extent(1);
  const std::vector<std::uint32_t> order = on_host(solver.order());
  std::vector<std::int32_t> neighbours(n * m);
  copy_to_host(ExecSpace(), neighbours.data(), solver.neighbours().data(), neighbours.size());
  const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> place("place", n, 2);
  std::vector<double> flat(2 * n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t a = 0; a < 2; ++a) flat[a * n + k] = points.coordinate[a][order[k]];
  }
  copy_from_host(ExecSpace(), place.data(), flat.data(), flat.size());
  const Kokkos::View<std::uint32_t*, ExecSpace> curve("curve", n);
  order_along_curve(ExecSpace(), CoordinateView<ExecSpace>(place), curve);
  const std::vector<std::uint32_t> member = on_host(curve);

  const auto covariance = [&](std::uint32_t i, std::uint32_t j) {
    return std::exp(-std::hypot(flat[i] - flat[j], flat[n + i] - flat[n + j]) / range) +
           (i == j ? nugget : 0);
  };
  double sum = 0;
  for (std::size_t begin = 0; begin < n; begin += static_cast<std::size_t>(size)) {
    const std::set<std::uint32_t> members(
        member.begin() + static_cast<std::ptrdiff_t>(begin),
        member.begin() +
            static_cast<std::ptrdiff_t>(std::min(n, begin + static_cast<std::size_t>(size))));
    std::set<std::uint32_t> all = members;
    for (const std::uint32_t i : members) {
      for (std::size_t j = 0; j < m; ++j) {
        if (neighbours[i * m + j] >= 0)
          all.insert(static_cast<std::uint32_t>(neighbours[i * m + j]));
      }
    }
    const std::vector<std::uint32_t> list(all.begin(), all.end());
    linalg::Matrix c(list.size(), std::vector<double>(list.size()));
    for (std::size_t a = 0; a < list.size(); ++a) {
      for (std::size_t b = 0; b < list.size(); ++b) c[a][b] = covariance(list[a], list[b]);
    }
    const linalg::Matrix root = linalg::cholesky_factor(c);
    std::vector<double> w;
    for (std::size_t a = 0; a < list.size(); ++a) {
      double x = z[order[list[a]]];
      for (std::size_t b = 0; b < a; ++b) x -= root[a][b] * w[b];
      w.push_back(x / root[a][a]);
      if (members.count(list[a]) > 0)
        sum -=
            0.5 * (std::log(2 * 3.14159265358979323846) + 2 * std::log(root[a][a]) + w[a] * w[a]);
    }
  }
  return sum;
}

TEST(GpBlocks, AreWhatTheirDefinitionSays) {
  const std::size_t n = 1100;
  CovarianceModel model;
  model.has_nugget = true;
  const Points points = random_points(model, n, 12);
  const std::vector<double> z = normals(n, 13);
  for (const int size : {2, 16, 64}) {
    Vecchia solver(ExecSpace(), model, points, blocks(size, 10));
    solver.set_data(z, {});
    const double found = solver.evaluate({1, 0.3, 0.5, 0.2}, false).loglik;
    const double expected = log_likelihood_by_definition(solver, points, z, size, 0.3, 0.2);
    EXPECT_NEAR(found / expected, 1, 1e-11) << size;
  }
}

/// The divergence from the exact density falls with the size of the blocks; see
/// DivergenceFallsWithTheNeighbours for how it is found.
TEST(GpBlocks, AreNearerToTheExactLikelihood) {
  const std::size_t n = 2500;
  const CovarianceModel model;
  const Points points = random_points(model, n, 8);
  for (const double nu : {0.5, 1.5}) {
    const Theta theta{1, 0.3, nu};
    Exact exact(ExecSpace(), model, points);
    exact.set_data(std::vector<double>(n, 0.0), {});
    const double truth = exact.evaluate(theta, false).loglik;
    const auto divergence = [&](int size, int m) {
      Vecchia vecchia(ExecSpace(), model, points, blocks(size, m));
      vecchia.set_data(std::vector<double>(n, 0.0), {});
      return (truth - vecchia.evaluate(theta, false).loglik) / static_cast<double>(n);
    };
    double before = divergence(1, 10);
    for (const int size : {2, 4, 8, 16, 32}) {
      const double now = divergence(size, 10);
      EXPECT_LT(now, before) << size;
      before = now;
    }
    EXPECT_LT(divergence(8, 10), divergence(1, 10) / 3);
    EXPECT_LT(divergence(32, 10), divergence(1, 20));
  }
}

}  // namespace
