// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/boys/rys.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tessera/boys/batch.hpp"
#include "tessera/boys/variants.hpp"
#include "tessera/core/error.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/boys_reference.hpp"

namespace tessera::boys {

using Exec = test::ExecSpace;

template <class Real>
using Arguments = Kokkos::View<Real*, Exec>;
template <class Real>
using Results = Kokkos::View<Real**, Kokkos::LayoutRight, Exec>;

template <class Real>
Arguments<Real> to_device(const std::vector<Real>& values) {
  const Arguments<Real> device("values", values.size());
  Kokkos::deep_copy(device, Kokkos::View<const Real*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                values.data(), values.size()));
  return device;
}

/// Row i: the n roots and the n weights at x[i], computed on the device.
template <class Real>
auto evaluate(int n, const std::vector<Real>& x) {
  const Results<Real> results("results", x.size(), 2 * n);
  const auto columns = [&](int begin) {
    return Kokkos::subview(results, Kokkos::ALL, std::make_pair(begin, begin + n));
  };
  rys_batch(Exec(), n, to_device(x), columns(0), columns(n));
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), results);
}

/// The bound of the relative error that tessera/boys/rys.hpp promises.
template <class Real>
double bound(int n) {
  return sizeof(Real) == 4 ? 1e-7 : n <= 5 ? 1e-15 : n <= 20 ? 1e-14 : 5e-14;
}

using Row = std::vector<double>;  // x, n, the roots, the weights

template <class Real>
void expect_reference(int n, const std::vector<Row>& rows) {
  std::vector<Real> x;
  std::vector<Row> reference;
  for (const Row& row : rows) {
    const auto argument = static_cast<Real>(row[0]);
    // the reference holds for the number itself
    if (static_cast<int>(row[1]) != n || static_cast<double>(argument) != row[0]) continue;
    ASSERT_EQ(row.size(), 2 * static_cast<std::size_t>(n) + 2);
    x.push_back(argument);
    reference.push_back(row);
  }
  if (x.empty()) return;
  EXPECT_GE(x.size(), 10u);
  const auto results = evaluate(n, x);
  test::WorstError roots, weights;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int k = 0; k < n; ++k) {
      roots.add(static_cast<double>(x[i]), results(i, k), reference[i][2 + k]);
      weights.add(static_cast<double>(x[i]), results(i, n + k), reference[i][2 + n + k]);
    }
  }
  EXPECT_LE(roots.relative, bound<Real>(n)) << "n = " << n << ", x = " << roots.x_relative;
  EXPECT_LE(weights.relative, bound<Real>(n)) << "n = " << n << ", x = " << weights.x_relative;
  testing::Test::RecordProperty("roots_" + std::to_string(n),
                                std::to_string(roots.relative * 1e15));
  testing::Test::RecordProperty("weights_" + std::to_string(n),
                                std::to_string(weights.relative * 1e15));
}

template <class Real>
class RysQuadrature : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(RysQuadrature, Precisions);

// From 0 and the smallest number to 1e37, across the borders of intervals and of the limit.
TYPED_TEST(RysQuadrature, AgreesWithMultiprecision) {
  const std::vector<Row> rows =
      test::read_hexadecimal_rows(std::string(test::kDataDirectory) + "/boys/rys.csv");
  EXPECT_EQ(rows.size(), 13u * 21u);
  for (int n = 1; n <= kMaxRysOrder; ++n) expect_reference<TypeParam>(n, rows);
}

TYPED_TEST(RysQuadrature, EndsAtInfinity) {
  using Limits = std::numeric_limits<TypeParam>;
  for (int n = 1; n <= kMaxRysOrder; ++n) {
    const auto results = evaluate(
        n, std::vector<TypeParam>{Limits::infinity(), -Limits::denorm_min(), TypeParam(-1),
                                  -Limits::infinity(), Limits::quiet_NaN(), -TypeParam(0), 0});
    for (int k = 0; k < 2 * n; ++k) {
      EXPECT_EQ(results(0, k), 0) << "n = " << n;
      for (int i = 1; i <= 4; ++i) EXPECT_TRUE(std::isnan(results(i, k))) << "n = " << n;
      EXPECT_EQ(results(5, k), results(6, k)) << "n = " << n;
    }
  }
}

