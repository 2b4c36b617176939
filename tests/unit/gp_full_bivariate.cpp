// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The full bivariate Matern covariance: entries, derivatives and bounds against 50 digits, bounds
// against all frequencies and against dense matrices, the parsimonious covariance as a special
// case, gradients, solvers, the search space, invalid parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tessera/core/io/csv.hpp"
#include "tessera/gp/covariance/bivariate_bound.hpp"
#include "tessera/gp/covariance/cross_correlations.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/points/points.hpp"
#include "tessera/gp/program/search_space.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/gp_points.hpp"
#include "tests/unit/gp_variable_models.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using Exact = ExactSolver<ExecSpace>;
using Vecchia = VecchiaSolver<ExecSpace>;

CovarianceModel full(int dimension = 2, bool has_nugget = true) {
  CovarianceModel model = test::several(2, dimension, has_nugget);
  model.cross = CrossCovariance::full;
  return model;
}

// sigma2_1, sigma2_2, beta_1, beta_2, beta_12, nu_1, nu_2, excess_12, rho_12, nugget_1, nugget_2
const Theta kTheta{1.3, 0.4, 0.2, 0.3, 0.22, 0.8, 1.7, 0.1, -0.5, 0.1, 0.05};

TEST(GpFullBivariate, EntriesDerivativesAndBounds) {
  const io::Table table =
      io::read_csv(std::string(test::kDataDirectory) + "/gp/full_bivariate.csv");
  const std::vector<std::string> names = full(2, false).names();
  ASSERT_EQ(names, (std::vector<std::string>{"sigma2_1", "sigma2_2", "beta_1", "beta_2", "beta_12",
                                             "nu_1", "nu_2", "excess_12", "rho_12"}));
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto at = [&](const std::string& name) { return table.column(name)[i]; };
    std::vector<std::string> columns = names;
    columns.back() = "rho";
    Theta theta;
    for (const std::string& name : columns) theta.push_back(at(name));
    const CovarianceModel model = full(static_cast<int>(at("d")), false);
    ASSERT_EQ(check(model, theta), "");
    const std::vector<double> found = test::entries(model, at("h"), theta);
    const std::string what = "row " + std::to_string(i + 2);
    const double size = std::sqrt(theta[0] * theta[1]);
    EXPECT_NEAR(found[0], at("value"), 2e-15 * size) << what;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      const double scale = size / (columns[k] == "rho" || theta[k] < 0.1 ? 1 : theta[k]);
      EXPECT_NEAR(found[k + 1], at("d_" + columns[k]),
                  1e-13 * std::max(scale, std::fabs(at("d_" + columns[k]))))
          << what << ' ' << names[k];
    }
    const double bound = largest_cross_correlation(model, theta, 0, 1);
    EXPECT_NEAR(bound, at("bound"), 1e-14 * bound) << what;
    const CrossCorrelations all = cross_correlations(model, theta, {1}, {false});
    EXPECT_DOUBLE_EQ(all.rho[0], bound) << what;
    for (std::size_t k = 2; k + 1 < theta.size(); ++k) {
      if (names[k] == "excess_12" && theta[k] == 0) continue;
      EXPECT_NEAR(all.by_theta[0][k] * theta[k], at("bound_" + names[k]) * theta[k], 1e-13 * bound)
          << what << ' ' << names[k];
    }
  }
}

/// The logarithm of a spectral density, but for what all have in common.
double log_density(double t, double nu, double range, int dimension) {
  const double half = 0.5 * dimension;
  return std::lgamma(nu + half) - std::lgamma(nu) - 2 * nu * std::log(range) -
         (nu + half) * std::log(1 / (range * range) + t * t);
}

