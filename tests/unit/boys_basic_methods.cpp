// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <vector>

#include "tessera/boys/function/basic_methods.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/boys_reference.hpp"

namespace tessera::boys {

using Exec = test::ExecSpace;

template <class View>
struct StoreRow {
  const View& F;
  int i;
  template <class Real>
  KOKKOS_FUNCTION void operator()(int n, Real value) const {
    F(i, n) = value;
  }
};

template <int N, int terms>
struct Taylor {
  static constexpr int order = N;
  template <class Real, class Sink>
  KOKKOS_FUNCTION static void evaluate(Real x, const Sink& sink) {
    boys_taylor_each<N>(x, terms, sink);
  }
};
template <int N>
struct Upward {
  static constexpr int order = N;
  template <class Real, class Sink>
  KOKKOS_FUNCTION static void evaluate(Real x, const Sink& sink) {
    boys_upward_each<N>(x, sink);
  }
};
template <int N>
struct Miller {
  static constexpr int order = N;
  template <class Real, class Sink>
  KOKKOS_FUNCTION static void evaluate(Real x, const Sink& sink) {
    boys_miller_each<N>(x, sink);
  }
};
template <int N>
struct Asymptotic {
  static constexpr int order = N;
  template <class Real, class Sink>
  KOKKOS_FUNCTION static void evaluate(Real x, const Sink& sink) {
    boys_asymptotic_each<N>(x, sink);
  }
};

template <class Method, class Real>
struct EvaluateRows {
  using Rows = Kokkos::View<Real**, Kokkos::LayoutRight, Exec>;
  Kokkos::View<const Real*, Exec> x;
  Rows F;
  KOKKOS_FUNCTION void operator()(int i) const { Method::evaluate(x(i), StoreRow<Rows>{F, i}); }
};

/// F_0..F_N of a method at x, on the device, row by row.
template <class Method, class Real>
auto rows(const std::vector<Real>& x) {
  typename EvaluateRows<Method, Real>::Rows F("F", x.size(), Method::order + 1);
  Kokkos::parallel_for("boys test", Kokkos::RangePolicy<Exec>(0, x.size()),
                       EvaluateRows<Method, Real>{upload(Exec(), "x", x), F});
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), F);
}

template <class Real>
std::vector<Real> spaced(double first, double last, int count) {
  std::vector<Real> x;
  for (int i = 0; i < count; ++i)
    x.push_back(static_cast<Real>(first + (last - first) * i / (count - 1)));
  return x;
}

/// The largest absolute error of all orders.
template <class Method, class Real>
double largest_error(double first, double last, int count = 4001) {
  const std::vector<Real> x = spaced<Real>(first, last, count);
  const auto F = rows<Method>(x);
  test::WorstError worst;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto reference = test::boys_reference(x[i]);
    for (int n = 0; n <= Method::order; ++n)
      worst.add(static_cast<double>(x[i]), F(i, n), reference[n]);
  }
  return worst.absolute;
}

// Table 1 of the paper, equation (6) and what holds.
TEST(BoysTaylor, HoldsWhereThePaperSays) {
  EXPECT_NEAR(taylor_range(5, 1e-13), 0.005, 0.0005);
  EXPECT_NEAR(taylor_range(30, 1e-13), 4.07, 0.01);
  EXPECT_NEAR(taylor_range(110, 1e-13), 30.8, 0.05);
  EXPECT_LE((largest_error<Taylor<8, 5>, double>(0, 0.01)), 1e-13);
  EXPECT_LE((largest_error<Taylor<8, 15>, double>(0, 1.09)), 1e-13);
  EXPECT_LE((largest_error<Taylor<8, 30>, double>(0, 5.1)), 1e-13);
  EXPECT_LE((largest_error<Taylor<8, 50>, double>(0, 10.6)), 1e-13);
  EXPECT_LE((largest_error<Taylor<8, 110>, double>(0, 10.6)), 1e-13);
  // no number of terms gives more
  EXPECT_GT((largest_error<Taylor<8, 110>, double>(10.6, 12)), 1e-13);
  EXPECT_LE((largest_error<Taylor<8, 60>, float>(0, 4)), 3e-7);
}

TEST(BoysUpward, LosesAccuracyTowardsSmallArguments) {
  EXPECT_LE((largest_error<Upward<4>, double>(0.4, 100)), 1e-13);
  EXPECT_LE((largest_error<Upward<8>, double>(1.4, 100)), 1e-13);
  EXPECT_LE((largest_error<Upward<16>, double>(4.2, 100)), 1e-13);
  EXPECT_GT((largest_error<Upward<8>, double>(0.5, 1)), 1e-12);
  EXPECT_LE((largest_error<Upward<8>, float>(2.7, 100)), 3e-7);
  const auto F = rows<Upward<1>>(std::vector<double>{0});
  EXPECT_EQ(F(0, 0), 1);
  EXPECT_TRUE(std::isnan(F(0, 1)));
}

TEST(BoysMiller, StartsHighEnough) {
  EXPECT_EQ(miller_start(0, 0.0), 17);
  EXPECT_EQ(miller_start(8, 10.0), 51);  // 2.85199 x 10 + 22.13
  EXPECT_LE((largest_error<Miller<0>, double>(0, 100)), 1e-14);
  EXPECT_LE((largest_error<Miller<4>, double>(0, 100)), 1e-14);
  EXPECT_LE((largest_error<Miller<8>, double>(0, 700)), 1e-14);
  EXPECT_LE((largest_error<Miller<16>, double>(0, 700)), 1e-14);
  EXPECT_LE((largest_error<Miller<8>, float>(0, 80)), 3e-7);
  EXPECT_LE((largest_error<Miller<16>, float>(0, 80)), 3e-7);
  const auto F = rows<Miller<2>>(std::vector<double>{-1e-3, 701});
  for (int n = 0; n <= 2; ++n) EXPECT_TRUE(std::isnan(F(0, n)) && std::isnan(F(1, n)));
}

TEST(BoysAsymptotic, HoldsFromTwentySixOn) {
  EXPECT_LE((largest_error<Asymptotic<0>, double>(26, 100)), 1e-13);
  EXPECT_LE((largest_error<Asymptotic<8>, double>(26.5, 100)), 1e-13);
  EXPECT_LE((largest_error<Asymptotic<40>, double>(30.1, 100)), 1e-13);
  EXPECT_GT((largest_error<Asymptotic<0>, double>(25, 25.9)), 1e-13);
  EXPECT_LE((largest_error<Asymptotic<8>, float>(13, 100)), 3e-7);
}

}  // namespace tessera::boys
