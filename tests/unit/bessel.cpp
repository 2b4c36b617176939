// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/bessel/bessel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tessera/bessel/batch.hpp"
#include "tessera/core/device/hardware.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/hexadecimal.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/bessel_device.hpp"

namespace tessera::bessel {
namespace {

using Exec = test::ExecSpace;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class Real>
struct HostResults {
  std::vector<Real> k, k_scaled, log_k, dlog_k_dx, dlog_k_dnu;
};

/// Returns everything that the batched call gives, on the device.
template <class Real>
HostResults<Real> everything(const std::vector<Real>& nu, const std::vector<Real>& x) {
  const auto room = [&] { return Values<Real>("room", x.size()); };
  const BesselResults<Values<Real>> results{room(), room(), room(), room(), room()};
  bessel_k(Exec(), to_device(nu), to_device(x), results);
  return {to_host(results.k), to_host(results.k_scaled), to_host(results.log_k),
          to_host(results.dlog_k_dx), to_host(results.dlog_k_dnu)};
}

struct Point {
  double nu, x, k_scaled, log_k, log_k_rest, dlog_dx, dlog_dnu;
};

const std::vector<Point>& points() {
  static const std::vector<Point> all = [] {
    std::vector<Point> rows;
    for (const auto& row :
         test::read_hexadecimal_rows(std::string(test::kDataDirectory) + "/bessel/bessel_k.csv")) {
      rows.push_back({row.at(0), row.at(1), row.at(2), row.at(3), row.at(4), row.at(5), row.at(6)});
    }
    return rows;
  }();
  return all;
}

struct Regime {
  std::string name;
  bool (*holds)(const Point&);
  double scaled, log_k, dlog_dx, dlog_dnu;  ///< bounds of the errors
};

/// Processors without fused multiply-add round twice in the recurrence.
constexpr double kRounding = TESSERA_HAS_FMA ? 1 : 2;

/// The bounds that models/bessel/README.md states. log K: relative to 4e-15 max(1, |log K|) +
/// 2e-14.
const std::vector<Regime> kRegimes = {
    {"nu <= 20, 0.1 <= x <= 140",
     [](const Point& p) { return p.nu <= 20 && p.x >= 0.1 && p.x <= 140; }, 5e-15, 0.3, 2e-15,
     1e-14},
    {"nu <= 20, 1e-8 <= x < 0.1",
     [](const Point& p) { return p.nu <= 20 && p.x >= 1e-8 && p.x < 0.1; }, 5e-15, 0.3, 2e-15,
     1e-14},
    {"nu <= 20, x < 1e-8", [](const Point& p) { return p.nu <= 20 && p.x < 1e-8; }, 5e-15, 0.3,
     2e-15, 1e-14},
    {"20 < nu < 60, x <= 140", [](const Point& p) { return p.nu > 20 && p.nu < 60 && p.x <= 140; },
     kRounding * 5e-15, kRounding * 0.3, 2e-15, 1e-14},
    {"nu < 60, x > 140", [](const Point& p) { return p.nu < 60 && p.x > 140; }, kRounding * 2e-15,
     kRounding * 0.3, 2e-15, 1e-14},
    {"nu >= 60", [](const Point& p) { return p.nu >= 60; }, 2e-15, 0.3, 2e-15, 2e-15},
};

TEST(BesselK, IsAsGoodAsStated) {
  std::vector<double> nu, x;
  for (const Point& p : points()) {
    nu.push_back(p.nu);
    x.push_back(p.x);
  }
  ASSERT_GT(x.size(), 1000u);
  const HostResults<double> results = everything(nu, x);
  for (const Regime& regime : kRegimes) {
    double scaled = 0, log_k = 0, dx = 0, dnu = 0;
    int count = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Point& p = points()[i];
      if (!regime.holds(p)) continue;
      ++count;
      const std::string where = "nu = " + std::to_string(p.nu) + ", x = " + std::to_string(p.x);
      if (std::isinf(p.k_scaled)) {
        EXPECT_GT(results.k_scaled[i], 1e307) << where;
      } else {
        const double error = std::abs(results.k_scaled[i] / p.k_scaled - 1);
        EXPECT_LE(error, regime.scaled) << where;
        scaled = std::max(scaled, error);
      }
      if (p.x == 1e-310) {  // nu / x is beyond the numbers
        EXPECT_EQ(results.dlog_k_dx[i], -kInfinity) << where;
        continue;
      }
      const double log_error = std::abs((results.log_k[i] - p.log_k) - p.log_k_rest) /
                               (4e-15 * std::max(1.0, std::abs(p.log_k)) + 2e-14);
      EXPECT_LE(log_error, regime.log_k) << where;
      log_k = std::max(log_k, log_error);
      const double dx_error = std::abs(results.dlog_k_dx[i] / p.dlog_dx - 1);
      EXPECT_LE(dx_error, regime.dlog_dx) << where;
      dx = std::max(dx, dx_error);
      const double dnu_difference = std::abs(results.dlog_k_dnu[i] - p.dlog_dnu);
      if (p.nu >= 0.1) {
        EXPECT_LE(dnu_difference, regime.dlog_dnu * std::abs(p.dlog_dnu)) << where;
        dnu = std::max(dnu, dnu_difference / std::abs(p.dlog_dnu));
      } else {
        EXPECT_LE(dnu_difference, 1e-12) << where;
      }
      if (p.log_k > -700 && p.log_k < 700) {
        EXPECT_NEAR(std::log(results.k[i]), p.log_k, 5e-14 + 1e-15 * std::abs(p.log_k)) << where;
      }
    }
    EXPECT_GT(count, 10) << regime.name;
    std::printf(
        "%-26s %4d points: e^x K %.1e, log K %.2f of its bound, dlogK/dx %.1e, dlogK/dnu %.1e\n",
        regime.name.c_str(), count, scaled, log_k, dx, dnu);
  }
}

TEST(BesselK, IsGoodInSinglePrecision) {
  double worst = 0, worst_anywhere = 0;
  std::vector<float> nu, x;
  std::vector<double> reference;
  for (const Point& p : points()) {
    const auto n = static_cast<float>(p.nu), a = static_cast<float>(p.x);
    const double k = bessel_k_scaled<double>(n, a);  // of the rounded arguments
    if (n > kMaxOrderInFloat || a < 1e-30F || k > 1e37 || k < 1e-37) continue;
    nu.push_back(n);
    x.push_back(a);
    reference.push_back(k);
  }
  const HostResults<float> results = everything(nu, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = std::abs(static_cast<double>(results.k_scaled[i]) / reference[i] - 1);
    EXPECT_LE(error, nu[i] <= 20 && x[i] >= 1e-8F ? 2e-6 : 5e-6) << nu[i] << ", " << x[i];
    worst_anywhere = std::max(worst_anywhere, error);
    if (nu[i] <= 20 && x[i] >= 1e-8F) worst = std::max(worst, error);
    EXPECT_NEAR(results.log_k[i], std::log(reference[i]) - static_cast<double>(x[i]),
                3e-6 + 5e-7 * std::abs(std::log(reference[i]) - static_cast<double>(x[i])))
        << nu[i] << ", " << x[i];
  }
  std::printf("float: %.1e, anywhere %.1e\n", worst, worst_anywhere);
}

/// The functions of one value, each of which evaluates what it needs.
struct OneByOne {
  Values<double> nu, x;
  Kokkos::View<double* [8], Exec> out;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    out(i, 0) = bessel_k(nu(i), x(i));
    out(i, 1) = bessel_k_scaled(nu(i), x(i));
    out(i, 2) = log_bessel_k(nu(i), x(i));
    out(i, 3) = bessel_k_dx(nu(i), x(i));
    out(i, 4) = bessel_k_dnu(nu(i), x(i));
    out(i, 5) = dlog_bessel_k_dx(nu(i), x(i));
    out(i, 6) = dlog_bessel_k_dnu(nu(i), x(i));
    out(i, 7) = bessel_k_all(nu(i), x(i)).k;
  }
};

