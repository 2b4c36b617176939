// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tessera/stable/fit/goodness.hpp"
#include "tessera/stable/instances.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;

FitTask whole(std::int32_t count) {
  FitTask task;
  task.count = count;
  return task;
}

FitOptions with_distances() {
  FitOptions options;
  options.goodness = true;
  options.standard_errors = false;
  return options;
}

View draw(double alpha, double beta, int n, std::uint32_t stream) {
  const View x("x", n);
  sample_batch<Exec>(Exec(), alpha, beta, {2.0, -1.0, Parameterization::S0}, Philox(77, stream), 0,
                     0, x);
  return x;
}

/// Student's t with three degrees of freedom: a normal number by the root of a third of the squares
/// of three.
View draw_student(int n, std::uint32_t stream) {
  std::vector<double> values(n);
  const Philox random(78, stream);
  for (int i = 0; i < n; ++i) {
    const NormalPair a(random.bits(i, 0)), b(random.bits(i, 1));
    values[i] =
        a.first / std::sqrt((a.second * a.second + b.first * b.first + b.second * b.second) / 3);
  }
  return test::to_device<Exec>(values);
}

/// sqrt(m) times the Kolmogorov-Smirnov distance of p-values from the uniform distribution.
double distance_from_uniform(std::vector<double> p) {
  std::sort(p.begin(), p.end());
  const double m = static_cast<double>(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    largest = std::max(
        {largest, (static_cast<double>(i) + 1) / m - p[i], p[i] - static_cast<double>(i) / m});
  }
  return std::sqrt(m) * largest;
}

/// Distances by their definitions, from the distribution function at every value.
TEST(StableGoodness, DistancesAreThoseOfTheirDefinitions) {
  for (const auto& [alpha, beta] : {std::pair{1.7, 0.3}, {1.0, -0.5}, {0.6, 0.8}}) {
    const View x = draw(alpha, beta, 800, 1);
    Fitter<Exec> fitter{Exec()};
    const FitResult fit = fitter(x, {}, {whole(800)}, with_distances())[0];
    std::vector<double> values = test::to_host(x);
    std::sort(values.begin(), values.end());
    const StableDistribution distribution(fit.alpha, fit.beta);
    const int n = 800;
    double d = 0, a = -n, w = 1 / (12.0 * n);
    for (int i = 1; i <= n; ++i) {
      const Evaluation e =
          evaluate<Quantities::sf>(distribution, (values[i - 1] - fit.mu) / fit.sigma);
      d = std::max({d, static_cast<double>(i) / n - e.cdf, e.cdf - (i - 1.0) / n});
      a -= ((2 * i - 1) * std::log(e.cdf) + (2 * (n - i) + 1) * std::log(e.sf)) / n;
      w += std::pow(e.cdf - (2 * i - 1) / (2.0 * n), 2);
    }
    EXPECT_NEAR(fit.kolmogorov_smirnov, d, 1e-9) << alpha;
    EXPECT_NEAR(fit.anderson_darling, a, 1e-8) << alpha;
    EXPECT_NEAR(fit.cramer_von_mises, w, 1e-9) << alpha;
  }
}

TEST(StableGoodness, RefitsAreThoseOfSamplesOfTheFit) {
  BootstrapPlan plan;
  plan.truth = {1.6, 0.2, 2, -1};
  plan.size = 400;
  plan.random = Philox(5, 9);
  Fitter<Exec> fitter{Exec()};
  Bootstrap<Exec> bootstrap{Exec()};
  const auto all = bootstrap(fitter, plan, 0, 12), last = bootstrap(fitter, plan, 7, 5);
  const View x("x", 400);
  sample_batch<Exec>(Exec(), 1.6, 0.2, {2.0, -1.0, Parameterization::S0}, plan.random, 7 * 400, 0,
                     x);
  const FitResult alone = fitter(x, {}, {whole(400)})[0];
  for (std::size_t k = 0; k < last.size(); ++k)
    EXPECT_EQ(all[7 + k].log_likelihood, last[k].log_likelihood);
  EXPECT_NEAR(last[0].alpha, alone.alpha, 1e-4 * alone.standard_error[0]);
  EXPECT_NEAR(last[0].mu, alone.mu, 1e-4 * alone.standard_error[3]);
  EXPECT_LE(alone.log_likelihood - last[0].log_likelihood, 1e-7);
}

