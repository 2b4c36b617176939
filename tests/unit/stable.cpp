// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tessera/stable/law/batch.hpp"
#include "tessera/stable/law/quantile_function.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;
using testing::HasSubstr;

struct Results {
  std::vector<double> pdf, log_pdf, cdf, sf, d_x, d_alpha, d_beta;
};

/// Everything at many points on the device, with a distribution each.
Results evaluate_all(const std::vector<double>& alpha, const std::vector<double>& beta,
                     const std::vector<double>& x,
                     Parameterization parameterization = Parameterization::S0) {
  const std::size_t n = x.size();
  const EvaluationViews<Exec> out{View("pdf", n),   View("log_pdf", n), View("cdf", n),
                                  View("sf", n),    View("d_x", n),     View("d_alpha", n),
                                  View("d_beta", n)};
  evaluate_batch<Exec>(Exec(), test::to_device<Exec>(alpha), test::to_device<Exec>(beta),
                       LocationScale{1, 0, parameterization}, test::to_device<Exec>(x), out);
  return {test::to_host(out.pdf),   test::to_host(out.log_pdf), test::to_host(out.cdf),
          test::to_host(out.sf),    test::to_host(out.d_x),     test::to_host(out.d_alpha),
          test::to_host(out.d_beta)};
}

double sample_quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

class Grid : public testing::TestWithParam<int> {};

/// 3124 points of the project's reference grid, verified by two methods: both tails, |beta| = 1,
/// alpha from 0.1 to 2 and close to 1.
TEST_P(Grid, AgreesWithTheReference) {
  const bool s1 = GetParam() == 1;
  std::vector<double> alpha, beta, x;
  std::vector<std::vector<double>> rows;
  for (const auto& row : test::stable_rows("grid.csv")) {
    if ((row[0] == 1) != s1) continue;
    rows.push_back(row);
    alpha.push_back(row[1]);
    beta.push_back(row[2]);
    x.push_back(row[3]);
  }
  ASSERT_GT(rows.size(), 1000u);
  const Results found =
      evaluate_all(alpha, beta, x, s1 ? Parameterization::S1 : Parameterization::S0);
  std::vector<double> pdf_errors, tail_errors;
  double cdf_error = 0, score_error = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double log_pdf = rows[i][4], cdf = rows[i][5], sf = rows[i][6];
    const std::string at = "alpha " + std::to_string(alpha[i]) + " beta " +
                           std::to_string(beta[i]) + " x " + std::to_string(x[i]);
    if (std::isinf(log_pdf)) {
      EXPECT_EQ(found.pdf[i], 0) << at;
      EXPECT_EQ(found.log_pdf[i], log_pdf) << at;
    } else if (log_pdf < -660) {
      EXPECT_NEAR(found.log_pdf[i], log_pdf, std::max(2e-9, 1e-15 * std::abs(log_pdf))) << at;
    } else {
      const double pdf = std::exp(log_pdf);
      pdf_errors.push_back(std::abs(found.log_pdf[i] - log_pdf));
      EXPECT_LE(pdf_errors.back(), 2e-11) << at;
      EXPECT_NEAR(found.pdf[i], pdf, 2e-11 * pdf + 2e-13 * pdf) << at;
      if (!s1 && !std::isnan(rows[i][7]) && log_pdf > -600) {
        const double exact[3] = {rows[i][7] / pdf, rows[i][8] / pdf, rows[i][9] / pdf};
        const double scores[3] = {found.d_x[i], found.d_alpha[i], found.d_beta[i]};
        for (int k = 0; k < 3; ++k) {
          const double error = std::abs(scores[k] - exact[k]) / (1 + std::abs(exact[k]));
          score_error = std::max(score_error, error);
          EXPECT_LE(error, 5e-9) << at << " score " << k << ": " << scores[k] << " for "
                                 << exact[k];
        }
      }
    }
    const double smaller = std::min(cdf, sf);
    if (smaller > 1e-290) {
      tail_errors.push_back(std::abs((cdf < sf ? found.cdf[i] : found.sf[i]) / smaller - 1));
      EXPECT_LE(tail_errors.back(), 2e-11) << at;
    }
    cdf_error = std::max(cdf_error, std::abs(found.cdf[i] - cdf));
  }
  EXPECT_LE(sample_quantile(pdf_errors, 0.99), 1e-12);
  EXPECT_LE(sample_quantile(tail_errors, 0.99), 1e-12);
  EXPECT_LE(cdf_error, 1e-13);
  RecordProperty("pdf_p99", std::to_string(sample_quantile(pdf_errors, 0.99)));
  std::printf(
      "  pdf: median %.1e, 99th percentile %.1e, worst %.1e; tails: %.1e, %.1e, %.1e; cdf %.1e; "
      "scores %.1e\n",
      sample_quantile(pdf_errors, 0.5), sample_quantile(pdf_errors, 0.99),
      sample_quantile(pdf_errors, 1), sample_quantile(tail_errors, 0.5),
      sample_quantile(tail_errors, 0.99), sample_quantile(tail_errors, 1), cdf_error, score_error);
}

