// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "tessera/bessel/bessel.hpp"
#include "tessera/bessel/instances.hpp"
#include "tessera/core/error.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/hexadecimal.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/bessel_device.hpp"

namespace tessera::bessel {
namespace {

using Exec = test::ExecSpace;
using Number = std::complex<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The function at these orders and arguments, on the device.
std::vector<Number> evaluate(ComplexForm form, const std::vector<double>& nu,
                             const std::vector<double>& x, const std::vector<double>& y) {
  const Values<double> real("real", x.size()), imag("imag", x.size());
  bessel_complex(Exec(), form, to_device(nu), to_device(x), to_device(y), real, imag);
  const std::vector<double> reals = to_host(real), imags = to_host(imag);
  std::vector<Number> all;
  for (std::size_t i = 0; i < x.size(); ++i) all.emplace_back(reals[i], imags[i]);
  return all;
}

struct Point {
  double nu, x, y;
  Number k_scaled, i_scaled;
  double size_of_k, size_of_i;
};

std::vector<Point> points() {
  std::vector<Point> rows;
  for (const auto& r : test::read_hexadecimal_rows(std::string(test::kDataDirectory) +
                                                   "/bessel/bessel_complex.csv"))
    rows.push_back(
        {r.at(0), r.at(1), r.at(2), {r.at(3), r.at(4)}, {r.at(5), r.at(6)}, r.at(7), r.at(8)});
  return rows;
}

/// Returns whether I is that of the strip next to the imaginary axis which has a bound of its own.
bool is_in_strip(const Point& p) {
  const double size = std::hypot(p.x, p.y);
  return std::abs(p.x) < 8 && p.nu > 20 && size > p.nu && size < 3 * p.nu;
}

TEST(BesselComplex, IsAsGoodAsStated) {
  const std::vector<Point> all = points();
  ASSERT_GT(all.size(), 500u);
  std::vector<double> nu, x, y;
  for (const Point& p : all) {
    nu.push_back(p.nu);
    x.push_back(p.x);
    y.push_back(p.y);
  }
  const std::vector<Number> k = evaluate(ComplexForm::k_scaled, nu, x, y),
                            i = evaluate(ComplexForm::i_scaled, nu, x, y);
  double worst_k = 0, worst_i = 0, worst_in_strip = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const Point& p = all[at];
    const std::string where =
        std::to_string(p.nu) + ", " + std::to_string(p.x) + " + " + std::to_string(p.y) + " i";
    const double error_k = std::abs(k[at] - p.k_scaled) / p.size_of_k,
                 error_i = std::abs(i[at] - p.i_scaled) / p.size_of_i;
    EXPECT_LE(error_k, 1e-14) << where;
    EXPECT_LE(error_i, is_in_strip(p) ? 5e-14 : 1e-14) << where;
    worst_k = std::max(worst_k, error_k);
    double& worst = is_in_strip(p) ? worst_in_strip : worst_i;
    worst = std::max(worst, error_i);
  }
  std::printf("%zu points: e^z K %.1e, e^-|Re z| I %.1e, in the strip %.1e\n", all.size(), worst_k,
              worst_i, worst_in_strip);
}

TEST(BesselComplex, IsScaledAsStated) {
  const std::vector<double> nu = {0.3, 2, 7.5, -1.5}, x = {0.5, 3, -2, 1}, y = {1, -4, 0.5, 2};
  const std::vector<Number> k = evaluate(ComplexForm::k, nu, x, y),
                            k_scaled = evaluate(ComplexForm::k_scaled, nu, x, y),
                            i = evaluate(ComplexForm::i, nu, x, y),
                            i_scaled = evaluate(ComplexForm::i_scaled, nu, x, y);
  for (std::size_t at = 0; at < nu.size(); ++at) {
    const Number z(x[at], y[at]);
    EXPECT_LE(std::abs(k[at] * std::exp(z) / k_scaled[at] - 1.0), 1e-14) << at;
    EXPECT_LE(std::abs(i[at] * std::exp(-std::abs(z.real())) / i_scaled[at] - 1.0), 1e-14) << at;
  }
}

TEST(BesselComplex, AgreesWithRealArguments) {
  std::vector<double> nu, x;
  for (const double order : {0.0, 0.3, 4.5, 40.0, 150.0}) {
    for (const double at : {1e-5, 0.05, 0.7, 9.0, 70.0, 400.0}) {
      nu.push_back(order);
      x.push_back(at);
    }
  }
  const std::vector<Number> k = evaluate(ComplexForm::k_scaled, nu, x,
                                         std::vector<double>(x.size())),
                            i = evaluate(ComplexForm::i_scaled, nu, x,
                                         std::vector<double>(x.size()));
  for (std::size_t at = 0; at < x.size(); ++at) {
    if (const double expected = bessel_k_scaled(nu[at], x[at]); std::isfinite(expected)) {
      EXPECT_NEAR(k[at].real() / expected, 1, 1e-14) << nu[at] << ", " << x[at];
      EXPECT_NEAR(k[at].imag() / expected, 0, 1e-14);
    }
    if (const double expected = bessel_i_scaled(nu[at], x[at]); expected > 1e-300) {
      EXPECT_NEAR(i[at].real() / expected, 1, 1e-14) << nu[at] << ", " << x[at];
    }
  }
}

TEST(BesselComplex, HasItsSymmetriesAndItsCut) {
  const std::vector<double> nu = {0.7, 0.7, 0.7, 0.7}, x = {-2, -2, 1, 1}, y = {0.0, -0.0, 3, -3};
  const std::vector<Number> k = evaluate(ComplexForm::k, nu, x, y);
  // from above and from below the negative real axis
  EXPECT_EQ(k[0], std::conj(k[1]));
  EXPECT_LT(k[0].imag(), 0);
  EXPECT_EQ(k[2], std::conj(k[3]));
  // K_{1/2}(i y) = sqrt(pi / (2 i y)) e^(-i y)
  const Number half = evaluate(ComplexForm::k, {0.5}, {0}, {2.5})[0],
               closed =
                   std::sqrt(std::acos(-1.0) / (2.0 * Number(0, 2.5))) * std::exp(Number(0, -2.5));
  EXPECT_LE(std::abs(half / closed - 1.0), 1e-15);
}

TEST(BesselComplex, TakesSpecialArguments) {
  const std::vector<double> nu = {kNaN, 201, 1, 1, 1, 0, 2, -1.5, -2},
                            x = {1, 1, kNaN, kInfinity, 1e31, 0, 0, 0, 0},
                            y = {1, 1, 1, 0, 0, 0, 0, 0, 0};
  const std::vector<Number> k = evaluate(ComplexForm::k, nu, x, y),
                            i = evaluate(ComplexForm::i, nu, x, y);
  for (int at = 0; at < 5; ++at) {
    EXPECT_TRUE(std::isnan(k[at].real()) && std::isnan(k[at].imag())) << at;
    EXPECT_TRUE(std::isnan(i[at].real()) && std::isnan(i[at].imag())) << at;
  }
  for (int at = 5; at < 9; ++at) EXPECT_EQ(k[at].real(), kInfinity) << at;
  EXPECT_EQ(i[5], Number(1, 0));
  EXPECT_EQ(i[6], Number(0, 0));
  EXPECT_TRUE(std::isnan(i[7].real()));
  EXPECT_EQ(i[8], Number(0, 0));
}

TEST(BesselComplex, NamesWhatIsWrong) {
  const Values<double> three("three", 3), four("four", 4);
  EXPECT_THROW(bessel_complex(Exec(), ComplexForm::k, four, three, three, three, three), Error);
  EXPECT_NO_THROW(bessel_complex(Exec(), ComplexForm::k, three, three, three, three, three));
}

}  // namespace
}  // namespace tessera::bessel
