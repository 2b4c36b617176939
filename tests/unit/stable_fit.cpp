// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/stable/instances.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;

FitTask window(std::int64_t begin, int count) {
  FitTask task;
  task.begin = begin;
  task.count = count;
  return task;
}

FitTask fixing(FitTask task, int parameter, double value) {
  task.fixed |= 1 << parameter;
  task.fixed_value[parameter] = value;
  return task;
}

std::vector<double> random_sample(double alpha, double beta, double sigma, double mu, int n,
                                  std::uint32_t stream) {
  const View x("x", n);
  sample_batch<Exec>(Exec(), alpha, beta, {sigma, mu, Parameterization::S0}, Philox(41, stream), 0,
                     0, x);
  return test::to_host(x);
}

/// The ten samples of the reference, all in one call.
TEST(StableFit, FindsTheReferenceMaxima) {
  std::vector<double> values;
  std::vector<FitTask> tasks;
  const auto samples = test::stable_rows("samples.csv"), fits = test::stable_rows("fits.csv");
  for (std::size_t k = 0; k < fits.size(); ++k) {
    tasks.push_back(window(static_cast<std::int64_t>(values.size()), 1000));
    for (const auto& row : samples) values.push_back(row[k]);
  }
  Fitter<Exec> fitter{Exec()};
  const auto found = fitter(test::to_device<Exec>(values), {}, tasks);
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const auto& exact = fits[k];
    const FitResult& fit = found[k];
    EXPECT_EQ(fit.status, FitStatus::converged) << k;
    EXPECT_LE(fit.gradient_norm, 1e-8) << k;
    EXPECT_NEAR(fit.alpha, exact[6], 1e-6) << k;
    EXPECT_NEAR(fit.beta, exact[7], 1e-6) << k;
    EXPECT_NEAR(fit.sigma, exact[8], 1e-6) << k;
    EXPECT_NEAR(fit.mu, exact[9], 1e-6) << k;
    EXPECT_NEAR(fit.log_likelihood, exact[10], exact[0] == 18 ? 1e-6 : 1e-8) << k;
    EXPECT_NEAR(fit.standard_error[0], exact[12], 2e-3 * exact[12]) << k;
    EXPECT_NEAR(fit.standard_error[1], exact[13], 2e-3 * exact[13]) << k;
    EXPECT_NEAR(fit.standard_error[2] / fit.sigma, exact[14], 2e-3 * exact[14]) << k;
    EXPECT_NEAR(fit.standard_error[3], exact[15], 2e-3 * exact[15]) << k;
  }
}

TEST(StableFit, ABadWindowDoesNotSpoilTheOthers) {
  std::vector<double> values = random_sample(1.6, 0.2, 2, 1, 500, 1);
  const std::vector<double> alone = values;
  values.resize(2000, 3.0);  // 500..999 constant ...
  values[1200] = NAN;        // 1000..1499 with a hole
  for (int i = 1500; i < 2000; ++i) values[i] = std::sin(i) * 1e-3;
  values[1700] = INFINITY;
  Fitter<Exec> fitter{Exec()};
  const View data = test::to_device<Exec>(values);
  const auto found = fitter(data, {},
                            {window(500, 500), window(0, 500), window(1000, 500), window(1500, 500),
                             window(0, 4), window(7, 0), window(0, 500)});
  EXPECT_EQ(found[0].status, FitStatus::constant);
  EXPECT_EQ(found[2].status, FitStatus::not_finite);
  EXPECT_EQ(found[3].status, FitStatus::not_finite);
  EXPECT_EQ(found[4].status, FitStatus::too_few);
  EXPECT_EQ(found[5].status, FitStatus::too_few);
  EXPECT_TRUE(std::isnan(found[0].alpha) && std::isnan(found[2].log_likelihood));
  const auto single = fitter(test::to_device<Exec>(alone), {}, {window(0, 500)});
  for (const std::size_t k : {1, 6}) {
    EXPECT_EQ(found[k].status, FitStatus::converged);
    EXPECT_EQ(found[k].alpha, single[0].alpha);
    EXPECT_EQ(found[k].log_likelihood, single[0].log_likelihood);
  }
}

