// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/core/linalg/dense_batch.hpp"
#include "tests/harness/exec_space.hpp"

namespace {

using tessera::linalg::Block;
using tessera::linalg::Dense;
using tessera::linalg::Transpose;
using tessera::test::ExecSpace;

using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;
using HostMatrix = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

Block block(const Matrix& m) {
  return {m.data(), static_cast<std::int64_t>(m.extent(0)), static_cast<std::int64_t>(m.extent(1)),
          static_cast<std::int64_t>(m.extent(0))};
}

Matrix to_device(const HostMatrix& host) {
  const Matrix device("device", host.extent(0), host.extent(1));
  Kokkos::deep_copy(device, host);
  return device;
}

HostMatrix to_host(const Matrix& device) {
  const HostMatrix host("host", device.extent(0), device.extent(1));
  Kokkos::deep_copy(host, device);
  return host;
}

/// exp(-|i - j| / 50) in the lower triangle and rubbish above: the covariance of a Markov chain.
HostMatrix covariance(int n) {
  const HostMatrix a("a", n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) a(i, j) = i >= j ? std::exp(-(i - j) / 50.0) : 1e30;
  }
  return a;
}

double element(const HostMatrix& lower, int i, int j) { return i >= j ? lower(i, j) : lower(j, i); }

HostMatrix right_sides(int n, int m) {
  const HostMatrix b("b", n, m);
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < n; ++i) b(i, j) = std::sin(0.37 * i + j);
  }
  return b;
}

void expect_close(const HostMatrix& a, const HostMatrix& b, double tolerance) {
  for (std::size_t j = 0; j < a.extent(1); ++j) {
    for (std::size_t i = 0; i < a.extent(0); ++i)
      ASSERT_NEAR(a(i, j), b(i, j), tolerance) << i << ' ' << j;
  }
}

constexpr int kOrder = 700;  // several blocks and a part of one

TEST(Dense, FactorsAndInverts) {
  const ExecSpace exec;
  Dense<ExecSpace> dense(exec, kOrder);
  const HostMatrix a = covariance(kOrder);
  const Matrix l = to_device(a);
  ASSERT_EQ(dense.factor(block(l)), 0);
  const HostMatrix factor = to_host(l);
  // The factor of a Markov chain is L(i, j) = r^(i-j) sqrt(1 - r^2), except in the first column.
  const double r = std::exp(-1 / 50.0);
  for (int j = 0; j < kOrder; ++j) {
    for (int i = j; i < kOrder; ++i)
      ASSERT_NEAR(factor(i, j), std::pow(r, i - j) * (j == 0 ? 1 : std::sqrt(1 - r * r)), 1e-14)
          << i << ' ' << j;
  }
  dense.invert(block(l));
  const HostMatrix inverse = to_host(l);
  // tridiagonal
  const double d = 1 / (1 - r * r);
  for (int j = 0; j < kOrder; ++j) {
    for (int i = j; i < kOrder; ++i) {
      const double expected = i == j       ? (j == 0 || j == kOrder - 1 ? d : d * (1 + r * r))
                              : i == j + 1 ? -r * d
                                           : 0;
      ASSERT_NEAR(element(inverse, i, j), expected, 1e-11) << i << ' ' << j;
    }
  }
}

TEST(Dense, SolvesAndMultiplies) {
  const ExecSpace exec;
  Dense<ExecSpace> dense(exec, kOrder);
  const Matrix l = to_device(covariance(kOrder));
  ASSERT_EQ(dense.factor(block(l)), 0);
  for (const int m : {1, 3, 300}) {
    const HostMatrix b = right_sides(kOrder, m);
    const Matrix x = to_device(b);
    dense.multiply(block(l), block(x));
    dense.solve(block(l), block(x));
    expect_close(to_host(x), b, 1e-12);
    dense.multiply_transposed(block(l), block(x));
    dense.solve_transposed(block(l), block(x));
    expect_close(to_host(x), b, 1e-11);
  }
}

/// Few and many elements, and a single column: they take different ways on CUDA.
TEST(Dense, Products) {
  const ExecSpace exec;
  Dense<ExecSpace> dense(exec, kOrder);
  for (const auto& [rows, columns] : {std::pair<int, int>{40, 30}, {70, 50}, {40, 1}}) {
    const HostMatrix a = right_sides(600, rows), b = right_sides(600, columns),
                     transposed("transposed", rows, 600);
    for (int k = 0; k < 600; ++k) {
      for (int i = 0; i < rows; ++i) transposed(i, k) = a(k, i);
    }
    const Matrix c = to_device(right_sides(rows, columns)),
                 d = to_device(right_sides(rows, columns));
    dense.gemm(2, block(to_device(a)), Transpose::yes, block(to_device(b)), Transpose::no, -1,
               block(c));
    dense.gemm(2, block(to_device(transposed)), Transpose::no, block(to_device(b)), Transpose::no,
               -1, block(d));
    const HostMatrix by_transpose = to_host(c), plain = to_host(d);
    for (int j = 0; j < columns; ++j) {
      for (int i = 0; i < rows; ++i) {
        double sum = 0;
        for (int k = 0; k < 600; ++k) sum += a(k, i) * b(k, j);
        ASSERT_NEAR(by_transpose(i, j), 2 * sum - std::sin(0.37 * i + j), 1e-11);
        ASSERT_NEAR(plain(i, j), 2 * sum - std::sin(0.37 * i + j), 1e-11);
      }
    }
  }
}

