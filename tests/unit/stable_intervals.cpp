// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/stable/fit/intervals.hpp"
#include "tessera/stable/instances.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;

const Quantity kAlpha{QuantityKind::alpha}, kBeta{QuantityKind::beta}, kSigma{QuantityKind::sigma},
    kMu{QuantityKind::mu};

FitTask whole(std::int32_t count) {
  FitTask task;
  task.count = count;
  return task;
}

View draw(double alpha, double beta, int n, std::uint32_t stream) {
  const View x("x", n);
  sample_batch<Exec>(Exec(), alpha, beta, {2.0, -1.0, Parameterization::S0}, Philox(83, stream), 0,
                     0, x);
  return x;
}

/// -(1/p) times the integral of the quantile from 0 to p, by the midpoint rule in the square root
/// of the logarithm of the probability.
double integrate_quantile(const StableDistribution& distribution, double p) {
  const int n = 8000;
  const double last = 7;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double t = last * (i + 0.5) / n, u = p * std::exp(-t * t);
    sum -= quantile(distribution, u) * u * 2 * t * last / n;
  }
  return sum / p;
}

TEST(StableIntervals, ExpectedShortfallIsTheMeanOfTheTail) {
  for (const double p : {0.001, 0.05, 0.5}) {  // the normal distribution with variance 2
    const double z = normal_quantile(p),
                 exact = std::sqrt(2.0) * std::exp(-0.5 * z * z) / std::sqrt(2 * kPi) / p;
    EXPECT_NEAR(expected_shortfall(StableDistribution(2, 0), p), exact, 1e-9 * exact);
  }
  for (const auto& [alpha, beta] : {std::pair{1.9, -1.0}, {1.7, 0.3}, {1.7, 1.0}, {1.5, -0.5}}) {
    const StableDistribution distribution(alpha, beta);
    const double exact = integrate_quantile(distribution, 0.05);
    EXPECT_NEAR(expected_shortfall(distribution, 0.05), exact, 2e-7 * std::fabs(exact))
        << alpha << " " << beta;
  }
  EXPECT_EQ(expected_shortfall(StableDistribution(1, 0), 0.05), INFINITY);
  EXPECT_NEAR(expected_shortfall(StableDistribution(0.7, 1), 0.05),
              integrate_quantile(StableDistribution(0.7, 1), 0.05), 1e-6);
  EXPECT_TRUE(std::isnan(expected_shortfall(StableDistribution(1.5, 0), 0)));
}

/// Most of the shortfall of a heavy tail lies far out: against a fine rule in ln|x| and the power
/// law.
TEST(StableIntervals, ExpectedShortfallOfAHeavyTail) {
  for (const double alpha : {1.05, 1.1, 1.3}) {
    const StableDistribution distribution(alpha, 0);
    const double p = 0.01, q = quantile(distribution, p);
    // (1/p) times the integral of F from -inf to q: panels in ln|x|, beyond 1e9 two terms of the
    // series of the tail.
    const int n = 40000;
    const double far = 1e9, length = std::log(far / -q);
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      const double x = q * std::exp(length * (i + 0.5) / n);
      sum -= x * evaluate<Quantities::sf>(distribution, x).cdf * length / n;
    }
    sum += far * evaluate<Quantities::sf>(distribution, -far).cdf / (alpha - 1);
    EXPECT_NEAR(expected_shortfall(distribution, p), -q + sum / p, 1e-8 * (-q + sum / p)) << alpha;
  }
}

TEST(StableIntervals, GradientsOfQuantities) {
  const FourParameters at{1.6, 0.3, 2, -1};
  for (const Quantity& quantity :
       {Quantity{QuantityKind::quantile, 0.01}, Quantity{QuantityKind::value_at_risk, 0.99},
        Quantity{QuantityKind::expected_shortfall, 0.95}, kSigma}) {
    const std::array<double, 4> gradient = find_gradient(quantity, at);
    for (int k = 0; k < 4; ++k) {
      const auto shifted = [&](double h) {
        FourParameters p = at;
        (k == 0 ? p.alpha : k == 1 ? p.beta : k == 2 ? p.sigma : p.mu) += h;
        return evaluate(quantity, p);
      };
      const double difference =
          (8 * (shifted(1e-3) - shifted(-1e-3)) - (shifted(2e-3) - shifted(-2e-3))) / 12e-3;
      EXPECT_NEAR(gradient[static_cast<std::size_t>(k)], difference,
                  1e-6 * (1 + std::fabs(difference)))
          << name(quantity) << " " << k;
    }
  }
  EXPECT_NEAR(evaluate({QuantityKind::value_at_risk, 0.99}, at),
              -evaluate({QuantityKind::quantile, 0.01}, at), 1e-13);
}

