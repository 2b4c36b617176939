// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <random>

#include "tessera/boys/batch.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/boys_reference.hpp"

namespace tessera::boys {
namespace {

using Exec = test::ExecSpace;

/// Arguments of every kind, in no order: both ranges, borders, beyond the ranges, and the special
/// ones last.
template <class Real>
std::vector<Real> mixed_arguments(int count) {
  using Limits = std::numeric_limits<Real>;
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> exponent(-3, 3);
  std::vector<Real> x(count);
  for (Real& value : x) value = static_cast<Real>(std::pow(10.0, exponent(random)));
  const std::vector<Real> special = {Limits::infinity(),  Real(1e30), 0,
                                     Real(-1e-3),         Real(-2),   Limits::quiet_NaN(),
                                     Limits::denorm_min()};
  for (std::size_t i = 0; i < special.size() && i < x.size(); ++i) x[x.size() - 1 - i] = special[i];
  return x;
}

template <class XView, class Real>
void fill(const XView& device, const std::vector<Real>& x) {
  const auto host = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < x.size(); ++i) host(i) = x[i];
  Kokkos::deep_copy(device, host);
}

/// Compares every result with the single call on the host, to a few roundings, with the special
/// values in place.
template <class FView, class Real>
void expect_results(const FView& F, const std::vector<Real>& x, int n_max) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), F);
  for (std::size_t i = 0; i < x.size(); ++i) {
    Real expected[kMaxOrder + 1];
    ASSERT_TRUE(boys(n_max, x[i], expected));
    for (int n = 0; n <= n_max; ++n) {
      const Real value = host(i, n);
      if (std::isnan(expected[n])) {
        EXPECT_TRUE(std::isnan(value)) << "x = " << x[i] << ", n = " << n;
      } else {
        const double tolerance = 2 * (sizeof(Real) == 8 ? 1e-14 : 2e-6) * expected[n] +
                                 4 * std::numeric_limits<Real>::denorm_min();
        EXPECT_NEAR(value, expected[n], tolerance)
            << "x = " << x[i] << ", n = " << n << " of " << n_max;
      }
    }
  }
}

template <class Real>
class BoysBatch : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(BoysBatch, Precisions);

template <class Layout, class Real>
void check_layout() {
  for (const int count : {1, 2, 63, 64, 65, 128, 1001}) {
    for (const int n_max : {0, 1, 3, 8, 13, 16}) {
      const std::vector<Real> x = mixed_arguments<Real>(count);
      const Kokkos::View<Real*, Exec> device("x", count);
      const Kokkos::View<Real**, Layout, Exec> F("F", count, n_max + 1);
      fill(device, x);
      boys_batch(Exec(), n_max, device, F);
      expect_results(F, x, n_max);
    }
  }
}

TYPED_TEST(BoysBatch, FillsOneArrayPerOrder) { check_layout<Kokkos::LayoutLeft, TypeParam>(); }

TYPED_TEST(BoysBatch, FillsTheOrdersOfAnArgumentSideBySide) {
  check_layout<Kokkos::LayoutRight, TypeParam>();
}

TYPED_TEST(BoysBatch, ReachesEveryOrder) {
  const std::vector<TypeParam> x = mixed_arguments<TypeParam>(200);
  const Kokkos::View<TypeParam*, Exec> device("x", x.size());
  fill(device, x);
  for (int n_max = 0; n_max <= kMaxOrder; ++n_max) {
    const Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Exec> F("F", x.size(), n_max + 1);
    boys_batch(Exec(), n_max, device, F);
    expect_results(F, x, n_max);
  }
}

TYPED_TEST(BoysBatch, TakesBlocksThatLieInOneRange) {
  for (const TypeParam low : {TypeParam(0), TypeParam(30)}) {
    std::vector<TypeParam> x(256);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = low + static_cast<TypeParam>(i) / 128;
    const Kokkos::View<TypeParam*, Exec> device("x", x.size());
    const Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Exec> F("F", x.size(), 9);
    fill(device, x);
    boys_batch(Exec(), 8, device, F);
    expect_results(F, x, 8);
  }
}

