// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "tessera/stable/law/paper.hpp"
#include "tessera/stable/law/paper_quantile.hpp"
#include "tessera/stable/program/tasks/precision.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;

struct Results {
  std::vector<double> pdf, log_pdf, cdf, sf, pdf_error, cdf_error;
};

/// Everything the paper's method gives, with a distribution for every point.
Results evaluate_all(const std::vector<double>& alpha, const std::vector<double>& beta,
                     const std::vector<double>& x, const LocationScale& where = {},
                     const PaperQuadrature& quadrature = {}) {
  const std::size_t n = x.size();
  const QuadratureErrorViews<Exec> errors{View("pdf_error", n), View("cdf_error", n)};
  const EvaluationViews<Exec> out{
      View("pdf", n), View("log_pdf", n), View("cdf", n), View("sf", n), View(), View(), View()};
  evaluate_batch_by_paper<Exec>(Exec(), test::to_device<Exec>(alpha), test::to_device<Exec>(beta),
                                where, test::to_device<Exec>(x), out, quadrature, errors);
  return {test::to_host(out.pdf), test::to_host(out.log_pdf), test::to_host(out.cdf),
          test::to_host(out.sf),  test::to_host(errors.pdf),  test::to_host(errors.cdf)};
}

/// Kronrod's weights are exact up to degree 3n + 1, those of Gauss up to 2n - 1: even powers, the
/// odd ones vanish by symmetry.
TEST(StablePaper, RulesIntegratePolynomials) {
  for (const auto& [rule, n] :
       {std::pair(&detail::kKronrod61, 30), std::pair(&detail::kKronrod127, 63)}) {
    ASSERT_EQ(rule->half, n + 1);
    for (const bool gauss : {false, true}) {
      const int degree = gauss ? 2 * n - 1 : 3 * n + 1;
      const double* const weight = gauss ? rule->gauss : rule->weight;
      for (int power = 0; power <= degree; power += 2) {
        double sum = 0;
        for (int k = 0; k < rule->half; ++k)
          sum += (k == 0 ? 1 : 2) * weight[k] * (power == 0 ? 1 : std::pow(rule->node[k], power));
        EXPECT_NEAR(sum * (power + 1) / 2, 1, 1e-13) << n << " " << gauss << " " << power;
      }
    }
  }
}

/// The reference grid in S0. The method is right to many digits at most points and to none at
/// others: next to zeta, in light tails, far out, and close to alpha = 1 and 2, as its authors'
/// program is. What is asked for is what it does.
TEST(StablePaper, AgreesWithTheReferenceWhereTheMethodDoes) {
  std::vector<double> alpha, beta, x;
  std::vector<std::vector<double>> rows;
  for (const auto& row : test::stable_rows("grid.csv")) {
    if (row[0] == 1 || std::abs(row[3]) > 100 || row[4] < -660) continue;
    rows.push_back(row);
    alpha.push_back(row[1]);
    beta.push_back(row[2]);
    x.push_back(row[3]);
  }
  ASSERT_GT(rows.size(), 1000u);
  const Results found = evaluate_all(alpha, beta, x);
  std::map<double, std::vector<double>> errors;  // of the density, by alpha
  double cdf_error = 0;
  int within[2] = {0, 0};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double error = std::abs(found.pdf[i] / std::exp(rows[i][4]) - 1);
    ASSERT_FALSE(std::isnan(error)) << alpha[i] << " " << beta[i] << " " << x[i];
    errors[alpha[i]].push_back(error);
    within[0] += error < 1e-6 ? 1 : 0;
    within[1] += error < 1e-9 ? 1 : 0;
    cdf_error = std::max(cdf_error, std::abs(found.cdf[i] - rows[i][5]));
    EXPECT_NEAR(found.cdf[i] + found.sf[i], 1, 1e-15);
  }
  for (auto& [a, list] : errors) {
    std::nth_element(list.begin(), list.begin() + list.size() / 2, list.end());
    EXPECT_LE(list[list.size() / 2], 2e-8) << a;
  }
  const double count = static_cast<double>(rows.size());
  EXPECT_GE(within[0] / count, 0.8);
  EXPECT_GE(within[1] / count, 0.68);
  EXPECT_LE(cdf_error, 5e-6);
  std::printf(
      "  |x| <= 100: pdf within 1e-6 at %.1f %%, within 1e-9 at %.1f %% of %zu points; cdf to "
      "%.1e\n",
      100 * within[0] / count, 100 * within[1] / count, rows.size(), cdf_error);
}