TEST(StableIntervals, CovarianceHoldsTheStandardErrors) {
  Fitter<Exec> fitter{Exec()};
  const FitResult fit = fitter(draw(1.6, 0.3, 3000, 1), {}, {whole(3000)})[0];
  for (int k = 0; k < 4; ++k) {
    const double variance = fit.covariance[FitResult::index(k, k)];
    EXPECT_NEAR(variance, fit.standard_error[k] * fit.standard_error[k], 1e-12 * variance);
    // the sample is of a stable distribution
    EXPECT_NEAR(fit.sandwich[FitResult::index(k, k)] / variance, 1, 0.3) << k;
  }
  const Interval wald = wald_interval(kAlpha, fit, 0.95);
  EXPECT_NEAR(wald.upper - fit.alpha, 1.959963984540054 * fit.standard_error[0], 1e-12);
  EXPECT_NEAR(fit.alpha - wald.lower, 1.959963984540054 * fit.standard_error[0], 1e-12);
  EXPECT_NEAR(wald_interval(kSigma, fit, 0.9).upper / fit.sigma,
              std::exp(1.6448536269514722 * fit.standard_error[2] / fit.sigma), 1e-12);
}

/// Standard errors and the intervals of parameters exist also where no double holds the square of a
/// scale; the rest is not a number.
TEST(StableIntervals, OfExtremeScales) {
  Fitter<Exec> fitter{Exec()};
  const std::vector<double> x = test::to_host(draw(1.6, 0.3, 500, 1));
  const auto fit_in = [&](double unit) {
    std::vector<double> scaled = x;
    for (double& v : scaled) v *= unit;
    return fitter(test::to_device<Exec>(scaled), {}, {whole(500)})[0];
  };
  const FitResult plain = fit_in(1);
  for (const double unit : {0x1p-600, 0x1p600}) {
    const FitResult fit = fit_in(unit);
    ASSERT_EQ(fit.status, FitStatus::converged) << unit;
    for (int k = 0; k < 4; ++k) {
      const double own = k < 2 ? 1 : unit;
      EXPECT_NEAR(fit.standard_error[k] / own / plain.standard_error[k], 1, 1e-6)
          << unit << " " << k;
    }
    for (const Quantity& quantity : {kAlpha, kBeta, kSigma, kMu}) {
      const double own = quantity.parameter() < 2 ? 1 : unit;
      const Interval found = wald_interval(quantity, fit, 0.9),
                     expected = wald_interval(quantity, plain, 0.9);
      EXPECT_NEAR(found.lower / own / expected.lower, 1, 1e-6) << unit << " " << name(quantity);
      EXPECT_NEAR(found.upper / own / expected.upper, 1, 1e-6) << unit << " " << name(quantity);
    }
    EXPECT_NEAR(fit.covariance[FitResult::index(1, 0)] / plain.covariance[FitResult::index(1, 0)],
                1, 1e-6);
    EXPECT_TRUE(std::isnan(fit.covariance[FitResult::index(2, 2)]));
    EXPECT_TRUE(std::isnan(fit.sandwich[FitResult::index(3, 2)]));
    EXPECT_TRUE(std::isnan(wald_interval({QuantityKind::quantile, 0.1}, fit, 0.9).lower));
    EXPECT_TRUE(std::isnan(wald_interval(kSigma, fit, 0.9, true).lower));
  }
}

/// A fit with a quantity held has it, and no neighbour that has it too is better.
TEST(StableIntervals, HeldQuantitiesAreKept) {
  Fitter<Exec> fitter{Exec()};
  const View x = draw(1.7, -0.3, 600, 2);
  const FitResult fit = fitter(x, {}, {whole(600)})[0];
  for (const Quantity& quantity :
       {Quantity{QuantityKind::quantile, 0.05}, Quantity{QuantityKind::value_at_risk, 0.99},
        Quantity{QuantityKind::expected_shortfall, 0.95}}) {
    const double estimate = evaluate(quantity, fit.parameters()), wanted = 1.1 * estimate;
    const auto held = fitter(x, {},
                             {hold(quantity, wanted, whole(600), fit.parameters()),
                              hold(quantity, estimate, whole(600), fit.parameters())},
                             profile_options());
    EXPECT_EQ(held[0].status, FitStatus::converged) << name(quantity);
    EXPECT_NEAR(evaluate(quantity, held[0].parameters()), wanted, 1e-9 * std::fabs(wanted));
    EXPECT_LT(held[0].log_likelihood, fit.log_likelihood);
    EXPECT_NEAR(held[1].log_likelihood, fit.log_likelihood, 1e-7);
    const FitTask free = hold(quantity, wanted, whole(600), held[0].parameters());
    for (const Quantity& other : {kAlpha, kBeta, kSigma}) {
      for (const double h : {-1e-3, 1e-3}) {
        const FitResult beside = fitter(
            x, {},
            {hold(other, evaluate(other, held[0].parameters()) + h, free, held[0].parameters())},
            profile_options())[0];
        EXPECT_LE(beside.log_likelihood, held[0].log_likelihood + 1e-8)
            << name(quantity) << " " << name(other);
      }
    }
  }
}