TEST(BesselK, GivesOneValueAsWellAsAll) {
  std::vector<double> nu, x;
  std::vector<Point> chosen;
  for (const Point& p : points()) {
    if (p.nu < 0.1 || p.nu > 20 || p.x < 0.1 || p.x > 140) continue;
    chosen.push_back(p);
    nu.push_back(p.nu);
    x.push_back(p.x);
  }
  ASSERT_GT(chosen.size(), 100u);
  const Kokkos::View<double* [8], Exec> out("out", x.size());
  Kokkos::parallel_for("one_by_one", Kokkos::RangePolicy<Exec>(0, static_cast<int>(x.size())),
                       OneByOne{to_device(nu), to_device(x), out});
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Point& p = chosen[i];
    const std::string where = "nu = " + std::to_string(p.nu) + ", x = " + std::to_string(p.x);
    const double k = p.k_scaled * std::exp(-p.x), tolerance = 2e-14 + 1e-15 * std::abs(p.x);
    const double expected[8] = {k,         p.k_scaled, p.log_k, k * p.dlog_dx, k * p.dlog_dnu,
                                p.dlog_dx, p.dlog_dnu, k};
    for (int j = 0; j < 8; ++j) {
      EXPECT_NEAR(found(i, j), expected[j],
                  tolerance * std::abs(expected[j]) + (j == 2 ? 2e-14 : 0))
          << where << ", function " << j;
    }
  }
}

