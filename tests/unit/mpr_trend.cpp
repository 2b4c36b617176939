// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Trends: coefficients, means and variances against kriging with external drift in dense algebra;
// coefficients of simulated fields and the coverage of their intervals; predictions against those
// of tessera::gp, which knows the covariance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/math/fft.hpp"
#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/synthesis.hpp"
#include "tessera/mpr/data/trend.hpp"
#include "tessera/mpr/instances.hpp"
#include "tessera/mpr/linear/gaussian_draws.hpp"
#include "tessera/mpr/linear/trend_fit.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/mpr_dense.hpp"

namespace tessera::test {
namespace {

using mpr::Grid;
using Axis = mpr::AxisCouplings;

/// A field with gaps and two columns of a trend, some samples with errors.
struct TrendProblem : Problem {
  std::vector<double> noise;
  std::vector<std::vector<double>> columns;

  TrendProblem(const Grid& g, bool noisy)
      : Problem(g), noise(values.size(), 0), columns(2, values) {
    std::mt19937 random(11);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const mpr::Position at = g.position(static_cast<std::int64_t>(i));
      columns[0][i] = std::sin(0.7 * at.x) * std::cos(0.5 * at.y) + 0.1 * static_cast<double>(at.z);
      columns[1][i] = 0.2 * at.x + 1e-3 * static_cast<double>(random() % 500);
      values[i] =
          3 + 2 * columns[0][i] - columns[1][i] + 1e-3 * static_cast<double>(random() % 1000);
      const unsigned kind = random() % 10;
      if (kind < 4) status[i] = mpr::kMissing;
      if (kind < 4 || kind > 7 || !noisy) continue;
      status[i] = mpr::kNoisy;
      noise[i] = 0.1 + 0.05 * static_cast<double>(random() % 10);
    }
  }
};

/// Kriging with external drift: coefficients with their covariance, and mean and variance of all
/// sites.
struct Drifted {
  std::vector<double> coefficient, error, mean, variance;
};

Drifted krige(const TrendProblem& p, const linalg::Matrix& covariance) {
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < p.values.size(); ++i) {
    if (mpr::has_value(p.status[i])) samples.push_back(i);
  }
  const std::size_t n = samples.size(), q = p.columns.size() + 1;
  linalg::Matrix of_data = block_of(covariance, samples);
  for (std::size_t a = 0; a < n; ++a) of_data[a][a] += p.noise[samples[a]] * p.noise[samples[a]];
  const linalg::Matrix inverse = linalg::inverse_positive_definite(of_data);
  const auto column = [&](std::size_t j, std::size_t i) {
    return j == 0 ? 1 : p.columns[j - 1][i];
  };
  // X' V^-1, X' V^-1 X
  linalg::Matrix weighted(q, std::vector<double>(n, 0)), form(q, std::vector<double>(q, 0));
  std::vector<double> right(q, 0);
  for (std::size_t j = 0; j < q; ++j) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) weighted[j][a] += column(j, samples[b]) * inverse[a][b];
      right[j] += weighted[j][a] * p.values[samples[a]];
    }
  }
  for (std::size_t j = 0; j < q; ++j) {
    for (std::size_t k = 0; k < q; ++k) {
      for (std::size_t a = 0; a < n; ++a)
        form[std::max(j, k)][std::min(j, k)] += j >= k ? weighted[j][a] * column(k, samples[a]) : 0;
    }
  }
  for (std::size_t j = 0; j < q; ++j) {
    for (std::size_t k = 0; k < j; ++k) form[k][j] = form[j][k];
  }
  const linalg::Matrix var = linalg::inverse_positive_definite(form);
  std::vector<double> b(q, 0);
  for (std::size_t j = 0; j < q; ++j) {
    for (std::size_t k = 0; k < q; ++k) b[j] += var[j][k] * right[k];
  }
  Drifted result;
  for (std::size_t j = 1; j < q; ++j) {
    result.coefficient.push_back(b[j]);
    result.error.push_back(std::sqrt(var[j][j]));
  }
  for (std::size_t i = 0; i < p.values.size(); ++i) {
    double mean = 0, variance = covariance[i][i];
    std::vector<double> rest(q);
    for (std::size_t j = 0; j < q; ++j) {
      rest[j] = column(j, i);
      mean += b[j] * column(j, i);
    }
    for (std::size_t a = 0; a < n; ++a) {
      double weight = 0, fitted = 0;
      for (std::size_t c = 0; c < n; ++c) weight += inverse[a][c] * covariance[i][samples[c]];
      for (std::size_t j = 0; j < q; ++j) {
        fitted += b[j] * column(j, samples[a]);
        rest[j] -= weight * column(j, samples[a]);
      }
      mean += weight * (p.values[samples[a]] - fitted);
      variance -= weight * covariance[i][samples[a]];
    }
    for (std::size_t j = 0; j < q; ++j) {
      for (std::size_t k = 0; k < q; ++k) variance += rest[j] * var[j][k] * rest[k];
    }
    result.mean.push_back(mean);
    result.variance.push_back(variance);
  }
  return result;
}