TEST(StableIntervals, ProfilesReachTheCriticalValueAtBothEnds) {
  Fitter<Exec> fitter{Exec()};
  const View x = draw(1.4, 0.4, 500, 3);
  const FitResult fit = fitter(x, {}, {whole(500)})[0];
  const std::vector<Quantity> quantities{
      kAlpha, kBeta, kSigma, kMu, {QuantityKind::quantile, 0.99}};
  const auto found = profile_intervals<Exec>(fitter, x, {}, whole(500), fit, quantities, 0.95);
  for (std::size_t k = 0; k < quantities.size(); ++k) {
    for (const double end : {found[k].lower, found[k].upper}) {
      const FitResult held = fitter(x, {}, {hold(quantities[k], end, whole(500), fit.parameters())},
                                    profile_options())[0];
      EXPECT_NEAR(2 * (fit.log_likelihood - held.log_likelihood), 3.841458820694124, 2e-3)
          << name(quantities[k]);
    }
    EXPECT_LT(found[k].lower, evaluate(quantities[k], fit.parameters()));
    EXPECT_GT(found[k].upper, evaluate(quantities[k], fit.parameters()));
    EXPECT_GE(found[k].value.size(), 5U);
    EXPECT_LE(found[k].value.size(), 16U);
  }
  FitTask fixed = whole(500);
  fixed.fixed = 2;
  fixed.fixed_value[1] = 0.4;
  const auto with_beta = profile_intervals<Exec>(fitter, x, {}, fixed, fitter(x, {}, {fixed})[0],
                                                 {kBeta, kAlpha}, 0.95);
  EXPECT_EQ(with_beta[0].lower, 0.4);
  EXPECT_EQ(with_beta[0].upper, 0.4);
  EXPECT_LT(with_beta[1].upper - with_beta[1].lower, found[0].upper - found[0].lower + 1e-6);
}

/// Evenly spaced values: the fit is normal, the interval of alpha ends at 2, and beta may be
/// anything.
TEST(StableIntervals, EndsOfTheRangesAreEndsOfIntervals) {
  std::vector<double> values(150);
  for (int i = 0; i < 150; ++i) values[i] = std::sqrt(2.0) * normal_quantile((i + 0.5) / 150);
  const View x = test::to_device<Exec>(values);
  Fitter<Exec> fitter{Exec()};
  Bootstrap<Exec> bootstrap{Exec()};
  const FitResult fit = fitter(x, {}, {whole(150)})[0];
  ASSERT_EQ(fit.status, FitStatus::boundary);
  EXPECT_TRUE(std::isnan(wald_interval(kAlpha, fit, 0.95).lower));
  EXPECT_FALSE(std::isnan(wald_interval(kSigma, fit, 0.95).lower));
  const auto plain = profile_intervals<Exec>(fitter, x, {}, whole(150), fit, {kAlpha, kBeta}, 0.95);
  const auto found = bootstrapped_profile_intervals<Exec>(bootstrap, fitter, x, whole(150), fit,
                                                          {kAlpha}, 0.95, 39, Philox(3, 3));
  EXPECT_EQ(plain[0].upper, 2);
  EXPECT_EQ(plain[1].lower, -1);
  EXPECT_EQ(plain[1].upper, 1);
  EXPECT_EQ(found[0].upper, 2);
  EXPECT_LT(found[0].lower, 1.99);
  EXPECT_GT(found[0].lower, 1.5);
}

/// alpha next to 2 is told from alpha far from it.
TEST(StableIntervals, NextToTheNormalDistribution) {
  FitResult fit;
  fit.alpha = 1.8;
  EXPECT_TRUE(is_next_to_normal(fit, {1.7, 2.0}));
  EXPECT_TRUE(is_next_to_normal(fit, {1.7, 1.91}));
  EXPECT_FALSE(is_next_to_normal(fit, {1.7, 1.89}));
  EXPECT_FALSE(is_next_to_normal(fit, {}));
}