TEST(GpFullBivariate, BoundIsTheLeastRatioOfAllFrequencies) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 300; ++i) {
    BivariateMatern pair{};
    for (int k : {0, 1}) {
      pair.nu[k] = 0.1 + 3 * uniform(random);
      pair.range[k] = std::exp(3 * uniform(random));
    }
    // also as large as the weighted means of Theorem 3, where several minima compete
    pair.cross_range = i % 2 == 0
                           ? std::exp(3 * uniform(random))
                           : pair.range[0] + (pair.range[1] - pair.range[0]) * uniform(random);
    pair.excess = i % 3 == 0 ? 0 : std::pow(uniform(random), 4);
    const int dimension = 1 + i % 3;
    double least = std::numeric_limits<double>::infinity();
    for (int step = -3000; step < 4000; ++step) {
      const double t = std::exp(0.005 * step), nu = 0.5 * (pair.nu[0] + pair.nu[1]) + pair.excess;
      least = std::min(least, 0.5 * (log_density(t, pair.nu[0], pair.range[0], dimension) +
                                     log_density(t, pair.nu[1], pair.range[1], dimension)) -
                                  log_density(t, nu, pair.cross_range, dimension));
    }
    const double found = std::log(largest_cross_correlation(pair, dimension).value);
    EXPECT_LE(found, least + 1e-12) << i;
    EXPECT_NEAR(found, least, 3e-5) << i;
  }
}

/// Below the mean of both smoothnesses no cross-correlation is valid, at rounding's distance above
/// it the bound is that of the mean.
TEST(GpFullBivariate, BoundAtTheMeanOfTheSmoothnesses) {
  const BivariateMatern below{{0.5, 1.5}, -1e-3, {1, 1}, 1}, at{{0.5, 1.5}, 0, {1, 1}, 1.3},
      above{{0.5, 1.5}, 1e-17, {1, 1}, 1.3}, least{{0.5, 1.5}, 1e-310, {1, 1}, 1.3};
  EXPECT_EQ(largest_cross_correlation(below, 2).value, 0);
  // at t = 0: sqrt(0.75) / 1.69; at infinity times 1.3^2 more
  const double expected = largest_cross_correlation(at, 2).value;
  EXPECT_NEAR(expected, std::sqrt(0.75) / 1.69, 1e-15);
  EXPECT_NEAR(largest_cross_correlation(above, 2).value, expected, 1e-14);
  EXPECT_NEAR(largest_cross_correlation(least, 2).value, expected, 1e-14);
  const BivariateMatern short_range{{0.5, 1.5}, 0, {1, 1}, 0.5},
      short_above{{0.5, 1.5}, 1e-310, {1, 1}, 0.5};
  // at infinity: 0.5^(nu_1 + nu_2)
  const double far = std::sqrt(0.75) * 0.25;
  EXPECT_NEAR(largest_cross_correlation(short_range, 2).value, far, 1e-15);
  EXPECT_NEAR(largest_cross_correlation(short_above, 2).value, far, 1e-14);
}

/// Returns whether a matrix of columns has a Cholesky factor.
bool is_positive_definite(std::vector<double> a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    double* const column = &a[j * n];
    for (std::size_t k = 0; k < j; ++k) {
      const double* const before = &a[k * n];
      for (std::size_t i = j; i < n; ++i) column[i] -= before[i] * before[j];
    }
    if (!(column[j] > 0)) return false;
    const double root = std::sqrt(column[j]);
    for (std::size_t i = j; i < n; ++i) column[i] /= root;
  }
  return true;
}