/// Samples of stable distributions, each tested with refits of its own; sqrt(m) D of uniform
/// p-values exceeds 1.63 once in a hundred times.
TEST(StableGoodness, PValuesAreUniformUnderTheDistribution) {
  constexpr int kSamples = 150, kRefits = 39, kValues = 100;
  Fitter<Exec> fitter{Exec()};
  std::vector<double> ad, ks, cvm;
  for (int k = 0; k < kSamples; ++k) {
    const FitResult fit =
        fitter(draw(1.1 + 0.7 * k / kSamples, -0.6 + 1.2 * ((7 * k) % kSamples) / kSamples, kValues,
                    100 + k),
               {}, {whole(kValues)}, with_distances())[0];
    const GoodnessTest test =
        test_goodness<Exec>(Exec(), fitter, fit, kValues, kRefits, {}, Philox(79, k));
    EXPECT_LE(test.anderson_darling.failed, 2);
    ad.push_back(test.anderson_darling.p_value);
    ks.push_back(test.kolmogorov_smirnov.p_value);
    cvm.push_back(test.cramer_von_mises.p_value);
  }
  EXPECT_LT(distance_from_uniform(ad), 1.63);
  EXPECT_LT(distance_from_uniform(ks), 1.63);
  EXPECT_LT(distance_from_uniform(cvm), 1.63);
}

/// Student's t with three degrees of freedom is told from a stable distribution: of 8 samples of
/// 6000 values most are rejected at 5 %.
TEST(StableGoodness, HasPowerAgainstStudentsDistribution) {
  constexpr int kSamples = 8, kRefits = 39, kValues = 6000;
  Fitter<Exec> fitter{Exec()};
  int rejected = 0;
  for (int k = 0; k < kSamples; ++k) {
    const FitResult fit =
        fitter(draw_student(kValues, k), {}, {whole(kValues)}, with_distances())[0];
    rejected += test_goodness<Exec>(Exec(), fitter, fit, kValues, kRefits, {}, Philox(80, k))
                            .anderson_darling.p_value < 0.05
                    ? 1
                    : 0;
  }
  EXPECT_GE(rejected, 6);
}

/// Symmetric samples keep beta = 0, skew ones do not; the normal distribution keeps alpha = 2,
/// where the statistic is often 0.
TEST(StableGoodness, LikelihoodRatios) {
  constexpr int kValues = 400, kRefits = 49;
  Fitter<Exec> fitter{Exec()};
  const auto test = [&](const View& x, Hypothesis hypothesis) {
    const auto fits = fitter(x, {}, {whole(kValues), restrict_to(hypothesis, whole(kValues))});
    return test_likelihood_ratio<Exec>(Exec(), fitter, hypothesis, fits[1], fits[0], kValues,
                                       kRefits);
  };
  EXPECT_GT(test(draw(1.5, 0, kValues, 11), Hypothesis::symmetric).p_value, 0.05);
  EXPECT_LT(test(draw(1.5, 0.8, kValues, 12), Hypothesis::symmetric).p_value, 0.05);
  EXPECT_GT(test(draw(1, 0, kValues, 13), Hypothesis::cauchy).p_value, 0.05);
  EXPECT_LT(test(draw(1.4, 0, kValues, 14), Hypothesis::cauchy).p_value, 0.05);
  const BootstrapTest normal = test(draw(2, 0, kValues, 15), Hypothesis::normal);
  EXPECT_GT(normal.p_value, 0.05);
  EXPECT_GT(std::count(normal.replicates.begin(), normal.replicates.end(), 0.0), kRefits / 4);
  EXPECT_LT(test(draw(1.8, 0, kValues, 16), Hypothesis::normal).p_value, 0.05);
}

TEST(StableGoodness, RefusesFitsThatFailed) {
  Fitter<Exec> fitter{Exec()};
  EXPECT_THROW(test_goodness<Exec>(Exec(), fitter, FitResult(), 100, 9), Error);
  FitResult fit;
  fit.status = FitStatus::converged;
  EXPECT_THROW(test_goodness<Exec>(Exec(), fitter, fit, 100, 0), Error);
  // parameters that are not there
  EXPECT_THROW(test_goodness<Exec>(Exec(), fitter, fit, 100, 9), Error);
  FitTask from_nowhere = whole(100);
  from_nowhere.start = {3, 0, 1, 0};
  EXPECT_THROW(fitter(View("x", 100), {}, {from_nowhere}), Error);
}

}  // namespace
}  // namespace tessera::stable
