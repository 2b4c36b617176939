// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/stable/fit/intervals.hpp"
#include "tessera/stable/fit/rounded_values.hpp"
#include "tessera/stable/instances.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;

std::vector<double> draw(double alpha, double beta, int n, std::uint32_t stream) {
  const View x("x", n);
  sample_batch<Exec>(Exec(), alpha, beta, {}, Philox(95, stream), 0, 0, x);
  return test::to_host(x);
}

std::vector<double> round_to(std::vector<double> values, double tick) {
  for (double& v : values) v = tick * std::round(v / tick);
  return values;
}

FitResult fit_cells(const CountedValues& counted, double tick, const FitTask& prototype = {}) {
  FitTask task = prototype;
  task.count = static_cast<std::int32_t>(counted.values.size());
  task.half_width = 0.5 * tick;
  Fitter<Exec> fitter{Exec()};
  return fitter(test::to_device<Exec>(counted.values), test::to_device<Exec>(counted.counts),
                {task})[0];
}

/// ln L by differences of the distribution function.
double log_likelihood(const CountedValues& counted, double tick, const FourParameters& p) {
  const StableDistribution distribution(p.alpha, p.beta);
  double sum = 0;
  for (std::size_t i = 0; i < counted.values.size(); ++i) {
    const Evaluation low =
        evaluate<Quantities::sf>(distribution, (counted.values[i] - 0.5 * tick - p.mu) / p.sigma);
    const Evaluation high =
        evaluate<Quantities::sf>(distribution, (counted.values[i] + 0.5 * tick - p.mu) / p.sigma);
    sum += counted.counts[i] * std::log(low.cdf < 0.5 ? high.cdf - low.cdf : low.sf - high.sf);
  }
  return sum;
}

TEST(StableQuantised, CountsValues) {
  const CountedValues counted = count_values({0.5, -0.25, 0.5, 0.1 + 0.15}, {}, 0.25);
  EXPECT_EQ(counted.values, (std::vector<double>{-0.25, 0.25, 0.5}));
  EXPECT_EQ(counted.counts, (std::vector<double>{1, 1, 2}));
  EXPECT_EQ(count_values({1, 1}, {2, 3}, 1).counts, (std::vector<double>{5}));
  EXPECT_THROW(count_values({0.3}, {}, 0.25), Error);
  EXPECT_THROW(count_values({1}, {}, 0), Error);
  EXPECT_THROW(count_values({NAN}, {}, 1), Error);
}

/// The likelihood is that of differences of the distribution function, and the fit is at its
/// maximum.
TEST(StableQuantised, MaximisesTheProbabilityOfTheCells) {
  for (const double tick : {0.1, 0.5, 1.0}) {
    const CountedValues counted = count_values(round_to(draw(1.6, 0.3, 1500, 1), tick), {}, tick);
    const FitResult fit = fit_cells(counted, tick);
    ASSERT_EQ(fit.status, FitStatus::converged) << tick;
    EXPECT_NEAR(fit.log_likelihood, log_likelihood(counted, tick, fit.parameters()), 2e-6) << tick;
    for (int k = 0; k < 4; ++k) {
      const auto at = [&](double h) {
        FourParameters p = fit.parameters();
        (k == 0 ? p.alpha : k == 1 ? p.beta : k == 2 ? p.sigma : p.mu) += h * fit.standard_error[k];
        return log_likelihood(counted, tick, p);
      };
      EXPECT_NEAR((8 * (at(1e-2) - at(-1e-2)) - (at(2e-2) - at(-2e-2))) / 12e-2, 0, 2e-5)
          << tick << " " << k;
    }
    EXPECT_NEAR(fit.sigma, 1, 4 * fit.standard_error[2]);
    EXPECT_NEAR(fit.alpha, 1.6, 4 * fit.standard_error[0]);
    EXPECT_TRUE(std::isnan(fit.kolmogorov_smirnov));
  }
}

/// Fine ticks are as good as exact values; taken as exact, coarse ones give another scale.
TEST(StableQuantised, FineTicksAreExactValues) {
  const std::vector<double> values = draw(1.7, 0, 1000, 2);
  Fitter<Exec> fitter{Exec()};
  FitTask whole;
  whole.count = 1000;
  const FitResult exact = fitter(test::to_device<Exec>(values), {}, {whole})[0];
  const FitResult fine = fit_cells(count_values(round_to(values, 1e-3), {}, 1e-3), 1e-3);
  EXPECT_NEAR(fine.alpha, exact.alpha, 0.02 * exact.standard_error[0]);
  EXPECT_NEAR(fine.sigma, exact.sigma, 0.02 * exact.standard_error[2]);
  EXPECT_NEAR(fine.log_likelihood, exact.log_likelihood + 1000 * std::log(1e-3), 0.1);
  const FitResult coarse = fit_cells(count_values(round_to(values, 1.5), {}, 1.5), 1.5);
  EXPECT_NEAR(coarse.sigma, exact.sigma, 4 * exact.standard_error[2]);
}

/// Profiles hold parameters of such fits too.
TEST(StableQuantised, HasProfileIntervals) {
  const double tick = 0.5;
  const CountedValues counted = count_values(round_to(draw(1.5, 0, 600, 3), tick), {}, tick);
  const View x = test::to_device<Exec>(counted.values), w = test::to_device<Exec>(counted.counts);
  FitTask task;
  task.count = static_cast<std::int32_t>(counted.values.size());
  task.half_width = 0.5 * tick;
  Fitter<Exec> fitter{Exec()};
  const FitResult fit = fitter(x, w, {task})[0];
  const auto found =
      profile_intervals<Exec>(fitter, x, w, task, fit, {{QuantityKind::alpha}}, 0.95);
  const Interval wald = wald_interval({QuantityKind::alpha}, fit, 0.95);
  EXPECT_NEAR(found[0].lower, wald.lower, 0.1 * (wald.upper - wald.lower));
  EXPECT_NEAR(found[0].upper, wald.upper, 0.1 * (wald.upper - wald.lower));
  task.half_width = -1;
  EXPECT_THROW(fitter(x, w, {task}), Error);
}

}  // namespace
}  // namespace tessera::stable