/// Points of both variables on a lattice whose waves are near the frequency of the least ratio:
/// their matrix is positive definite just below the bound, and not just above it.
TEST(GpFullBivariate, DenseMatricesAreDefiniteUpToTheBound) {
  struct Case {
    int dimension;
    Theta shape;  // ranges, smoothnesses, excess
  };
  for (const auto& [dimension, shape] :
       {Case{1, {0.2, 0.2, 0.12, 0.5, 1.5, 0.2}}, Case{1, {0.2, 0.1, 0.1, 0.5, 0.8, 0.25}},
        Case{1, {0.1, 0.3, 0.15, 0.5, 0.5, 0}}, Case{2, {0.1, 0.3, 0.2, 0.6, 1.2, 0.2}}}) {
    const CovarianceModel model = full(dimension, false);
    Theta theta{1, 2};
    theta.insert(theta.end(), shape.begin(), shape.end());
    theta.push_back(0);
    const std::size_t side = dimension == 1 ? 250 : 17;
    Points points;
    points.coordinate.resize(static_cast<std::size_t>(dimension));
    for (std::size_t i = 0; i < (dimension == 1 ? side : side * side); ++i) {
      points.coordinate[0].push_back(0.06 * static_cast<double>(i % side));
      if (dimension == 2) points.coordinate[1].push_back(0.06 * static_cast<double>(i / side));
    }
    points = repeat_for_variables(points, 2);
    const std::size_t n = points.size();
    const ExecSpace exec;
    detail::CovarianceDispatch<ExecSpace> dispatch(exec, model);
    const std::vector<double> packed = pack(model, points);
    const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> device("tessera::test::points", n,
                                                                       packed.size() / n),
        matrix("tessera::test::matrix", n, n);
    copy_from_host(exec, device.data(), packed.data(), packed.size());
    const double bound = largest_cross_correlation(model, theta, 0, 1);
    ASSERT_LT(bound, 0.95);
    for (const double share : {-1.07, -(1 - 1e-9), 1 - 1e-9, 1.07}) {
      theta.back() = share * bound;
      EXPECT_EQ(check(model, theta).empty(), std::fabs(share) < 1);
      fill_lower(exec, dispatch.multivariate(theta), PointView<ExecSpace>(device), matrix.data(),
                 static_cast<std::int64_t>(n));
      std::vector<double> host(n * n);
      copy_to_host(exec, host.data(), matrix.data(), host.size());
      EXPECT_EQ(is_positive_definite(host, n), std::fabs(share) < 1)
          << dimension << " coordinates, nu_2 " << shape[4] << ", share " << share;
    }
  }
}

/// With one range for all and without an excess the covariance is the parsimonious one, bit by bit.
TEST(GpFullBivariate, ParsimoniousIsASpecialCase) {
  const CovarianceModel model = full(), parsimonious = test::several(2);
  const Theta theta{1.3, 0.4, 0.2, 0.2, 0.2, 0.8, 1.7, 0, -0.5, 0.1, 0.05},
      less{1.3, 0.4, 0.2, 0.8, 1.7, -0.5, 0.1, 0.05};
  EXPECT_EQ(largest_cross_correlation(model, theta, 0, 1),
            largest_cross_correlation(parsimonious, less, 0, 1));
  const Points points = test::unequal_places(model, 80, 3);
  Exact exact(ExecSpace(), model, points), exact_less(ExecSpace(), parsimonious, points);
  Vecchia vecchia(ExecSpace(), model, points, test::vecchia_options(15)),
      vecchia_less(ExecSpace(), parsimonious, points, test::vecchia_options(15));
  const std::vector<double> z = test::normals(points.size(), 4);
  for (const auto& [solver, other] : {std::pair<Solver*, Solver*>{&exact, &exact_less},
                                      std::pair<Solver*, Solver*>{&vecchia, &vecchia_less}}) {
    solver->set_data(z, trend(Mean::constant, points, points));
    other->set_data(z, trend(Mean::constant, points, points));
    solver->prepare(theta);
    other->prepare(less);
    const Evaluation found = solver->evaluate(theta, true), expected = other->evaluate(less, true);
    ASSERT_TRUE(found.valid) << found.problem;
    EXPECT_EQ(found.loglik, expected.loglik);
    const std::vector<double>& g = found.gradient;
    // the excess alone has no counterpart
    test::expect_close({g[0], g[1], g[2] + g[3] + g[4], g[5], g[6], g[8], g[9], g[10]},
                       expected.gradient, 1e-13, "gradient");
  }
}

