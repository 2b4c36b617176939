// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <random>

#include "tessera/boys/tables.hpp"
#include "tessera/core/device/hardware.hpp"
#include "tessera/core/error.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/boys_reference.hpp"

namespace tessera::boys {

using Exec = test::ExecSpace;
using Numbers = Kokkos::View<double*, Exec>;
using Results = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;

struct StoreAt {
  const Results& F;
  int i;
  KOKKOS_FUNCTION void operator()(int n, double value) const { F(i, n) = value; }
};

template <int N>
struct FromAllOrders {
  Numbers table, x;
  Results F;
  KOKKOS_FUNCTION void operator()(int i) const {
    boys_all_orders_table_each<N>(table.data(), x(i), StoreAt{F, i});
  }
};

template <int N>
struct FromTopOrder {
  Numbers table, x;
  Results F;
  KOKKOS_FUNCTION void operator()(int i) const {
    boys_top_order_table_each<N>(table.data(), x(i), StoreAt{F, i});
  }
};

Numbers to_device(const std::vector<double>& values) {
  Numbers device("values", values.size());
  Kokkos::deep_copy(device, Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                values.data(), values.size()));
  return device;
}

template <class Kernel>
auto evaluate(int N, const std::vector<double>& table, const std::vector<double>& x) {
  const Results F("F", x.size(), N + 1);
  Kokkos::parallel_for("boys test", Kokkos::RangePolicy<Exec>(0, static_cast<int>(x.size())),
                       Kernel{to_device(table), to_device(x), F});
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), F);
}

template <int N>
void expect_accurate(const std::vector<double>& x,
                     const std::vector<std::vector<long double>>& reference) {
  const auto all = evaluate<FromAllOrders<N>>(N, make_all_orders_table(N), x);
  const auto top = evaluate<FromTopOrder<N>>(N, make_top_order_table(N), x);
  test::WorstError worst_all, worst_top;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int n = 0; n <= N; ++n) {
      worst_all.add(x[i], all(i, n), reference[i][n]);
      worst_top.add(x[i], top(i, n), reference[i][n]);
    }
  }
  EXPECT_LE(worst_all.relative, 1e-14)
      << "all orders, N = " << N << ", x = " << worst_all.x_relative;
  constexpr double kAbsolute = TESSERA_HAS_FMA ? 4e-16 : 6e-16;
  EXPECT_LE(worst_all.absolute, kAbsolute) << "all orders, N = " << N;
  EXPECT_LE(worst_top.relative, 1e-14)
      << "top order, N = " << N << ", x = " << worst_top.x_relative;
  EXPECT_LE(worst_top.absolute, kAbsolute) << "top order, N = " << N;
}

TEST(BoysTables, AgreeWithMultiprecision) {
  std::vector<double> x;
  std::vector<std::vector<long double>> reference;
  for (const std::vector<double>& row :
       test::read_hexadecimal_rows(std::string(test::kDataDirectory) + "/boys/boys.csv")) {
    x.push_back(row[0]);
    reference.emplace_back(row.begin() + 1, row.end());
  }
  ASSERT_GT(x.size(), 600u);
  expect_accurate<0>(x, reference);
  expect_accurate<4>(x, reference);
  expect_accurate<16>(x, reference);
  expect_accurate<32>(x, reference);
}

TEST(BoysTables, AreAccurateEverywhereAndAtBothEnds) {
  std::mt19937_64 random(2016);
  std::uniform_real_distribution<double> argument(0, 130);
  std::vector<double> x = {-1e-3, 0, test::neighbour(kTableEnd, -1), kTableEnd,
                           test::neighbour(kTableEnd, 1)};
  for (int i = 0; i < 3000; ++i) x.push_back(argument(random));
  for (int segment = 1; segment < kTableSegments; ++segment)
    x.push_back(static_cast<double>(segment) / kTableSegmentsPerUnit);
  std::vector<std::vector<long double>> reference;
  for (const double argument_i : x) reference.push_back(test::boys_reference(argument_i));
  expect_accurate<1>(x, reference);
  expect_accurate<8>(x, reference);
  expect_accurate<16>(x, reference);
}

TEST(BoysTables, ShareTheDomainOfTheFunctions) {
  const std::vector<double> x = {-2e-3, -std::numeric_limits<double>::infinity(), std::nan(""),
                                 std::numeric_limits<double>::infinity()};
  const auto all = evaluate<FromAllOrders<3>>(3, make_all_orders_table(3), x);
  const auto top = evaluate<FromTopOrder<3>>(3, make_top_order_table(3), x);
  for (int n = 0; n <= 3; ++n) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(std::isnan(all(i, n))) << x[i];
      EXPECT_TRUE(std::isnan(top(i, n))) << x[i];
    }
    EXPECT_EQ(all(3, n), 0);
    EXPECT_EQ(top(3, n), 0);
  }
}

TEST(BoysTables, RefuseOrdersThatDoNotExist) {
  EXPECT_THROW(make_all_orders_table(41), Error);
  EXPECT_THROW(make_top_order_table(-1), Error);
}

}  // namespace tessera::boys
