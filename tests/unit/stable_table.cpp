// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tessera/stable/law/sample.hpp"
#include "tessera/stable/law/table.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;

class Tables : public testing::TestWithParam<std::pair<double, double>> {};

TEST_P(Tables, AgreeWithTheDirectEvaluation) {
  const auto [alpha, beta] = GetParam();
  const Exec exec;
  const LocationScale where{1.7, -0.4, Parameterization::S0};
  const Table<Exec> table(exec, alpha, beta, where);
  EXPECT_LE(table.error(), 4e-12);
  const int n = 8001;
  const View x("x", n), log_pdf("log_pdf", n), pdf("pdf", n), cdf("cdf", n), sf("sf", n),
      e_log("e_log", n), e_cdf("e_cdf", n), e_sf("e_sf", n);
  sample_batch<Exec>(exec, alpha, beta, where, Philox(3, 4), 0, 0, x);
  table.log_pdf(exec, x, log_pdf);
  table.pdf(exec, x, pdf);
  table.cdf(exec, x, cdf);
  table.sf(exec, x, sf);
  EvaluationViews<Exec> out;
  out.log_pdf = e_log;
  out.cdf = e_cdf;
  out.sf = e_sf;
  evaluate_batch<Exec>(exec, alpha, beta, where, x, out);
  const auto f = test::to_host(log_pdf), p = test::to_host(pdf), c = test::to_host(cdf),
             s = test::to_host(sf), f0 = test::to_host(e_log), c0 = test::to_host(e_cdf),
             s0 = test::to_host(e_sf);
  for (int i = 0; i < n; ++i) {
    ASSERT_NEAR(f[i], f0[i], 5e-12) << i;
    ASSERT_NEAR(p[i], std::exp(f0[i]), 5e-12 * p[i]) << i;
    ASSERT_NEAR(c[i], c0[i], (c0[i] < s0[i] ? 5e-12 * c0[i] : 1e-13)) << i;
    ASSERT_NEAR(s[i], s0[i], (s0[i] < c0[i] ? 5e-12 * s0[i] : 1e-13)) << i;
  }
}

TEST_P(Tables, GiveQuantiles) {
  const auto [alpha, beta] = GetParam();
  const Exec exec;
  const Table<Exec> table(exec, alpha, beta);
  const QuantileTable<Exec> quantiles(exec, table);
  std::vector<double> p;
  for (int i = 1; i < 4000; ++i) p.push_back(i / 4000.0);
  for (double q = 0.2; q > 1e-12; q /= 1.7) p.push_back(q);
  const View device = test::to_device<Exec>(p), x("x", p.size()), pdf("pdf", p.size()),
             cdf("cdf", p.size()), sf("sf", p.size());
  quantiles(exec, device, x);
  EvaluationViews<Exec> out;
  out.pdf = pdf;
  out.cdf = cdf;
  out.sf = sf;
  evaluate_batch<Exec>(exec, alpha, beta, {}, x, out);
  const auto found = test::to_host(x), f = test::to_host(pdf), c = test::to_host(cdf),
             s = test::to_host(sf);
  const double width = detail::characteristic_width(StableDistribution(alpha, beta)),
               centre = alpha < 1 ? StableDistribution(alpha, beta).zeta : 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double error = std::abs(p[i] < 0.5 ? c[i] - p[i] : s[i] - (1 - p[i])) / f[i];
    ASSERT_LE(error, 5e-12 * (std::abs(found[i] - centre) + std::abs(centre) + width)) << p[i];
  }
  quantiles(exec, test::to_device<Exec>({0.0, 1.0, -0.5, NAN}), View("x", 4));
}