TEST(GpFullBivariate, Gradient) {
  for (const int dimension : {1, 2, 3}) {
    const CovarianceModel model = full(dimension);
    ASSERT_EQ(check(model, kTheta), "");
    const Points points = test::unequal_places(model, 90, 3);
    Exact exact(ExecSpace(), model, points);
    Vecchia vecchia(ExecSpace(), model, points, test::vecchia_options(12));
    const std::vector<double> z = test::normals(points.size(), 4);
    for (Solver* solver : {static_cast<Solver*>(&exact), static_cast<Solver*>(&vecchia)}) {
      solver->set_data(z, trend(Mean::constant, points, points));
      test::expect_gradient(*solver, model, kTheta, 1e-7,
                            std::to_string(dimension) + " coordinates");
    }
  }
}

/// With all predecessors nothing is approximated: likelihoods, gradients, information, predictions,
/// cross-validations and simulations of both solvers agree.
TEST(GpFullBivariate, VecchiaWithAllPredecessorsIsExact) {
  const CovarianceModel model = full();
  const Points points = test::unequal_places(model, 60, 9);
  const std::size_t n = points.size();
  Exact exact(ExecSpace(), model, points);
  Vecchia vecchia(ExecSpace(), model, points, test::vecchia_options(static_cast<int>(n)));
  const std::vector<double> z = test::normals(n, 10);
  for (Solver* solver : {static_cast<Solver*>(&exact), static_cast<Solver*>(&vecchia)}) {
    solver->set_data(z, trend(Mean::constant, points, points));
    solver->prepare(kTheta);
  }
  const Evaluation expected = exact.evaluate(kTheta, true),
                   found = vecchia.evaluate(kTheta, true, true);
  ASSERT_TRUE(found.valid) << found.problem;
  EXPECT_NEAR(found.loglik, expected.loglik, 1e-10 * std::fabs(expected.loglik));
  std::vector<double> a, b;
  for (std::size_t k = 0; k < kTheta.size(); ++k) {
    a.push_back(found.gradient[k] * std::fabs(kTheta[k]));
    b.push_back(expected.gradient[k] * std::fabs(kTheta[k]));
  }
  test::expect_close(a, b, 1e-9, "gradient");
  test::expect_information(found.information, exact.fisher_information(kTheta), 1e-8, "Fisher's");
  const Points targets = repeat_for_variables(test::random_points(model, 7, 11), 2);
  const auto columns = trend(Mean::constant, targets, points);
  const Prediction p = exact.predict(kTheta, targets, columns, {}),
                   q = vecchia.predict(kTheta, targets, columns, {});
  test::expect_close(q.mean, p.mean, 1e-9, "mean");
  test::expect_close(q.variance, p.variance, 1e-9, "variance");
  exact.set_data(z, {});
  vecchia.set_data(z, {});
  std::vector<int> fold;
  for (std::size_t i = 0; i < n; ++i) fold.push_back(static_cast<int>(i * 7 % 5));
  const Prediction u = exact.cross_validate(kTheta, fold), v = vecchia.cross_validate(kTheta, fold);
  test::expect_close(v.mean, u.mean, 1e-9, "mean of a fold");
  test::expect_close(v.variance, u.variance, 1e-9, "variance of a fold");
}

/// The variables of the search and what it knows of them.
struct Search {
  CovarianceModel model = full(2);
  Points points = test::unequal_places(model, 90, 3);
  Parameters parameters;
  SearchSpace space;
  optimize::Problem problem;

  explicit Search(const std::vector<std::string>& fixed = {}, double excess = std::nan(""))
      : parameters(make(model, fixed, excess)),
        space(parameters, points, {{1.5, 0.6}, {0.4}}),
        problem(space.problem(parameters.fit, space.start())) {}