TEST(Trend, IsThatOfKrigingWithExternalDrift) {
  const ExecSpace exec;
  constexpr double kTemperature = 0.2;
  for (const Grid& grid : {Grid{13, 11, 1}, Grid{6, 5, 4}}) {
    for (const bool noisy : {false, true}) {
      const TrendProblem p(grid, noisy);
      const Axis axis{{1.3, 0.8, grid.nz > 1 ? 0.6 : 0.0}, 0};
      const double beta = 0.7;
      const linalg::Matrix q = dense_precision(p, axis, beta);
      const Drifted exact = krige(p, dense_covariance(q, kTemperature));
      const auto status = upload(exec, "mpr test", p.status);
      std::vector<double> columns = p.columns[0];
      columns.insert(columns.end(), p.columns[1].begin(), p.columns[1].end());
      mpr::LinearFill<ExecSpace, double> fill(exec, grid, 1, status, axis);
      if (noisy) fill.set_noise(upload(exec, "mpr test", p.noise), {kTemperature});
      mpr::detail::TrendFit<ExecSpace, double> trend(exec, grid, 1, status,
                                                     upload(exec, "mpr test", p.values),
                                                     upload(exec, "mpr test", columns), 2);
      for (int round = 0; round < 3; ++round) trend.fit(fill, status, axis, beta, 300);
      trend.set_temperatures({kTemperature});
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_NEAR(trend.coefficients()[j], exact.coefficient[j], 1e-5 * exact.error[j]);
        EXPECT_NEAR(trend.errors()[j] / exact.error[j], 1, 1e-4);
      }
      // Mean of what is left, and its standard deviation given the coefficients.
      const auto mean = trend.residuals();
      fill.solve(mean, axis, beta, 1e-12, 300);
      std::vector<std::size_t> unknown;
      linalg::Matrix precision = q;
      for (std::size_t i = 0; i < p.values.size(); ++i) {
        if (mpr::is_unknown(p.status[i])) unknown.push_back(i);
        if (p.status[i] == mpr::kNoisy) precision[i][i] += kTemperature / (p.noise[i] * p.noise[i]);
      }
      const linalg::Matrix inverse =
          linalg::inverse_positive_definite(block_of(precision, unknown));
      std::vector<double> deviations(p.values.size(), 0);
      for (std::size_t a = 0; a < unknown.size(); ++a)
        deviations[unknown[a]] = std::sqrt(kTemperature * inverse[a][a]);
      const auto deviation = upload(exec, "mpr test", deviations);
      trend.add_to(mean, deviation);
      const std::vector<double> means = download(exec, mean), spreads = download(exec, deviation);
      for (const std::size_t i : unknown) {
        ASSERT_NEAR(means[i], exact.mean[i], 1e-5) << "site " << i << ", noisy " << noisy;
        ASSERT_NEAR(spreads[i] / std::sqrt(exact.variance[i]), 1, 1e-4)
            << "site " << i << ", noisy " << noisy;
      }
      // Draws have the covariance of the coefficients.
      constexpr int kDraws = 4000;
      double square = 0;
      for (int k = 0; k < kDraws; ++k) {
        const Kokkos::View<double*, ExecSpace> drawn("mpr test", p.values.size()),
            plain("mpr test", p.values.size());
        trend.add_draw_to(drawn, 5, static_cast<std::uint64_t>(k));
        trend.add_to(plain, {});
        const double gap = download(exec, drawn)[unknown[3]] - download(exec, plain)[unknown[3]];
        square += gap * gap / kDraws;
      }
      EXPECT_NEAR(square / (exact.variance[unknown[3]] - std::pow(deviations[unknown[3]], 2)), 1,
                  0.09)
          << "four standard errors";
    }
  }
}