TEST(BesselK, HasTheClosedFormsOfHalfIntegers) {
  std::vector<double> x;
  for (int i = 0; i < 600; ++i) x.push_back(std::pow(10.0, -6 + 9.0 * i / 600));
  const HostResults<double> half = everything(std::vector<double>(x.size(), 0.5), x),
                            three_halves = everything(std::vector<double>(x.size(), 1.5), x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double k = std::sqrt(std::acos(-1.0) / (2 * x[i]));
    EXPECT_NEAR(half.k_scaled[i] / k, 1, 5e-15) << x[i];
    EXPECT_NEAR(three_halves.k_scaled[i] / (k * (1 + 1 / x[i])), 1, 5e-15) << x[i];
    EXPECT_NEAR(half.dlog_k_dx[i] / (-1 - 0.5 / x[i]), 1, 2e-15) << x[i];
  }
}

struct Value {
  double nu, x, value;
};

/// The exact values are those of mpmath, with 80 digits.
TEST(BesselK, DerivativeInTheOrderKeepsItsDigitsNextToZero) {
  const std::vector<Value> exact = {
      {0.001, 1e-300, 154.26845267070067},     {0.001, 1e-10, 0.18011795244791192},
      {0.001, 0.0999, 0.0032764659896820975},  {0.001, 0.1, 0.0032747377152501931},
      {0.001, 0.5, 0.0012230587485206558},     {0.001, 3.0, 0.00029127402388084587},
      {1e-06, 1e-300, 0.15911197494128118},    {1e-06, 1e-10, 0.00018012433688527612},
      {1e-06, 0.0999, 3.2764673405174956e-6},  {1e-06, 0.1, 3.2747390644388801e-6},
      {1e-06, 0.5, 1.2230588758697289e-6},     {1e-06, 3.0, 2.9127402685275003e-7},
      {1e-08, 1e-300, 0.0015911198000399483},  {1e-08, 1e-10, 1.8012433689166026e-6},
      {1e-08, 0.0999, 3.2764673405188465e-8},  {1e-08, 0.1, 3.2747390644402294e-8},
      {1e-08, 0.5, 1.2230588758698563e-8},     {1e-08, 3.0, 2.9127402685275302e-9},
      {1e-10, 1e-300, 1.591119800045011e-5},   {1e-10, 1e-10, 1.8012433689166091e-8},
      {1e-10, 0.0999, 3.2764673405188467e-10}, {1e-10, 0.1, 3.2747390644402296e-10},
      {1e-10, 0.5, 1.2230588758698563e-10},    {1e-10, 3.0, 2.9127402685275302e-11},
      {1e-12, 1e-300, 1.5911198000450114e-7},  {1e-12, 1e-10, 1.801243368916609e-10},
      {1e-12, 0.0999, 3.2764673405188465e-12}, {1e-12, 0.1, 3.2747390644402294e-12},
      {1e-12, 0.5, 1.2230588758698562e-12},    {1e-12, 3.0, 2.9127402685275301e-13},
      {1e-15, 1e-300, 1.5911198000450116e-10}, {1e-15, 1e-10, 1.8012433689166091e-13},
      {1e-15, 0.0999, 3.2764673405188468e-15}, {1e-15, 0.1, 3.2747390644402297e-15},
      {1e-15, 0.5, 1.2230588758698564e-15},    {1e-15, 3.0, 2.9127402685275303e-16}};
  std::vector<double> nu, x;
  for (const Value& e : exact) {
    nu.push_back(e.nu);
    x.push_back(e.x);
  }
  const std::vector<double> found = everything(nu, x).dlog_k_dnu;
  for (std::size_t i = 0; i < exact.size(); ++i)
    EXPECT_NEAR(found[i] / exact[i].value, 1, 1e-13) << nu[i] << ", " << x[i];
}