TEST(Dense, SymmetricProduct) {
  const ExecSpace exec;
  Dense<ExecSpace> dense(exec, kOrder);
  const HostMatrix a = right_sides(600, 40), before = right_sides(600, 600);
  const Matrix square = to_device(before);
  dense.syrk(-0.5, block(to_device(a)), Transpose::no, 3, block(square));
  const HostMatrix product = to_host(square);
  for (int j = 0; j < 600; j += 7) {
    for (int i = j; i < 600; i += 5) {
      double sum = 0;
      for (int k = 0; k < 40; ++k) sum += a(i, k) * a(j, k);
      ASSERT_NEAR(product(i, j), 3 * before(i, j) - 0.5 * sum, 1e-12);
    }
  }
}

TEST(Dense, SaysWhichMinorIsNotPositiveDefinite) {
  const ExecSpace exec;
  Dense<ExecSpace> dense(exec, kOrder);
  for (const int bad : {1, 17, 300, kOrder}) {
    const HostMatrix a = covariance(kOrder);
    a(bad - 1, bad - 1) = -1;
    EXPECT_EQ(dense.factor(block(to_device(a))), bad);
  }
}

TEST(Dense, SameBitsAgain) {
  const ExecSpace exec;
  Dense<ExecSpace> dense(exec, kOrder);
  const Matrix first = to_device(covariance(kOrder)), second = to_device(covariance(kOrder));
  dense.factor(block(first));
  dense.factor(block(second));
  dense.invert(block(first));
  dense.invert(block(second));
  const HostMatrix a = to_host(first), b = to_host(second);
  for (int j = 0; j < kOrder; ++j) {
    for (int i = j; i < kOrder; ++i) ASSERT_EQ(a(i, j), b(i, j));
  }
}

/// No atomics on the way to a sum, whatever its length.
TEST(Dense, SameBitsOfProductsAgain) {
  const ExecSpace exec;
  constexpr int kLong = 50000;
  Dense<ExecSpace> dense(exec, kOrder);
  const Matrix a = to_device(right_sides(kLong, 3));
  const auto product = [&] {
    const Matrix c("c", 3, 3);
    dense.gemm(1, block(a), Transpose::yes, block(a), Transpose::no, 0, block(c));
    return to_host(c);
  };
  const HostMatrix first = product();
  for (int repeat = 0; repeat < 10; ++repeat) {
    const HostMatrix again = product();
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) ASSERT_EQ(again(i, j), first(i, j));
    }
  }
}

/// Each is what Dense makes of it by itself, whatever comes with it.
TEST(DenseBatch, FactorsAndSolves) {
  constexpr int order = 130, count = 3, width = 4;
  const ExecSpace exec;
  const HostMatrix one = covariance(order), sides = right_sides(order, 3 * width);
  const HostMatrix all("all", order, order * count);
  for (int k = 0; k < count; ++k) {
    for (int j = 0; j < order; ++j) {
      for (int i = 0; i < order; ++i)
        all(i, k * order + j) = one(i, j) + (i == j ? k : 0);  // the last are far from singular
    }
  }
  const Matrix matrices = to_device(all), solved = to_device(sides);
  tessera::linalg::DenseBatch<ExecSpace> batch(exec);
  ASSERT_TRUE(batch.factor(matrices.data(), order, count).empty());
  const std::vector<std::int64_t> factor_of{2, 0, 2}, columns{4, 4, 2};
  batch.solve(matrices.data(), order, factor_of, solved.data(), width, columns);
  const HostMatrix found = to_host(solved);
  Dense<ExecSpace> dense(exec, order);
  for (std::size_t g = 0; g < factor_of.size(); ++g) {
    const auto first = static_cast<std::size_t>(factor_of[g] * order);
    const HostMatrix given("given", order, order), b("b", order, columns[g]),
        x("x", order, columns[g]);
    for (int j = 0; j < order; ++j) {
      for (int i = 0; i < order; ++i) given(i, j) = all(i, first + static_cast<std::size_t>(j));
    }
    for (int j = 0; j < columns[g]; ++j) {
      for (int i = 0; i < order; ++i) {
        b(i, j) = sides(i, static_cast<int>(g) * width + j);
        x(i, j) = found(i, static_cast<int>(g) * width + j);
      }
    }
    const Matrix l = to_device(given), y = to_device(b);
    ASSERT_EQ(dense.factor(block(l)), 0);
    dense.solve(block(l), block(y));
    expect_close(x, to_host(y), 1e-12);
  }
}

TEST(DenseBatch, SaysWhichAreNotPositiveDefinite) {
  constexpr int order = 40, count = 4;
  const HostMatrix all("all", order, order * count);
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < order; ++i) all(i, k * order + i) = 2;
  }
  all(17, order + 17) = -1;
  all(order - 1, 3 * order + order - 1) = 0;  // the last minor
  const Matrix matrices = to_device(all);
  tessera::linalg::DenseBatch<ExecSpace> batch{ExecSpace()};
  EXPECT_EQ(batch.factor(matrices.data(), order, count), (std::vector<std::int64_t>{1, 3}));
  EXPECT_TRUE(batch.factor(matrices.data(), order, 0).empty());
}

}  // namespace
