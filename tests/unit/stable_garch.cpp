// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tessera/stable/garch/backtest.hpp"
#include "tessera/stable/garch/garch.hpp"
#include "tessera/stable/instances.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using P = GarchParameter;
using Column = std::vector<double>;
using Coordinates = std::array<double, 8>;

GarchParameters process(double alpha, double beta) {
  return {{alpha, beta, 0.05, 0.3, -0.1, 0.1, 0.1, 0.8}};
}

/// Series of `count` values each, one after the other.
struct SeriesOf {
  GarchParameters truth;
  Column values;
  std::vector<GarchTask> tasks;

  SeriesOf(const GarchParameters& p, int series, int count, std::uint32_t stream) : truth(p) {
    for (int k = 0; k < series; ++k) {
      const Column own = simulate(p, count, Philox(77, stream), k);
      GarchTask task;
      task.begin = static_cast<std::int64_t>(values.size());
      task.count = count;
      tasks.push_back(task);
      values.insert(values.end(), own.begin(), own.end());
    }
  }
  std::vector<GarchResult> fit(const GarchOptions& options = {}) const {
    GarchFitter<Exec> fitter{Exec()};
    return fitter(test::to_device<Exec>(values), tasks, options);
  }
  const double* series(std::size_t k) const { return values.data() + tasks[k].begin; }
};

/// ln L by the recursions as they stand in garch.hpp; with `exact` for |e| itself.
double log_likelihood(const GarchParameters& p, const GarchState& first, const double* r, int count,
                      bool exact = false) {
  const StableDistribution distribution(p[P::alpha], p[P::beta]);
  const double d = exact ? 0 : 1e-3 * first.scale;
  double before = first.value, error = 0, scale = first.scale, sum = 0;
  for (int t = 0; t < count; ++t) {
    if (t > 0) scale = p[P::omega] + p[P::a] * std::sqrt(error * error + d * d) + p[P::b] * scale;
    error = r[t] - p[P::c] - p[P::phi] * before - p[P::theta] * error;
    before = r[t];
    // The normal distribution in closed form.
    sum +=
        p[P::alpha] == 2
            ? -0.25 * error * error / (scale * scale) - 0.5 * std::log(4 * M_PI) - std::log(scale)
            : evaluate<Quantities::pdf>(distribution, error / scale).log_pdf - std::log(scale);
  }
  return sum;
}

/// Converts parameters to the coordinates of the optimizer, with c itself.
Coordinates coordinates(const GarchParameters& p) {
  const double e = (p[P::alpha] - 0.1) / 1.9;
  return {std::log(e / (1 - e)),
          std::atanh(p[P::beta]),
          std::log(p[P::omega] / (1 - p[P::b])),
          p[P::c],
          std::atanh(p[P::phi]),
          std::atanh(p[P::theta]),
          std::sqrt(p[P::a] / (1 - p[P::b])),
          std::atanh(std::sqrt(p[P::b]))};
}

GarchParameters parameters(const Coordinates& x) {
  const double b = std::pow(std::tanh(x[7]), 2);
  return {{0.1 + 1.9 / (1 + std::exp(-x[0])), std::tanh(x[1]), x[3], std::tanh(x[4]),
           std::tanh(x[5]), std::exp(x[2]) * (1 - b), (1 - b) * x[6] * x[6], b}};
}

/// The largest component of the gradient of fits that stop early is that of differences, and at the
/// maximum nothing is left.
TEST(StableGarch, GradientsAreThoseOfDifferences) {
  const int n = 500;
  const SeriesOf data(process(1.7, 0.3), 6, n, 1);
  for (const double tolerance : {1e-2, 1e-9}) {
    GarchOptions options;
    options.tolerance = tolerance;
    const auto fits = data.fit(options);
    for (std::size_t k = 0; k < fits.size(); ++k) {
      ASSERT_EQ(fits[k].status, FitStatus::converged);
      const Coordinates at = coordinates(fits[k].parameters);
      const double sigma = std::exp(at[2]);
      double largest = 0;
      for (std::size_t i = 0; i < 8; ++i) {
        // c comes with the series less its median: where phi changes, that series' constant stays.
        const auto likelihood = [&](double h) {
          Coordinates moved = at;
          moved[i] += h * (i == 3 ? sigma : 1);
          GarchParameters p = parameters(moved);
          if (i == 4) p[P::c] += fits[k].first.value * (fits[k].parameters[P::phi] - p[P::phi]);
          return log_likelihood(p, fits[k].first, data.series(k), n);
        };
        const double slope =
            (8 * (likelihood(1e-5) - likelihood(-1e-5)) - (likelihood(2e-5) - likelihood(-2e-5))) /
            12e-5;
        largest = std::max(largest, std::fabs(slope) / n);
      }
      EXPECT_NEAR(fits[k].gradient_norm, largest, 1e-6) << k;
      if (tolerance > 1e-3) {
        EXPECT_GT(largest, 1e-5);
      }
      EXPECT_NEAR(fits[k].log_likelihood,
                  log_likelihood(fits[k].parameters, fits[k].first, data.series(k), n), 1e-6);
    }
  }
}

