// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <vector>

#include "tessera/bessel/paper.hpp"
#include "tessera/bessel/program/extended.hpp"
#include "tessera/bessel/program/upper_bound_model.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::bessel {

using Exec = test::ExecSpace;

struct Points {
  std::vector<double> nu, x, reference;
};

/// A grid over the orders and arguments of the paper, arguments from `first` by even ratios.
Points points(double first) {
  Points all;
  for (int i = 0; i < 21; ++i) {
    for (int j = 0; j < 41; ++j) {
      const double nu = i == 0 ? 0.001 : i, x = first * std::pow(140 / first, j / 40.0);
      all.nu.push_back(nu);
      all.x.push_back(x);
      all.reference.push_back(static_cast<double>(bessel_k_extended(nu, x).log_k));
    }
  }
  return all;
}

double largest_error(const Points& at, double lower, double upper, int bins) {
  double largest = 0;
  Kokkos::parallel_reduce("bessel test", Kokkos::RangePolicy<Exec>(0, at.x.size()),
                          detail::LargestErrorOfRule<Exec>{
                              upload(Exec(), "nu", at.nu), upload(Exec(), "x", at.x),
                              upload(Exec(), "reference", at.reference), lower, upper, bins},
                          Kokkos::Max<double>(largest));
  return largest;
}

// K is even in nu: the derivative of log K in nu is nu times a number.
TEST(BesselPaper, ExtendedDerivativeOfTinyOrders) {
  const double of_small = static_cast<double>(bessel_k_extended(1e-3, 1).dlog_k_dnu) / 1e-3;
  for (const double nu : {1e-9, 1e-17, 1e-30})
    EXPECT_NEAR(static_cast<double>(bessel_k_extended(nu, 1).dlog_k_dnu) / nu / of_small, 1, 1e-6);
  EXPECT_NEAR(of_small, 0.7311, 1e-4);
  EXPECT_EQ(bessel_k_extended(0, 0).dlog_k_dnu, 0);
}

// The paper's bound is 9; what bound is needed depends on the smallest argument.
TEST(BesselPaper, NeedsLargerBoundsForSmallerArguments) {
  const Points from_tenth = points(0.1), from_hundredth = points(0.01);
  EXPECT_LE(largest_error(from_tenth, 0, 7.1, 128), 1e-9);
  EXPECT_GT(largest_error(from_tenth, 0, 7.0, 128), 1e-9);
  EXPECT_LE(largest_error(from_tenth, 0, 9, 128), 1e-12);
  EXPECT_LE(largest_error(from_hundredth, 0, 9.4, 256), 1e-9);
  EXPECT_GT(largest_error(from_hundredth, 0, 9.2, 256), 1e-9);
}

TEST(BesselPaper, FortyBinsDoNotDo) {
  EXPECT_GT(largest_error(points(0.1), 0, 9, 40), 0.1);  // at x = 140
}

TEST(BesselPaper, TheLowerBoundCutsTheIntegral) {
  const Points at = points(0.1);
  EXPECT_GT(largest_error(at, 0.1, 9, 128), 1e-3);
}

TEST(BesselPaper, ErrorsThatAreNoNumbersAreInfinite) {
  Points at = points(1);
  at.x.back() = NAN;
  EXPECT_EQ(largest_error(at, 0, 9, 128), HUGE_VAL);
}

TEST(BesselPaper, Gsl) {
  if (!has_gsl()) {
    EXPECT_TRUE(std::isnan(log_bessel_k_gsl(1, 1)));
    GTEST_SKIP() << "this build has no GSL";
  }
  const Points at = points(0.001);
  double largest = 0;
  for (std::size_t i = 0; i < at.x.size(); ++i)
    largest = std::max(largest, std::abs(log_bessel_k_gsl(at.nu[i], at.x[i]) - at.reference[i]));
  EXPECT_LE(largest, 6e-14);
  EXPECT_TRUE(std::isnan(log_bessel_k_gsl(1, 0)));
  EXPECT_TRUE(std::isnan(log_bessel_k_gsl(1, -1)));
}

}  // namespace tessera::bessel
