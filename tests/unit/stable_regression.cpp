// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tessera/stable/instances.hpp"
#include "tessera/stable/regression/regression.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using Column = std::vector<double>;

/// y = 0.5 + 2 a - b + exp(-1 + 0.4 c) e, with e of S0(alpha, beta).
struct Data {
  Column ones, a, b, c, y;
  std::vector<int> censored;  // empty: none

  Data(int n, double alpha, double beta, std::uint32_t stream, double slope = 0.4) : ones(n, 1.0) {
    const StableDistribution distribution(alpha, beta);
    const Philox first(61, stream), second(62, stream);
    for (int i = 0; i < n; ++i) {
      const NormalPair ab(first.bits(i, 0));
      const Philox::Bits e = second.bits(i, 0);
      a.push_back(100 + 3 * ab.first);
      b.push_back(ab.second + 0.5 * ab.first);
      c.push_back(Philox::uniform(first.bits(i, 1), 0));
      y.push_back(0.5 + 2 * a[i] - b[i] +
                  std::exp(-1 + slope * c[i]) *
                      sample(distribution, Philox::uniform(e, 0), Philox::uniform(e, 1)));
    }
  }
  /// Censors responses above `high` or below `low`: only that they are beyond is known.
  void censor(double low, double high) {
    censored.assign(y.size(), 0);
    for (std::size_t i = 0; i < y.size(); ++i) {
      censored[i] = y[i] > high ? 1 : y[i] < low ? -1 : 0;
      y[i] = std::min(std::max(y[i], low), high);
    }
  }
  Design design(bool with_scale) const {
    Design design;
    design.location = {{"1", ones}, {"a", a}, {"b", b}};
    design.scale = {{"1", ones}};
    if (with_scale) design.scale.push_back({"c", c});
    design.censored = censored;
    return design;
  }
};

RegressionTask rows(std::int64_t begin, std::int32_t count) {
  RegressionTask task;
  task.begin = begin;
  task.count = count;
  return task;
}

/// ln L of given parameters, from the density at every row.
double log_likelihood(const Data& data, const Column& theta) {
  const StableDistribution distribution(theta[0], theta[1]);
  double sum = 0;
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    const double log_scale = theta[5] + theta[6] * data.c[i];
    const double z =
        (data.y[i] - theta[2] - theta[3] * data.a[i] - theta[4] * data.b[i]) * std::exp(-log_scale);
    const int mark = data.censored.empty() ? 0 : data.censored[i];
    if (theta[0] == 2) {  // the normal distribution in closed form
      sum += mark == 0 ? -0.25 * z * z - 0.5 * std::log(4 * M_PI) - log_scale
                       : std::log(0.5 * std::erfc(0.5 * mark * z));
    } else {
      const Evaluation e = evaluate<Quantities::sf>(distribution, z);
      sum += mark == 0 ? e.log_pdf - log_scale : std::log(mark > 0 ? e.sf : e.cdf);
    }
  }
  return sum;
}

Column all_parameters(const RegressionResult& r) {
  Column theta{r.alpha, r.beta};
  theta.insert(theta.end(), r.location.begin(), r.location.end());
  theta.insert(theta.end(), r.scale.begin(), r.scale.end());
  return theta;
}

TEST(StableRegression, FindsTheCoefficients) {
  const Data data(2000, 1.6, -0.3, 1);
  Regressor<Exec> regressor{Exec()};
  const RegressionResult found = regressor(data.design(true), data.y, {rows(0, 2000)})[0];
  ASSERT_EQ(found.status, FitStatus::converged);
  const double truth[7] = {1.6, -0.3, 0.5, 2, -1, -1, 0.4};
  const Column theta = all_parameters(found);
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_GT(found.standard_error[k], 0);
    EXPECT_NEAR(theta[k], truth[k], 3.5 * found.standard_error[k]) << k;
  }
  EXPECT_NEAR(found.log_likelihood, log_likelihood(data, theta), 1e-6);
}

