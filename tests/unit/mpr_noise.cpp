// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Samples with errors of known variances: the linear fill and its draws against kriging with a
// nugget in dense algebra, the temperature of greatest evidence against its dense likelihood, and
// what fills of noisy fields are worth.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/mpr/instances.hpp"
#include "tessera/mpr/linear/evidence.hpp"
#include "tessera/mpr/linear/gaussian_draws.hpp"
#include "tessera/mpr/linear/linear_fill.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/mpr_dense.hpp"

namespace tessera::test {
namespace {

using mpr::Grid;
using mpr::Metric;
using Axis = mpr::AxisCouplings;

/// A field with gaps whose samples have errors, some of them none.
struct NoisyProblem : Problem {
  std::vector<double> noise;

  explicit NoisyProblem(const Grid& g, unsigned seed = 7) : Problem(g), noise(values.size(), 0) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const mpr::Position at = g.position(static_cast<std::int64_t>(i));
      values[i] = 5 + std::sin(0.5 * at.x + 0.2 * static_cast<double>(at.z)) +
                  std::cos(0.4 * at.y) + 1e-3 * static_cast<double>(random() % 1000);
      const unsigned kind = random() % 10;
      if (kind < 4) status[i] = mpr::kMissing;
      if (kind < 4 || kind == 9) continue;
      status[i] = mpr::kNoisy;
      noise[i] = 0.1 + 0.1 * static_cast<double>(random() % 10);
    }
  }
};

/// Mean and variance at each site given the samples, by kriging: covariances T Q^+ of the field, a
/// level that is not known, and the variances of errors added at the samples.
struct Kriged {
  std::vector<double> mean, variance;
};

Kriged krige(const NoisyProblem& p, const linalg::Matrix& q, double temperature) {
  const std::size_t sites = p.values.size();
  const linalg::Matrix covariance = dense_covariance(q, temperature);
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < sites; ++i) {
    if (mpr::has_value(p.status[i])) samples.push_back(i);
  }
  linalg::Matrix of_data = block_of(covariance, samples);
  for (std::size_t a = 0; a < samples.size(); ++a)
    of_data[a][a] += p.noise[samples[a]] * p.noise[samples[a]];
  const linalg::Matrix inverse = linalg::inverse_positive_definite(of_data);
  double total = 0, level = 0;
  for (std::size_t a = 0; a < samples.size(); ++a) {
    for (std::size_t b = 0; b < samples.size(); ++b) {
      total += inverse[a][b];
      level += inverse[a][b] * p.values[samples[b]];
    }
  }
  level /= total;
  Kriged result{std::vector<double>(sites), std::vector<double>(sites)};
  for (std::size_t i = 0; i < sites; ++i) {
    double mean = level, variance = covariance[i][i], rest = 1;
    for (std::size_t a = 0; a < samples.size(); ++a) {
      double weight = 0;
      for (std::size_t b = 0; b < samples.size(); ++b)
        weight += inverse[a][b] * covariance[i][samples[b]];
      mean += weight * (p.values[samples[a]] - level);
      variance -= weight * covariance[i][samples[a]];
      rest -= weight;
    }
    result.mean[i] = mean;
    result.variance[i] = variance + rest * rest / total;
  }
  return result;
}

struct Case {
  Grid grid;
  int tilt;
  bool metric;
};

const Case kCases[] = {{{13, 11, 1}, 0, false},
                       {{13, 11, 1}, -1, false},
                       {{12, 10, 1}, 0, true},
                       {{6, 5, 4}, 0, false}};

Metric metric_of(const Case& c) {
  if (!c.metric) return {};
  std::vector<double> latitudes;
  for (int y = 0; y < c.grid.ny; ++y) latitudes.push_back(70 - 4.0 * y);
  Metric metric = mpr::metric_of_latitudes(latitudes, 4);
  metric.periodic = true;
  return metric;
}