TEST(StableGarch, AtAlphaTwoIsANormalProcess) {
  const int n = 1000;
  SeriesOf data(process(2, 0), 2, n, 2);
  for (GarchTask& task : data.tasks) task.fix(P::alpha, 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const GarchResult fit = data.fit()[k];
    ASSERT_EQ(fit.status, FitStatus::converged);
    EXPECT_EQ(fit.parameters[P::alpha], 2);
    EXPECT_EQ(fit.standard_error[0], 0);
    EXPECT_NEAR(fit.log_likelihood, log_likelihood(fit.parameters, fit.first, data.series(k), n),
                1e-9 * std::fabs(fit.log_likelihood));
    EXPECT_NEAR(fit.log_likelihood,
                log_likelihood(fit.parameters, fit.first, data.series(k), n, true), 1e-3);
    for (int i = 2; i < 8; ++i) {
      const auto likelihood = [&](double h) {
        GarchParameters moved = fit.parameters;
        moved.value[i] += h * fit.standard_error[i];
        return log_likelihood(moved, fit.first, data.series(k), n);
      };
      EXPECT_NEAR((likelihood(1e-3) - likelihood(-1e-3)) / 2e-3, 0, 2e-4) << i;
    }
  }
}

/// Estimates lie about the truth as their standard errors say, and no likelihood is below that of
/// the truth.
TEST(StableGarch, FindsTheTruth) {
  const int series = 120, n = 1000;
  const SeriesOf data(process(1.7, 0.2), series, n, 3);
  const auto fits = data.fit();
  int inside[8] = {};
  for (std::size_t k = 0; k < series; ++k) {
    ASSERT_LE(fits[k].status, FitStatus::boundary) << k;
    EXPECT_GE(fits[k].log_likelihood, log_likelihood(data.truth, fits[k].first, data.series(k), n))
        << k;
    for (int i = 0; i < 8; ++i) {
      const double error = std::fabs(fits[k].parameters.value[i] - data.truth.value[i]);
      inside[i] += error < 1.96 * fits[k].standard_error[i] ? 1 : 0;
    }
  }
  for (int i = 0; i < 8; ++i) EXPECT_GE(inside[i], 0.87 * series) << i;
}

/// The truths are without shocks, with strong ones, with heavy and with nearly normal tails, and
/// near a unit root.
TEST(StableGarch, NoLikelihoodIsBelowThatOfTheTruth) {
  const int n = 800;
  std::uint32_t stream = 4;
  for (const GarchParameters& truth : {GarchParameters{{1.8, 0.1, 0, 0, 0, 0.5, 0, 0}},
                                       GarchParameters{{1.3, -0.4, 0, 0, 0, 0.1, 0.1, 0.75}},
                                       GarchParameters{{1.95, 0.5, 1, 0.2, 0, 0.2, 0.3, 0.4}},
                                       GarchParameters{{1.8, 0, 0, 0.95, 0.3, 0.02, 0.05, 0.93}},
                                       GarchParameters{{2, 0, 100, 0, 0, 1, 0.1, 0.8}}}) {
    SeriesOf data(truth, 25, n, stream++);
    if (truth[P::phi] == 0) {
      for (GarchTask& task : data.tasks) {
        task.fix(P::phi, 0);
        task.fix(P::theta, 0);
      }
    }
    const auto fits = data.fit();
    for (std::size_t k = 0; k < fits.size(); ++k) {
      EXPECT_LE(fits[k].status, FitStatus::boundary) << stream << " " << k;
      EXPECT_GE(fits[k].log_likelihood, log_likelihood(truth, fits[k].first, data.series(k), n))
          << stream << " " << k;
    }
  }
}

TEST(StableGarch, HasTheSameBitsInAnyCompany) {
  const SeriesOf data(process(1.6, 0.1), 5, 400, 10);
  const auto all = data.fit();
  GarchFitter<Exec> fitter{Exec()};
  const GarchResult alone = fitter(test::to_device<Exec>(data.values), {data.tasks[3]})[0];
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(alone.parameters.value[i], all[3].parameters.value[i]) << i;
    EXPECT_EQ(alone.standard_error[i], all[3].standard_error[i]) << i;
  }
  EXPECT_EQ(alone.log_likelihood, all[3].log_likelihood);
  EXPECT_EQ(alone.last.scale, all[3].last.scale);
}

/// Values and units: x -> 1000 x.
TEST(StableGarch, KeepsUnits) {
  SeriesOf data(process(1.8, 0), 1, 600, 11);
  const GarchResult one = data.fit()[0];
  for (double& v : data.values) v *= 1000;
  const GarchResult other = data.fit()[0];
  EXPECT_NEAR(other.log_likelihood, one.log_likelihood - 600 * std::log(1000), 1e-6);
  for (const P k : {P::c, P::omega})
    EXPECT_NEAR(other.parameters[k], 1000 * one.parameters[k], 1e-2 * std::fabs(one.parameters[k]));
  for (const P k : {P::a, P::b, P::phi}) EXPECT_NEAR(other.parameters[k], one.parameters[k], 1e-5);
}

