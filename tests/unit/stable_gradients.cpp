// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "tessera/stable/law/batch.hpp"
#include "tessera/stable/law/quantile_function.hpp"
#include "tessera/stable/law/sample.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

/// Derivatives of log pdf and of tail probabilities, and the calls that gradients of quantiles and
/// random numbers are made of.
namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;
using testing::HasSubstr;

struct Points {
  std::vector<double> alpha, beta, x;
  std::vector<std::vector<double>> rows;

  Points() {
    rows = test::stable_rows("gradients.csv");
    for (const auto& row : rows) {
      alpha.push_back(row[0]);
      beta.push_back(row[1]);
      x.push_back(row[2]);
    }
  }
};

struct Derivatives {
  std::vector<double> log_pdf, d_x, d_alpha, d_beta, cdf, pdf, sf_alpha, sf_beta;
};

EvaluationViews<Exec> all_derivatives(std::size_t n) {
  EvaluationViews<Exec> out;
  for (View* view : {&out.log_pdf, &out.d_x, &out.d_alpha, &out.d_beta, &out.cdf, &out.pdf,
                     &out.sf_alpha, &out.sf_beta})
    *view = View("derivatives", n);
  return out;
}

Derivatives to_host(const EvaluationViews<Exec>& out) {
  return {test::to_host(out.log_pdf),  test::to_host(out.d_x),    test::to_host(out.d_alpha),
          test::to_host(out.d_beta),   test::to_host(out.cdf),    test::to_host(out.pdf),
          test::to_host(out.sf_alpha), test::to_host(out.sf_beta)};
}

Derivatives differentiate(const std::vector<double>& alpha, const std::vector<double>& beta,
                          const std::vector<double>& x, const LocationScale& where = {}) {
  const EvaluationViews<Exec> out = all_derivatives(x.size());
  evaluate_batch<Exec>(Exec(), test::to_device<Exec>(alpha), test::to_device<Exec>(beta), where,
                       test::to_device<Exec>(x), out);
  return to_host(out);
}

/// The largest difference, by 1 + the size of the right value.
double largest_error(const std::vector<double>& found, const Points& points, int column,
                     double sign = 1) {
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double right = points.rows[i][static_cast<std::size_t>(column)];
    const double error = std::abs(sign * found[i] - right) / (1 + std::abs(right));
    largest = error > largest ? error : error == error ? largest : INFINITY;
  }
  return largest;
}

/// Values of 50 digits, of two contours that agree to 1e-22: alpha from 0.3 to 1.99 and next to 1.
TEST(Gradients, AgreeWithReferences) {
  const Points points;
  ASSERT_GT(points.rows.size(), 400u);
  const Derivatives found = differentiate(points.alpha, points.beta, points.x);
  const double errors[] = {
      largest_error(found.log_pdf, points, 3),      largest_error(found.d_x, points, 4),
      largest_error(found.d_alpha, points, 5),      largest_error(found.d_beta, points, 6),
      largest_error(found.cdf, points, 7),          largest_error(found.pdf, points, 8),
      largest_error(found.sf_alpha, points, 9, -1), largest_error(found.sf_beta, points, 10, -1)};
  const char* const names[] = {"log_pdf", "d_x", "d_alpha",   "d_beta",
                               "cdf",     "pdf", "cdf_alpha", "cdf_beta"};
  for (int k = 0; k < 8; ++k) {
    RecordProperty(names[k], testing::PrintToString(errors[k]));
    EXPECT_LE(errors[k], 1e-9) << names[k];
  }
}

/// Derivatives of a small upper tail keep their relative accuracy.
TEST(Gradients, TailsKeepTheirDigits) {
  const Points points;
  const Derivatives found = differentiate(points.alpha, points.beta, points.x);
  for (std::size_t i = 0; i < points.rows.size(); ++i) {
    if (points.x[i] < 40) continue;
    for (const auto& [value, column] :
         {std::pair(found.sf_alpha[i], 9), std::pair(found.sf_beta[i], 10)}) {
      const double right = -points.rows[i][static_cast<std::size_t>(column)];
      EXPECT_NEAR(value, right, 1e-8 * std::abs(right)) << points.alpha[i] << ' ' << points.beta[i];
    }
  }
}

TEST(Gradients, OneLawIsManyLaws) {
  const std::vector<double> x{-7, -0.4, 0, 0.9, 30};
  const LocationScale where{2.5, -1, Parameterization::S0};
  const Derivatives each =
      differentiate(std::vector<double>(5, 1.3), std::vector<double>(5, -0.6), x, where);
  const EvaluationViews<Exec> out = all_derivatives(5);
  evaluate_batch<Exec>(Exec(), 1.3, -0.6, where, test::to_device<Exec>(x), out);
  const Derivatives one = to_host(out);
  EXPECT_EQ(one.sf_alpha, each.sf_alpha);
  EXPECT_EQ(one.sf_beta, each.sf_beta);
  EXPECT_EQ(one.d_alpha, each.d_alpha);
}