/// The likelihood, evaluated by itself, has no slope at the maximum, and its curvature is that of
/// the standard errors.
TEST(StableRegression, StopsAtTheMaximumOfTheLikelihood) {
  const Data data(400, 1.5, 0.4, 2);
  Regressor<Exec> regressor{Exec()};
  const RegressionResult found = regressor(data.design(true), data.y, {rows(0, 400)})[0];
  ASSERT_EQ(found.status, FitStatus::converged);
  const Column theta = all_parameters(found);
  for (std::size_t k = 0; k < 7; ++k) {
    const auto at = [&](double h) {
      Column moved = theta;
      moved[k] += h * found.standard_error[k];
      return log_likelihood(data, moved);
    };
    // This slope is in units of standard errors.
    const double slope = (8 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3;
    EXPECT_NEAR(slope, 0, 1e-6) << k;
  }
}

/// A third of the rows is censored; without their marks the coefficients are wrong.
TEST(StableRegression, CensoredRowsCountByTheirTails) {
  for (const double alpha : {1.6, 2.0}) {
    Data data(1500, alpha, alpha == 2 ? 0 : -0.3, 7);
    data.censor(197, 202);
    const auto marked = std::count_if(data.censored.begin(), data.censored.end(),
                                      [](int mark) { return mark != 0; });
    EXPECT_GT(marked, 500);
    Regressor<Exec> regressor{Exec()};
    RegressionTask task = rows(0, 1500);
    if (alpha == 2) {
      task.fixed = 1;
      task.fixed_value[0] = 2;
    }
    const RegressionResult found = regressor(data.design(true), data.y, {task})[0];
    ASSERT_EQ(found.status, FitStatus::converged);
    const double truth[7] = {alpha, alpha == 2 ? 0 : -0.3, 0.5, 2, -1, -1, 0.4};
    const Column theta = all_parameters(found);
    EXPECT_NEAR(found.log_likelihood, log_likelihood(data, theta), 1e-6);
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_NEAR(theta[k], truth[k], 3.5 * found.standard_error[k] + 1e-12) << k;
      const auto at = [&](double h) {
        Column moved = theta;
        moved[k] += h * found.standard_error[k];
        return log_likelihood(data, moved);
      };
      EXPECT_NEAR((8 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3, 0, 2e-6) << k;
    }
    EXPECT_GE(found.log_likelihood, log_likelihood(data, Column(truth, truth + 7)));
    data.censored.clear();
    const RegressionResult naive = regressor(data.design(true), data.y, {task})[0];
    EXPECT_GT(std::fabs(naive.location[1] - 2), 10 * found.standard_error[3]);
  }
}

TEST(StableRegression, AtAlphaTwoIsLeastSquares) {
  const Data data(300, 2, 0, 3, 0);
  Regressor<Exec> regressor{Exec()};
  RegressionTask task = rows(0, 300);
  task.fixed = 1;
  task.fixed_value[0] = 2;
  const RegressionResult found = regressor(data.design(false), data.y, {task})[0];
  // Normal equations in centred columns.
  double ma = 0, mb = 0, my = 0;
  for (int i = 0; i < 300; ++i) {
    ma += data.a[i] / 300;
    mb += data.b[i] / 300;
    my += data.y[i] / 300;
  }
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
  for (int i = 0; i < 300; ++i) {
    const double a = data.a[i] - ma, b = data.b[i] - mb, y = data.y[i] - my;
    aa += a * a;
    ab += a * b;
    bb += b * b;
    ay += a * y;
    by += b * y;
  }
  const double det = aa * bb - ab * ab, slope_a = (ay * bb - by * ab) / det,
               slope_b = (by * aa - ay * ab) / det;
  const double exact[3] = {my - slope_a * ma - slope_b * mb, slope_a, slope_b};
  double square = 0;
  for (int i = 0; i < 300; ++i)
    square += std::pow(data.y[i] - exact[0] - slope_a * data.a[i] - slope_b * data.b[i], 2) / 300;
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(found.location[k], exact[k], 1e-7 * found.standard_error[2 + k]) << k;
  EXPECT_NEAR(std::exp(found.scale[0]), std::sqrt(square / 2), 1e-7);
  EXPECT_NEAR(found.standard_error[3], std::sqrt(square * bb / det),
              1e-5 * found.standard_error[3]);
  EXPECT_EQ(found.standard_error[0], 0);
}

/// A regression on a constant alone is a fit.
TEST(StableRegression, OnAConstantIsAFit) {
  const Data data(500, 1.3, 0.5, 4);
  Design constant;
  constant.location = constant.scale = {{"1", data.ones}};
  Regressor<Exec> regressor{Exec()};
  const RegressionResult found = regressor(constant, data.b, {rows(0, 500)})[0];
  Kokkos::View<double*, Exec> x("x", 500);
  const auto host = Kokkos::create_mirror_view(x);
  for (int i = 0; i < 500; ++i) host(i) = data.b[i];
  Kokkos::deep_copy(x, host);
  Fitter<Exec> fitter{Exec()};
  FitTask task;
  task.count = 500;
  const FitResult fit = fitter(x, {}, {task})[0];
  EXPECT_EQ(found.status, fit.status);
  EXPECT_NEAR(found.log_likelihood, fit.log_likelihood, 1e-8);
  EXPECT_NEAR(found.location[0], fit.mu, 1e-5 * fit.standard_error[3]);
  EXPECT_NEAR(std::exp(found.scale[0]), fit.sigma, 1e-5 * fit.standard_error[2]);
}

/// Many at once have the bits of each alone, and units of columns do not matter.
TEST(StableRegression, ManyAtOnceAndInOtherUnits) {
  Data data(1200, 1.7, 0.1, 5);
  Regressor<Exec> regressor{Exec()};
  std::vector<RegressionTask> tasks;
  for (int k = 0; k < 6; ++k) tasks.push_back(rows(200 * k, 200));
  const auto all = regressor(data.design(true), data.y, tasks);
  const RegressionResult alone = regressor(data.design(true), data.y, {tasks[3]})[0];
  EXPECT_EQ(all[3].log_likelihood, alone.log_likelihood);
  EXPECT_EQ(all[3].location, alone.location);
  for (const RegressionResult& result : all) EXPECT_LE(result.status, FitStatus::boundary);
  for (double& a : data.a) a = 1e6 * (a - 100);
  const RegressionResult other = regressor(data.design(true), data.y, {tasks[3]})[0];
  EXPECT_NEAR(other.log_likelihood, alone.log_likelihood, 1e-7);
  EXPECT_NEAR(1e6 * other.location[1], alone.location[1], 1e-5 * alone.standard_error[3]);
  EXPECT_NEAR(1e6 * other.standard_error[3], alone.standard_error[3],
              1e-4 * alone.standard_error[3]);
}

/// Squares of the units are beyond a double.
TEST(StableRegression, InExtremeUnits) {
  const Data plain(300, 1.7, 0.1, 5);
  Regressor<Exec> regressor{Exec()};
  const RegressionResult expected = regressor(plain.design(true), plain.y, {rows(0, 300)})[0];
  ASSERT_EQ(expected.status, FitStatus::converged);
  for (const double x_unit : {0x1p-650, 1.0, 0x1p600}) {
    for (const double y_unit : {0x1p-560, 1.0, 0x1p560}) {
      const double units[3] = {y_unit, y_unit / x_unit, y_unit};
      if (units[1] == 0 || std::isinf(units[1])) continue;  // no coefficient
      Data data = plain;
      for (double& a : data.a) a *= x_unit;
      for (double& c : data.c) c *= x_unit;
      for (double& y : data.y) y *= y_unit;
      const RegressionResult found = regressor(data.design(true), data.y, {rows(0, 300)})[0];
      ASSERT_EQ(found.status, FitStatus::converged) << x_unit << " " << y_unit;
      EXPECT_NEAR(found.alpha, expected.alpha, 1e-6);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(found.location[k] / units[k], expected.location[k],
                    1e-5 * expected.standard_error[2 + k])
            << x_unit << " " << y_unit << " " << k;
        EXPECT_NEAR(found.standard_error[2 + k] / units[k], expected.standard_error[2 + k],
                    1e-5 * expected.standard_error[2 + k])
            << x_unit << " " << y_unit << " " << k;
      }
      EXPECT_NEAR(found.scale[0], expected.scale[0] + std::log(y_unit), 1e-6);
      EXPECT_NEAR(found.scale[1] * x_unit, expected.scale[1], 1e-5 * expected.standard_error[6]);
      EXPECT_NEAR(found.standard_error[6] * x_unit, expected.standard_error[6],
                  1e-5 * expected.standard_error[6]);
    }
  }
}