TEST(StableFit, FollowsScaleShiftAndReflection) {
  std::vector<double> values = random_sample(1.3, -0.4, 1, 0, 800, 2);
  const std::size_t n = values.size();
  for (std::size_t i = 0; i < n; ++i) values.push_back(-1e4 * values[i] + 3e5);
  Fitter<Exec> fitter{Exec()};
  const auto found = fitter(test::to_device<Exec>(values), {}, {window(0, 800), window(800, 800)});
  EXPECT_NEAR(found[1].alpha, found[0].alpha, 1e-6);
  EXPECT_NEAR(found[1].beta, -found[0].beta, 1e-6);
  EXPECT_NEAR(found[1].sigma / found[0].sigma, 1e4, 1e-2);
  EXPECT_NEAR(found[1].mu, -1e4 * found[0].mu + 3e5, 1e-1);
}

TEST(StableFit, KeepsFixedParameters) {
  const std::vector<double> values = random_sample(1.0, 0.0, 2, 5, 1000, 3);
  Fitter<Exec> fitter{Exec()};
  const FitTask all = window(0, 1000);
  const auto found = fitter(test::to_device<Exec>(values), {},
                            {all, fixing(fixing(all, 0, 1.0), 1, 0.0), fixing(all, 0, 2.0),
                             fixing(all, 2, 2.5), fixing(fixing(all, 3, 5.0), 1, 0.2)});
  EXPECT_EQ(found[1].alpha, 1);
  EXPECT_EQ(found[1].beta, 0);
  EXPECT_GT(found[0].log_likelihood, found[1].log_likelihood);
  // Cauchy's likelihood equations.
  double a = 0, b = 0;
  for (const double x : values) {
    const double z = (x - found[1].mu) / found[1].sigma;
    a += 2 * z / (1 + z * z);
    b += 2 * z * z / (1 + z * z) - 1;
  }
  EXPECT_NEAR(a / 1000, 0, 1e-8);
  EXPECT_NEAR(b / 1000, 0, 1e-8);
  // Gauss: mean and variance.
  double mean = 0, square = 0;
  for (const double x : values) mean += x / 1000;
  for (const double x : values) square += (x - mean) * (x - mean) / 1000;
  EXPECT_EQ(found[2].alpha, 2);
  EXPECT_NEAR(found[2].mu, mean, 1e-5 * std::sqrt(square));
  EXPECT_NEAR(2 * found[2].sigma * found[2].sigma, square, 1e-5 * square);
  EXPECT_NEAR(found[3].sigma, 2.5, 1e-12);
  EXPECT_EQ(found[4].beta, 0.2);
  EXPECT_EQ(found[4].mu, 5);
  for (const FitResult& fit : found)
    EXPECT_LE(fit.gradient_norm, 1e-8)
        << fit.alpha << " " << fit.beta << " " << fit.sigma << " " << fit.iterations << " "
        << fit.evaluations << " " << static_cast<int>(fit.status);
}

TEST(StableFit, WeightsCountValues) {
  std::vector<double> values = random_sample(1.7, 0.5, 1, 0, 600, 4), weights(600, 1.0),
                      repeated = values;
  for (int i = 0; i < 600; i += 3) {
    weights[i] = 3;
    repeated.push_back(values[i]);
    repeated.push_back(values[i]);
  }
  for (int i = 1; i < 600; i += 50) {  // without weight: as if it were not there
    values.push_back(1e3 * i);
    weights.push_back(0);
  }
  Fitter<Exec> fitter{Exec()};
  const auto weighted = fitter(test::to_device<Exec>(values), test::to_device<Exec>(weights),
                               {window(0, static_cast<int>(values.size()))});
  const auto plain =
      fitter(test::to_device<Exec>(repeated), {}, {window(0, static_cast<int>(repeated.size()))});
  EXPECT_NEAR(weighted[0].alpha, plain[0].alpha, 1e-6);
  EXPECT_NEAR(weighted[0].beta, plain[0].beta, 1e-6);
  EXPECT_NEAR(weighted[0].sigma, plain[0].sigma, 1e-6);
  EXPECT_NEAR(weighted[0].log_likelihood, plain[0].log_likelihood, 1e-7);
}