INSTANTIATE_TEST_SUITE_P(Stable, Grid, testing::Values(0, 1),
                         [](const auto& info) { return info.param == 0 ? "S0" : "S1"; });

/// The values are those of generate/reference.py: among them are alpha within 1e-9 of 1 and 1e-6 of
/// 2, with scores.
TEST(Stable, AgreesWithTheGeneratedReference) {
  std::vector<double> alpha, beta, x;
  const auto rows = test::stable_rows("law.csv");
  for (const auto& row : rows) {
    alpha.push_back(row[0]);
    beta.push_back(row[1]);
    x.push_back(row[2]);
  }
  const Results found = evaluate_all(alpha, beta, x);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string at = "alpha " + std::to_string(alpha[i]) + " beta " +
                           std::to_string(beta[i]) + " x " + std::to_string(x[i]);
    EXPECT_NEAR(found.log_pdf[i], rows[i][3], 2e-11) << at;
    EXPECT_NEAR(found.cdf[i], rows[i][4],
                2e-11 * rows[i][4] + (rows[i][4] > rows[i][5] ? 1e-13 : 0))
        << at;
    EXPECT_NEAR(found.sf[i], rows[i][5], 2e-11 * rows[i][5] + (rows[i][5] > rows[i][4] ? 1e-13 : 0))
        << at;
    // the density changes within a width
    const double steep =
        1e-14 / detail::characteristic_width(StableDistribution(alpha[i], beta[i]));
    EXPECT_NEAR(found.d_x[i], rows[i][6], 5e-9 * (1 + std::abs(rows[i][6])) + steep) << at;
    EXPECT_NEAR(found.d_alpha[i], rows[i][7], 5e-9 * (1 + std::abs(rows[i][7])) + steep) << at;
    EXPECT_NEAR(found.d_beta[i], rows[i][8], 5e-9 * (1 + std::abs(rows[i][8])) + steep) << at;
  }
}

TEST(Stable, LightTailsKeepTheirLogarithm) {
  for (const auto& row : test::stable_rows("light_tails.csv")) {
    const Parameterization p = row[0] == 1 ? Parameterization::S1 : Parameterization::S0;
    const Results found = evaluate_all({row[1]}, {row[2]}, {row[3]}, p);
    EXPECT_NEAR(found.log_pdf[0], row[4], std::max(2e-9, 1e-15 * std::abs(row[4])))
        << row[1] << " " << row[2] << " " << row[3];
  }
}

/// Points everywhere, many of them close to alpha = 1 and 2 and |beta| = 1.
void random_points(int count, unsigned seed, std::vector<double>& alpha, std::vector<double>& beta,
                   std::vector<double>& x) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < count; ++i) {
    double a = 0.1 + 1.9 * unit(random), b = 2 * unit(random) - 1;
    if (i % 6 == 1) a = 1 + (unit(random) - 0.5) * std::pow(10, -12 * unit(random));
    if (i % 6 == 2) a = 2 - std::pow(10, -12 * unit(random));
    if (i % 6 == 3) b = i % 12 == 3 ? 1 : -1;
    alpha.push_back(a);
    beta.push_back(b);
    x.push_back(std::tan(3.1 * (unit(random) - 0.5)) * std::pow(10, unit(random)));
  }
}