/// Only the rounding of nodes is left where the integrand is broad; the points have both sides of
/// zeta, alpha = 1 with its factor 1/pi, and |beta| = 1.
TEST(StablePaper, IsExactWhereTheIntegrandIsBroad) {
  for (const auto& [a, b, x] : {std::array{0.5, 0.3, 1.0},
                                {0.5, 0.3, -4.0},
                                {0.75, -0.6, 0.4},
                                {0.9, 0.2, 3.0},
                                {1.0, 0.5, 0.7},
                                {1.0, -0.5, 0.7},
                                {1.0, 1.0, 2.0},
                                {1.0, 0.0, -3.0},
                                {1.2, 0.3, -0.8},
                                {1.5, 0.9, 3.0},
                                {1.7, -1.0, -1.0}}) {
    const Evaluation exact = evaluate<Quantities::sf>(StableDistribution(a, b), x);
    for (const auto& [nodes, intervals] : {std::pair(127, 16), {61, 16}, {61, 64}, {127, 7}}) {
      const Results found = evaluate_all({a}, {b}, {x}, {}, {nodes, intervals});
      SCOPED_TRACE(::testing::Message()
                   << a << " " << b << " " << x << ": " << nodes << " on " << intervals);
      EXPECT_NEAR(found.pdf[0] / exact.pdf, 1, 1e-12);
      EXPECT_NEAR(found.log_pdf[0], exact.log_pdf, 1e-12);
      EXPECT_NEAR(found.cdf[0], exact.cdf, 1e-12);
      EXPECT_NEAR(found.sf[0], exact.sf, 1e-12);
      EXPECT_LE(found.pdf_error[0], 1e-7 * exact.pdf);
      EXPECT_LE(found.cdf_error[0], 1e-7);
    }
  }
}

/// Gauss minus Kronrod is the error of Gauss, which is larger than that of Kronrod but where both
/// are coarse and happen to agree: at 1 % of the points at most. Few nodes have errors that are no
/// rounding.
TEST(StablePaper, EstimatesMostlyBoundTheErrors) {
  int visible = 0, beyond = 0;
  for (const double a : {0.25, 0.5, 0.8, 1.2, 1.6, 1.9}) {
    for (const double b : {-0.7, 0.0, 0.5}) {
      std::vector<double> x;
      for (int i = 0; i < 200; ++i) x.push_back(-50 + 0.5 * i + 0.25);
      const std::vector<double> alpha(x.size(), a), beta(x.size(), b);
      const Results found = evaluate_all(alpha, beta, x, {}, {61, 4});
      for (std::size_t i = 0; i < x.size(); ++i) {
        const Evaluation exact = evaluate<Quantities::sf>(StableDistribution(a, b), x[i]);
        const double error = std::abs(found.pdf[i] - exact.pdf);
        visible += error > 1e-9 * exact.pdf ? 1 : 0;
        const double cdf_error = std::abs(found.cdf[i] - exact.cdf);
        beyond += error > found.pdf_error[i] + 1e-11 * exact.pdf ? 1 : 0;
        beyond += cdf_error > found.cdf_error[i] + 1e-12 ? 1 : 0;
      }
      // that of the density is one in the units of the density
      const Results at_half = evaluate_all({a}, {b}, {6.5}, {}, {61, 4});
      const Results scaled = evaluate_all({a}, {b}, {13}, {2, 0, Parameterization::S0}, {61, 4});
      EXPECT_NEAR(scaled.pdf_error[0], at_half.pdf_error[0] / 2, 1e-14 * at_half.pdf[0]);
      EXPECT_EQ(scaled.cdf_error[0], at_half.cdf_error[0]);
    }
  }
  std::printf("  of 7200 errors %d are beyond their estimates; %d densities are off by > 1e-9\n",
              beyond, visible);
  EXPECT_GT(visible, 300);
  EXPECT_LE(beyond, 72);
}