/// Groups that cannot be fitted have a status, and the others the bits that they have alone, in
/// whatever batches.
TEST(StableRegression, PassesOverWhatItCannotFit) {
  Data data(900, 1.7, 0.1, 8);
  for (int i = 200; i < 300; ++i) data.b[i] = 2 - 3 * data.a[i];
  data.a[340] = INFINITY;
  for (int i = 400; i < 500; ++i) data.y[i] = 1 + data.a[i];
  const std::vector<RegressionTask> tasks{rows(0, 200),   rows(200, 100), rows(300, 100),
                                          rows(400, 100), rows(500, 9),   rows(509, 0),
                                          rows(510, 390)};
  RegressionOptions options;
  options.pass_over = true;
  Regressor<Exec> regressor{Exec()};
  const std::vector<RegressionResult> found = regressor(data.design(true), data.y, tasks, options);
  const FitStatus expected[7] = {FitStatus::converged, FitStatus::collinear, FitStatus::not_finite,
                                 FitStatus::constant,  FitStatus::too_few,   FitStatus::too_few,
                                 FitStatus::converged};
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_EQ(found[k].status, expected[k]) << k;
    EXPECT_EQ(found[k].location.size(), 3U);
    EXPECT_EQ(found[k].covariance.size(), 49U);
    EXPECT_EQ(std::isnan(found[k].alpha), expected[k] != FitStatus::converged);
  }
  for (const std::size_t k : {0U, 6U}) {
    const RegressionResult alone = regressor(data.design(true), data.y, {tasks[k]})[0];
    EXPECT_EQ(found[k].location, alone.location);
    EXPECT_EQ(found[k].covariance, alone.covariance);
    EXPECT_EQ(found[k].log_likelihood, alone.log_likelihood);
  }
  // no rows at all are a fault of the caller
  EXPECT_THROW(regressor(data.design(true), data.y, {rows(800, 101)}, options), Error);
}

