// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/boys/boys.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <random>
#include <utility>

#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/boys_reference.hpp"

namespace tessera::boys {

using Exec = test::ExecSpace;

template <class Real>
using Arguments = Kokkos::View<Real*, Exec>;
template <class Real>
using Results = Kokkos::View<Real**, Kokkos::LayoutLeft, Exec>;

template <int N, class Real>
struct EvaluateFixedOrder {
  Arguments<Real> x;
  Results<Real> F;
  KOKKOS_FUNCTION void operator()(int i) const {
    Real out[N + 1];
    boys<N>(x(i), out);
    for (int n = 0; n <= N; ++n) F(i, n) = out[n];
  }
};

template <class Real>
struct EvaluateRunTimeOrder {
  int n_max;
  Arguments<Real> x;
  Results<Real> F;
  Kokkos::View<int*, Exec> accepted;
  KOKKOS_FUNCTION void operator()(int i) const {
    Real out[kMaxOrder + 1];
    accepted(i) = boys(n_max, x(i), out);
    for (int n = 0; accepted(i) && n <= n_max; ++n) F(i, n) = out[n];
  }
};

template <int N, class Real>
struct EvaluateFromTopOrder {
  Arguments<Real> x;
  Results<Real> F;
  KOKKOS_FUNCTION void operator()(int i) const {
    Real out[N + 1];
    boys_expand<N>(x(i), boys_top_order<N>(x(i)), detail::StoreOrders<Real>{out});
    for (int n = 0; n <= N; ++n) F(i, n) = out[n];
  }
};

template <class Real>
Arguments<Real> to_device(const std::vector<Real>& x) {
  Arguments<Real> device("x", x.size());
  const Kokkos::View<const Real*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(x.data(),
                                                                                   x.size());
  Kokkos::deep_copy(device, host);
  return device;
}

/// Runs a kernel of the form Kernel{x, F} and returns F on the host.
template <class Kernel, class Real>
auto evaluate(int orders, const std::vector<Real>& x) {
  const Results<Real> F("F", x.size(), orders);
  Kokkos::parallel_for("boys test", Kokkos::RangePolicy<Exec>(0, static_cast<int>(x.size())),
                       Kernel{to_device(x), F});
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), F);
}

/// F_0..F_N at one argument, evaluated on the device.
template <int N, class Real>
std::vector<Real> values_at(Real x) {
  const auto F = evaluate<EvaluateFixedOrder<N, Real>>(N + 1, std::vector<Real>{x});
  std::vector<Real> values(N + 1);
  for (int n = 0; n <= N; ++n) values[n] = F(0, n);
  return values;
}

/// Returns the bound that tessera/boys/boys.hpp promises.
template <class Real>
double relative_bound(int N) {
  return sizeof(Real) == 8 ? 1e-14 : N <= 16 ? 2e-6 : 4e-6;
}
template <class Real>
double absolute_bound(int N) {
  return sizeof(Real) == 8 ? (N <= 32 ? 4e-16 : 5e-16) : 4e-7;
}

template <int N, class Real>
void expect_accurate(const std::vector<Real>& x,
                     const std::vector<std::vector<long double>>& reference) {
  const auto F = evaluate<EvaluateFixedOrder<N, Real>>(N + 1, x);
  test::WorstError worst;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int n = 0; n <= N; ++n) worst.add(static_cast<double>(x[i]), F(i, n), reference[i][n]);
  }
  EXPECT_LE(worst.relative, relative_bound<Real>(N)) << "N = " << N << ", x = " << worst.x_relative;
  EXPECT_LE(worst.absolute, absolute_bound<Real>(N)) << "N = " << N;
  testing::Test::RecordProperty("relative_" + std::to_string(N),
                                std::to_string(worst.relative * 1e15) + "e-15");
}

template <class Real>
class BoysFunction : public testing::Test {
 protected:
  /// Calls body(std::integral_constant<int, N>) for every order N.
  template <class Body>
  static void for_every_order(const Body& body) {
    [&]<int... N>(std::integer_sequence<int, N...>) {
      (body(std::integral_constant<int, N>()), ...);
    }
    (std::make_integer_sequence<int, kMaxOrder + 1>());
  }
};