TEST(StablePaper, SpecialPoints) {
  const double zeta = StableDistribution(0.8, 0.5).zeta;
  const Results found = evaluate_all({0.8, 1.5, 0.5, 1.5, 1.5, 3}, {0.5, 0, -1, 0, 0, 0},
                                     {zeta, 0, 2, INFINITY, NAN, 0});
  const Evaluation at_zeta = evaluate_at<Quantities::sf>(StableDistribution(0.8, 0.5), zeta, 0);
  EXPECT_NEAR(found.pdf[1], std::tgamma(1 + 1 / 1.5) / kPi, 1e-15);
  EXPECT_EQ(found.cdf[1], 0.5);
  EXPECT_EQ(found.pdf[2], 0);  // beyond the support
  EXPECT_EQ(found.cdf[2], 1);
  EXPECT_EQ(found.pdf[3], 0);
  EXPECT_EQ(found.sf[3], 0);
  for (std::size_t i = 1; i < 5; ++i) {  // no integral
    EXPECT_EQ(found.pdf_error[i], 0) << i;
    EXPECT_EQ(found.cdf_error[i], 0) << i;
  }
  EXPECT_TRUE(std::isnan(found.pdf[4]) && std::isnan(found.cdf[4]) && std::isnan(found.pdf[5]));
  // the location is zeta's
  const Results s1 = evaluate_all({0.8}, {0.5}, {3}, {2, 3, Parameterization::S1});
  EXPECT_NEAR(s1.pdf[0] / (at_zeta.pdf / 2), 1, 1e-13);
  EXPECT_NEAR(s1.cdf[0], at_zeta.cdf, 1e-14);
}

TEST(StablePaper, RefusesScoresAndParametersOutOfRange) {
  EvaluationViews<Exec> out;
  out.pdf = View("pdf", 2);
  const View x("x", 2);
  EXPECT_THROW(evaluate_batch_by_paper<Exec>(Exec(), 2.1, 0.0, {}, x, out), Error);
  EXPECT_THROW(evaluate_batch_by_paper<Exec>(Exec(), 1.5, 0.0, {}, View("x", 3), out), Error);
  out.d_alpha = View("d_alpha", 2);
  EXPECT_THROW(evaluate_batch_by_paper<Exec>(Exec(), 1.5, 0.0, {}, x, out), Error);
  out.d_alpha = View();
  for (const PaperQuadrature& wrong : {PaperQuadrature{60, 16}, {127, 0}, {127, 65}})
    EXPECT_THROW(evaluate_batch_by_paper<Exec>(Exec(), 1.5, 0.0, {}, x, out, wrong), Error);
  EXPECT_THROW(
      evaluate_batch_by_paper<Exec>(Exec(), 1.5, 0.0, {}, x, out, {}, {View("error", 3), View()}),
      Error);
}

/// The paper's quantiles, with a distribution for every probability.
std::vector<double> find_quantiles(const std::vector<double>& alpha,
                                   const std::vector<double>& beta, const std::vector<double>& p,
                                   double tolerance, const LocationScale& where = {}) {
  const PaperQuantiles<Exec> quantiles(Exec(), {}, tolerance);
  const View x("x", p.size());
  quantiles(Exec(), test::to_device<Exec>(alpha), test::to_device<Exec>(beta), where,
            test::to_device<Exec>(p), x);
  return test::to_host(x);
}