TEST(Noise, FillsAndDrawsAreThoseOfKrigingWithANugget) {
  const ExecSpace exec;
  constexpr double kTemperature = 0.3;
  for (const Case& c : kCases) {
    for (const double beta : {0.0, 0.7}) {
      const NoisyProblem p(c.grid);
      const Metric metric = metric_of(c);
      const Axis axis{{1.3, 0.8, c.grid.nz > 1 || c.tilt != 0 ? 0.6 : 0.0}, c.tilt};
      const Kriged exact = krige(p, dense_precision(p, axis, beta, metric), kTemperature);
      const auto status = upload(exec, "mpr test", p.status);
      const auto noise = upload(exec, "mpr test", p.noise);
      const auto values = upload(exec, "mpr test", p.values);
      mpr::LinearFill<ExecSpace, double> fill(exec, c.grid, 1, status, axis, {metric});
      fill.set_noise(noise, {kTemperature});
      const mpr::LinearSolve solve = fill.solve(values, axis, beta, 1e-12, 300);
      EXPECT_TRUE(solve.converged);
      const std::vector<double> mean = download(exec, values);
      const auto draws = mpr::detail::GaussianDraws<ExecSpace, double>::make(
          exec, c.grid, 1, status, axis, beta, 3, {metric});
      draws->set_noise(noise, {kTemperature});
      const Kokkos::View<double*, ExecSpace> sum("mpr test", mean.size()),
          variance("mpr test", mean.size());
      for (int pack = 0; pack < 32; ++pack) {
        draws->draw_pack(pack);
        draws->add_squares(sum);
      }
      draws->variance(upload(exec, "mpr test", std::vector<double>{kTemperature}), sum, 256,
                      variance, {});
      const std::vector<double> variances = download(exec, variance);
      double ratio = 0, count = 0;
      for (std::size_t i = 0; i < mean.size(); ++i) {
        ASSERT_NEAR(mean[i], exact.mean[i], 1e-7)
            << "site " << i << ", tilt " << c.tilt << ", beta " << beta;
        if (p.status[i] == mpr::kSample) continue;
        ASSERT_NEAR(variances[i] / exact.variance[i], 1, 0.45) << "site " << i;
        ratio += variances[i] / exact.variance[i];
        count += 1;
      }
      EXPECT_NEAR(ratio / count, 1, 0.05);
    }
  }
}

TEST(Noise, AnErrorNearZeroIsNone) {
  const ExecSpace exec;
  for (const bool is_single : {false, true}) {
    NoisyProblem p({40, 30, 1});
    Problem exact(p.grid);
    exact.values = p.values;
    for (std::size_t i = 0; i < p.status.size(); ++i) {
      exact.status[i] = p.status[i] == mpr::kMissing ? mpr::kMissing : mpr::kSample;
      p.noise[i] = 1e-20;
    }
    const auto run = [&](auto zero, const Problem& problem, bool noisy) {
      using Real = decltype(zero);
      const auto values =
          upload(exec, "mpr test", std::vector<Real>(problem.values.begin(), problem.values.end()));
      mpr::LinearFill<ExecSpace, Real> fill(exec, p.grid, 1,
                                            upload(exec, "mpr test", problem.status));
      if (noisy)
        fill.set_noise(upload(exec, "mpr test", std::vector<Real>(p.noise.begin(), p.noise.end())),
                       {0.01});
      EXPECT_TRUE(fill.solve(values, {{1, 1, 0}, 0}, 1, is_single ? 1e-5 : 1e-11, 200).converged);
      return download(exec, values);
    };
    const auto compare = [&](auto zero, double tolerance) {
      const auto a = run(zero, p, true), b = run(zero, exact, false);
      for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_NEAR(a[i], b[i], tolerance) << "single " << is_single;
    };
    is_single ? compare(0.0f, 1e-3) : compare(0.0, 1e-4);
  }
}

/// The restricted log likelihood of the samples, from dense algebra.
double likelihood(const NoisyProblem& p, const linalg::Matrix& covariance_at_one,
                  double temperature) {
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < p.values.size(); ++i) {
    if (mpr::has_value(p.status[i])) samples.push_back(i);
  }
  linalg::Matrix of_data = block_of(covariance_at_one, samples);
  for (std::size_t a = 0; a < samples.size(); ++a) {
    for (double& x : of_data[a]) x *= temperature;
    of_data[a][a] += p.noise[samples[a]] * p.noise[samples[a]];
  }
  double determinant = 0;
  const linalg::Matrix inverse = linalg::inverse_positive_definite(of_data, &determinant);
  double total = 0, pull = 0, square = 0;
  for (std::size_t a = 0; a < samples.size(); ++a) {
    for (std::size_t b = 0; b < samples.size(); ++b) {
      total += inverse[a][b];
      pull += inverse[a][b] * p.values[samples[b]];
      square += p.values[samples[a]] * inverse[a][b] * p.values[samples[b]];
    }
  }
  return -0.5 * (determinant + std::log(total) + square - pull * pull / total);
}