TEST(Stable, ReflectionIsExact) {
  std::vector<double> alpha, beta, x;
  random_points(20000, 5, alpha, beta, x);
  const Results right = evaluate_all(alpha, beta, x);
  for (double& b : beta) b = -b;
  for (double& value : x) value = -value;
  const Results left = evaluate_all(alpha, beta, x);
  int differing = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool same = right.pdf[i] == left.pdf[i] && right.log_pdf[i] == left.log_pdf[i] &&
                      right.cdf[i] == left.sf[i] && right.sf[i] == left.cdf[i] &&
                      (right.d_x[i] == -left.d_x[i] || std::isnan(right.d_x[i])) &&
                      (right.d_alpha[i] == left.d_alpha[i] || std::isnan(right.d_alpha[i]));
    if (!same) ++differing;
  }
  EXPECT_EQ(differing, 0);
}

/// f(alpha) next to 1 against f(1) and the derivative there: nothing snaps.
TEST(Stable, GoesThroughAlphaOne) {
  for (const double beta : {-1.0, -0.4, 0.0, 0.5, 1.0}) {
    for (const double x : {-12.0, -1.0, 0.0, 0.3, 4.0, 300.0}) {
      const Evaluation at_one = evaluate<Quantities::scores>(StableDistribution(1, beta), x);
      if (at_one.log_pdf < -100) continue;
      for (const double step : {1e-6, 1e-9, 1e-12, 1e-14}) {
        for (const double d : {step, -step}) {
          const Results found = evaluate_all({1 + d}, {beta}, {x});
          EXPECT_NEAR(found.log_pdf[0], at_one.log_pdf + at_one.d_alpha * ((1 + d) - 1),
                      2e-12 + 3e3 * d * d)
              << beta << " " << x << " " << d;
          EXPECT_NEAR(found.d_beta[0], at_one.d_beta, 2e-9 + 1e3 * std::abs(d))
              << beta << " " << x << " " << d;
        }
      }
    }
  }
}

TEST(Stable, IsGaussAtTwoAndCauchyAndLevyWhereItShould) {
  for (const double x : {-25.0, -3.0, 0.0, 0.1, 1.0, 7.0}) {
    const Results gauss = evaluate_all({2}, {0.3}, {x});
    EXPECT_NEAR(gauss.log_pdf[0], -x * x / 4 - std::log(2 * std::sqrt(kPi)),
                1e-13 * (1 + x * x / 4));
    EXPECT_NEAR(gauss.cdf[0], 0.5 * std::erfc(-x / 2), 3e-16 + 1e-12 * 0.5 * std::erfc(-x / 2));
    const Results cauchy = evaluate_all({1}, {0}, {x});
    EXPECT_NEAR(cauchy.pdf[0] * kPi * (1 + x * x), 1, 1e-14);
    EXPECT_NEAR(cauchy.cdf[0], 0.5 + std::atan(x) / kPi, 1e-15);
  }
  for (const double x : {0.02, 0.3, 1.0, 1e3, 1e12}) {  // Levy, in S1
    const Results levy = evaluate_all({0.5}, {1}, {x}, Parameterization::S1);
    EXPECT_NEAR(levy.log_pdf[0], -0.5 * std::log(2 * kPi) - 1.5 * std::log(x) - 0.5 / x, 2e-12);
    EXPECT_NEAR(levy.cdf[0], std::erfc(std::sqrt(0.5 / x)), 2e-12 * levy.cdf[0]);
  }
  EXPECT_EQ(evaluate_all({0.5}, {1}, {-0.1}, Parameterization::S1).pdf[0], 0);
}

/// Integral of the density, by Gauss-Legendre panels in asinh(x), plus the tails.
TEST(Stable, DensityIntegratesToOne) {
  const double node[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                          0.9061798459386640};
  const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                            0.4786286704993665, 0.2369268850561891};
  for (const auto& [a, b] : {std::pair{1.7, -0.4},
                             {1.3, 0.9},
                             {1.0, 0.5},
                             {0.97, -0.8},
                             {1.000001, 0.3},
                             {1.98, 1.0},
                             {0.8, 0.0},
                             {2.0, 0.0}}) {
    std::vector<double> x, jacobian;
    const double end = 12;
    const int panels = 3000;
    for (int p = 0; p < panels; ++p) {
      for (int k = 0; k < 5; ++k) {
        const double y = end * (2 * (p + 0.5 + 0.5 * node[k]) / panels - 1);
        x.push_back(std::sinh(y));
        jacobian.push_back(std::cosh(y) * weight[k] * end / panels);
      }
    }
    const Results found =
        evaluate_all(std::vector<double>(x.size(), a), std::vector<double>(x.size(), b), x);
    const Results ends = evaluate_all({a, a}, {b, b}, {-std::sinh(end), std::sinh(end)});
    double sum = ends.cdf[0] + ends.sf[1];
    for (std::size_t i = 0; i < x.size(); ++i) sum += found.pdf[i] * jacobian[i];
    EXPECT_NEAR(sum, 1, 1e-10) << a << " " << b;
  }
}