/// At a fixed location of S1, by differences.
TEST(Gradients, OfS1) {
  const std::vector<double> x{-3, 0.5, 4};
  const LocationScale where{1.5, 0.2, Parameterization::S1};
  const double alpha = 1.6, beta = 0.3, h = 1e-4;
  const auto at = [&](double a, double b) {
    return differentiate(std::vector<double>(3, a), std::vector<double>(3, b), x, where);
  };
  const Derivatives found = at(alpha, beta), up = at(alpha + h, beta), down = at(alpha - h, beta),
                    more = at(alpha, beta + h), less = at(alpha, beta - h);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(found.sf_alpha[i], -(up.cdf[i] - down.cdf[i]) / (2 * h), 1e-7);
    EXPECT_NEAR(found.sf_beta[i], -(more.cdf[i] - less.cdf[i]) / (2 * h), 1e-7);
  }
}

TEST(Gradients, BeyondTheSupportAndTheNumbers) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const Derivatives found =
      differentiate({0.5, 0.5, 1.5, 1.5, 1.5, 2.5, 1.5}, {1, -1, 0, 0, 0, 0, 1.5},
                    {-30, 30, infinity, -infinity, nan, 0, 0});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found.sf_alpha[i], 0) << i;
    EXPECT_EQ(found.sf_beta[i], 0) << i;
  }
  for (std::size_t i = 4; i < 7; ++i) {
    EXPECT_TRUE(std::isnan(found.sf_alpha[i])) << i;
    EXPECT_TRUE(std::isnan(found.sf_beta[i])) << i;
    EXPECT_TRUE(std::isnan(found.cdf[i])) << i;
  }
}

TEST(Gradients, WrongSizes) {
  EvaluationViews<Exec> out;
  out.sf_beta = View("sf_beta", 3);
  try {
    evaluate_batch<Exec>(Exec(), 1.5, 0.5, {}, View("x", 4), out);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("3 elements for 4 points"));
  }
}

/// Quantiles in Views are those of the host, one law or a law each.
TEST(Quantiles, InViews) {
  const std::vector<double> p{1e-6, 0.3, 0.5, 0.999, 1.5, std::nan("")};
  const LocationScale where{2, 1, Parameterization::S1};
  const std::size_t n = p.size();
  const View one("one", n), each("each", n);
  quantile_batch<Exec>(Exec(), 0.7, 0.4, where, test::to_device<Exec>(p), one);
  quantile_batch<Exec>(Exec(), test::to_device<Exec>(std::vector<double>(n, 0.7)),
                       test::to_device<Exec>(std::vector<double>(n, 0.4)), where,
                       test::to_device<Exec>(p), each);
  const StableDistribution distribution(0.7, 0.4);
  const std::vector<double> of_one = test::to_host(one), of_each = test::to_host(each);
  for (std::size_t i = 0; i < 4; ++i) {
    const double right = quantile(distribution, where, p[i]);
    EXPECT_NEAR(of_one[i], right, 1e-12 * std::abs(right));
    EXPECT_EQ(of_each[i], of_one[i]);
  }
  for (std::size_t i = 4; i < n; ++i) EXPECT_TRUE(std::isnan(of_one[i]) && std::isnan(of_each[i]));
}

TEST(Quantiles, MissingOnesOnly) {
  const View x = test::to_device<Exec>({std::nan(""), 17});
  quantile_batch<Exec>(Exec(), 1.5, 0, {}, test::to_device<Exec>({0.5, 0.5}), x, true);
  const std::vector<double> found = test::to_host(x);
  EXPECT_NEAR(found[0], 0, 1e-12);
  EXPECT_EQ(found[1], 17);
}

TEST(Quantiles, WrongSizes) {
  const View p("p", 4), x("x", 3);
  EXPECT_THROW(quantile_batch<Exec>(Exec(), 1.5, 0, {}, p, x), Error);
  EXPECT_THROW(quantile_batch<Exec>(Exec(), 2.5, 0, {}, p, p), Error);
  EXPECT_THROW(quantile_batch<Exec>(Exec(), x, p, {}, p, p), Error);
  const LocationScale mode{1, 0, Parameterization::S2};
  EXPECT_THROW(quantile_batch<Exec>(Exec(), p, p, mode, p, p), Error);
}

/// Random numbers from uniform ones are those of the sequence that has the uniform ones.
TEST(Sample, OfUniformNumbers) {
  constexpr std::size_t n = 1000;
  const Philox random(7, 0);
  std::vector<double> u1(n), u2(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Philox::Bits bits = random.bits(i, 0);
    u1[i] = Philox::uniform(bits, 0);
    u2[i] = Philox::uniform(bits, 1);
  }
  const View sequence("sequence", n), made("made", n);
  sample_batch<Exec>(Exec(), 1.2, -0.5, {}, random, 0, 0, sequence);
  sample_batch<Exec>(Exec(), test::to_device<Exec>(std::vector<double>(n, 1.2)),
                     test::to_device<Exec>(std::vector<double>(n, -0.5)), test::to_device<Exec>(u1),
                     test::to_device<Exec>(u2), made);
  const std::vector<double> right = test::to_host(sequence), found = test::to_host(made);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(found[i], right[i], 1e-14 * (1 + std::abs(right[i])));
  EXPECT_THROW(sample_batch<Exec>(Exec(), made, made, made, View("u2", 3), made), Error);
}

}  // namespace
}  // namespace tessera::stable