INSTANTIATE_TEST_SUITE_P(Stable, Tables,
                         testing::Values(std::pair{1.5, 0.5}, std::pair{1.2, 0.3},
                                         std::pair{1.8, 0.9}, std::pair{1.0, 0.5},
                                         std::pair{0.75, 0.5}, std::pair{0.5, -0.3},
                                         std::pair{1.95, 0.0}, std::pair{1.0000001, -0.8},
                                         std::pair{1.5, 1.0}, std::pair{2.0, 0.0}),
                         [](const auto& info) {
                           return "Distribution" + std::to_string(info.index);
                         });

/// Table and direct evaluation agree to what both promise: about zero, about zeta, far out, and
/// where a light tail turns into a heavy one.
TEST(Stable, QuantileTablesKeepTheirPromiseEverywhere) {
  std::mt19937_64 random(23);
  std::uniform_real_distribution<double> uniform;
  std::vector<std::pair<double, double>> laws = {{1.2883498927817534, 1 - 8.783278548918361e-10},
                                                 {1.177, 0},
                                                 {0.75, 0},
                                                 {0.9978, 0.584},
                                                 {1.02678, 0.999995},
                                                 {2, 0},
                                                 {0.3, -0.8},
                                                 {0.86357, 0.46}};
  for (int i = 0; i < 8; ++i)
    laws.emplace_back(0.3 + 1.7 * uniform(random), 2 * uniform(random) - 1);
  for (const auto& [alpha, beta] : laws) {
    const StableDistribution distribution(alpha, beta);
    const double centre = detail::quantile_centre(distribution),
                 width = detail::characteristic_width(distribution);
    std::vector<double> p;
    for (int i = 0; i < 300; ++i) p.push_back(uniform(random));
    for (int i = 0; i < 200; ++i) p.push_back(std::pow(10.0, -12 * uniform(random)));
    for (int i = 0; i < 200; ++i) p.push_back(1 - p[300 + i]);
    for (const double place : {0.0, centre}) {
      const double there = evaluate<Quantities::sf>(distribution, place).cdf;
      for (int i = 0; i < 150; ++i)
        p.push_back(there * (1 + (uniform(random) - 0.5) * std::pow(10.0, -8 * uniform(random))));
    }
    // the turn of the first law
    for (int i = 0; i < 400; ++i) p.push_back(2.8e-11 + 2e-12 * uniform(random));
    p.erase(
        std::remove_if(p.begin(), p.end(), [](double q) { return !(q > 1e-12 && q < 1 - 1e-12); }),
        p.end());
    const View device = test::to_device<Exec>(p), x("x", p.size());
    QuantileTable<Exec>(Exec(), Table<Exec>(Exec(), alpha, beta))(Exec(), device, x);
    const auto found = test::to_host(x);
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double exact = quantile(distribution, p[i]);
      const double tolerance =
          std::min(3e-12 * (std::fabs(exact - centre) + width), 1e-11 * (std::fabs(exact) + 1e-3));
      ASSERT_NEAR(found[i], exact, tolerance) << alpha << " " << beta << " at " << p[i];
    }
  }
}

/// F(x) = 1/2 + x f(0) + O(x^3) for a symmetric law, f(0) = Gamma(1 + 1/alpha)/pi.
TEST(Stable, QuantilesNextToTheMedianAreExact) {
  for (const double alpha : {0.7, 1.0, 1.3, 1.9, 2.0}) {
    const Exec exec;
    const std::vector<double> p{0.5, 0.5 + 0x1p-30, 0.5 - 0x1p-30, 0.5 + 0x1p-26, 0.5 - 0x1p-24};
    const View x("x", p.size());
    QuantileTable<Exec>(exec, Table<Exec>(exec, alpha, 0))(exec, test::to_device<Exec>(p), x);
    const auto found = test::to_host(x);
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double exact = (p[i] - 0.5) * kPi / std::tgamma(1 + 1 / alpha);
      EXPECT_NEAR(quantile(StableDistribution(alpha, 0), p[i]), exact, 1e-14)
          << alpha << " " << p[i];
      EXPECT_NEAR(found[i], exact, 1e-14) << alpha << " " << p[i];
    }
  }
}

