// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "tessera/bessel/instances.hpp"
#include "tessera/core/error.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/hexadecimal.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/bessel_device.hpp"

namespace tessera::bessel {
namespace {

using Exec = test::ExecSpace;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallest = std::numeric_limits<double>::min();

template <class Real>
struct HostResults {
  std::vector<Real> i, i_scaled, log_i, dlog_i_dx, dlog_i_dnu;
};

/// Returns everything that the batched call gives, on the device.
template <class Real>
HostResults<Real> everything(const std::vector<Real>& nu, const std::vector<Real>& x) {
  const auto room = [&] { return Values<Real>("room", x.size()); };
  const BesselIResults<Values<Real>> results{room(), room(), room(), room(), room()};
  bessel_i(Exec(), to_device(nu), to_device(x), results);
  return {to_host(results.i), to_host(results.i_scaled), to_host(results.log_i),
          to_host(results.dlog_i_dx), to_host(results.dlog_i_dnu)};
}

struct Point {
  double nu, x, i_scaled, log_i, log_i_rest, dlog_dx, condition, dlog_dnu;
  double w() const { return std::hypot(nu, x); }
};

const std::vector<Point>& points() {
  static const std::vector<Point> all = [] {
    std::vector<Point> rows;
    for (const auto& row :
         test::read_hexadecimal_rows(std::string(test::kDataDirectory) + "/bessel/bessel_i.csv")) {
      rows.push_back(
          {row.at(0), row.at(1), row.at(2), row.at(3), row.at(4), row.at(5), row.at(6), row.at(7)});
    }
    return rows;
  }();
  return all;
}

HostResults<double> everything_at_points() {
  std::vector<double> nu, x;
  for (const Point& p : points()) {
    nu.push_back(p.nu);
    x.push_back(p.x);
  }
  return everything(nu, x);
}

struct Regime {
  std::string name;
  bool (*holds)(const Point&);
  double scaled, log_i, dlog_dx;  ///< bounds of the errors; log I: of max(1, |log I|)
  double dlog_dnu = 4e-15;        ///< of max(1, |dlogI/dnu|)
};

/// The bounds that tessera/bessel/bessel.hpp states.
const std::vector<Regime> kRegimes = {
    {"w < 25", [](const Point& p) { return p.nu >= 0 && p.w() < 25; }, 3e-15, 2e-15, 3e-15},
    {"25 <= w < 200", [](const Point& p) { return p.nu >= 0 && p.w() >= 25 && p.w() < 200; }, 3e-15,
     2e-15, 3e-15},
    {"200 <= w", [](const Point& p) { return p.nu >= 0 && p.w() >= 200; }, 3e-15, 2e-15, 3e-15},
};

TEST(BesselI, IsAsGoodAsStated) {
  const HostResults<double> results = everything_at_points();
  ASSERT_GT(points().size(), 800u);
  for (const Regime& regime : kRegimes) {
    double scaled = 0, log_i = 0, dx = 0, dnu = 0;
    int count = 0;
    for (std::size_t i = 0; i < points().size(); ++i) {
      const Point& p = points()[i];
      if (!regime.holds(p)) continue;
      ++count;
      const std::string where = "nu = " + std::to_string(p.nu) + ", x = " + std::to_string(p.x);
      if (p.i_scaled >= kSmallest) {
        const double error = std::abs(results.i_scaled[i] / p.i_scaled - 1);
        EXPECT_LE(error, regime.scaled) << where;
        scaled = std::max(scaled, error);
      } else {
        EXPECT_NEAR(results.i_scaled[i], p.i_scaled, 5e-324) << where;
      }
      const double log_error =
          std::abs((results.log_i[i] - p.log_i) - p.log_i_rest) / std::max(1.0, std::abs(p.log_i));
      EXPECT_LE(log_error, regime.log_i) << where;
      log_i = std::max(log_i, log_error);
      if (std::isinf(p.dlog_dx)) {  // nu / x, next to x = 0
        EXPECT_EQ(results.dlog_i_dx[i], p.dlog_dx) << where;
      } else {
        const double dx_error = std::abs(results.dlog_i_dx[i] / p.dlog_dx - 1);
        EXPECT_LE(dx_error, regime.dlog_dx) << where;
        dx = std::max(dx, dx_error);
      }
      const double dnu_error =
          std::abs(results.dlog_i_dnu[i] - p.dlog_dnu) / std::max(1.0, std::abs(p.dlog_dnu));
      EXPECT_LE(dnu_error, regime.dlog_dnu) << where;
      dnu = std::max(dnu, dnu_error);
      if (p.log_i > 710) {
        EXPECT_EQ(results.i[i], kInfinity) << where;
      } else if (p.log_i < -746) {
        EXPECT_EQ(results.i[i], 0) << where;
      } else if (p.log_i > -700 && p.log_i < 700) {
        EXPECT_NEAR(std::log(results.i[i]), p.log_i, 3e-15 * std::max(1.0, std::abs(p.log_i)))
            << where;
      }
    }
    EXPECT_GT(count, 100) << regime.name;
    std::printf("%-16s %4d points: e^-x I %.1e, log I %.1e, dlogI/dx %.1e, dlogI/dnu %.1e\n",
                regime.name.c_str(), count, scaled, log_i, dx, dnu);
  }
}

TEST(BesselI, ReflectsNegativeOrders) {
  const HostResults<double> results = everything_at_points();
  double worst = 0, worst_log = 0, worst_slope = 0, worst_order = 0;
  int count = 0;
  for (std::size_t i = 0; i < points().size(); ++i) {
    const Point& p = points()[i];
    if (p.nu >= 0) continue;
    ++count;
    const std::string where = "nu = " + std::to_string(p.nu) + ", x = " + std::to_string(p.x);
    const double error = std::abs(results.i_scaled[i] / p.i_scaled - 1) / p.condition;
    EXPECT_LE(error, 5e-15) << where;
    worst = std::max(worst, error);
    EXPECT_EQ(std::isnan(results.log_i[i]), p.i_scaled < 0) << where;
    if (p.i_scaled > 0) {
      const double log_error =
          std::abs(results.log_i[i] - p.log_i) / (p.condition * std::max(1.0, std::abs(p.log_i)));
      EXPECT_LE(log_error, 3e-15) << where;
      worst_log = std::max(worst_log, log_error);
    }
    const double slope_error = std::abs(results.dlog_i_dx[i] - p.dlog_dx) /
                               (p.condition * (std::abs(p.dlog_dx) + std::abs(p.nu) / p.x + 1));
    EXPECT_LE(slope_error, 1e-14) << where;
    worst_slope = std::max(worst_slope, slope_error);
    const double order_error = std::abs(results.dlog_i_dnu[i] - p.dlog_dnu) /
                               (p.condition * std::max(1.0, std::abs(p.dlog_dnu)));
    EXPECT_LE(order_error, 2e-14) << where << ", " << p.dlog_dnu;
    worst_order = std::max(worst_order, order_error);
  }
  EXPECT_GT(count, 80);
  std::printf(
      "nu < 0           %4d points: e^-x I %.1e, log I %.1e, dlogI/dx %.1e, dlogI/dnu %.1e\n",
      count, worst, worst_log, worst_slope, worst_order);
}

/// I_nu K_{nu+1} + I_{nu+1} K_nu = 1/x, from two functions that share nothing where w < 25.
TEST(BesselI, HasTheWronskianWithK) {
  for (double nu = 0; nu < 40; nu += 0.375) {
    for (double x = 1e-3; x < 200; x *= 1.31) {
      const double wronskian = x * (bessel_i_scaled(nu, x) * bessel_k_scaled(nu + 1, x) +
                                    bessel_i_scaled(nu + 1, x) * bessel_k_scaled(nu, x));
      EXPECT_NEAR(wronskian, 1, 1e-14) << nu << ", " << x;
    }
  }
}

/// The functions of one value, each of which evaluates what it needs.
struct OneByOne {
  Values<double> nu, x;
  Kokkos::View<double* [8], Exec> out;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    out(i, 0) = bessel_i(nu(i), x(i));
    out(i, 1) = bessel_i_scaled(nu(i), x(i));
    out(i, 2) = log_bessel_i(nu(i), x(i));
    out(i, 3) = dlog_bessel_i_dx(nu(i), x(i));
    out(i, 4) = bessel_i_dx(nu(i), x(i));
    out(i, 5) = bessel_i_all(nu(i), x(i)).log_i;
    out(i, 6) = dlog_bessel_i_dnu(nu(i), x(i));
    out(i, 7) = bessel_i_dnu(nu(i), x(i));
  }
};

TEST(BesselI, GivesOneValueAsWellAsAll) {
  const std::vector<double> nu = {0, 0.5, 3.25, 12, 24.9, 100, 1e5, -2.5},
                            x = {1, 7, 0.01, 20, 30, 60, 1.2e5, 3};
  const Kokkos::View<double* [8], Exec> out("out", x.size());
  Kokkos::parallel_for("one_by_one", Kokkos::RangePolicy<Exec>(0, static_cast<int>(x.size())),
                       OneByOne{to_device(nu), to_device(x), out});
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  const HostResults<double> all = everything(nu, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(found(i, 0), all.i[i]) << i;
    EXPECT_EQ(found(i, 1), all.i_scaled[i]) << i;
    EXPECT_EQ(found(i, 2), all.log_i[i]) << i;
    EXPECT_EQ(found(i, 3), all.dlog_i_dx[i]) << i;
    EXPECT_EQ(found(i, 4), all.i[i] * all.dlog_i_dx[i]) << i;
    EXPECT_EQ(found(i, 5), all.log_i[i]) << i;
    EXPECT_EQ(found(i, 6), all.dlog_i_dnu[i]) << i;
    EXPECT_EQ(found(i, 7), all.i[i] * all.dlog_i_dnu[i]) << i;
  }
}

TEST(BesselI, RoundsToSinglePrecision) {
  std::vector<float> nu, x;
  std::vector<double> wide_nu, wide_x;
  for (const Point& p : points()) {
    if (p.x < 1e-37 || p.x > 1e38) continue;
    nu.push_back(static_cast<float>(p.nu));
    x.push_back(static_cast<float>(p.x));
    wide_nu.push_back(nu.back());
    wide_x.push_back(x.back());
  }
  const HostResults<float> single = everything(nu, x);
  const HostResults<double> reference = everything(wide_nu, wide_x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::string where = std::to_string(nu[i]) + ", " + std::to_string(x[i]);
    if (reference.i_scaled[i] < 1.2e-38) continue;
    EXPECT_EQ(single.i_scaled[i], static_cast<float>(reference.i_scaled[i])) << where;
    EXPECT_EQ(single.log_i[i], static_cast<float>(reference.log_i[i])) << where;
  }
}

TEST(BesselI, TakesSpecialArguments) {
  const std::vector<double> nu = {kNaN, 1, 1,   1.5, 2e6,       -2e6, 0, 2.5, -3,   -0.5,
                                  -1.5, 0, 2.5, 0.5, kInfinity, 0,    3, 1e6, 1e-9, 2},
                            x = {1, kNaN, -1,     -1,     1,         1,         0,
                                 0, 0,    0,      0,      kInfinity, kInfinity, 1e300,
                                 1, -0.0, 5e-324, 5e-324, 5e-324,    1e31};
  const HostResults<double> r = everything(nu, x);
  for (const int i : {0, 1, 2, 3, 4, 5, 14})
    EXPECT_TRUE(std::isnan(r.i[i]) && std::isnan(r.i_scaled[i]) && std::isnan(r.log_i[i]) &&
                std::isnan(r.dlog_i_dx[i]) && std::isnan(r.dlog_i_dnu[i]))
        << i;
  for (const int i : {6, 15}) {
    EXPECT_EQ(r.i[i], 1);
    EXPECT_EQ(r.i_scaled[i], 1);
    EXPECT_EQ(r.log_i[i], 0);
    EXPECT_EQ(r.dlog_i_dx[i], 0);
  }
  for (const int i : {7, 8}) {
    EXPECT_EQ(r.i[i], 0) << i;
    EXPECT_EQ(r.i_scaled[i], 0) << i;
    EXPECT_EQ(r.log_i[i], -kInfinity) << i;
    EXPECT_EQ(r.dlog_i_dx[i], kInfinity) << i;
    EXPECT_EQ(r.dlog_i_dnu[i], i == 7 ? -kInfinity : kInfinity) << i;
  }
  EXPECT_EQ(r.i[9], kInfinity);
  EXPECT_EQ(r.log_i[9], kInfinity);
  EXPECT_EQ(r.i[10], -kInfinity);
  EXPECT_TRUE(std::isnan(r.log_i[10]));
  for (const int i : {11, 12}) {
    EXPECT_EQ(r.i[i], kInfinity) << i;
    EXPECT_EQ(r.i_scaled[i], 0) << i;
    EXPECT_EQ(r.log_i[i], kInfinity) << i;
    EXPECT_EQ(r.dlog_i_dx[i], 1) << i;
    EXPECT_EQ(r.dlog_i_dnu[i], 0) << i;
  }
  EXPECT_NEAR(r.i_scaled[13] * std::sqrt(2 * std::acos(-1.0)) * 1e150, 1, 1e-15);
  EXPECT_EQ(r.i[16], 0);
  // (x/2)^3 / 6
  EXPECT_NEAR(r.log_i[16] / (3 * (std::log(5e-324) - std::log(2.0)) - std::log(6.0)), 1, 1e-15);
  EXPECT_NEAR(r.log_i[17] / (1e6 * (std::log(5e-324) - std::log(2.0)) - std::lgamma(1e6 + 1)), 1,
              1e-15);
  EXPECT_NEAR(r.i[18], 1 - 744.55572e-9, 1e-12);  // 1e-9 (log(x/2) + Euler's constant)
  EXPECT_NEAR(r.i_scaled[19] * std::sqrt(2 * std::acos(-1.0) * 1e31), 1, 1e-15);
}

TEST(BesselI, DoesNotJumpAtItsBorder) {
  for (int i = 0; i <= 90; ++i) {
    const double angle = i * std::acos(-1.0) / 180, w = 25;
    const double nu = w * std::cos(angle), x = w * std::sin(angle) + 1e-4;
    const detail::Exponential series = detail::power_series<true>(nu, x),
                              expansion = detail::UniformExpansion<true, true>(nu, x).first_kind();
    EXPECT_NEAR(series.value(x, true) / expansion.value(x, true), 1, 4e-15) << nu << ", " << x;
    EXPECT_NEAR(series.dlog_dx / expansion.dlog_dx, 1, 4e-15) << nu << ", " << x;
    EXPECT_NEAR(series.dlog_dnu, expansion.dlog_dnu, 8e-15) << nu << ", " << x;
  }
}

TEST(SphericalBessel, HasItsClosedForms) {
  for (double x = 1e-3; x < 700; x *= 1.7) {
    const double k0 = std::acos(-1.0) / 2 * std::exp(-x) / x, i0 = std::sinh(x) / x;
    EXPECT_NEAR(spherical_bessel_k(0, x) / k0, 1, 1e-14) << x;
    EXPECT_NEAR(spherical_bessel_k(1, x) / (k0 * (1 + 1 / x)), 1, 1e-14) << x;
    EXPECT_NEAR(spherical_bessel_i(0, x) / i0, 1, 1e-14) << x;
  }
  EXPECT_EQ(spherical_bessel_i(0, 0), 1);
  EXPECT_EQ(spherical_bessel_i(2, 0), 0);
  EXPECT_EQ(spherical_bessel_k(2, 0), kInfinity);
  EXPECT_TRUE(std::isnan(spherical_bessel_k(2, -1)) && std::isnan(spherical_bessel_i(2, -1)));
  // e^712 / 1424 is a number, and I_{1/2}(712) none
  EXPECT_NEAR(std::log(spherical_bessel_i(0, 712)), 712 - std::log(1424), 1e-12);
}

TEST(BesselIBatch, ComputesWhatIsAskedFor) {
  const std::vector<double> x = {0.01, 0.5, 3, 700};
  const Values<double> log_i("log_i", x.size());
  BesselIResults<Values<double>> results;
  results.log_i = log_i;
  bessel_i(Exec(), 2.75, to_device(x), results);
  const std::vector<double> all = to_host(log_i);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(all[i], log_bessel_i(2.75, x[i]), 2e-15 * std::max(1.0, std::abs(all[i]))) << x[i];
}

TEST(BesselIBatch, NamesWhatIsWrong) {
  const Values<double> three("three", 3), four("four", 4);
  BesselIResults<Values<double>> results;
  results.i = three;
  EXPECT_THROW(bessel_i(Exec(), 1.0, four, results), Error);
  EXPECT_THROW(bessel_i(Exec(), three, four, results), Error);
  EXPECT_NO_THROW(bessel_i(Exec(), three, three, results));
}

}  // namespace
}  // namespace tessera::bessel