/// K is finite where a factor of it is not: by mpmath, and in single precision by double.
TEST(BesselK, IsScaledLast) {
  const std::vector<Value> exact = {
      {100, 30, 1.2131584253026667e+37},
      {200, 174, 1.4296735669617136e-31},
      {180.37593984962405, 2.5781841470274154, 4.9847160994443466e+307},
      {200, 100, 1.6024474938521742e+27},
      {199.5, 180, 1.0290179261166961e-35}};
  for (const Value& e : exact) {
    EXPECT_NEAR(everything<double>({e.nu}, {e.x}).k[0] / e.value, 1, 2e-14) << e.nu;
    const float nu = static_cast<float>(e.nu), x = static_cast<float>(e.x);
    if (nu == e.nu && x == e.x)
      EXPECT_NEAR(everything<float>({nu}, {x}).k[0] / e.value, 1, kRounding * 5e-6) << e.nu;
  }
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform;
  std::vector<float> nu, x;
  std::vector<double> wide_nu, wide_x;
  for (int i = 0; i < 40000; ++i) {
    nu.push_back(static_cast<float>(200 * uniform(random)));
    x.push_back(static_cast<float>(std::pow(10.0, -37 + 39.3 * uniform(random))));
    wide_nu.push_back(nu.back());
    wide_x.push_back(x.back());
  }
  const HostResults<float> single = everything(nu, x);
  const HostResults<double> reference = everything(wide_nu, wide_x);
  const auto compare = [&](float found, double exact, std::size_t i) {
    const std::string where = std::to_string(nu[i]) + ", " + std::to_string(x[i]);
    if (exact > 3.4029e38) EXPECT_EQ(found, std::numeric_limits<float>::infinity()) << where;
    if (exact < 3.4027e38 && exact > 1.2e-38)
      EXPECT_NEAR(found / exact, 1, kRounding * 5e-6) << where;
    if (exact < 1e-46) EXPECT_EQ(found, 0) << where;
  };
  for (std::size_t i = 0; i < nu.size(); ++i) {
    compare(single.k[i], reference.k[i], i);
    compare(single.k_scaled[i], reference.k_scaled[i], i);
    if (reference.log_k[i] < 700 && reference.log_k[i] > -700)
      EXPECT_NEAR(std::log(reference.k[i]), reference.log_k[i],
                  5e-14 + 1e-15 * std::abs(reference.log_k[i]))
          << nu[i] << ", " << x[i];
  }
}

TEST(BesselK, TakesSpecialArguments) {
  const std::vector<double> nu = {1.3,   1.3, 1.3, 1.3, 1.3,  kNaN, kInfinity,
                                  1.1e6, 0,   0,   2.5, -1.3, 1.3,  7};
  const std::vector<double> x = {0.0, -0.0, kInfinity, -1,    kNaN, 1, 1,
                                 1,   0,    kInfinity, 1e300, 2,    2, 5e-324};
  const HostResults<double> r = everything(nu, x);
  for (const int i : {0, 1, 8}) {
    EXPECT_EQ(r.k[i], kInfinity) << i;
    EXPECT_EQ(r.k_scaled[i], kInfinity) << i;
    EXPECT_EQ(r.log_k[i], kInfinity) << i;
    EXPECT_EQ(r.dlog_k_dx[i], -kInfinity) << i;
  }
  for (const int i : {2, 9}) {
    EXPECT_EQ(r.k[i], 0) << i;
    EXPECT_EQ(r.k_scaled[i], 0) << i;
    EXPECT_EQ(r.log_k[i], -kInfinity) << i;
    EXPECT_EQ(r.dlog_k_dx[i], -1) << i;
    EXPECT_EQ(r.dlog_k_dnu[i], 0) << i;
  }
  for (const int i : {3, 4, 5, 6, 7}) {
    EXPECT_TRUE(std::isnan(r.k[i]) && std::isnan(r.k_scaled[i]) && std::isnan(r.log_k[i]) &&
                std::isnan(r.dlog_k_dx[i]) && std::isnan(r.dlog_k_dnu[i]))
        << i;
  }
  EXPECT_NEAR(r.k_scaled[10] / std::sqrt(std::acos(-1.0) / 2e300), 1, 1e-15);
  EXPECT_EQ(r.k[11], r.k[12]);
  EXPECT_EQ(r.dlog_k_dx[11], r.dlog_k_dx[12]);
  EXPECT_EQ(r.dlog_k_dnu[11], -r.dlog_k_dnu[12]);  // K is even in the order
  EXPECT_EQ(r.k[13], kInfinity);
  // Gamma(7) / 2 (2/x)^7
  EXPECT_NEAR(r.log_k[13], std::log(360.0) + 7 * (std::log(2.0) - std::log(5e-324)), 1e-11);
}

TEST(BesselBatch, ComputesWhatIsAskedFor) {
  const std::vector<double> x = {0.01, 0.5, 3, 700};
  const Values<double> log_k("log_k", x.size());
  BesselResults<Values<double>> results;
  results.log_k = log_k;
  bessel_k(Exec(), 2.75, to_device(x), results);
  const std::vector<double> all = to_host(log_k);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(all[i], log_bessel_k(2.75, x[i]), 1e-14 * std::abs(all[i])) << x[i];
}

TEST(BesselBatch, NamesWhatIsWrong) {
  const Values<double> three("three", 3), four("four", 4);
  BesselResults<Values<double>> results;
  results.k = three;
  EXPECT_THROW(bessel_k(Exec(), 1.0, four, results), Error);
  EXPECT_THROW(bessel_k(Exec(), three, four, results), Error);
  EXPECT_NO_THROW(bessel_k(Exec(), three, three, results));
}

}  // namespace
}  // namespace tessera::bessel