/// Small alphas, and the ends of the support of |beta| = 1, have structure far inside the width of
/// the distribution.
TEST(Stable, TablesOfSmallAlphasAreNarrower) {
  for (const auto& [alpha, beta] : {std::pair{0.2, 0.5}, {0.3, 1.0}, {0.4, -1.0}}) {
    EXPECT_LE(Table<Exec>(Exec(), alpha, beta).error(), 4e-12) << alpha << " " << beta;
  }
}

/// Points of a distribution's every part: its bulk, both far ends of heavy tails, light tails to
/// where no number is left of them, both sides of the end of a support.
std::vector<double> points_everywhere(const StableDistribution& distribution,
                                      std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform;
  const auto sign = [&] { return uniform(random) < 0.5 ? -1.0 : 1.0; };
  const double width = detail::characteristic_width(distribution);
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i)
    x.push_back(sample(distribution, uniform(random), uniform(random)));
  for (int i = 0; i < 500; ++i) x.push_back(sign() * std::pow(10.0, -3 + 8 * uniform(random)));
  for (int i = 0; i < 200; ++i) x.push_back(sign() * std::pow(10.0, 307 * uniform(random)));
  for (int i = 0; i < 500; ++i) x.push_back(60 * (2 * uniform(random) - 1));
  if (distribution.alpha < 1 && std::fabs(distribution.zeta) < 20) {
    for (int i = 0; i < 800; ++i)
      x.push_back(distribution.zeta + sign() * width * std::pow(10.0, 4 - 12 * uniform(random)));
  }
  x.insert(x.end(), {0.0, INFINITY, -INFINITY, NAN});
  return x;
}

/// `error` of a quantity whose exact value is `exact`, both in logarithms: of its value, where that
/// is a number, to the accuracy of both evaluations.
void expect_same_log(double found, double exact, double tolerance, const std::string& where) {
  if (std::isnan(exact)) {
    EXPECT_TRUE(std::isnan(found)) << where;
  } else if (std::isinf(exact)) {
    EXPECT_EQ(found, exact) << where;
  } else {
    EXPECT_NEAR(
        found, exact,
        std::max(tolerance * std::min(1.0, std::fabs(exact) + 1e-3), 5e-14 * std::fabs(exact)))
        << where;
  }
}

void expect_same(double found, double exact, double tolerance, const std::string& where) {
  if (std::isnan(exact)) {
    EXPECT_TRUE(std::isnan(found)) << where;
  } else {
    EXPECT_NEAR(found, exact, tolerance * exact + 1e-320) << where;
  }
}

/// Random distributions, among them one-sided ones, the normal one, and those next to alpha = 1 and
/// 2.
std::vector<std::pair<double, double>> random_distributions() {
  std::mt19937_64 random(41);
  std::uniform_real_distribution<double> uniform;
  std::vector<std::pair<double, double>> all = {{2, 0}, {2, 1}, {1.5, 1},    {0.5, 1}, {0.5, -1},
                                                {1, 1}, {1, 0}, {1.999, -1}, {0.25, 1}};
  for (int i = 0; i < 14; ++i) {
    const double alpha = i % 5 == 0   ? 1 + 0.02 * (uniform(random) - 0.5)
                         : i % 7 == 0 ? 2 - 0.01 * uniform(random)
                                      : 0.1 + 1.9 * uniform(random);
    const double beta = i % 3 == 0   ? (i % 2 == 0 ? 1 : -1)
                        : i % 4 == 0 ? 1 - std::pow(10.0, -12 * uniform(random))
                                     : 2 * uniform(random) - 1;
    all.emplace_back(alpha, beta);
  }
  return all;
}

