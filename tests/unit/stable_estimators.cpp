// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
//
// Estimators that maximum likelihood is compared with: Koutrouvelis' and the contracting grid.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "tessera/stable/fit/grid_search.hpp"
#include "tessera/stable/fit/koutrouvelis.hpp"
#include "tessera/stable/instances.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;
using Complex = std::complex<long double>;

struct Law {
  double alpha, beta, sigma, mu;
};

const Law kLaws[] = {{1.05, 0.5, 2, -3},
                     {1.1, -0.4, 1, 0},
                     {1.25, 0.3, 1, 1},
                     {1.4, 0.8, 0.1, 7},
                     {1.8, 0, 1e6, 1e6}};
constexpr int kSize = 2000;

std::vector<double> sample(const Law& law, std::uint32_t stream) {
  const View x("x", kSize);
  sample_batch<Exec>(Exec(), law.alpha, law.beta, {law.sigma, law.mu, Parameterization::S0},
                     Philox(43, stream), 0, 0, x);
  return test::to_host(x);
}

/// The samples of all laws in a call, each from a start that is some way off.
struct Samples {
  std::vector<double> values;
  std::vector<FitTask> tasks;

  Samples() {
    for (const Law& law : kLaws) {
      FitTask task;
      task.begin = static_cast<std::int64_t>(values.size());
      task.count = kSize;
      task.start = {std::min(1.9, law.alpha + 0.2), 0, 1.3 * law.sigma, law.mu + 0.2 * law.sigma};
      tasks.push_back(task);
      const std::vector<double> own = sample(law, static_cast<std::uint32_t>(tasks.size()));
      values.insert(values.end(), own.begin(), own.end());
    }
  }
};

/// phi of the standardised values, in extended precision.
Complex characteristic(const double* values, const FourParameters& p, long double t) {
  Complex sum = 0;
  for (int i = 0; i < kSize; ++i)
    sum += std::exp(Complex(0, t * (values[i] - static_cast<long double>(p.mu)) / p.sigma));
  return sum / static_cast<long double>(kSize);
}

/// The coefficients (a, b) of the least squares of a u + b v.
std::pair<long double, long double> least_squares(const std::vector<long double>& u,
                                                  const std::vector<long double>& v,
                                                  const std::vector<long double>& y) {
  long double uu = 0, uv = 0, vv = 0, uy = 0, vy = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    uu += u[k] * u[k];
    uv += u[k] * v[k];
    vv += v[k] * v[k];
    uy += u[k] * y[k];
    vy += v[k] * y[k];
  }
  const long double determinant = uu * vv - uv * uv;
  return {(uy * vv - vy * uv) / determinant, (vy * uu - uy * uv) / determinant};
}

/// Both regressions give back the estimate: scale 1 and shift 0 are left.
TEST(StableEstimators, KoutrouvelisIsAFixedPointOfItsRegressions) {
  const Samples samples;
  const auto found =
      koutrouvelis<Exec>(Exec(), test::to_device<Exec>(samples.values), {}, samples.tasks);
  const long double pi = std::acos(-1.0L);
  for (std::size_t s = 0; s < found.size(); ++s) {
    SCOPED_TRACE(s);
    const FourParameters& p = found[s].parameters;
    const double* values = samples.values.data() + samples.tasks[s].begin;
    EXPECT_TRUE(found[s].converged);
    EXPECT_LE(found[s].iterations, 40);
    std::vector<long double> one, log_t, modulus, t, w, argument;
    const int moduli = p.alpha > 1.5 ? 10 : p.alpha > 1.1 ? 15 : p.alpha > 0.8 ? 20 : 30;
    for (int k = 1; k <= moduli; ++k) {
      one.push_back(1);
      log_t.push_back(std::log(pi * k / 25));
      modulus.push_back(std::log(-std::log(std::norm(characteristic(values, p, pi * k / 25)))) -
                        std::log(2.0L));
    }
    const auto [intercept, slope] = least_squares(one, log_t, modulus);
    EXPECT_NEAR(static_cast<double>(slope), p.alpha, 2e-6);
    EXPECT_NEAR(static_cast<double>(intercept), 0, 4e-6);
    for (int k = 1; k <= 15; ++k) {
      const long double u = pi * k / 50;
      t.push_back(u);
      w.push_back(std::tan(pi * p.alpha / 2) * (std::pow(u, p.alpha) - u));
      argument.push_back(std::arg(characteristic(values, p, u)));
    }
    const auto [shift, beta] = least_squares(t, w, argument);
    EXPECT_NEAR(static_cast<double>(shift), 0, 1e-5);
    EXPECT_NEAR(static_cast<double>(beta), p.beta, 1e-4);
    EXPECT_NEAR(p.alpha, kLaws[s].alpha, 0.15);
    EXPECT_NEAR(p.sigma / kLaws[s].sigma, 1, 0.15);
    EXPECT_NEAR((p.mu - kLaws[s].mu) / kLaws[s].sigma, 0, 0.2);
  }
}