TEST(Stable, ExtremeArguments) {
  const double inf = INFINITY, nan = NAN;
  const Results found =
      evaluate_all({1.5, 1.5, 1.5, 0.1, 0.1, 2, 1.2, 3, 1.5}, {0.5, 0.5, 0.5, 0.5, -1, 0, 1, 0, 2},
                   {inf, -inf, nan, 1e200, 1e30, 1e10, -40, 0, 0});
  EXPECT_EQ(found.pdf[0], 0);
  EXPECT_EQ(found.cdf[0], 1);
  EXPECT_EQ(found.sf[0], 0);
  EXPECT_EQ(found.cdf[1], 0);
  EXPECT_TRUE(std::isnan(found.pdf[2]) && std::isnan(found.cdf[2]));
  // The power laws of the far tail: sf = Gamma(alpha) sin(pi alpha/2) (1 + beta)/pi x^-alpha.
  EXPECT_NEAR(found.sf[3], std::tgamma(0.1) * std::sin(kPi * 0.05) * 1.5 / kPi * 1e-20,
              1e-11 * found.sf[3]);
  EXPECT_EQ(found.pdf[4], 0);
  for (const double alpha : {0.1, 1.0, 1.5}) {  // the seam to the power law
    const Results seam = evaluate_all({alpha, alpha}, {0.4, 0.4}, {0.9999999e170, 1.0000001e170});
    EXPECT_NEAR(seam.log_pdf[0], seam.log_pdf[1], 1e-6);
    EXPECT_NEAR(seam.d_alpha[0], seam.d_alpha[1], 1e-6);
    EXPECT_NEAR(seam.d_beta[0], seam.d_beta[1], 1e-9);
    EXPECT_NEAR(seam.sf[0] / seam.sf[1], 1, 1e-6);
  }
  EXPECT_NEAR(found.log_pdf[5], -2.5e19, 1e5);
  EXPECT_EQ(found.pdf[5], 0);
  EXPECT_LT(found.log_pdf[6], -1000);
  EXPECT_TRUE(std::isnan(found.pdf[7]) && std::isnan(found.pdf[8]));  // parameters out of range
}

struct Quantiles {
  Kokkos::View<const double*, Exec> alpha, beta, p;
  View x;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    x(i) = quantile(StableDistribution(alpha(i), beta(i)), p(i));
  }
};

TEST(Stable, QuantilesAgreeWithTheReference) {
  const auto rows = test::stable_rows("quantiles.csv");
  std::vector<double> alpha, beta, p;
  for (const auto& row : rows) {
    alpha.push_back(row[0]);
    beta.push_back(row[1]);
    p.push_back(row[2]);
  }
  const View x("x", rows.size());
  Kokkos::parallel_for("quantiles", Kokkos::RangePolicy<Exec>(0, static_cast<int>(rows.size())),
                       Quantiles{test::to_device<Exec>(alpha), test::to_device<Exec>(beta),
                                 test::to_device<Exec>(p), x});
  const auto found = test::to_host(x);
  double worst = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // The rounding of p itself moves the upper tail by eps/(1 - p).
    const double tolerance = 1e-11 * std::abs(rows[i][3]) + 1e-12;
    EXPECT_NEAR(found[i], rows[i][3], tolerance) << alpha[i] << " " << beta[i] << " " << p[i];
    worst = std::max(worst, std::abs(found[i] - rows[i][3]) / (std::abs(rows[i][3]) + 1e-3));
  }
  std::printf("  quantiles: worst relative error %.1e\n", worst);
}

struct UpperQuantiles {
  Kokkos::View<const double*, Exec> alpha, q;
  View x;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    x(i) = upper_quantile(StableDistribution(alpha(i), 0), q(i));
  }
};