std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// The number of points never changes a result beyond the accuracy that is stated: whatever a table
/// that is in use gives is what the direct evaluation gives, of every quantity and everywhere.
TEST(Stable, TablesGiveEveryQuantityEverywhere) {
  std::mt19937_64 random(7);
  for (const auto& [alpha, beta] : random_distributions()) {
    const Exec exec;
    const LocationScale where{0.7, 0, Parameterization::S0};
    const Table<Exec> table(exec, alpha, beta, where);
    if (table.error() > kLargestTableError) continue;  // nobody takes such a table
    const double accuracy = 4e-11 + table.error();     // of evaluate.hpp, twice, and of table.hpp
    std::vector<double> points = points_everywhere(StableDistribution(alpha, beta), random);
    for (double& x : points) x *= where.sigma;
    const std::size_t n = points.size();
    const View x = test::to_device<Exec>(points);
    EvaluationViews<Exec> direct, tabulated;
    for (EvaluationViews<Exec>* out : {&direct, &tabulated}) {
      for (View* view :
           {&out->pdf, &out->log_pdf, &out->cdf, &out->sf, &out->log_cdf, &out->log_sf})
        *view = View("values", n);
    }
    evaluate_batch<Exec>(exec, alpha, beta, where, x, direct);
    table.pdf(exec, x, tabulated.pdf);
    table.log_pdf(exec, x, tabulated.log_pdf);
    table.cdf(exec, x, tabulated.cdf);
    table.sf(exec, x, tabulated.sf);
    table.log_cdf(exec, x, tabulated.log_cdf);
    table.log_sf(exec, x, tabulated.log_sf);
    const auto host = [](const View& view) { return test::to_host(view); };
    const auto pdf = host(tabulated.pdf), log_pdf = host(tabulated.log_pdf),
               cdf = host(tabulated.cdf), sf = host(tabulated.sf),
               log_cdf = host(tabulated.log_cdf), log_sf = host(tabulated.log_sf),
               pdf0 = host(direct.pdf), log_pdf0 = host(direct.log_pdf), cdf0 = host(direct.cdf),
               sf0 = host(direct.sf), log_cdf0 = host(direct.log_cdf),
               log_sf0 = host(direct.log_sf);
    for (std::size_t i = 0; i < n && !testing::Test::HasFailure(); ++i) {
      const std::string at =
          std::to_string(alpha) + " " + std::to_string(beta) + " at " + std::to_string(points[i]);
      expect_same(pdf[i], pdf0[i], accuracy, "pdf " + at);
      expect_same(cdf[i], cdf0[i], accuracy, "cdf " + at);
      expect_same(sf[i], sf0[i], accuracy, "sf " + at);
      expect_same_log(log_cdf[i], log_cdf0[i], accuracy, "log cdf " + at);
      expect_same_log(log_sf[i], log_sf0[i], accuracy, "log sf " + at);
      const double of_pdf = std::isinf(log_pdf0[i]) || std::isnan(log_pdf0[i])
                                ? 0
                                : accuracy / std::min(1.0, std::fabs(log_pdf0[i]) + 1e-3);
      expect_same_log(log_pdf[i], log_pdf0[i], of_pdf, "log pdf " + at);
    }
  }
}

constexpr View EvaluationViews<Exec>::*kQuantities[] = {
    &EvaluationViews<Exec>::pdf, &EvaluationViews<Exec>::log_pdf, &EvaluationViews<Exec>::cdf,
    &EvaluationViews<Exec>::sf,  &EvaluationViews<Exec>::log_cdf, &EvaluationViews<Exec>::log_sf};

/// Scales and locations at the ends of the numbers, where (x - mu)/sigma may be none.
const std::vector<LocationScale> kExtremes{{1, 0},      {1e299, -1e308},  {1e299, 1e308},
                                           {1e-200, 0}, {1e-307, 3},      {5e-324, 0},
                                           {1e290, 0},  {1e-300, -1e300}, {1e295, 1e305}};