using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(BoysFunction, Precisions);

TYPED_TEST(BoysFunction, AgreesWithMultiprecision) {
  std::vector<TypeParam> x;
  std::vector<std::vector<long double>> reference;
  for (const std::vector<double>& row :
       test::read_hexadecimal_rows(std::string(test::kDataDirectory) + "/boys/boys.csv")) {
    ASSERT_EQ(row.size(), kMaxOrder + 2u);
    const auto argument = static_cast<TypeParam>(row[0]);
    // the reference holds for the number itself
    if (static_cast<double>(argument) != row[0]) continue;
    x.push_back(argument);
    reference.emplace_back(row.begin() + 1, row.end());
  }
  EXPECT_GT(x.size(), sizeof(TypeParam) == 8 ? 600u : 50u);
  this->for_every_order([&](auto N) { expect_accurate<N()>(x, reference); });
}

TYPED_TEST(BoysFunction, IsAccurateEverywhereInBothRanges) {
  std::mt19937_64 random(2016);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<TypeParam> x;
  for (int i = 0; i < 3000; ++i) {
    x.push_back(
        static_cast<TypeParam>(i % 2 ? 60 * unit(random) : std::pow(10.0, 9 * unit(random) - 5)));
  }
  std::vector<std::vector<long double>> reference;
  for (const TypeParam argument : x) reference.push_back(test::boys_reference(argument));
  this->for_every_order([&](auto N) { expect_accurate<N()>(x, reference); });
}

TYPED_TEST(BoysFunction, IsAccurateAcrossTheBorders) {
  this->for_every_order([](auto N) {
    using C = detail::Coefficients<TypeParam, N()>;
    std::vector<TypeParam> x;
    for (const TypeParam border : {C::split, C::last, static_cast<TypeParam>(0.5) * C::split}) {
      for (int steps = -4; steps <= 4; ++steps) x.push_back(test::neighbour(border, steps));
    }
    std::vector<std::vector<long double>> reference;
    for (const TypeParam argument : x) reference.push_back(test::boys_reference(argument));
    expect_accurate<N()>(x, reference);
  });
}

TYPED_TEST(BoysFunction, IsExactAtZeroAndForTinyArguments) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<TypeParam> x = {0,
                                    -TypeParam(0),
                                    Limits::denorm_min(),
                                    -Limits::denorm_min(),
                                    Limits::min(),
                                    Limits::epsilon() / 4};
  const auto F = evaluate<EvaluateFixedOrder<kMaxOrder, TypeParam>>(kMaxOrder + 1, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int n = 0; n <= kMaxOrder; ++n) {
      EXPECT_NEAR(F(i, n) * (2 * n + 1), 1, 4 * Limits::epsilon())
          << "x = " << x[i] << ", n = " << n;
    }
  }
}

TYPED_TEST(BoysFunction, ContinuesBelowZeroToTheEndOfItsDomain) {
  const auto lowest = static_cast<TypeParam>(-1e-3);
  std::vector<TypeParam> x = {lowest, lowest / 2, test::neighbour(TypeParam(0), -1)};
  std::vector<std::vector<long double>> reference;
  for (const TypeParam argument : x) reference.push_back(test::boys_reference(argument));
  this->for_every_order([&](auto N) {
    expect_accurate<N()>(x, reference);
    for (const TypeParam value : values_at<N()>(test::neighbour(lowest, -1)))
      EXPECT_TRUE(std::isnan(value)) << "N = " << N();
  });
}

TYPED_TEST(BoysFunction, IsDefinedForNonFiniteAndHugeArguments) {
  using Limits = std::numeric_limits<TypeParam>;
  this->for_every_order([](auto N) {
    for (const TypeParam value : values_at<N()>(Limits::quiet_NaN()))
      EXPECT_TRUE(std::isnan(value)) << "N = " << N();
    for (const TypeParam value : values_at<N()>(-Limits::quiet_NaN()))
      EXPECT_TRUE(std::isnan(value)) << "N = " << N();
    for (const TypeParam value : values_at<N()>(-Limits::infinity()))
      EXPECT_TRUE(std::isnan(value)) << "N = " << N();
    for (const TypeParam value : values_at<N()>(TypeParam(-1)))
      EXPECT_TRUE(std::isnan(value)) << "N = " << N();
    for (const TypeParam value : values_at<N()>(Limits::infinity()))
      EXPECT_EQ(value, 0) << "N = " << N();
    const TypeParam huge = Limits::max() / 2;
    const TypeParam order_0 = values_at<N()>(huge)[0];
    EXPECT_NEAR(order_0 * std::sqrt(huge), 0.886226925452758, 1e-6) << "N = " << N();
  });
}

