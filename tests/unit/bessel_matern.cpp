// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "tessera/bessel/matern.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/hexadecimal.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/bessel_device.hpp"

namespace tessera::bessel {
namespace {

using Exec = test::ExecSpace;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> correlations(double nu, const std::vector<double>& h) {
  const Values<double> m = to_device(std::vector<double>(h.size(), -1));
  matern(Exec(), MaternTable<Exec>(nu), to_device(h), m);
  return to_host(m);
}

struct WithDerivatives {
  std::vector<double> m, dm_dh, dm_dnu;
};

WithDerivatives with_derivatives(double nu, const std::vector<double>& h) {
  const std::vector<double> empty(h.size(), -1);
  const MaternResults<Values<double>> results{to_device(empty), to_device(empty), to_device(empty)};
  matern_and_derivatives(Exec(), MaternTable<Exec>(nu), to_device(h), results);
  return {to_host(results.m), to_host(results.dm_dh), to_host(results.dm_dnu)};
}

/// The rows of the reference table of one nu: h, M, what M lost by rounding, h dM/dh, dM/dnu.
struct Reference {
  double nu;
  std::vector<double> h, m, rest, h_derivative, order;
  double error(std::size_t i, double value) const { return std::abs((value - m[i]) - rest[i]); }
};

std::vector<Reference> references() {
  std::vector<Reference> all;
  for (const std::vector<double>& row :
       test::read_hexadecimal_rows(std::string(test::kDataDirectory) + "/bessel/matern.csv")) {
    if (all.empty() || all.back().nu != row[0]) all.push_back({row[0], {}, {}, {}, {}, {}});
    Reference& last = all.back();
    last.h.push_back(row[1]);
    last.m.push_back(row[2]);
    last.rest.push_back(row[3]);
    last.h_derivative.push_back(row[4]);
    last.order.push_back(row.at(5));
  }
  EXPECT_GT(all.size(), 20u);
  return all;
}

TEST(MaternTable, IsGoodTo2e16) {
  double worst = 0, worst_relative = 0;
  for (const Reference& reference : references()) {
    const std::vector<double> m = correlations(reference.nu, reference.h);
    for (std::size_t i = 0; i < m.size(); ++i) {
      const double error = reference.error(i, m[i]);
      EXPECT_LE(error, 2e-16) << "nu = " << reference.nu << ", h = " << reference.h[i]
                              << ", M = " << reference.m[i];
      worst = std::max(worst, error);
      if (reference.m[i] < std::numeric_limits<double>::min()) continue;
      EXPECT_LE(error, 1e-12 * reference.m[i])
          << "nu = " << reference.nu << ", h = " << reference.h[i] << ", M = " << reference.m[i];
      worst_relative = std::max(worst_relative, error / reference.m[i]);
    }
  }
  std::printf("M: %.2e absolutely, %.2e relatively\n", worst, worst_relative);
}

TEST(MaternTable, HasDerivatives) {
  double worst_derivative = 0, worst_order = 0;
  for (const Reference& reference : references()) {
    const WithDerivatives jet = with_derivatives(reference.nu, reference.h);
    for (std::size_t i = 0; i < reference.h.size(); ++i) {
      const double h = reference.h[i],
                   derivative = std::abs(h * jet.dm_dh[i] - reference.h_derivative[i]);
      const double order = std::abs(jet.dm_dnu[i] - reference.order[i]) /
                           std::max(1.0, std::abs(reference.order[i]));
      EXPECT_LE(reference.error(i, jet.m[i]), 2e-16) << "nu = " << reference.nu << ", h = " << h;
      EXPECT_LE(derivative, 4e-15) << "nu = " << reference.nu << ", h = " << h;
      EXPECT_LE(order, 1e-15) << "nu = " << reference.nu << ", h = " << h;
      worst_derivative = std::max(worst_derivative, derivative);
      worst_order = std::max(worst_order, order);
    }
  }
  std::printf("h dM/dh: %.2e, dM/dnu: %.2e\n", worst_derivative, worst_order);
}

TEST(MaternTable, AgreesWithClosedForms) {
  std::vector<double> h;
  for (int i = 0; i < 4000; ++i) h.push_back(std::pow(10.0, -5 + 7.0 * i / 4000));
  const std::vector<double> one = correlations(0.5, h), three = correlations(1.5, h),
                            five = correlations(2.5, h);
  for (std::size_t i = 0; i < h.size(); ++i) {
    const long double x = h[i], e = std::exp(-x);
    EXPECT_NEAR(one[i], static_cast<double>(e), 2e-16) << h[i];
    EXPECT_NEAR(three[i], static_cast<double>(e * (1 + x)), 2e-16) << h[i];
    EXPECT_NEAR(five[i], static_cast<double>(e * (1 + x + x * x / 3)), 2e-16) << h[i];
  }
}

TEST(MaternTable, TakesSpecialDistances) {
  for (const double nu : {0.2, 0.5, 1.0, 7.0}) {
    const std::vector<double> m =
        correlations(nu, {0.0, -0.0, kInfinity, 1e300, kNaN, -1.0, -1e-3, -kInfinity, 1e-310});
    EXPECT_EQ(m[0], 1);
    EXPECT_EQ(m[1], 1);
    EXPECT_EQ(m[2], 0);
    EXPECT_EQ(m[3], 0);
    for (int i = 4; i < 8; ++i) EXPECT_TRUE(std::isnan(m[i])) << i;
    EXPECT_EQ(m[8], 1);
    const WithDerivatives jet = with_derivatives(nu, {0.0, kInfinity, kNaN, -2.0});
    EXPECT_EQ(jet.m[0], 1);
    EXPECT_EQ(jet.dm_dh[0], 0);
    EXPECT_EQ(jet.dm_dnu[0], 0);
    EXPECT_EQ(jet.m[1], 0);
    EXPECT_EQ(jet.dm_dnu[1], 0);
    EXPECT_TRUE(std::isnan(jet.m[2]));
    EXPECT_TRUE(std::isnan(jet.dm_dnu[3]));
  }
}

TEST(MaternTable, DecreasesFromOneToZero) {
  std::vector<double> h;
  for (double x = 1e-12; x < 3000; x *= 1.01) h.push_back(x);
  for (const double nu : {0.01, 0.426, 1.0, 3.7, 60.0, 200.0}) {
    const std::vector<double> m = correlations(nu, h);
    EXPECT_LE(m.front(), 1);
    EXPECT_EQ(m.back(), 0);
    for (std::size_t i = 1; i < m.size(); ++i) {
      ASSERT_LE(m[i], m[i - 1] + 3e-16) << "nu = " << nu << ", h = " << h[i];
      ASSERT_GE(m[i], 0);
    }
  }
}

/// The exact values at the smallest order are those of mpmath.
TEST(MaternTable, KeepsItsDigitsAtTheSmallestOrder) {
  const std::vector<double> h = {1e-10, 0.3, 5.3, 31.3, 32.1, 300};
  const std::vector<double> exact = {4.6283564891197736e-19, 2.7449201210885947e-20,
                                     5.3182136067791154e-23, 1.1381327125881404e-34,
                                     5.0503200078080533e-35, 7.4473897097782861e-152};
  const std::vector<double> m = correlations(1e-20, h);
  for (std::size_t i = 0; i < h.size(); ++i) EXPECT_NEAR(m[i] / exact[i], 1, 1e-12) << h[i];
}

TEST(MaternTable, RefusesOtherOrders) {
  for (const double nu : {0.0, -1.0, 200.5, kInfinity, kNaN, 9e-21, 1e-308, 5e-324}) {
    try {
      const MaternTable<Exec> table(nu);
      ADD_FAILURE() << "no error for nu = " << nu;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), testing::HasSubstr("1e-20 <= nu <= 200"));
    }
  }
}

TEST(MaternBatch, ComparesExtents) {
  const Values<double> h("h", 3), m("m", 4);
  EXPECT_THROW(matern(Exec(), MaternTable<Exec>(1), h, m), Error);
  EXPECT_NO_THROW(
      matern(Exec(), MaternTable<Exec>(1), Values<double>("h", 0), Values<double>("m", 0)));
  const MaternResults<Values<double>> results{h, m, h};
  EXPECT_THROW(matern_and_derivatives(Exec(), MaternTable<Exec>(1), h, results), Error);
}

}  // namespace
}  // namespace tessera::bessel