TEST(Noise, TheTemperatureIsThatOfGreatestLikelihood) {
  const ExecSpace exec;
  const Axis axis{{1.2, 1 / 1.2, 0}, 0};
  for (const double size : {0.1, 1.0, 4.0}) {
    double miss = 0, worst = 0;
    constexpr int kFields = 8;
    for (unsigned seed = 1; seed <= kFields; ++seed) {
      NoisyProblem p({18, 15, 1}, seed);
      for (double& s : p.noise) s *= size;
      const linalg::Matrix covariance = dense_covariance(dense_precision(p, axis, 1), 1);
      const double share = 1 / static_cast<double>(p.values.size());
      // A field and errors of these laws, with T = 1.
      std::mt19937 random(seed);
      std::normal_distribution<double> normal;
      linalg::Matrix shifted = covariance;
      for (auto& row : shifted) {
        for (double& x : row) x += share;
      }
      const linalg::Matrix root = linalg::cholesky_factor(shifted);
      std::vector<double> white(p.values.size());
      for (double& x : white) x = normal(random);
      for (std::size_t i = 0; i < white.size(); ++i) {
        p.values[i] = 2 + p.noise[i] * normal(random);
        for (std::size_t j = 0; j <= i; ++j) p.values[i] += root[i][j] * white[j];
      }
      double best = 0, top = -1e300;
      for (const double step : {0.5, 0.1, 0.02}) {
        const double middle = best;
        for (int k = -6; k <= 6; ++k) {
          const double here = likelihood(p, covariance, std::exp(middle + step * k));
          if (here <= top) continue;
          top = here;
          best = middle + step * k;
        }
      }
      mpr::EvidenceOptions options;
      options.beta = options.axis = false;
      options.start_axis = axis;
      options.start_beta = 1;
      options.start_temperature = 0.2;
      options.seed = seed;
      mpr::detail::EvidenceSearch<ExecSpace, double> search(
          exec, p.grid, {0}, upload(exec, "mpr test", p.status), upload(exec, "mpr test", p.values),
          {}, upload(exec, "mpr test", p.noise));
      const double found = std::log(search.find(options).temperature);
      miss += (found - best) / kFields;
      worst = std::max(worst, std::fabs(found - best));
    }
    std::printf("errors x %g: log T off by %.3f on average, %.3f at most\n", size, miss, worst);
    EXPECT_LT(std::fabs(miss), 0.06) << "seven draws leave 0.1 in one field";
    EXPECT_LT(worst, 0.25);
  }
}

/// A field with the couplings (axis, beta) and T = 1, given 0 in a corner.
std::vector<double> draw_field(const Grid& grid, const Axis& axis, double beta, unsigned seed) {
  const ExecSpace exec;
  std::vector<std::uint8_t> status(static_cast<std::size_t>(grid.sites()), mpr::kMissing);
  status.front() = mpr::kSample;
  const auto draws = mpr::detail::GaussianDraws<ExecSpace, double>::make(
      exec, grid, 1, upload(exec, "mpr test", status), axis, beta, seed);
  draws->draw_pack(0);
  const Kokkos::View<double*, ExecSpace> zero("mpr test", status.size()),
      field("mpr test", status.size());
  draws->leave(0, upload(exec, "mpr test", std::vector<double>{1}), zero, field);
  return download(exec, field);
}

TEST(Noise, EvidenceSeesThroughTheErrors) {
  const Axis axis{{1.6, 1 / 1.6, 0}, 0};
  const ExecSpace exec;
  std::array<double, 3> miss{};
  constexpr int kFields = 8;
  for (unsigned seed = 1; seed <= kFields; ++seed) {
    NoisyProblem p({160, 120, 1}, seed);
    p.values = drawn_from(p.grid, axis, 2, seed).values;
    for (double& x : p.values) x *= 50;  // T = 1
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < p.values.size(); ++i) p.values[i] += p.noise[i] * normal(random);
    mpr::EvidenceOptions options;
    options.seed = seed;
    options.start_temperature = 0.1;
    options.start_axis = {{1, 1, 0}, 0};
    mpr::detail::EvidenceSearch<ExecSpace, double> search(
        exec, p.grid, {0}, upload(exec, "mpr test", p.status), upload(exec, "mpr test", p.values),
        {}, upload(exec, "mpr test", p.noise));
    const mpr::Evidence found = search.find(options);
    std::printf("beta %.3f +- %.3f, ratio %.3f, T %.3f, %zu steps\n", found.beta,
                found.beta * found.beta_error, found.axis[0] / found.axis[1], found.temperature,
                found.steps.size());
    miss[0] += std::log(found.beta / 2) / kFields;
    miss[1] += std::log(found.axis[0] / found.axis[1] / 2.56) / kFields;
    miss[2] += std::log(found.temperature) / kFields;
  }
  EXPECT_NEAR(miss[0], 0, 0.3) << "two to three standard errors of the mean of eight fields";
  EXPECT_NEAR(miss[1], 0, 0.09);
  EXPECT_NEAR(miss[2], 0, 0.2);
}