/// Expects sum_i w_i u_i^m = F_m(x) for m < 2n, and ascending roots in (0, 1).
void expect_quadrature(int n, const std::vector<double>& x) {
  const auto results = evaluate(n, x);
  double worst = 0, x_worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::vector<long double> F = boys::detail::boys_extended(2 * n - 1, x[i]);
    std::vector<long double> terms(n);
    for (int k = 0; k < n; ++k) {
      terms[k] = results(i, n + k);
      EXPECT_GT(results(i, n + k), 0) << "n = " << n << ", x = " << x[i];
      EXPECT_GT(results(i, k), k > 0 ? results(i, k - 1) : 0) << "n = " << n << ", x = " << x[i];
    }
    EXPECT_LT(results(i, n - 1), 1) << "n = " << n << ", x = " << x[i];
    for (int m = 0; m < 2 * n; ++m) {
      long double sum = 0;
      for (int k = 0; k < n; ++k) {
        sum += terms[k];
        terms[k] *= results(i, k);
      }
      const double error = static_cast<double>(std::abs(sum / F[m] - 1));
      if (!(error <= worst)) {
        worst = error;
        x_worst = x[i];
      }
    }
  }
  EXPECT_LE(worst, n <= 20 ? 1e-14 : 5e-14) << "n = " << n << ", x = " << x_worst;
}

TEST(Rys, IntegratesPowers) {
  std::mt19937_64 random(1976);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> x;
  for (int i = 0; i < 400; ++i) {
    x.push_back(i % 2 ? 160 * unit(random) : std::pow(10.0, 9 * unit(random) - 6));
  }
  for (int n = 1; n <= kMaxRysOrder; ++n) expect_quadrature(n, x);
}

/// Adds the borders up to `end` of intervals that divide each octave of x + shift into `parts`.
void add_octave_borders(int shift, int parts, double end, std::vector<double>& borders) {
  for (double at = shift; at - shift < end; at += std::exp2(std::floor(std::log2(at))) / parts)
    borders.push_back(at - shift);
}

TEST(Rys, IntegratesPowersAcrossItsBorders) {
  using detail::RysFits, detail::RysTables;
  for (int n = 1; n <= RysTables::max_order; ++n) {
    const double end = n <= RysFits::max_order ? RysFits::border : RysTables().border[n - 1];
    std::vector<double> borders = {end}, x;
    if (n <= RysFits::max_order) {
      add_octave_borders(RysFits::shift, RysFits::parts_of_octave, end, borders);
    } else {
      add_octave_borders(RysTables::shift, RysTables::parts_of_octave, end, borders);
      for (int part = 1; part <= RysTables::whole_parts; ++part)
        borders.push_back(end * part / RysTables::parts);
    }
    for (const double border : borders) {
      for (int steps = border > 0 ? -2 : 0; steps <= 2; ++steps)
        x.push_back(test::neighbour(border, steps));
    }
    expect_quadrature(n, x);
  }
}

template <int n, class Real>
struct EvaluateLongRange {
  Arguments<Real> x, omega;
  Results<Real> results;
  KOKKOS_FUNCTION void operator()(int i) const {
    Real roots[n], weights[n], F[2 * n];
    rys_erf<n>(x(i), Real(0.75), omega(i), roots, weights);
    boys_erf<2 * n - 1>(x(i), Real(0.75), omega(i), F);
    for (int m = 0; m < 2 * n; ++m) {
      Real sum = 0;
      for (int k = 0; k < n; ++k) {
        sum += weights[k];
        weights[k] *= roots[k];
      }
      results(i, m) = sum / F[m];
    }
  }
};