/// The critical deviances of both ends are those of the roots' own tails.
TEST(StableIntervals, CriticalDeviancesOfPairsOfRefits) {
  FitResult held;
  held.status = FitStatus::converged;
  held.beta = held.mu = 0;
  held.sigma = 1;
  held.alpha = 1.5;
  held.log_likelihood = -100;
  std::vector<FitResult> refits;
  for (int k = 1; k <= 39; ++k) {  // roots from -1.9 to 1.9, but those above 0 are twice as large
    const double root = 0.1 * (k - 20);
    FitResult full = held;
    full.alpha = 1.5 + 0.1 * root;
    full.log_likelihood = -100 + 0.5 * std::pow(root > 0 ? 2 * root : root, 2);
    refits.insert(refits.end(), {held, full});
  }
  refits.insert(refits.end(), {held, FitResult()});  // failed
  EXPECT_NEAR(find_critical_deviance(refits, kAlpha, 1.5, 0, 0.9), 3.6 * 3.6, 1e-9);
  EXPECT_NEAR(find_critical_deviance(refits, kAlpha, 1.5, 1, 0.9), 1.8 * 1.8, 1e-9);
  EXPECT_TRUE(std::isnan(find_critical_deviance({}, kAlpha, 1.5, 0, 0.9)));
}

TEST(StableIntervals, BootstrapPercentiles) {
  FitResult fit;
  fit.alpha = 1.5;
  fit.beta = 0;
  fit.sigma = 1;
  fit.mu = 0;
  fit.status = FitStatus::converged;
  std::vector<FitResult> refits(999, fit);
  for (int k = 0; k < 999; ++k) refits[k].alpha = 1.5 + 0.1 * normal_quantile((k + 1) / 1000.0);
  refits.push_back(FitResult());  // failed
  const Interval centred = bootstrap_interval(kAlpha, fit, refits, 0.9);
  EXPECT_NEAR(centred.lower, 1.5 - 0.1 * 1.6448536, 1e-6);
  EXPECT_NEAR(centred.upper, 1.5 + 0.1 * 1.6448536, 1e-6);
  // a standard deviation above most refits: the correction moves the interval by two
  fit.alpha = 1.6;
  const Interval moved = bootstrap_interval(kAlpha, fit, refits, 0.9);
  EXPECT_NEAR(moved.lower, 1.7 - 0.1 * 1.6448536, 5e-3);
}

/// Most of 120 intervals at 90 % from samples of 150 values hold the truth; the shares are binomial
/// with standard deviation 0.027.
TEST(StableIntervals, HoldTheTruthAsOftenAsTheySay) {
  constexpr int kSamples = 120, kValues = 150;
  const FourParameters truth{1.5, 0.2, 2, -1};
  Fitter<Exec> fitter{Exec()};
  const View x = draw(1.5, 0.2, kSamples * kValues, 9);
  const std::vector<Quantity> quantities{
      kAlpha, kBeta, kSigma, kMu, {QuantityKind::quantile, 0.05}};
  std::vector<FitTask> tasks(kSamples, whole(kValues));
  for (int k = 0; k < kSamples; ++k) tasks[k].begin = k * kValues;
  const auto fits = fitter(x, {}, tasks);
  for (const Quantity& quantity : quantities) {
    const double value = evaluate(quantity, truth);
    std::vector<FitTask> held;
    for (const FitTask& task : tasks) held.push_back(hold(quantity, value, task, truth));
    const auto with_truth = fitter(x, {}, held, profile_options());
    int profile = 0, wald = 0;
    for (int k = 0; k < kSamples; ++k) {
      const Interval interval = wald_interval(quantity, fits[k], 0.9);
      wald += interval.lower <= value && value <= interval.upper ? 1 : 0;
      profile +=
          2 * (fits[k].log_likelihood - with_truth[k].log_likelihood) <= critical_deviance(0.9) ? 1
                                                                                                : 0;
    }
    EXPECT_NEAR(profile, 0.9 * kSamples, 0.08 * kSamples) << name(quantity);
    EXPECT_NEAR(wald, 0.9 * kSamples, 0.09 * kSamples) << name(quantity);
  }
}

TEST(StableIntervals, RefusesWhatHasNoInterval) {
  EXPECT_THROW(wald_interval(kAlpha, FitResult(), 0.95), Error);
  FitResult fit;
  fit.status = FitStatus::converged;
  EXPECT_THROW(wald_interval(kAlpha, fit, 1.0), Error);
  EXPECT_THROW(bootstrap_interval(kAlpha, fit, {}, 0), Error);
  EXPECT_THROW(evaluate({QuantityKind::quantile, 0}, {1.5, 0, 1, 0}), Error);
  FitTask with_mu = whole(10);
  with_mu.fixed = 8;
  EXPECT_THROW(hold({QuantityKind::value_at_risk, 0.99}, 1, with_mu, {1.5, 0, 1, 0}), Error);
  FitTask without_start = whole(10);
  without_start.location = Location::quantile;
  without_start.probability = 0.5;
  Fitter<Exec> fitter{Exec()};
  EXPECT_THROW(fitter(View("x", 10), {}, {without_start}), Error);
}

}  // namespace
}  // namespace tessera::stable