std::vector<double> extreme_points(const LocationScale& where) {
  std::vector<double> points;
  for (const double x : {0.0, 1e-320, 1.0, 3.0, 1e10, 1e100, 1e250, 1e300, 1e307, 1e308, 1.7e308,
                         std::numeric_limits<double>::max()}) {
    points.insert(points.end(), {x, -x});
  }
  for (const double z : {0.0, 1.0, 1e5, 1e9}) points.push_back(where.mu + where.sigma * z);
  points.erase(std::remove_if(points.begin(), points.end(), [](double x) { return std::isinf(x); }),
               points.end());
  return points;
}

/// Whichever way a quantity is found, direct or from a table, up to the largest points.
TEST(Stable, TablesReachTheEndsOfTheNumbers) {
  for (const LocationScale& where : kExtremes) {
    for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {0.5, 1.0}, {1.9, -0.5}}) {
      const Exec exec;
      const std::vector<double> points = extreme_points(where);
      const View x = test::to_device<Exec>(points);
      EvaluationViews<Exec> direct, tabulated;
      for (const auto quantity : kQuantities) direct.*quantity = View("values", points.size());
      for (const auto quantity : kQuantities) tabulated.*quantity = View("values", points.size());
      evaluate_batch<Exec>(exec, alpha, beta, where, x, direct);
      const Table<Exec> table(exec, alpha, beta, where);
      table.pdf(exec, x, tabulated.pdf);
      table.log_pdf(exec, x, tabulated.log_pdf);
      table.cdf(exec, x, tabulated.cdf);
      table.sf(exec, x, tabulated.sf);
      table.log_cdf(exec, x, tabulated.log_cdf);
      table.log_sf(exec, x, tabulated.log_sf);
      for (int q = 0; q < 6; ++q) {
        const auto a = test::to_host(direct.*kQuantities[q]),
                   b = test::to_host(tabulated.*kQuantities[q]);
        for (std::size_t i = 0; i < points.size(); ++i) {
          const std::string at = std::to_string(q) + ": " + std::to_string(alpha) + " " +
                                 std::to_string(beta) + " of sigma " + short_text(where.sigma) +
                                 " at " + short_text(points[i]);
          const double size = std::fabs(a[i]),
                       tolerance = (4e-11 + table.error()) *
                                   (q == 0 ? size : (q == 1 ? 1 : std::min(1.0, size)));
          ASSERT_FALSE(std::isnan(a[i])) << at;
          if (std::isinf(a[i]) || std::isinf(b[i])) {
            ASSERT_EQ(a[i], b[i]) << at;
          } else {
            ASSERT_NEAR(a[i], b[i], tolerance + 5e-14 * size + 1e-320) << at;
          }
        }
      }
    }
  }
}

/// Cauchy's distribution has the tail 1/(pi z).
TEST(Stable, PointsBeyondTheNumbersFollowThePowerLaw) {
  for (const LocationScale& where : kExtremes) {
    const std::vector<double> points = extreme_points(where);
    EvaluationViews<Exec> out;
    for (const auto quantity : kQuantities) out.*quantity = View("values", points.size());
    out.d_x = View("values", points.size());
    evaluate_batch<Exec>(Exec(), 1, 0, where, test::to_device<Exec>(points), out);
    const auto d_x = test::to_host(out.d_x);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double log_z = where.log_standard(points[i]), log_tail = -std::log(kPi) - log_z,
                   tail = std::exp(log_tail), log_pdf = log_tail - log_z - std::log(where.sigma),
                   score = -1 / (0.5 * points[i] - 0.5 * where.mu);
      if (log_z < 40) continue;
      const bool left = points[i] < where.mu;
      const double exact[] = {std::exp(log_pdf),       log_pdf,
                              left ? tail : 1,         left ? 1 : tail,
                              left ? log_tail : -tail, left ? -tail : log_tail};
      for (int q = 0; q < 6; ++q) {
        EXPECT_NEAR(test::to_host(out.*kQuantities[q])[i], exact[q],
                    1e-12 * std::fabs(exact[q]) + 1e-320)
            << q << " of sigma " << short_text(where.sigma) << " at " << short_text(points[i]);
      }
      EXPECT_NEAR(d_x[i], score, 1e-9 * std::fabs(score) + 1e-320)
          << short_text(where.sigma) << " at " << short_text(points[i]);
    }
  }
}