template <int n, class Real>
void expect_long_range() {
  const Arguments<Real> x("x", 40), omega("omega", 40);
  const auto h_x = Kokkos::create_mirror_view(x);
  const auto h_omega = Kokkos::create_mirror_view(omega);
  for (int i = 0; i < 40; ++i) {
    h_x(i) = static_cast<Real>(std::pow(10.0, i % 8 - 3.5));
    h_omega(i) = static_cast<Real>(std::pow(4.0, i / 8 - 2));
  }
  Kokkos::deep_copy(x, h_x);
  Kokkos::deep_copy(omega, h_omega);
  const Results<Real> results("results", 40, 2 * n);
  Kokkos::parallel_for("rys test", Kokkos::RangePolicy<Exec>(0, 40),
                       EvaluateLongRange<n, Real>{x, omega, results});
  const auto ratios = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), results);
  for (int i = 0; i < 40; ++i) {
    for (int m = 0; m < 2 * n; ++m) {
      EXPECT_NEAR(ratios(i, m), 1, sizeof(Real) == 8 ? 2e-14 : 4e-6)
          << "n = " << n << ", x = " << h_x(i) << ", omega = " << h_omega(i) << ", m = " << m;
    }
  }
}

TYPED_TEST(RysQuadrature, ServesTheLongRangeInteraction) {
  expect_long_range<1, TypeParam>();
  expect_long_range<4, TypeParam>();
  expect_long_range<7, TypeParam>();
}

/// s = omega^2 / (omega^2 + rho) where squares leave the numbers.
TEST(Rys, TakesAnyRange) {
  const auto shares = [](double rho, double omega) { return detail::range_shares(rho, omega); };
  EXPECT_EQ(shares(1, 1e200).square, 1);
  EXPECT_EQ(shares(1e200, 1e-170).square, 0);
  EXPECT_NEAR(shares(1e-320, 1e-170).square / 1e-20, 1, 1e-3);  // rho has three digits
  EXPECT_NEAR(shares(3e-320, 1e-160).square, 0.25, 1e-3);
  EXPECT_NEAR(shares(3e301, 1e151).rest, 3.0 / 13, 1e-15);
  EXPECT_EQ(shares(2, 0).square, 0);
  EXPECT_EQ(shares(2, 0).rest, 1);
  const auto single = detail::range_shares(1.0F, 1e20F);
  EXPECT_EQ(single.square, 1);
  EXPECT_NEAR(single.rest / 1e-40F, 1, 1e-4);
  EXPECT_TRUE(std::isnan(shares(NAN, 1).square));
}

/// Evaluates the quadrature of the short-range interaction, a row an argument.
template <int n, class Real>
struct EvaluateShortRange {
  Arguments<Real> x, rho, omega;
  Results<Real> results;
  KOKKOS_FUNCTION void operator()(int i) const {
    Real roots[n], weights[n];
    rys_erfc<n>(x(i), rho(i), omega(i), roots, weights);
    for (int k = 0; k < n; ++k) {
      results(i, k) = roots[k];
      results(i, n + k) = weights[k];
    }
  }
};

template <int n, class Real>
auto evaluate_short_range(const std::vector<Real>& x, const std::vector<Real>& rho,
                          const std::vector<Real>& omega) {
  const Results<Real> results("results", x.size(), 2 * n);
  Kokkos::parallel_for(
      "rys test", Kokkos::RangePolicy<Exec>(0, static_cast<int>(x.size())),
      EvaluateShortRange<n, Real>{to_device(x), to_device(rho), to_device(omega), results});
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), results);
}

/// Compares with the rows x, rho, omega, n, roots, weights of the reference that are of order n.
template <int n, class Real>
void expect_short_range(const std::vector<Row>& rows) {
  std::vector<Real> x, rho, omega;
  std::vector<Row> reference;
  for (const Row& row : rows) {
    const auto argument = static_cast<Real>(row[0]);
    if (static_cast<int>(row[3]) != n || static_cast<double>(argument) != row[0]) continue;
    x.push_back(argument);
    rho.push_back(static_cast<Real>(row[1]));
    omega.push_back(static_cast<Real>(row[2]));
    reference.push_back(row);
  }
  ASSERT_GE(x.size(), 40u);
  const auto results = evaluate_short_range<n, Real>(x, rho, omega);
  const double of_roots = sizeof(Real) == 8 ? 1e-14 : 1e-6,
               of_weights = sizeof(Real) == 8 ? 2e-14 : 1e-6;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double square = static_cast<double>(omega[i]) * static_cast<double>(omega[i]),
                 decay =
                     static_cast<double>(x[i]) * square / (square + static_cast<double>(rho[i]));
    for (int k = 0; k < n; ++k) {
      const double root = reference[i][4 + k], weight = reference[i][4 + n + k];
      EXPECT_NEAR(results(i, k), root, of_roots * root)
          << "n = " << n << ", x = " << x[i] << ", omega = " << omega[i];
      const double least = std::numeric_limits<Real>::min();
      EXPECT_NEAR(results(i, n + k), weight,
                  weight < least ? least : (of_weights + 3e-16 * decay) * weight)
          << "n = " << n << ", x = " << x[i] << ", omega = " << omega[i];
    }
  }
}