  static Parameters make(const CovarianceModel& model, const std::vector<std::string>& fixed,
                         double excess) {
    Parameters p;
    p.model = model;
    p.theta.assign(static_cast<std::size_t>(model.parameters()), std::nan(""));
    p.theta[static_cast<std::size_t>(model.excess())] = excess;
    p.fit.fixed = fixed;
    return p;
  }

  std::vector<double> random_point(std::mt19937_64& random) const {
    std::vector<double> x;
    for (std::size_t k = 0; k < space.size(); ++k) {
      const double share = std::uniform_real_distribution<double>(0, 1)(random);
      x.push_back(problem.lower[k] + share * (problem.upper[k] - problem.lower[k]));
    }
    return x;
  }
};

/// Every point of the search is a covariance, and theta gives it back.
TEST(GpFullBivariate, EveryPointOfTheSearchIsValid) {
  std::mt19937_64 random(7);
  for (const bool fixed : {false, true}) {
    const Search search(fixed ? std::vector<std::string>{"excess_12"} : std::vector<std::string>{},
                        fixed ? 0 : std::nan(""));
    ASSERT_EQ(search.space.size(), fixed ? 10u : 11u);
    EXPECT_EQ(check(search.model, search.space.start()), "");
    for (int i = 0; i < 2000; ++i) {
      std::vector<double> x = search.random_point(random);
      if (i % 3 == 0) {  // a corner
        for (std::size_t k = 0; k < x.size(); ++k)
          x[k] = random() % 2 == 0 ? search.problem.lower[k] : search.problem.upper[k];
      }
      const Theta theta = search.space.theta(x);
      ASSERT_EQ(check(search.model, theta), "") << i;
      if (i % 3 == 0) continue;  // theta holds bounds, which logarithms may leave by rounding
      test::expect_close(search.space.variables(theta), x, 1e-12, std::to_string(i));
    }
  }
}

/// The gradient in the variables of the search is that of differences, and so has what the bound of
/// the correlation has in smoothnesses and ranges.
TEST(GpFullBivariate, GradientOfTheSearch) {
  const Search search;
  std::mt19937_64 random(8);
  Exact solver(ExecSpace(), search.model, search.points);
  solver.set_data(test::normals(search.points.size(), 4), {});
  for (int i = 0; i < 6; ++i) {
    std::vector<double> x = search.space.variables(search.space.start());
    for (double& y : x) y += 0.3 * std::normal_distribution<double>()(random);
    const auto value = [&](const std::vector<double>& at) {
      return solver.evaluate(search.space.theta(at), false).loglik;
    };
    const Theta theta = search.space.theta(x);
    const std::vector<double> gradient =
        search.space.gradient(theta, solver.evaluate(theta, true).gradient);
    std::vector<double> differences;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto difference = [&](double step) {
        std::vector<double> up = x, down = x;
        up[k] += step;
        down[k] -= step;
        return (value(up) - value(down)) / (2 * step);
      };
      differences.push_back((4 * difference(5e-4) - difference(1e-3)) / 3);
    }
    test::expect_close(gradient, differences, 1e-7, std::to_string(i));
  }
}