/// The iteration finds what bisection finds. Its error is about the square of the last step, so
/// that a tolerance of 1e-4 gives more digits than it asks for; 1e-9 leaves the integrals'.
TEST(StablePaper, QuantilesAgreeWithBisection) {
  std::vector<double> alpha, beta, p;
  for (const double a : {0.5, 0.75, 1.0, 1.25, 1.5, 1.8}) {
    for (const double b : {-1.0, -0.4, 0.0, 0.5, 1.0}) {
      for (int i = 0; i < 33; ++i) {
        alpha.push_back(a);
        beta.push_back(b);
        p.push_back(0.1 + 0.025 * i);
      }
    }
  }
  const std::vector<double> found = find_quantiles(alpha, beta, p, 1e-4),
                            close = find_quantiles(alpha, beta, p, 1e-9);
  double largest[2] = {0, 0};
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double exact = quantile(StableDistribution(alpha[i], beta[i]), p[i]);
    for (const int which : {0, 1}) {
      const double x = (which == 0 ? found : close)[i];
      ASSERT_FALSE(std::isnan(x)) << alpha[i] << " " << beta[i] << " " << p[i];
      largest[which] = std::max(largest[which], std::abs(x - exact) / (std::abs(exact) + 1e-3));
    }
  }
  std::printf("  paper's quantiles: %.1e with a tolerance of 1e-4, %.1e with 1e-9\n", largest[0],
              largest[1]);
  EXPECT_LE(largest[0], 1e-6);
  EXPECT_LE(largest[1], 1e-8);
}

TEST(StablePaper, QuantilesOfOneDistribution) {
  const std::vector<double> p{0.2, 0.7, 0, 1, NAN};
  const PaperQuantiles<Exec> quantiles(Exec{});
  const View x("x", p.size());
  const LocationScale where{3, -2, Parameterization::S1};
  quantiles(Exec(), 1.3, -0.6, where, test::to_device<Exec>(p), x);
  const std::vector<double> found = test::to_host(x);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(found[i], quantile(StableDistribution(1.3, -0.6), where, p[i]), 1e-5) << i;
  for (std::size_t i = 2; i < p.size(); ++i) EXPECT_TRUE(std::isnan(found[i])) << i;
  const std::vector<double> mirrored = find_quantiles({1.3}, {0.6}, {0.8}, 1e-4),
                            given = find_quantiles({1.3}, {-0.6}, {0.2}, 1e-4);
  EXPECT_NEAR(mirrored[0], -given[0], 1e-7);
  EXPECT_TRUE(std::isnan(find_quantiles({3}, {0}, {0.2}, 1e-4)[0]));
}

TEST(StablePaper, QuantilesThatAreNotFoundAreCounted) {
  std::vector<Precision> precision(3);
  EXPECT_EQ(describe_unsolved(precision), "");
  detail::compare_quantiles({1, NAN, 3, 0.5}, {1, 2, 2, 0}, precision[1]);
  EXPECT_EQ(precision[1].quantile_unsolved, 0.25);
  EXPECT_EQ(precision[1].quantile_absolute_median, 0.5);  // of 0, 0.5 and 1
  EXPECT_EQ(precision[1].quantile_relative_median, 0.5);  // of 0 and 0.5
  EXPECT_NE(describe_unsolved(precision).find("all quantiles of 1 of 3 distributions"),
            std::string::npos);
}

TEST(StablePaper, QuantilesRefuseWhatIsOutOfRange) {
  EXPECT_THROW(PaperQuantiles<Exec>(Exec(), {}, 0), Error);
  EXPECT_THROW(PaperQuantiles<Exec>(Exec(), {15, 16}), Error);
  const PaperQuantiles<Exec> quantiles(Exec{});
  const View two("p", 2), three("x", 3);
  EXPECT_THROW(quantiles(Exec(), 2.1, 0.0, {}, two, two), Error);
  EXPECT_THROW(quantiles(Exec(), 1.5, 0.0, {}, two, three), Error);
  EXPECT_THROW(quantiles(Exec(), two, three, {}, two, two), Error);
  EXPECT_THROW(quantiles(Exec(), two, two, {1, 0, Parameterization::S2}, two, two), Error);
}

}  // namespace
}  // namespace tessera::stable