/// A rough field with the couplings (axis 1, beta), T = 1.
std::vector<double> rough_field(const Grid& grid, double beta, unsigned seed) {
  std::vector<double> values = drawn_from(grid, {{1, 1, 0}, 0}, beta, seed).values;
  for (double& x : values) x *= 50;
  return values;
}

TEST(Trend, CoefficientsAreFoundWithTheirErrors) {
  const ExecSpace exec;
  const Grid grid{56, 44, 1};
  for (const bool noisy : {false, true}) {
    constexpr int kFields = 80;
    double hits = 0, mean = 0, error = 0, inside = 0, sites = 0;
    for (unsigned seed = 1; seed <= kFields; ++seed) {
      const std::vector<double> elevation = rough_field(grid, 0.3, 1000 + seed),
                                field = rough_field(grid, 1, seed);
      std::mt19937 random(seed);
      std::normal_distribution<double> normal;
      std::vector<float> values(field.size()), column(elevation.begin(), elevation.end()),
          noise(field.size(), 0.2f);
      std::vector<std::uint8_t> status(field.size(), mpr::kSample);
      for (std::size_t i = 0; i < field.size(); ++i) {
        const mpr::Position at = grid.position(static_cast<std::int64_t>(i));
        values[i] =
            static_cast<float>(2 * elevation[i] + field[i] + (noisy ? 0.2 * normal(random) : 0));
        if (random() % 3 == 0 || (at.x > 16 && at.x < 28 && at.y > 12 && at.y < 26))
          status[i] = mpr::kMissing;
      }
      mpr::FillOptions options;
      options.seed = seed;
      options.trend = 1;
      options.noise = noisy;
      mpr::GapFill<ExecSpace, float> fill(exec, grid, 1, options);
      fill.prepare(upload(exec, "mpr test", values), upload(exec, "mpr test", status),
                   upload(exec, "mpr test", noise), upload(exec, "mpr test", column));
      while (fill.advance()) {
      }
      const Kokkos::View<float*, ExecSpace> predicted("mpr test", values.size()),
          deviation("mpr test", values.size());
      fill.moments(predicted, deviation);
      const std::vector<float> means = download(exec, predicted),
                               spreads = download(exec, deviation);
      for (std::size_t i = 0; i < means.size(); ++i) {
        if (status[i] != mpr::kMissing) continue;
        inside += std::fabs(means[i] - 2 * elevation[i] - field[i]) < 1.96 * spreads[i] ? 1 : 0;
        sites += 1;
      }
      const double b = fill.trend()->coefficients().front(), of_b = fill.trend()->errors().front();
      hits += std::fabs(b - 2) < 1.96 * of_b ? 1.0 / kFields : 0;
      mean += b / kFields;
      error += of_b * of_b / kFields;
    }
    std::printf(
        "errors of samples %d: b %.5f, standard error %.5f, coverage %.3f; of filled sites %.3f\n",
        noisy, mean, std::sqrt(error), hits, inside / sites);
    EXPECT_NEAR(mean, 2, 4 * std::sqrt(error / kFields));
    EXPECT_NEAR(hits, 0.95, 0.06) << "2.7 standard errors";
    EXPECT_NEAR(inside / sites, 0.95, 0.02);
  }
}