TYPED_TEST(BoysBatch, TakesAnyStrideAndLeavesTheRestAlone) {
  const int count = 131, n_max = 4;
  const std::vector<TypeParam> x = mixed_arguments<TypeParam>(count);
  // Odd columns of odd rows, an unaligned part of aligned columns, and every second argument.
  const Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Exec> x_storage("x", 2, count);
  const auto device = Kokkos::subview(x_storage, 1, Kokkos::ALL);
  // strided views cannot be filled from the host
  const Kokkos::View<TypeParam*, Exec> contiguous("x", count);
  fill(contiguous, x);
  Kokkos::deep_copy(device, contiguous);
  const Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Exec> storage("F", count + 3, n_max + 3);
  Kokkos::deep_copy(storage, TypeParam(-7));
  const auto F =
      Kokkos::subview(storage, Kokkos::make_pair(1, count + 1), Kokkos::make_pair(1, n_max + 3));
  boys_batch(Exec(), n_max, device, F);
  const Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Exec> dense("dense", count, n_max + 1);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), storage);
  const auto h_dense = Kokkos::create_mirror_view(dense);
  for (int i = 0; i < count + 3; ++i) {
    for (int n = 0; n < n_max + 3; ++n) {
      const bool inside = 1 <= i && i <= count && 1 <= n && n <= n_max + 1;
      if (inside) {
        h_dense(i - 1, n - 1) = host(i, n);
      } else {
        EXPECT_EQ(host(i, n), -7) << i << ", " << n;
      }
    }
  }
  expect_results(h_dense, x, n_max);
}

TYPED_TEST(BoysBatch, SortsByRangeWhenAsked) {
  const int count = 1001, n_max = 8;
  const std::vector<TypeParam> x = mixed_arguments<TypeParam>(count);
  const Kokkos::View<TypeParam*, Exec> device("x", count);
  const Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Exec> F("F", count, n_max + 1);
  const Kokkos::View<std::int32_t*, Exec> order("order", count);
  fill(device, x);
  boys_batch_binned(Exec(), n_max, device, F, order);
  expect_results(F, x, n_max);
}

TYPED_TEST(BoysBatch, StoresTopOrders) {
  constexpr int N = 8;
  const std::vector<TypeParam> x = mixed_arguments<TypeParam>(300);
  const Kokkos::View<TypeParam*, Exec> device("x", x.size()), top("top", x.size()),
      e("e", x.size());
  fill(device, x);
  boys_top_order_batch<N>(Exec(), device, top, e);
  const auto h_top = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), top);
  const auto h_e = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), e);
  const Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Kokkos::HostSpace> F("F", x.size(), N + 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    TypeParam out[N + 1];
    boys_expand<N>(x[i], TopOrder<TypeParam>{h_top(i), h_e(i)},
                   detail::StoreOrders<TypeParam>{out});
    for (int n = 0; n <= N; ++n) F(i, n) = out[n];
  }
  expect_results(F, x, N);
}

TYPED_TEST(BoysBatch, AcceptsAnEmptyBatch) {
  const Kokkos::View<TypeParam*, Exec> x("x", 0);
  const Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Exec> F("F", 0, 3);
  EXPECT_NO_THROW(boys_batch(Exec(), 2, x, F));
}

template <class Body>
void expect_input_error(const Body& body, const std::string& text) {
  try {
    body();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
  }
}

TEST(BoysBatchErrors, NameWhatIsWrong) {
  const Kokkos::View<double*, Exec> x("x", 10);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Exec> F("F", 10, 5), shorter("F", 9, 5);
  const Kokkos::View<std::int32_t*, Exec> order("order", 9);
  expect_input_error([&] { boys_batch(Exec(), -1, x, F); }, "n_max = -1 is out of range");
  expect_input_error([&] { boys_batch(Exec(), 41, x, F); }, "n_max = 41 is out of range");
  expect_input_error([&] { boys_batch(Exec(), 5, x, F); }, "10 x 5 for 10 arguments and 6 orders");
  expect_input_error([&] { boys_batch(Exec(), 4, x, shorter); },
                     "9 x 5 for 10 arguments and 5 orders");
  expect_input_error([&] { boys_batch_binned(Exec(), 4, x, F, order); },
                     "9 elements for 10 arguments");
  expect_input_error(
      [&] { boys_top_order_batch<3>(Exec(), x, x, Kokkos::View<double*, Exec>("e", 4)); },
      "10 and 4 elements for 10 arguments");
}

}  // namespace
}  // namespace tessera::boys