TYPED_TEST(BoysFunction, SatisfiesTheRecurrence) {
  const std::vector<TypeParam> x = {
      TypeParam(1e-6), 1, TypeParam(7.3), 20, TypeParam(33.7), 90, 1000};
  const auto F = evaluate<EvaluateFixedOrder<kMaxOrder, TypeParam>>(kMaxOrder + 1, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int n = 0; n < kMaxOrder; ++n) {
      const double right = 2.0 * x[i] * F(i, n + 1) + std::exp(-static_cast<double>(x[i]));
      if (F(i, n + 1) < std::numeric_limits<TypeParam>::min()) continue;
      EXPECT_NEAR((2 * n + 1) * static_cast<double>(F(i, n)) / right, 1,
                  8 * std::numeric_limits<TypeParam>::epsilon())
          << "x = " << x[i] << ", n = " << n;
    }
  }
}

TYPED_TEST(BoysFunction, TakesTheOrderAtRunTime) {
  const std::vector<TypeParam> x = {0, TypeParam(0.3), 5, TypeParam(17.5), 60, TypeParam(1e30)};
  const auto expected = evaluate<EvaluateFixedOrder<kMaxOrder, TypeParam>>(kMaxOrder + 1, x);
  for (int n_max = -1; n_max <= kMaxOrder + 1; ++n_max) {
    const Results<TypeParam> F("F", x.size(), kMaxOrder + 2);
    const Kokkos::View<int*, Exec> accepted("accepted", x.size());
    Kokkos::parallel_for("boys test", Kokkos::RangePolicy<Exec>(0, static_cast<int>(x.size())),
                         EvaluateRunTimeOrder<TypeParam>{n_max, to_device(x), F, accepted});
    const auto h_F = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), F);
    const auto h_accepted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), accepted);
    const bool valid = 0 <= n_max && n_max <= kMaxOrder;
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(h_accepted(i), valid) << "n_max = " << n_max;
      for (int n = 0; valid && n <= n_max; ++n) {
        if (expected(i, n) < std::numeric_limits<TypeParam>::min()) continue;
        EXPECT_NEAR(h_F(i, n) / expected(i, n), 1, 2 * relative_bound<TypeParam>(16))
            << "n_max = " << n_max << ", n = " << n;
      }
    }
  }
}

TYPED_TEST(BoysFunction, ExpandsFromItsTopOrder) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<TypeParam> x = {
      0, 1, 3, 9, TypeParam(16.25), 50, 800, TypeParam(1e7), TypeParam(1e30), Limits::infinity()};
  const auto compare = [&](auto N) {
    const auto expected = evaluate<EvaluateFixedOrder<N(), TypeParam>>(N() + 1, x);
    const auto F = evaluate<EvaluateFromTopOrder<N(), TypeParam>>(N() + 1, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (int n = 0; n <= N(); ++n)
        EXPECT_EQ(F(i, n), expected(i, n)) << "x = " << x[i] << ", n = " << n;
    }
  };
  compare(std::integral_constant<int, 0>());
  compare(std::integral_constant<int, 8>());
  compare(std::integral_constant<int, 16>());
}

// Interpolation in tables that promise absolute accuracy only is wrong by per cents here.
TEST(Boys, KeepsRelativeAccuracyWhereTaylorTablesFail) {
  const std::vector<double> F = values_at<32>(33.7);
  const std::vector<long double> reference = test::boys_reference(33.7);
  for (int n = 0; n <= 32; ++n)
    EXPECT_NEAR(F[n] / static_cast<double>(reference[n]), 1, 1e-14) << "n = " << n;
}

}  // namespace tessera::boys
