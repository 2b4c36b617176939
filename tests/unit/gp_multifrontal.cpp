// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The sparse Cholesky factor of the precision of a field given observations, against a dense one,
// and among ranks. Started alone this is one rank; CTest starts it by mpirun too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gp/latent/multifrontal.hpp"
#include "tests/harness/ranks.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using detail::HostFactor;
using detail::MultifrontalCholesky;
using detail::NeighbourTable;

struct Example {
  NeighbourTable table;
  std::vector<std::vector<double>> coordinates;
  HostFactor factor;
  std::vector<double> diagonal;
};

/// Each point has its `width` nearest predecessors, and numbers that follow no pattern.
Example make_example(std::int64_t n, std::int64_t width) {
  Example e;
  const Points points = test::random_points(CovarianceModel{}, static_cast<std::size_t>(n), 5);
  e.coordinates = points.coordinate;
  e.table = {n, width, std::vector<std::int32_t>(static_cast<std::size_t>(n * width), -1)};
  e.factor.weights.resize(e.table.neighbours.size());
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<std::pair<double, std::int32_t>> before;
    for (std::int32_t j = 0; j < i; ++j)
      before.emplace_back(std::hypot(e.coordinates[0][i] - e.coordinates[0][j],
                                     e.coordinates[1][i] - e.coordinates[1][j]),
                          j);
    std::sort(before.begin(), before.end());
    for (std::int64_t j = 0; j < std::min<std::int64_t>(width, i); ++j) {
      e.table.neighbours[static_cast<std::size_t>(i * width + j)] = before[j].second;
      e.factor.weights[static_cast<std::size_t>(i * width + j)] =
          0.9 / static_cast<double>(width) + 0.1 * std::sin(3.0 * i + j);
    }
    e.factor.variance.push_back(0.3 + 0.2 * std::cos(2.0 * i));
    e.diagonal.push_back(0.1 + 0.1 * std::sin(1.0 * i));
  }
  return e;
}

linalg::Matrix dense(const Example& e) {
  const auto n = static_cast<std::size_t>(e.table.points);
  linalg::Matrix a(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::size_t> places{i};
    std::vector<double> row{1};
    for (std::int64_t j = 0; j < e.table.width; ++j) {
      if (e.table.at(i, j) < 0) continue;
      places.push_back(static_cast<std::size_t>(e.table.at(i, j)));
      row.push_back(-e.factor.weights[i * e.table.width + j]);
    }
    for (std::size_t p = 0; p < row.size(); ++p) {
      for (std::size_t q = 0; q < row.size(); ++q)
        a[places[p]][places[q]] += row[p] * row[q] / e.factor.variance[i];
    }
    a[i][i] += e.diagonal[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) a[i][j] = a[j][i];
  }
  return a;
}

TEST(GpMultifrontal, AgainstDense) {
  for (const auto& [n, width] :
       {std::pair{1, 3}, {2, 1}, {60, 5}, {500, 6}, {900, 12}, {300, 299}}) {
    const Example e = make_example(n, width);
    double log_determinant = 0;
    const linalg::Matrix inverse = linalg::inverse_positive_definite(dense(e), &log_determinant);
    MultifrontalCholesky cholesky(e.table, e.coordinates);
    ASSERT_TRUE(cholesky.factor(e.factor, e.diagonal));
    EXPECT_NEAR(cholesky.log_determinant(), log_determinant,
                1e-11 * (std::fabs(log_determinant) + 1))
        << n;
    std::int64_t rows = 0;
    const auto expect = [&](double found, std::size_t i, std::size_t j) {
      EXPECT_NEAR(found, inverse[i][j], 1e-11 * std::sqrt(inverse[i][i] * inverse[j][j]))
          << n << ' ' << i << ' ' << j;
    };
    const MultifrontalCholesky::Inverse found =
        cholesky.invert(1, [&](std::int64_t i, const std::vector<double>& block, double* number) {
          ++rows;
          *number = block[0];
          std::vector<std::size_t> places{static_cast<std::size_t>(i)};
          for (std::int64_t j = 0; j < e.table.width; ++j) {
            if (e.table.at(i, j) >= 0) places.push_back(static_cast<std::size_t>(e.table.at(i, j)));
          }
          for (std::size_t a = 0; a < places.size(); ++a) {
            for (std::size_t b = 0; b < places.size(); ++b)
              expect(block[a * places.size() + b], places[a], places[b]);
          }
        });
    EXPECT_EQ(rows, n);
    double trace = 0;
    for (std::size_t i = 0; i < found.diagonal.size(); ++i) {
      expect(found.diagonal[i], i, i);
      trace += inverse[i][i];
    }
    ASSERT_EQ(found.sums.size(), 1U);
    EXPECT_NEAR(found.sums[0], trace, 1e-11 * trace);
  }
}