/// Where correlations end at their bounds the gradient and the information are those along the
/// bounds.
TEST(GpFullBivariate, DerivativesAlongTheBounds) {
  for (const bool of_three : {false, true}) {
    const CovarianceModel model = of_three ? test::several(3) : full(2);
    const Points points = test::unequal_places(model, 60, 3);
    Parameters parameters;
    parameters.model = model;
    parameters.theta.assign(static_cast<std::size_t>(model.parameters()), std::nan(""));
    const SearchSpace space(parameters, points, {{1.5, 0.6, 1}, {0.4, 0.1, 0.2}});
    Theta start =
        of_three ? Theta{1.3, 0.4, 2, 0.2, 0.8, 1.2, 0.5, 0.3, 0, 0.1, 0.1, 0.2, 0.1} : kTheta;
    const std::size_t held = static_cast<std::size_t>(model.time()) + (of_three ? 1 : 0);
    std::vector<int> side(start.size(), 0);
    side[held] = 1;
    std::vector<double> x = space.variables(start);
    x[held] = 3.99999;  // Fisher's z: every parameter is free
    start = space.theta(x);
    Exact solver(ExecSpace(), model, points);
    solver.set_data(test::normals(points.size(), 4), {});
    const auto moved = [&](std::size_t k, double step) {
      Theta theta = start;
      theta[k] += step;
      return space.keep_at_bounds(start, theta, side);
    };
    const Evaluation at = solver.evaluate(start, true, true);
    ASSERT_TRUE(at.valid) << at.problem;
    const std::vector<double> found = space.gradient_at_bounds(start, at.gradient, side);
    std::vector<std::vector<double>> by(start.size());  // theta along the bounds
    for (std::size_t k = 0; k < start.size(); ++k) {
      const double unit = 1e-4 * (model.is_signed(static_cast<int>(k)) ? 1 : start[k]);
      const Theta up = moved(k, unit), down = moved(k, -unit);
      ASSERT_EQ(check(model, up), "") << k;
      EXPECT_NEAR(std::atanh(partial_correlations(
                      model, up)[held - static_cast<std::size_t>(model.time())]),
                  3.99999, 1e-9);
      for (std::size_t i = 0; i < start.size(); ++i)
        by[k].push_back((up[i] - down[i]) / (2 * unit));
      if (k == held) continue;
      const double difference =
          (solver.evaluate(up, false).loglik - solver.evaluate(down, false).loglik) / (2 * unit);
      EXPECT_NEAR(found[k] * unit, difference * unit, 1e-6 * 1e-4 * 200) << of_three << ' ' << k;
    }
    const std::size_t n = start.size();
    const std::vector<double> information =
        space.information_at_bounds(start, at.information, side);
    std::vector<double> expected(n * n);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t l = 0; l < n; ++l) {
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < n; ++j)
            expected[k * n + l] += by[k][i] * by[l][j] * at.information[i * n + j];
        }
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t l = 0; l < n; ++l) {
        if (k == held || l == held) continue;
        EXPECT_NEAR(information[k * n + l], expected[k * n + l],
                    1e-6 * std::sqrt(expected[k * n + k] * expected[l * n + l]))
            << of_three << ' ' << k << ' ' << l;
      }
    }
  }
}

TEST(GpFullBivariate, ParametersThatAreNotValid) {
  const CovarianceModel model = full(1, false);
  const auto with = [](std::size_t k, double value) {
    Theta theta{1, 2, 0.2, 0.2, 0.12, 0.5, 1.5, 0.2, 0.4};
    theta[k] = value;
    return theta;
  };
  EXPECT_EQ(check(model, with(8, -0.4913)), "");
  EXPECT_THAT(
      check(model, with(8, 0.4915)),
      testing::HasSubstr("rho_12 is 0.4915, but with nu_1 = 0.5, nu_2 = 1.5, excess_12 = 0.2, "
                         "beta_1 = 0.2, beta_2 = 0.2 and beta_12 = 0.12 in 1 coordinate it must "
                         "be from -0.491394 to 0.491394"));
  EXPECT_THAT(check(model, with(7, -0.1)), testing::HasSubstr("excess_12 is -0.1"));
  EXPECT_THAT(check(model, with(7, 99.5)), testing::HasSubstr("nu_12, 100.5, must be at most 100"));
  EXPECT_THAT(check(model, with(3, 0)), testing::HasSubstr("beta_2 is 0"));
  EXPECT_THAT(check(model, with(4, 1e6)), testing::HasSubstr("beta_12 is 1e+06 and beta_1 is 0.2"));
}

}  // namespace