TEST(Noise, FillsOfNoisySamplesSmoothThemAndKnowHowWell) {
  const ExecSpace exec;
  const Grid grid{128, 96, 1};
  std::array<double, 2> hits{}, counts{}, squares{};
  double errors = 0;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const std::vector<double> truth = draw_field(grid, {{1, 1, 0}, 0}, 1, seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<float> values(truth.begin(), truth.end()), noise(truth.size());
    std::vector<std::uint8_t> status(truth.size(), mpr::kSample);
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const mpr::Position at = grid.position(static_cast<std::int64_t>(i));
      noise[i] = at.x < 64 ? 1.0f : 0.4f;
      values[i] += noise[i] * static_cast<float>(normal(random));
      if (random() % 3 == 0 || (at.x > 40 && at.x < 60 && at.y > 30 && at.y < 50))
        status[i] = mpr::kMissing;
    }
    mpr::FillOptions options;
    options.noise = true;
    options.seed = seed;
    mpr::GapFill<ExecSpace, float> fill(exec, grid, 1, options);
    fill.prepare(upload(exec, "mpr test", values), upload(exec, "mpr test", status),
                 upload(exec, "mpr test", noise));
    while (fill.advance()) {
    }
    EXPECT_TRUE(fill.uses_draws());
    const Kokkos::View<float*, ExecSpace> mean("mpr test", truth.size()),
        deviation("mpr test", truth.size());
    fill.moments(mean, deviation);
    const std::vector<float> means = download(exec, mean), deviations = download(exec, deviation);
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const std::size_t kind = status[i] == mpr::kSample ? 1 : 0;
      const double error = means[i] - truth[i];
      hits[kind] += std::fabs(error) < 1.96 * deviations[i] ? 1 : 0;
      squares[kind] += error * error;
      counts[kind] += 1;
      if (kind == 1) errors += static_cast<double>(noise[i]) * noise[i];
    }
  }
  std::printf("coverage %.3f in gaps, %.3f at samples; there an error of %.3f, of samples %.3f\n",
              hits[0] / counts[0], hits[1] / counts[1], std::sqrt(squares[1] / counts[1]),
              std::sqrt(errors / counts[1]));
  EXPECT_NEAR(hits[0] / counts[0], 0.95, 0.02);
  EXPECT_NEAR(hits[1] / counts[1], 0.95, 0.02);
  EXPECT_LT(squares[1], 0.6 * errors);
}

TEST(Noise, GoesWithDrawsOnly) {
  const ExecSpace exec;
  for (const bool is_local : {false, true}) {
    mpr::FillOptions options;
    options.noise = true;
    options.local_temperature = is_local;
    if (!is_local) options.sampler = mpr::Sampler::sweeps;
    EXPECT_THROW((mpr::GapFill<ExecSpace, double>(exec, {20, 20, 1}, 1, options)), Error);
  }
}

TEST(Noise, CalibrationTakesTheErrorsOutOfTheFactor) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const double noise : {0.3, 1.0, 10.0}) {
    std::vector<mpr::HeldOutSample> samples;
    for (int i = 0; i < 60000; ++i)
      samples.push_back({1.4 * normal(random) + noise * normal(random), 0, 1 + i % 4, 0, noise});
    const mpr::Calibration calibration(samples, mpr::Calibrate::by_distance, 0, 0);
    std::printf("errors x %g: factor %.3f\n", noise, calibration.factor(1));
    if (noise < 5) {
      EXPECT_NEAR(calibration.factor(1), 1.4, 0.06);
    } else {
      EXPECT_NEAR(calibration.factor(1), 1, 0.5)
          << "errors ten times as large hide it: it leans on 1";
    }
    EXPECT_NEAR(calibration.quantile(0.975, true), 1.96, 0.05);
  }
}

}  // namespace
}  // namespace tessera::test