/// 150 vectors with four numbers each.
std::pair<NeighbourTable, std::vector<double>> make_targets(int n) {
  NeighbourTable targets{150, 4, {}};
  std::vector<double> weights;
  for (int t = 0; t < 150; ++t) {
    for (int j = 0; j < 4; ++j) {
      targets.neighbours.push_back((37 * t + 101 * j) % n);
      weights.push_back(std::sin(1.0 + t + 2 * j));
    }
  }
  return {targets, weights};
}

TEST(GpMultifrontal, QuadraticForms) {
  const Example e = make_example(700, 8);
  const linalg::Matrix inverse = linalg::inverse_positive_definite(dense(e));
  MultifrontalCholesky cholesky(e.table, e.coordinates);
  ASSERT_TRUE(cholesky.factor(e.factor, e.diagonal));
  const auto [targets, weights] = make_targets(700);
  const std::vector<double> found = cholesky.quadratic_forms(targets, weights);
  for (std::size_t t = 0; t < 150; ++t) {
    double expected = 0;
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b)
        expected += weights[4 * t + a] * weights[4 * t + b] *
                    inverse[targets.neighbours[4 * t + a]][targets.neighbours[4 * t + b]];
    }
    EXPECT_NEAR(found[t], expected, 1e-11 * expected) << t;
  }
}

/// L^-T has the rows that make A^-1 = L^-T L^-1.
TEST(GpMultifrontal, SolveTransposed) {
  for (const auto& [n, width] : {std::pair{1, 3}, {60, 5}, {400, 8}}) {
    const Example e = make_example(n, width);
    const linalg::Matrix inverse = linalg::inverse_positive_definite(dense(e));
    MultifrontalCholesky cholesky(e.table, e.coordinates);
    ASSERT_TRUE(cholesky.factor(e.factor, e.diagonal));
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> x(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) x[i * (size + 1)] = 1;
    cholesky.solve_transposed(x, n);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double product = 0;
        for (std::size_t c = 0; c < size; ++c) product += x[i * size + c] * x[j * size + c];
        EXPECT_NEAR(product, inverse[i][j], 1e-11 * std::sqrt(inverse[i][i] * inverse[j][j]))
            << n << ' ' << i << ' ' << j;
      }
    }
  }
}

TEST(GpMultifrontal, NotPositiveDefinite) {
  Example e = make_example(300, 5);
  MultifrontalCholesky cholesky(e.table, e.coordinates);
  e.diagonal[17] = -1e3;
  EXPECT_FALSE(cholesky.factor(e.factor, e.diagonal));
}

/// The bits of ranks are those of one device.
TEST(GpMultifrontal, Ranks) {
  for (const auto& [n, width] : {std::pair{1, 3}, {60, 5}, {150, 4}, {3000, 10}, {300, 299}}) {
    Example e = make_example(n, width);
    const auto [targets, weights] = make_targets(n);
    MultifrontalCholesky alone(e.table, e.coordinates),
        shared(e.table, e.coordinates, test::ranks());
    for (int again = 0; again < 2; ++again) {  // after the whole factor, too
      e.diagonal[0] += 1;
      ASSERT_TRUE(alone.factor(e.factor, e.diagonal));
      ASSERT_TRUE(shared.factor(e.factor, e.diagonal));
      EXPECT_EQ(shared.log_determinant(), alone.log_determinant()) << n;
      const MultifrontalCholesky::Visit visit = [](std::int64_t i, const std::vector<double>& block,
                                                   double* numbers) {
        numbers[0] = block.back();
        numbers[1] = static_cast<double>(i) * block[0];
      };
      const MultifrontalCholesky::Inverse a = alone.invert(2, visit), b = shared.invert(2, visit);
      EXPECT_EQ(b.diagonal, a.diagonal) << n;
      EXPECT_EQ(b.sums, a.sums) << n;
      shared.gather();
      std::vector<double> x = test::normals(static_cast<std::size_t>(3 * n), 7), y = x;
      alone.solve_transposed(x, 3);
      shared.solve_transposed(y, 3);
      EXPECT_EQ(y, x) << n;
      EXPECT_EQ(shared.quadratic_forms(targets, weights), alone.quadratic_forms(targets, weights))
          << n;
    }
  }
}

/// What one rank finds ends the factor of all.
TEST(GpMultifrontal, RanksWithoutAFactor) {
  Example e = make_example(3000, 5);
  for (const std::size_t wrong : {17, 1500, 2999}) {
    MultifrontalCholesky shared(e.table, e.coordinates, test::ranks());
    e.diagonal[wrong] = -1e3;
    EXPECT_FALSE(shared.factor(e.factor, e.diagonal)) << wrong;
    e.diagonal[wrong] = 1;
    EXPECT_TRUE(shared.factor(e.factor, e.diagonal)) << wrong;
  }
}

}  // namespace