/// Below 1 iterations may go on for ever, and the estimate says so.
TEST(StableEstimators, KoutrouvelisSaysThatItHasNotConverged) {
  std::vector<double> values;
  std::vector<FitTask> tasks;
  for (std::uint32_t k = 0; k < 20; ++k) {
    FitTask task;
    task.begin = static_cast<std::int64_t>(values.size());
    task.count = kSize;
    task.start = {0.7, 0.2, 1, 0};
    tasks.push_back(task);
    const std::vector<double> own = sample({0.7, 0.2, 1, 0}, 100 + k);
    values.insert(values.end(), own.begin(), own.end());
  }
  const auto found = koutrouvelis<Exec>(Exec(), test::to_device<Exec>(values), {}, tasks);
  int wandering = 0;
  for (const KoutrouvelisEstimate& estimate : found) {
    wandering += estimate.converged ? 0 : 1;
    EXPECT_EQ(estimate.iterations == 40, !estimate.converged);
    EXPECT_NEAR(estimate.parameters.alpha, 0.7, 0.1);
    EXPECT_NEAR(estimate.parameters.mu, 0, 0.2);
  }
  EXPECT_GT(wandering, 0);
}

TEST(StableEstimators, KoutrouvelisOfASampleDoesNotDependOnTheOthers) {
  const Samples samples;
  const View data = test::to_device<Exec>(samples.values);
  const auto together = koutrouvelis<Exec>(Exec(), data, {}, samples.tasks);
  for (std::size_t s = 0; s < samples.tasks.size(); ++s) {
    const auto alone = koutrouvelis<Exec>(Exec(), data, {}, {samples.tasks[s]});
    EXPECT_EQ(alone[0].parameters.alpha, together[s].parameters.alpha);
    EXPECT_EQ(alone[0].parameters.mu, together[s].parameters.mu);
    EXPECT_EQ(alone[0].iterations, together[s].iterations);
  }
}

/// Weights of 0, 1 and 2 stand for values that are missing, single and double.
struct Weighted {
  std::vector<double> values, weights, repeated;
  FitTask all, each;

  Weighted() {
    values = sample({1.5, 0.3, 1, 0}, 9);
    for (int i = 0; i < kSize; ++i) {
      weights.push_back(i % 3);
      for (int k = 0; k < i % 3; ++k) repeated.push_back(values[static_cast<std::size_t>(i)]);
    }
    all.count = kSize;
    each.count = static_cast<std::int32_t>(repeated.size());
    all.start = each.start = {1.4, 0.1, 1, 0};
  }
};

TEST(StableEstimators, KoutrouvelisTakesWeights) {
  const Weighted w;
  const FourParameters weighted = koutrouvelis<Exec>(Exec(), test::to_device<Exec>(w.values),
                                                     test::to_device<Exec>(w.weights), {w.all})[0]
                                      .parameters;
  const FourParameters repeated =
      koutrouvelis<Exec>(Exec(), test::to_device<Exec>(w.repeated), {}, {w.each})[0].parameters;
  EXPECT_NEAR(weighted.alpha, repeated.alpha, 1e-10);
  EXPECT_NEAR(weighted.beta, repeated.beta, 1e-10);
  EXPECT_NEAR(weighted.sigma, repeated.sigma, 1e-10);
  EXPECT_NEAR(weighted.mu, repeated.mu, 1e-10);
}

TEST(StableEstimators, GridTakesWeights) {
  const Weighted w;
  Fitter<Exec> fitter{Exec()};
  const FitResult weighted = grid_search<Exec>(fitter, test::to_device<Exec>(w.values),
                                               test::to_device<Exec>(w.weights), {});
  const FitResult best = fitter(test::to_device<Exec>(w.repeated), {}, {w.each})[0];
  EXPECT_NEAR(weighted.alpha, best.alpha, 1e-5);
  EXPECT_NEAR(weighted.beta, best.beta, 1e-5);
  EXPECT_NEAR(weighted.log_likelihood, best.log_likelihood, 1e-6);
}

/// Angles of 1e9 and more.
TEST(StableEstimators, KoutrouvelisTakesValuesFarOut) {
  std::vector<double> values = sample({1.2, 0, 1, 0}, 11);
  FitTask task;
  task.count = kSize;
  task.start = {1.2, 0, 1, 0};
  const FourParameters without =
      koutrouvelis<Exec>(Exec(), test::to_device<Exec>(values), {}, {task})[0].parameters;
  values[0] = 1e12;
  const FourParameters with =
      koutrouvelis<Exec>(Exec(), test::to_device<Exec>(values), {}, {task})[0].parameters;
  EXPECT_NEAR(with.alpha, without.alpha, 0.01);
  EXPECT_NEAR(with.mu, without.mu, 0.01);
}

TEST(StableEstimators, KoutrouvelisSaysWhatIsNoSample) {
  const View data = test::to_device<Exec>(std::vector<double>{1, 2, 3});
  FitTask task;
  task.count = 3;
  EXPECT_THROW(koutrouvelis<Exec>(Exec(), data, {}, {task}), Error);
  task.start = {1.5, 0, 1, 0};
  task.count = 0;
  EXPECT_THROW(koutrouvelis<Exec>(Exec(), data, {}, {task}), Error);
  EXPECT_TRUE(koutrouvelis<Exec>(Exec(), data, {}, {}).empty());
}

}  // namespace
}  // namespace tessera::stable