/// Uniform values: alpha goes to 2, where the fit is Gauss's; exponential ones lean on beta = 1.
TEST(StableFit, SaysWhenItEndsAtABoundary) {
  std::vector<double> values(2000);
  for (int i = 0; i < 1000; ++i) {
    const double p = (i + 0.5) / 1000;
    values[i] = 2 * p - 1;
    values[1000 + i] = -std::log(p);
  }
  Fitter<Exec> fitter{Exec()};
  const auto found =
      fitter(test::to_device<Exec>(values), {}, {window(0, 1000), window(1000, 1000)});
  EXPECT_EQ(found[0].status, FitStatus::boundary);
  EXPECT_EQ(found[0].alpha, 2);
  EXPECT_TRUE(std::isnan(found[0].standard_error[0]) && std::isnan(found[0].standard_error[1]));
  EXPECT_GT(found[0].standard_error[2], 0);
  const auto fixed = fitter(test::to_device<Exec>(values), {}, {fixing(window(0, 1000), 0, 2.0)});
  EXPECT_EQ(fixed[0].standard_error[0], 0);
  EXPECT_EQ(found[1].status, FitStatus::boundary);
  EXPECT_EQ(std::abs(found[1].beta), 1);
  EXPECT_GT(found[1].boundary_gradient, 0);
}

/// Samples of 15 to 50 values whose likelihood has several maxima, and others, against a fine
/// search: fits at (alpha, beta) of a grid. The maxima of spikes, with alpha near 0.1, are no
/// estimates and are left out.
TEST(StableFit, FindsTheLargestMaximumOfSmallSamples) {
  const int numbers[] = {0,   1,   2,   10,  11,  16,  40,  41,  42, 116,
                         122, 135, 176, 187, 230, 285, 291, 383, 388};
  const int sizes[] = {10, 12, 15, 20, 25, 30, 40, 50, 20, 30, 40, 50, 70, 100};
  FitOptions options;
  options.standard_errors = false;
  Fitter<Exec> fitter{Exec()};
  for (const int number : numbers) {
    const Philox::Bits bits = Philox(11, 3).bits(static_cast<std::uint64_t>(number), 0);
    const int n = sizes[number % 14];
    if (n < 15) continue;
    const View x("x", n);
    sample_batch<Exec>(Exec(), 0.3 + 1.65 * Philox::uniform(bits, 0),
                       2 * Philox::uniform(bits, 1) - 1, {},
                       Philox(12, static_cast<std::uint32_t>(number)), 0, 0, x);
    std::vector<FitTask> tasks{window(0, n)};
    for (int i = 0; i < 17; ++i) {
      for (int j = -5; j <= 5; ++j)
        tasks.push_back(fixing(fixing(window(0, n), 0, 0.4 + 0.1 * i), 1, 0.2 * j));
    }
    const auto found = fitter(x, {}, tasks, options);
    double largest = -INFINITY;
    for (std::size_t k = 1; k < found.size(); ++k)
      largest = std::max(largest, found[k].log_likelihood);
    EXPECT_LE(found[0].status, FitStatus::boundary) << number;
    EXPECT_GT(found[0].log_likelihood, largest - 1e-4) << "sample " << number << " of " << n;
    const auto alone = fitter(x, {}, {tasks[0]}, options);
    EXPECT_EQ(alone[0].log_likelihood, found[0].log_likelihood);
  }
}

/// Two groups of equal values draw alpha and sigma towards 0; the fit keeps the width of the
/// sample.
TEST(StableFit, OtherStartsDoNotEndInASpike) {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(i < 5 ? 1.0 : 1 + 0.37 * i * (i % 2 == 0 ? 1 : -1));
  Fitter<Exec> fitter{Exec()};
  const auto found = fitter(test::to_device<Exec>(values), {}, {window(0, 20)});
  EXPECT_GT(found[0].alpha, 0.5);
  EXPECT_GT(found[0].sigma, 0.5);
}

