// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/stable/sample.hpp"
#include "tessera/stable/table.hpp"
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
  const View x("x", n), log_pdf("log_pdf", n), pdf("pdf", n), cdf("cdf", n), sf("sf", n), e_log("e_log", n), e_cdf("e_cdf", n),
      e_sf("e_sf", n);
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
  const auto f = test::to_host(log_pdf), p = test::to_host(pdf), c = test::to_host(cdf), s = test::to_host(sf), f0 = test::to_host(e_log),
             c0 = test::to_host(e_cdf), s0 = test::to_host(e_sf);
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
  const View device = test::to_device<Exec>(p), x("x", p.size()), pdf("pdf", p.size()), cdf("cdf", p.size()), sf("sf", p.size());
  quantiles(exec, device, x);
  EvaluationViews<Exec> out;
  out.pdf = pdf;
  out.cdf = cdf;
  out.sf = sf;
  evaluate_batch<Exec>(exec, alpha, beta, {}, x, out);
  const auto found = test::to_host(x), f = test::to_host(pdf), c = test::to_host(cdf), s = test::to_host(sf);
  const double width = detail::characteristic_width(StableDistribution(alpha, beta)),
               centre = alpha < 1 ? StableDistribution(alpha, beta).zeta : 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double error = std::abs(p[i] < 0.5 ? c[i] - p[i] : s[i] - (1 - p[i])) / f[i];
    ASSERT_LE(error, 5e-12 * (std::abs(found[i] - centre) + std::abs(centre) + width)) << p[i];
  }
  quantiles(exec, test::to_device<Exec>({0.0, 1.0, -0.5, NAN}), View("x", 4));
}

INSTANTIATE_TEST_SUITE_P(Stable, Tables,
                         testing::Values(std::pair{1.5, 0.5}, std::pair{1.2, 0.3}, std::pair{1.8, 0.9}, std::pair{1.0, 0.5},
                                         std::pair{0.75, 0.5}, std::pair{0.5, -0.3}, std::pair{1.95, 0.0}, std::pair{1.0000001, -0.8},
                                         std::pair{1.5, 1.0}, std::pair{2.0, 0.0}),
                         [](const auto& info) { return "Distribution" + std::to_string(info.index); });

/// Small alphas, and the ends of the support of |beta| = 1, have structure far inside the width of the distribution.
TEST(Stable, TablesOfSmallAlphasAreNarrower) {
  for (const auto& [alpha, beta] : {std::pair{0.2, 0.5}, {0.3, 1.0}, {0.4, -1.0}}) {
    EXPECT_LE(Table<Exec>(Exec(), alpha, beta).error(), 4e-12) << alpha << " " << beta;
  }
}

TEST(Stable, TableInS1) {
  const Exec exec;
  const Table<Exec> table(exec, 0.6, 0.8, {2.0, 3.0, Parameterization::S1});
  const View x = test::to_device<Exec>({3.0000001, 3.5, -10.0, 1e6}), found("found", 4), exact("exact", 4);
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
  const View x = test::to_device<Exec>({1e60, -1e60, INFINITY, NAN, 1e300}), pdf("pdf", 5), cdf("cdf", 5), log_pdf("log_pdf", 5);
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
  for (const auto& [alpha, beta] : {std::pair{1.5, 0.5}, {1.0, -0.7}, {0.999999, 1.0}, {0.4, -1.0}, {2.0, 0.0}, {0.1, 0.3}}) {
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