/// Against closed forms, far beyond where numbers end: the normal distribution and that of Levy.
TEST(Stable, LogarithmsOfTailsHaveClosedForms) {
  const StableDistribution normal(2, 0), levy(0.5, 1);
  for (const double x : {3.0, 20.0, 60.0, 1e3, 1e5, 1e9}) {
    // ln erfc(x/2)/2: by the continued fraction of erfc from x = 6 on
    double fraction = 0;
    for (int k = 200; k > 0; --k) fraction = 0.5 * k / (0.5 * x + fraction);
    const double exact = x < 6
                             ? std::log(0.5 * std::erfc(0.5 * x))
                             : -0.25 * x * x - std::log(2 * std::sqrt(kPi) * (0.5 * x + fraction));
    const Evaluation right = evaluate<Quantities::sf>(normal, x),
                     left = evaluate<Quantities::sf>(normal, -x);
    const double tolerance = 2e-11 + 2e-15 * std::fabs(exact);
    EXPECT_NEAR(right.log_sf(), exact, tolerance) << x;
    EXPECT_NEAR(left.log_cdf(), exact, tolerance) << x;
    EXPECT_NEAR(right.log_cdf(), std::log1p(-std::exp(exact)), 1e-13) << x;
    EXPECT_EQ(left.log_sf(), right.log_cdf());
  }
  for (const double d : {2.0, 0.01, 1e-3, 1e-6, 1e-12}) {  // erfc(1/sqrt(2 d))
    const double z = 1 / std::sqrt(2 * d);
    double fraction = 0;
    for (int k = 200; k > 0; --k) fraction = 0.5 * k / (z + fraction);
    const double exact =
        z < 3 ? std::log(std::erfc(z)) : -z * z - std::log(std::sqrt(kPi) * (z + fraction));
    EXPECT_NEAR(evaluate_at<Quantities::sf>(levy, levy.zeta + d, d).log_cdf(), exact,
                2e-11 + 2e-15 * std::fabs(exact))
        << d;
  }
  EXPECT_EQ(evaluate_at<Quantities::sf>(levy, levy.zeta - 1, -1).log_cdf(), -INFINITY);
  EXPECT_EQ(evaluate_at<Quantities::sf>(levy, levy.zeta - 1, -1).log_sf(), 0);
}

/// The mode of Levy's distribution is a third of its scale from its end, and of others where a scan
/// of the density says.
TEST(Stable, ModesOfOneSidedDistributionsLieInside) {
  const double peak = std::sqrt(27 / (2 * kPi)) * std::exp(-1.5);  // of the scale 1, in S1
  for (const double beta : {1.0, -1.0}) {
    const StableDistribution levy(0.5, beta);
    const LocationScale where = resolve_mode(levy, {1, 0, Parameterization::S2});
    double x, distance;
    where.standardize(levy, 0, x, distance);
    EXPECT_NEAR(distance, beta / 3, 1e-9);
    EXPECT_NEAR(evaluate_at<Quantities::pdf>(levy, x, distance).pdf, peak, 1e-11 * peak);
    EXPECT_NEAR(where.sigma, 4, 1e-14);
  }
  for (const double alpha : {0.1, 0.15, 0.3, 0.4, 0.51, 0.7, 0.9, 0.96}) {
    const StableDistribution distribution(alpha, 1);
    const double mode = find_mode_from_zeta(distribution);
    const auto at = [&](double d) {
      return evaluate_at<Quantities::pdf>(distribution, distribution.zeta + d, d).pdf;
    };
    const double top = at(mode);
    EXPECT_GT(top, 0) << alpha;
    for (int i = -400; i <= 400; ++i)
      ASSERT_LE(at(mode * std::exp(0.05 * i)), top * (1 + 4e-11)) << alpha << " " << i;
  }
  for (const auto& [alpha, beta] :
       {std::pair{0.99, 1.0}, {0.999, 1.0}, {0.3, 0.999999}, {1.01, 1.0}}) {
    const StableDistribution distribution(alpha, beta);
    const double mode = find_mode(distribution),
                 top = evaluate<Quantities::pdf>(distribution, mode).pdf;
    EXPECT_GT(top, 0.1) << alpha;
    for (int i = -300; i <= 300; ++i)
      ASSERT_LE(evaluate<Quantities::pdf>(distribution, mode + 0.01 * i).pdf, top * (1 + 4e-11))
          << alpha << " " << i;
  }
}