TYPED_TEST(RysQuadrature, ServesTheShortRangeInteraction) {
  const std::vector<Row> rows =
      test::read_hexadecimal_rows(std::string(test::kDataDirectory) + "/boys/rys_erfc.csv");
  EXPECT_EQ(rows.size(), 8u * 6u * 9u);
  expect_short_range<1, TypeParam>(rows);
  expect_short_range<2, TypeParam>(rows);
  expect_short_range<5, TypeParam>(rows);
  expect_short_range<6, TypeParam>(rows);
  expect_short_range<9, TypeParam>(rows);
  expect_short_range<13, TypeParam>(rows);
  expect_short_range<16, TypeParam>(rows);
  expect_short_range<20, TypeParam>(rows);
}

// At infinity all that is left are roots at the lower end; without a range all of rys is there.
TYPED_TEST(RysQuadrature, EndsTheShortRangeInteraction) {
  using Real = TypeParam;
  const Real infinity = std::numeric_limits<Real>::infinity();
  const auto results = evaluate_short_range<7, Real>({infinity, -1, -infinity, NAN, 3},
                                                     {1, 1, 1, 1, 1}, {1, 1, 1, 1, 0});
  const auto whole = evaluate<Real>(7, {3});
  for (int k = 0; k < 7; ++k) {
    EXPECT_EQ(results(0, k), Real(0.5));
    EXPECT_EQ(results(0, 7 + k), 0);
    for (int i = 1; i <= 3; ++i) {
      EXPECT_TRUE(std::isnan(results(i, k)));
      EXPECT_TRUE(std::isnan(results(i, 7 + k)));
    }
    const double rounding = sizeof(Real) == 8 ? 1e-14 : 2e-7;
    EXPECT_NEAR(results(4, k), whole(0, k), rounding * static_cast<double>(whole(0, k)));
    EXPECT_NEAR(results(4, 7 + k), whole(0, 7 + k),
                rounding * static_cast<double>(whole(0, 7 + k)));
  }
}

// The roots of successive orders separate each other.
TEST(Rys, HasRootsThatInterlace) {
  const std::vector<double> x = {0, 1e-9, 0.3, 3, 14, 33, 62, 101, 140, 1e4, 1e37};
  for (int n = 1; n < kMaxRysOrder; ++n) {
    const auto few = evaluate(n, x);
    const auto more = evaluate(n + 1, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (int k = 0; k < n; ++k) {
        EXPECT_LT(more(i, k), few(i, k)) << "n = " << n << ", x = " << x[i];
        EXPECT_GT(more(i, k + 1), few(i, k)) << "n = " << n << ", x = " << x[i];
      }
    }
  }
}

TEST(Rys, NamesWhatItRefuses) {
  const Arguments<double> x("x", 3);
  const Results<double> results("results", 3, 4), short_results("results", 2, 4);
  for (const int n : {0, kMaxRysOrder + 1}) {
    EXPECT_THROW(rys_batch(Exec(), n, x, results, results), Error) << "n = " << n;
  }
  EXPECT_THROW(rys_batch(Exec(), 5, x, results, results), Error);
  EXPECT_THROW(rys_batch(Exec(), 4, x, results, short_results), Error);
  const Arguments<double> none("x", 0);
  rys_batch(Exec(), 4, none, Results<double>("results", 0, 4), Results<double>("results", 0, 4));
}

}  // namespace tessera::boys