TEST(StableRegression, RefusesWhatItCannotFit) {
  Data data(60, 1.7, 0, 6);
  Regressor<Exec> regressor{Exec()};
  const auto message = [&](const Design& design, const RegressionTask& task) -> std::string {
    try {
      regressor(design, data.y, {task});
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  Design collinear = data.design(false);
  collinear.location.push_back({"twice", data.a});
  for (std::size_t i = 0; i < 60; ++i) collinear.location[3].values[i] = 3 + 2 * data.a[i];
  EXPECT_THAT(message(collinear, rows(0, 60)),
              testing::HasSubstr("'twice' is collinear with '1', 'a', 'b' in rows 1 to 60"));
  Design infinite = data.design(false);
  infinite.location[1].values[7] = INFINITY;
  EXPECT_THAT(message(infinite, rows(0, 60)),
              testing::HasSubstr("row 8 of 'a' is not a finite number"));
  Design no_constant = data.design(false);
  no_constant.scale[0] = {"c", data.c};
  EXPECT_THAT(message(no_constant, rows(0, 60)), testing::HasSubstr("'c', is not 1 everywhere"));
  EXPECT_THAT(message(data.design(false), rows(0, 8)), testing::HasSubstr("8 rows for 4 columns"));
  EXPECT_THAT(message(data.design(false), rows(1, 60)),
              testing::HasSubstr("covers rows 1 to 61 of 60"));
  Design shorter = data.design(false);
  shorter.location[2].values.pop_back();
  EXPECT_THAT(message(shorter, rows(0, 60)), testing::HasSubstr("'b' has 59 values for 60 rows"));
  Design marked = data.design(false);
  marked.censored.assign(60, 1);
  EXPECT_THAT(message(marked, rows(0, 60)), testing::HasSubstr("0 exact rows for 4 columns"));
  marked.censored[4] = 3;
  EXPECT_THAT(message(marked, rows(0, 60)), testing::HasSubstr("row 5 is marked 3"));
  marked.censored.pop_back();
  EXPECT_THAT(message(marked, rows(0, 60)),
              testing::HasSubstr("59 marks of censored rows for 60 rows"));
  for (std::size_t i = 0; i < 60; ++i) data.y[i] = 1 + data.a[i];  // no errors
  EXPECT_EQ(regressor(data.design(false), data.y, {rows(0, 60)})[0].status, FitStatus::constant);
}

}  // namespace
}  // namespace tessera::stable