TEST(Stable, TableInS1) {
  const Exec exec;
  const Table<Exec> table(exec, 0.6, 0.8, {2.0, 3.0, Parameterization::S1});
  const View x = test::to_device<Exec>({3.0000001, 3.5, -10.0, 1e6}), found("found", 4),
             exact("exact", 4);
  table.log_pdf(exec, x, found);
  EvaluationViews<Exec> out;
  out.log_pdf = exact;
  evaluate_batch<Exec>(exec, 0.6, 0.8, {2.0, 3.0, Parameterization::S1}, x, out);
  const auto a = test::to_host(found), b = test::to_host(exact);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(a[i], b[i], 4e-11) << i;
}

TEST(Stable, TableFarOut) {
  const Exec exec;
  const Table<Exec> table(exec, 1.5, 0.5);
  const View x = test::to_device<Exec>({1e60, -1e60, INFINITY, NAN, 1e300}), pdf("pdf", 5),
             cdf("cdf", 5), log_pdf("log_pdf", 5);
  table.log_pdf(exec, x, log_pdf);
  table.pdf(exec, x, pdf);
  table.cdf(exec, x, cdf);
  const auto l = test::to_host(log_pdf), f = test::to_host(pdf), c = test::to_host(cdf);
  const StableDistribution distribution(1.5, 0.5);
  EXPECT_NEAR(l[0], evaluate<Quantities::pdf>(distribution, 1e60).log_pdf, 1e-10);
  EXPECT_NEAR(l[1], evaluate<Quantities::pdf>(distribution, -1e60).log_pdf, 1e-10);
  EXPECT_NEAR(l[4], evaluate<Quantities::pdf>(distribution, 1e300).log_pdf, 1e-9);
  EXPECT_EQ(f[2], 0);
  EXPECT_EQ(c[2], 1);
  EXPECT_TRUE(std::isnan(f[3]) && std::isnan(c[3]));
}

/// Numbers of the sampler are the same on every backend, to rounding.
TEST(Stable, SamplesAreTheHostsNumbers) {
  const int n = 10000;
  for (const auto& [alpha, beta] :
       {std::pair{1.5, 0.5}, {1.0, -0.7}, {0.999999, 1.0}, {0.4, -1.0}, {2.0, 0.0}, {0.1, 0.3}}) {
    const View x("x", n);
    sample_batch<Exec>(Exec(), alpha, beta, {}, Philox(9, 2), 1000, 7, x);
    const auto found = test::to_host(x);
    const StableDistribution distribution(alpha, beta);
    for (int i = 0; i < n; ++i) {
      const Philox::Bits bits = Philox(9, 2).bits(1000 + i, 7);
      const double own = sample(distribution, Philox::uniform(bits, 0), Philox::uniform(bits, 1));
      ASSERT_TRUE(std::isfinite(found[i]));
      ASSERT_NEAR(found[i], own, 1e-9 * (1 + std::abs(own))) << alpha << " " << beta << " " << i;
    }
  }
}

}  // namespace
}  // namespace tessera::stable