TEST(Stable, QuantilesReachTheLargestNumbers) {
  // A symmetric law has the far tail sf = Gamma(alpha) sin(pi alpha / 2) / pi x^-alpha.
  const std::vector<double> alpha{1, 0.5, 0.1, 0.1}, q{1e-300, 1e-150, 1e-30, 1e-100};
  const View x("x", q.size());
  Kokkos::parallel_for("upper_quantiles", Kokkos::RangePolicy<Exec>(0, static_cast<int>(q.size())),
                       UpperQuantiles{test::to_device<Exec>(alpha), test::to_device<Exec>(q), x});
  const auto found = test::to_host(x);
  for (std::size_t i = 0; i < 3; ++i) {
    const double log_constant =
        std::lgamma(alpha[i]) + std::log(std::sin(kPi * alpha[i] / 2) / kPi);
    EXPECT_NEAR(std::log(found[i]), (log_constant - std::log(q[i])) / alpha[i], 1e-9)
        << alpha[i] << " " << q[i];
  }
  EXPECT_EQ(found[3], std::numeric_limits<double>::infinity());  // 5.7e996
}

TEST(Stable, ScaleLocationAndParameterization) {
  const std::vector<double> x{-3.0, 0.2, 5.0};
  const View device = test::to_device<Exec>(x), pdf("pdf", 3), d_alpha("d_alpha", 3);
  const double alpha = 1.4, beta = 0.6, sigma = 2.5, zeta = -beta * std::tan(kPi * alpha / 2);
  EvaluationViews<Exec> out;
  out.pdf = pdf;
  out.d_alpha = d_alpha;
  evaluate_batch<Exec>(Exec(), alpha, beta, {sigma, 1.0, Parameterization::S1}, device, out);
  const auto s1 = test::to_host(pdf), gradient = test::to_host(d_alpha);
  for (std::size_t i = 0; i < 3; ++i) {
    const double z = (x[i] - 1.0) / sigma + zeta;
    EXPECT_NEAR(s1[i], evaluate<Quantities::pdf>(StableDistribution(alpha, beta), z).pdf / sigma,
                1e-14);
    const double h = 1e-5;
    const auto at = [&](double a) {
      return evaluate<Quantities::pdf>(StableDistribution(a, beta),
                                       (x[i] - 1.0) / sigma - beta * std::tan(kPi * a / 2))
          .log_pdf;
    };
    EXPECT_NEAR(gradient[i], (at(alpha + h) - at(alpha - h)) / (2 * h), 1e-8);
  }
  // S2: the density is largest at the location.
  evaluate_batch<Exec>(Exec(), alpha, beta, {sigma, 1.0, Parameterization::S2},
                       test::to_device<Exec>({0.99, 1.0, 1.01}), out);
  const auto s2 = test::to_host(pdf);
  EXPECT_GT(s2[1], s2[0]);
  EXPECT_GT(s2[1], s2[2]);
  // S1 at alpha = 1: the scale moves the distribution.
  evaluate_batch<Exec>(Exec(), 1.0, beta, {sigma, 1.0, Parameterization::S1}, device, out);
  EXPECT_NEAR(test::to_host(pdf)[2],
              evaluate<Quantities::pdf>(StableDistribution(1, beta),
                                        4.0 / sigma - beta * 2 / kPi * std::log(sigma))
                      .pdf /
                  sigma,
              1e-15);
}

/// The differences are central ones of the sixth order, at quantiles of 55 distributions, away from
/// the kinks at zeta of small alphas.
TEST(Stable, DerivativesOfTailsAgreeWithDifferences) {
  double worst[2] = {0, 0};
  for (const double alpha : {0.5, 0.8, 0.95, 0.999, 1.0, 1.02, 1.2, 1.5, 1.8, 1.95, 1.999}) {
    for (const double beta : {-0.99, -0.5, 0.0, 0.3, 0.9}) {
      for (const double p : {1e-8, 1e-4, 0.01, 0.1, 0.3, 0.7, 0.9, 0.99, 0.9999, 1 - 1e-7}) {
        const double x = quantile(StableDistribution(alpha, beta), p);
        const Evaluation e = evaluate<Quantities::tail_scores>(StableDistribution(alpha, beta), x);
        EXPECT_EQ(e.d_alpha,
                  evaluate<Quantities::scores>(StableDistribution(alpha, beta), x).d_alpha);
        for (int k = 0; k < 2; ++k) {
          const double h = alpha > 1.99  ? 2e-4
                           : alpha < 0.6 ? 3e-4
                                         : 1e-3,
                       smaller = std::min(e.sf, e.cdf);
          const auto tail = [&](int step) {
            const Evaluation v = evaluate<Quantities::sf>(
                StableDistribution(alpha + (k == 0 ? step * h : 0), beta + (k == 1 ? step * h : 0)),
                x);
            return p > 0.5 ? v.sf : -v.cdf;
          };
          const double slope =
              (45 * (tail(1) - tail(-1)) - 9 * (tail(2) - tail(-2)) + tail(3) - tail(-3)) /
              (60 * h);
          const double found = k == 0 ? e.sf_alpha : e.sf_beta;
          worst[k] = std::max(worst[k], std::fabs(found - slope) / (smaller + std::fabs(found)));
        }
      }
    }
  }
  EXPECT_LT(worst[0], 2e-8);
  EXPECT_LT(worst[1], 2e-8);
  // The power law gives these values.
  const Evaluation far = evaluate<Quantities::tail_scores>(StableDistribution(1.5, 0.3), 1e171);
  EXPECT_NEAR(far.sf_beta / far.sf, 1 / 1.3, 1e-12);
  const Evaluation near = evaluate<Quantities::tail_scores>(StableDistribution(1.5, 0.3), 0.9e170);
  EXPECT_NEAR(far.sf_alpha / far.sf + std::log(1e171), near.sf_alpha / near.sf + std::log(0.9e170),
              1e-6);
}