TEST(StableFit, ConvergesForManyDistributions) {
  const int count = 60, n = 500;
  std::vector<double> values;
  std::vector<FitTask> tasks;
  for (int k = 0; k < count; ++k) {
    const auto sample = random_sample(0.4 + 1.58 * k / count,
                                      -0.95 + 1.9 * ((k * 13) % count) / count, 1, 0, n, 100 + k);
    tasks.push_back(window(static_cast<std::int64_t>(values.size()), n));
    values.insert(values.end(), sample.begin(), sample.end());
  }
  Fitter<Exec> fitter{Exec()};
  FitOptions options;
  options.standard_errors = false;
  options.goodness = true;
  const auto found = fitter(test::to_device<Exec>(values), {}, tasks, options);
  int good = 0;
  for (const FitResult& fit : found) {
    if (fit.status == FitStatus::converged || fit.status == FitStatus::boundary) ++good;
    // fitted, hence smaller than against the true distribution
    EXPECT_LT(std::sqrt(n) * fit.kolmogorov_smirnov, 1.2);
    EXPECT_GT(fit.anderson_darling, 0);
  }
  EXPECT_GE(good, count - 1);
}

TEST(StableFit, McCullochsEstimate) {
  const auto values = random_sample(1.5, 0.5, 2, -3, 100000, 7);
  Fitter<Exec> fitter{Exec()};
  FitOptions options;
  options.method = FitMethod::mcculloch;
  options.standard_errors = false;
  const auto found = fitter(test::to_device<Exec>(values), {}, {window(0, 100000)}, options);
  EXPECT_NEAR(found[0].alpha, 1.5, 0.03);
  EXPECT_NEAR(found[0].beta, 0.5, 0.06);
  EXPECT_NEAR(found[0].sigma, 2, 0.04);
  EXPECT_NEAR(found[0].mu, -3, 0.06);
}

TEST(StableFit, RefusesWhatIsNoSample) {
  Fitter<Exec> fitter{Exec()};
  const View data("data", 100);
  EXPECT_THROW(fitter(data, {}, {window(50, 51)}), Error);
  EXPECT_THROW(fitter(data, {}, {window(-1, 5)}), Error);
  EXPECT_THROW(fitter(data, View("weights", 99), {window(0, 100)}), Error);
  EXPECT_THROW(fitter(data, {}, {fixing(window(0, 100), 0, 2.5)}), Error);
  EXPECT_THROW(fitter(data, {}, {fixing(window(0, 100), 2, -1)}), Error);
  EXPECT_TRUE(fitter(data, {}, {}).empty());
}

/// A weight below zero, or none, is named wherever it stands; values without weight do not count.
TEST(StableFit, ChecksWeights) {
  const std::vector<double> values = random_sample(1.6, 0.2, 1, 0, 40, 5);
  Fitter<Exec> fitter{Exec()};
  const View data = test::to_device<Exec>(values);
  for (const double bad :
       {-1.0, -1e-300, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    for (const std::size_t place : {std::size_t{0}, std::size_t{17}, std::size_t{39}}) {
      std::vector<double> weights(40, 1);
      weights[place] = bad;
      try {
        fitter(data, test::to_device<Exec>(weights), {window(0, 40)});
        ADD_FAILURE() << "no error for " << bad;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_NE(std::string(error.what()).find("weight " + std::to_string(place + 1)),
                  std::string::npos)
            << error.what();
      }
    }
  }
  std::vector<double> few(40, 0);
  for (int i = 0; i < 4; ++i) few[i] = 1;
  EXPECT_EQ(fitter(data, test::to_device<Exec>(few), {window(0, 40)})[0].status,
            FitStatus::too_few);
  few[20] = 1;
  EXPECT_NE(fitter(data, test::to_device<Exec>(few), {window(0, 40)})[0].status,
            FitStatus::too_few);
}

/// Five quantiles give no standard errors.
TEST(StableFit, McCullochsEstimateHasNoErrors) {
  const auto values = random_sample(1.5, 0.5, 2, -3, 1000, 7);
  Fitter<Exec> fitter{Exec()};
  FitOptions options;
  options.method = FitMethod::mcculloch;
  const FitResult fit =
      fitter(test::to_device<Exec>(values), {}, {fixing(window(0, 1000), 1, 0.5)}, options)[0];
  for (const int i : {0, 2, 3}) EXPECT_TRUE(std::isnan(fit.standard_error[i])) << i;
  EXPECT_EQ(fit.standard_error[1], 0);
}

}  // namespace
}  // namespace tessera::stable