TEST(StableGarch, ForecastsGoOnWhereTheSeriesEnds) {
  const int n = 300;
  const SeriesOf data(process(1.7, 0.2), 1, n, 12);
  const GarchResult fit = data.fit()[0];
  const auto path = follow(fit.parameters, fit.first, data.series(0), n);
  EXPECT_NEAR(fit.last.scale, path[n - 1].scale, 1e-12 * path[n - 1].scale);
  EXPECT_NEAR(fit.last.error, data.values[n - 1] - path[n - 1].location, 1e-10);
  const GarchForecast next = forecast(fit.parameters, fit.last);
  EXPECT_NEAR(next.scale,
              fit.parameters[P::omega] + fit.parameters[P::a] * std::fabs(fit.last.error) +
                  fit.parameters[P::b] * fit.last.scale,
              1e-15);
  const auto risks = find_tail_risks(Exec(), {fit.parameters}, {0.05, 0.01});
  const StableDistribution z(fit.parameters[P::alpha], fit.parameters[P::beta]);
  EXPECT_NEAR(risks[0].persistence, fit.parameters[P::a] * absolute_mean(z) + fit.parameters[P::b],
              1e-12);
  EXPECT_NEAR(risks[0].tails[1].value_at_risk(next),
              -next.location - next.scale * quantile(z, 0.01), 1e-9);
  EXPECT_NEAR(risks[0].tails[0].expected_shortfall(next),
              -next.location + next.scale * expected_shortfall(z, 0.05), 1e-9);
}

TEST(StableGarch, RefusesWhatItCannotFit) {
  Column values(100, 1.0);
  for (std::size_t i = 0; i < 20; ++i) values[i] = std::sin(7.0 * static_cast<double>(i * i));
  values.push_back(NAN);
  GarchFitter<Exec> fitter{Exec()};
  const auto x = test::to_device<Exec>(values);
  const auto fits = fitter(x, {{0, 19}, {0, 100}, {60, 41}, {0, 0}});
  EXPECT_EQ(fits[0].status, FitStatus::too_few);
  EXPECT_EQ(fits[1].status, FitStatus::constant);
  EXPECT_EQ(fits[2].status, FitStatus::not_finite);
  EXPECT_EQ(fits[3].status, FitStatus::too_few);
  EXPECT_TRUE(std::isnan(fits[1].parameters[P::alpha]) && std::isnan(fits[1].standard_error[7]));
  const auto message = [&](const GarchTask& task) -> std::string {
    try {
      fitter(x, {task});
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_THAT(message({50, 60}), testing::HasSubstr("series 0 covers values 50 to 110 of 101"));
  GarchTask fixed{0, 40};
  fixed.fix(P::phi, 1);
  EXPECT_THAT(message(fixed), testing::HasSubstr("fixes a parameter out of its range"));
  EXPECT_THROW(simulate({{1.8, 0, 0, 0, 0, 0, 0.1, 0.8}}, 10, Philox(1, 1), 0), Error);
}

TEST(StableGarch, MeansOfAbsoluteValues) {
  for (const double alpha : {1.05, 1.3, 1.8, 2.0}) {
    const double exact = 2 / M_PI * std::tgamma(1 - 1 / alpha);
    EXPECT_NEAR(absolute_mean(StableDistribution(alpha, 0)), exact, 1e-9 * exact) << alpha;
    const StableDistribution d(alpha, 0.6);
    const Evaluation zero = evaluate<Quantities::sf>(d, 0);
    const double left = zero.cdf * expected_shortfall(d, zero.cdf), right = absolute_mean(d) - left;
    // the mean in S0
    EXPECT_NEAR(right - left, -0.6 * std::tan(M_PI * alpha / 2), 1e-8 * right) << alpha;
  }
  EXPECT_EQ(absolute_mean(StableDistribution(1, 0)), INFINITY);
}

/// The regions in which Kupiec's test does not reject at 5 %, from his table (probability, days,
/// exceedances).
TEST(StableGarch, ExceedancesAreTestedAsKupiecDoes) {
  for (const auto& [p, days, low, high] : {std::tuple{0.01, 1000, 4, 17},
                                           {0.05, 1000, 37, 65},
                                           {0.05, 255, 6, 21},
                                           {0.025, 510, 6, 21}}) {
    EXPECT_LT(test_exceedances(low, days, p).p_value, 0.05);
    EXPECT_GT(test_exceedances(low + 1, days, p).p_value, 0.05);
    EXPECT_GT(test_exceedances(high - 1, days, p).p_value, 0.05);
    EXPECT_LT(test_exceedances(high, days, p).p_value, 0.05);
  }
  EXPECT_NEAR(test_exceedances(0, 255, 0.01).statistic, -2 * 255 * std::log(0.99), 1e-12);
  EXPECT_TRUE(std::isnan(test_exceedances(3, 2, 0.01).p_value));
}

}  // namespace
}  // namespace tessera::stable