/// More points than a GPU orders at a time, some of them without an integral, and the same few
/// again with the same scratch memory.
TEST(Stable, ManyPointsHaveTheBitsOfFew) {
  const std::size_t n = compat::is_gpu_v<Exec> ? EvaluationScratch<Exec>::kMost + 700 : 3000,
                    few = 1500;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> alpha(n), beta(n), x(n);
  for (std::size_t i = 0; i < n; ++i) {
    alpha[i] = i % 3 == 0 ? 1 + 0.1 * (uniform(random) - 0.5) : 0.1 + 1.9 * uniform(random);
    beta[i] = i % 5 == 0 ? (i % 2 == 0 ? 1 : -1) : 2 * uniform(random) - 1;
    x[i] = i % 101 == 0 ? (i % 2 == 0 ? NAN : 1e200) : std::tan(kPi * (uniform(random) - 0.5));
  }
  EvaluationScratch<Exec> scratch;
  const auto evaluate_from = [&](std::size_t first) {
    const auto rest = [first](const std::vector<double>& all) {
      return test::to_device<Exec>({all.begin() + first, all.end()});
    };
    EvaluationViews<Exec> out;
    out.log_pdf = View("log_pdf", n - first);
    out.d_alpha = View("d_alpha", n - first);
    evaluate_batch<Exec>(Exec(), rest(alpha), rest(beta), {}, rest(x), out, scratch);
    return std::make_pair(test::to_host(out.log_pdf), test::to_host(out.d_alpha));
  };
  const auto [log_pdf, d_alpha] = evaluate_from(0);
  const auto [log_pdf_again, d_alpha_again] = evaluate_from(n - few);
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (std::size_t i = 0; i < few; ++i) {
    EXPECT_TRUE(same(log_pdf_again[i], log_pdf[n - few + i])) << i;
    EXPECT_TRUE(same(d_alpha_again[i], d_alpha[n - few + i])) << i;
  }
  EXPECT_TRUE(std::isnan(log_pdf[0]));
  EXPECT_NEAR(log_pdf[1],
              evaluate<Quantities::pdf>(StableDistribution(alpha[1], beta[1]), x[1]).log_pdf,
              1e-12);
}

TEST(Stable, RefusesParametersOutOfRange) {
  const View x("x", 3);
  EvaluationViews<Exec> out;
  const auto message = [&](double alpha, double beta, double sigma) {
    try {
      evaluate_batch<Exec>(Exec(), alpha, beta, {sigma, 0, Parameterization::S0}, x, out);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(0, 0, 1), HasSubstr("alpha"));
  EXPECT_THAT(message(2.1, 0, 1), HasSubstr("alpha"));
  EXPECT_THAT(message(NAN, 0, 1), HasSubstr("alpha"));
  EXPECT_THAT(message(1.5, -1.1, 1), HasSubstr("beta"));
  EXPECT_THAT(message(1.5, 0, 0), HasSubstr("sigma"));
  out.pdf = View("pdf", 2);
  EXPECT_THAT(message(1.5, 0, 1), HasSubstr("2 elements for 3 points"));
}

}  // namespace
}  // namespace tessera::stable
