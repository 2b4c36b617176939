// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "tessera/stable/law/paper.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;

struct Results {
  std::vector<double> pdf, log_pdf, cdf, sf;
};

/// Everything the paper's method gives, with a distribution for every point.
Results evaluate_all(const std::vector<double>& alpha, const std::vector<double>& beta,
                     const std::vector<double>& x, const LocationScale& where = {}) {
  const std::size_t n = x.size();
  const EvaluationViews<Exec> out{
      View("pdf", n), View("log_pdf", n), View("cdf", n), View("sf", n), View(), View(), View()};
  evaluate_batch_by_paper<Exec>(Exec(), test::to_device<Exec>(alpha), test::to_device<Exec>(beta),
                                where, test::to_device<Exec>(x), out);
  return {test::to_host(out.pdf), test::to_host(out.log_pdf), test::to_host(out.cdf),
          test::to_host(out.sf)};
}

/// Exact for polynomials up to degree 190: even powers, the odd ones vanish by symmetry.
TEST(StablePaper, KronrodRuleIntegratesPolynomials) {
  for (int power = 0; power <= 190; power += 2) {
    double sum = 0;
    for (int k = 0; k < detail::KronrodRule::kHalf; ++k) {
      const double node = detail::kKronrod.node[k];
      sum +=
          (k == 0 ? 1 : 2) * detail::kKronrod.weight[k] * (power == 0 ? 1 : std::pow(node, power));
    }
    EXPECT_NEAR(sum * (power + 1) / 2, 1, 1e-13) << power;
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
    const Results found = evaluate_all({a}, {b}, {x});
    const Evaluation exact = evaluate<Quantities::sf>(StableDistribution(a, b), x);
    EXPECT_NEAR(found.pdf[0] / exact.pdf, 1, 1e-12) << a << " " << b << " " << x;
    EXPECT_NEAR(found.log_pdf[0], exact.log_pdf, 1e-12) << a << " " << b << " " << x;
    EXPECT_NEAR(found.cdf[0], exact.cdf, 1e-12) << a << " " << b << " " << x;
    EXPECT_NEAR(found.sf[0], exact.sf, 1e-12) << a << " " << b << " " << x;
  }
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
}

}  // namespace
}  // namespace tessera::stable