TEST(Trend, PredictsAsKrigingWithExternalDrift) {
  if (!math::fft_available()) GTEST_SKIP() << "no FFTW";
  const ExecSpace exec;
  const Grid grid{72, 72, 1};
  for (const double nu : {0.5, 1.0, 1.5}) {
    mpr::SyntheticParameters synthetic;
    synthetic.size = {72, 72};
    synthetic.smoothness = nu;
    synthetic.inverse_length = 0.15;
    synthetic.mean = 0;
    synthetic.deviation = 1;
    const std::vector<double> field = mpr::gaussian_field(synthetic, 3, 0);
    synthetic.smoothness = 1;
    const std::vector<double> elevation = mpr::gaussian_field(synthetic, 4, 0);
    std::mt19937 random(3);
    gp::Points observed{{{}, {}}, {}, {{}}}, targets = observed;
    std::vector<double> values(field.size()), data, truth;
    std::vector<std::uint8_t> status(field.size(), mpr::kSample);
    for (std::size_t i = 0; i < field.size(); ++i) {
      const mpr::Position at = grid.position(static_cast<std::int64_t>(i));
      values[i] = 2 * elevation[i] + field[i];
      if (random() % 2 == 0 || (at.x > 30 && at.x < 50 && at.y > 30 && at.y < 50))
        status[i] = mpr::kMissing;
      gp::Points& of = status[i] == mpr::kMissing ? targets : observed;
      of.coordinate[0].push_back(at.x);
      of.coordinate[1].push_back(at.y);
      of.covariate[0].push_back(elevation[i]);
      (status[i] == mpr::kMissing ? truth : data).push_back(values[i]);
    }
    const std::unique_ptr<gp::Solver> solver =
        gp::make_exact_solver(choose_backend("auto"), gp::CovarianceModel{}, observed, 0);
    solver->set_data(data, gp::trend(gp::Mean::constant, observed, observed));
    const gp::Prediction reference = solver->predict(
        {1, 1 / 0.15, nu}, targets, gp::trend(gp::Mean::constant, targets, observed), {});
    mpr::FillOptions options;
    options.trend = 1;
    mpr::GapFill<ExecSpace, double> fill(exec, grid, 1, options);
    fill.prepare(upload(exec, "mpr test", values), upload(exec, "mpr test", status), {},
                 upload(exec, "mpr test", elevation));
    while (fill.advance()) {
    }
    const Kokkos::View<double*, ExecSpace> predicted("mpr test", values.size()),
        deviation("mpr test", values.size());
    fill.moments(predicted, deviation);
    const std::vector<double> means = download(exec, predicted),
                              spreads = download(exec, deviation);
    double ours = 0, theirs = 0, hits = 0;
    std::size_t target = 0;
    for (std::size_t i = 0; i < means.size(); ++i) {
      if (status[i] != mpr::kMissing) continue;
      ours += std::pow(means[i] - truth[target], 2);
      theirs += std::pow(reference.mean[target] - truth[target], 2);
      hits += std::fabs(means[i] - truth[target]) < 1.96 * spreads[i] ? 1 : 0;
      ++target;
    }
    const double count = static_cast<double>(target);
    std::printf(
        "nu %g: error %.4f, of kriging with the true covariance %.4f; b %.4f +- %.4f, coverage "
        "%.3f, beta %.4g\n",
        nu, std::sqrt(ours / count), std::sqrt(theirs / count),
        fill.trend()->coefficients().front(), fill.trend()->errors().front(), hits / count,
        fill.beta());
    EXPECT_LT(std::sqrt(ours / theirs), nu < 1.5 ? 1.03 : 1.16)
        << "the energy knows fields with nu <= 1";
    EXPECT_GT(hits / count, 0.9) << "errors in the wide gap are alike";
  }
}

mpr::Field small_field(int frames) {
  mpr::Field field;
  field.grid = {20, 15, 1};
  field.frames = frames;
  field.values.assign(static_cast<std::size_t>(field.sites()), 1);
  field.status.assign(field.values.size(), mpr::kSample);
  for (std::size_t i = 0; i < field.status.size(); i += 3) field.status[i] = mpr::kMissing;
  return field;
}

TEST(Trend, MonomialsAreThoseOfTheCoordinates) {
  mpr::TrendParameters parameters;
  parameters.polynomial = 2;
  const mpr::Trend trend = mpr::Trend::make(parameters, small_field(2));
  std::vector<std::string> names;
  for (const mpr::Trend::Column& column : trend.columns()) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "y", "xx", "xy", "yy"}));
  EXPECT_EQ(trend.period(), 300u);
  EXPECT_DOUBLE_EQ(trend.value(0, 19), 1);
  EXPECT_DOUBLE_EQ(trend.value(1, 300), -1);
  EXPECT_DOUBLE_EQ(trend.value(3, 299), 1);
  mpr::Field stack = small_field(1);
  stack.grid = {20, 5, 3};
  parameters.polynomial = 1;
  EXPECT_EQ(mpr::Trend::make(parameters, stack).size(), 3u);
  stack.grid = {300, 1, 1};
  EXPECT_EQ(mpr::Trend::make(parameters, stack).size(), 1u);
}

}  // namespace
}  // namespace tessera::test
