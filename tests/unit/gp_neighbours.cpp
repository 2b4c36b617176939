// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Orders of points and exact neighbours, against a search of all pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/gp/points/neighbours.hpp"
#include "tessera/gp/points/ordering.hpp"
#include "tests/harness/exec_space.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;

/// Columns of coordinates.
using Columns = std::vector<std::vector<double>>;

Columns random_points(std::size_t n, int dimension, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 3);
  Columns points(dimension, std::vector<double>(n));
  for (auto& column : points) {
    for (double& x : column) x = uniform(random);
  }
  return points;
}

CoordinateView<ExecSpace> to_device(const Columns& points) {
  const ExecSpace exec;
  const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> device(
      "tessera::test::points", points[0].size(), points.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    copy_from_host(exec, device.data() + k * points[0].size(), points[k].data(), points[0].size());
  }
  return device;
}

template <int D>
double square(const Columns& a, std::size_t i, const Columns& b, std::size_t j) {
  double x[D], y[D];
  for (int k = 0; k < D; ++k) {
    x[k] = a[k][i];
    y[k] = b[k][j];
  }
  return squared_distance<D>(x, y);
}

/// The numbers of the m nearest among the points that count, then -1.
template <int D, class Counts>
std::vector<std::int32_t> nearest(const Columns& points, const Columns& targets, std::size_t i,
                                  int m, const Counts& counts) {
  std::vector<std::pair<double, std::int32_t>> all;
  for (std::size_t j = 0; j < points[0].size(); ++j) {
    if (counts(j)) all.emplace_back(square<D>(targets, i, points, j), static_cast<std::int32_t>(j));
  }
  const std::size_t found = std::min<std::size_t>(m, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(found), all.end());
  std::vector<std::int32_t> result(m, -1);
  for (std::size_t k = 0; k < found; ++k) result[k] = all[k].second;
  return result;
}

std::vector<std::int32_t> predecessors(const Columns& points, std::int64_t first, int m) {
  const ExecSpace exec;
  const std::size_t rows = points[0].size() - static_cast<std::size_t>(first);
  const NeighbourView<ExecSpace> neighbours("tessera::test::neighbours", rows, m);
  find_predecessors<ExecSpace>(exec, to_device(points), first, neighbours);
  std::vector<std::int32_t> host(rows * m);
  copy_to_host(exec, host.data(), neighbours.data(), host.size());
  return host;
}

template <int D>
void check_predecessors(const Columns& points, std::size_t first, int m, std::size_t step) {
  const std::vector<std::int32_t> found = predecessors(points, static_cast<std::int64_t>(first), m);
  for (std::size_t i = first; i < points[0].size(); i += i < 300 ? 1 : step) {
    const auto row = found.begin() + static_cast<std::ptrdiff_t>((i - first) * m);
    ASSERT_EQ(std::vector<std::int32_t>(row, row + m),
              nearest<D>(points, points, i, m, [&](std::size_t j) { return j < i; }))
        << i;
  }
}

TEST(GpNeighbours, PredecessorsOfRandomPoints) {
  for (const int m : {1, 10, 30, 70}) check_predecessors<2>(random_points(10000, 2, 1), 0, m, 7);
  check_predecessors<1>(random_points(10000, 1, 2), 0, 30, 17);
  check_predecessors<3>(random_points(10000, 3, 3), 0, 30, 17);
  check_predecessors<4>(random_points(3000, 4, 4), 0, 30, 17);
}

TEST(GpNeighbours, FewPoints) {
  for (const std::size_t n : {1, 2, 5}) check_predecessors<2>(random_points(n, 2, 5), 0, 4, 1);
  check_predecessors<2>(random_points(200, 2, 5), 0, 199, 1);
}

/// A lattice in random order: many equal distances.
TEST(GpNeighbours, TiesGoToTheSmallerIndex) {
  Columns points(2);
  for (int i = 0; i < 10000; ++i) {
    points[0].push_back(i % 100);
    points[1].push_back(i / 100);
  }
  std::vector<int> order(10000);
  for (int i = 0; i < 10000; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(6));
  Columns shuffled(2);
  for (const int i : order) {
    for (int k = 0; k < 2; ++k) shuffled[k].push_back(points[k][i]);
  }
  check_predecessors<2>(shuffled, 0, 30, 7);
  check_predecessors<2>(points, 0, 30, 7);
}

TEST(GpNeighbours, PointsThatCoincide) {
  Columns points = random_points(10000, 2, 7);
  for (std::size_t i = 5000; i < 10000; ++i) {
    for (int k = 0; k < 2; ++k) points[k][i] = points[k][i % 500];
  }
  check_predecessors<2>(points, 0, 30, 7);
  Columns equal(2, std::vector<double>(500, 1.5));
  check_predecessors<2>(equal, 0, 30, 7);
}

/// Scales that differ, points on a line, and most points in a corner.
TEST(GpNeighbours, UnevenPoints) {
  Columns points = random_points(5000, 2, 8);
  for (double& y : points[1]) y *= 1e-4;
  check_predecessors<2>(points, 0, 30, 7);
  points[1].assign(5000, 2.0);
  check_predecessors<2>(points, 0, 30, 7);
  points = random_points(5000, 3, 8);
  for (std::size_t i = 0; i < 5000; ++i) {
    for (int k = 0; k < 3; ++k) points[k][i] = std::pow(points[k][i], 9);
  }
  check_predecessors<3>(points, 0, 30, 7);
}

TEST(GpNeighbours, PredecessorsFromAPointOn) {
  check_predecessors<2>(random_points(3000, 2, 9), 1100, 30, 7);
}

TEST(GpNeighbours, NearestOfOtherPoints) {
  const ExecSpace exec;
  const Columns points = random_points(4000, 2, 10);
  Columns targets = random_points(500, 2, 11);
  targets[0][0] = 1000;  // far outside
  const NeighbourView<ExecSpace> neighbours("tessera::test::neighbours", 500, 60);
  for (const bool folds : {false, true}) {
    std::vector<int> point_fold, target_fold;
    for (int i = 0; folds && i < 4000; ++i) point_fold.push_back(i % 10);
    for (int i = 0; folds && i < 500; ++i) target_fold.push_back(i % 10);
    find_nearest<ExecSpace>(exec, to_device(points), to_device(targets),
                            upload(exec, "tessera::test::fold", point_fold),
                            upload(exec, "tessera::test::fold", target_fold), neighbours);
    std::vector<std::int32_t> found(500 * 60);
    copy_to_host(exec, found.data(), neighbours.data(), found.size());
    for (std::size_t i = 0; i < 500; ++i) {
      const auto row = found.begin() + static_cast<std::ptrdiff_t>(i * 60);
      ASSERT_EQ(std::vector<std::int32_t>(row, row + 60),
                nearest<2>(points, targets, i, 60,
                           [&](std::size_t j) { return !folds || j % 10 != i % 10; }))
          << i;
    }
  }
}

std::vector<std::uint32_t> find_order(const Columns& points, Ordering ordering,
                                      std::uint64_t seed) {
  const ExecSpace exec;
  const Kokkos::View<std::uint32_t*, ExecSpace> order("tessera::test::order", points[0].size());
  order_points<ExecSpace>(exec, to_device(points), ordering, seed, order);
  return download(exec, order);
}

TEST(GpOrdering, EachOrderHoldsEveryPointOnce) {
  Columns points = random_points(5000, 2, 12);
  for (std::size_t i = 4000; i < 5000; ++i) {
    for (int k = 0; k < 2; ++k) points[k][i] = points[k][i - 4000];
  }
  for (const Ordering ordering :
       {Ordering::maxmin, Ordering::random, Ordering::coordinate, Ordering::given}) {
    for (int dimension = 1; dimension <= 2; ++dimension) {
      const Columns part(points.begin(), points.begin() + dimension);
      std::vector<std::uint32_t> order = find_order(part, ordering, 3);
      EXPECT_EQ(order, find_order(part, ordering, 3));
      std::sort(order.begin(), order.end());
      for (std::uint32_t i = 0; i < 5000; ++i) ASSERT_EQ(order[i], i);
    }
  }
  EXPECT_NE(find_order(points, Ordering::random, 3), find_order(points, Ordering::random, 4));
  const std::vector<std::uint32_t> by_x = find_order(points, Ordering::coordinate, 0);
  for (std::size_t k = 1; k < 5000; ++k) EXPECT_LE(points[0][by_x[k - 1]], points[0][by_x[k]]);
}

/// Several variables observed at a place are points of that place.
TEST(GpOrdering, MaxminKeepsPointsOfAPlaceTogether) {
  for (const int dimension : {1, 2, 3}) {
    Columns points = random_points(3000, dimension, 14);
    for (std::size_t i = 1500; i < 3000; ++i) {
      for (auto& column : points) column[i] = column[i % 1000];
    }
    const std::vector<std::uint32_t> order = find_order(points, Ordering::maxmin, 1);
    std::vector<std::size_t> first(1000), count(1000);
    for (std::size_t k = 0; k < 3000; ++k) {
      const std::size_t place = order[k] < 1500 && order[k] >= 1000 ? 1000 : order[k] % 1000;
      if (place == 1000) continue;  // a place of its own
      if (count[place]++ == 0) first[place] = k;
      EXPECT_EQ(k - first[place], count[place] - 1) << place;
    }
  }
}

/// The distance to the nearest earlier point falls like that of an exact maxmin order, but for a
/// factor.
TEST(GpOrdering, MaxminKeepsEarlyPointsApart) {
  const std::size_t n = 4000;
  const Columns points = random_points(n, 2, 13);
  const std::vector<std::uint32_t> order = find_order(points, Ordering::maxmin, 1);
  std::vector<double> exact(n, 1e300), distance(n, 1e300);
  std::vector<double> exact_spacing, spacing;
  std::size_t next = order[0];
  for (std::size_t k = 0; k < 1000; ++k) {
    exact_spacing.push_back(exact[next]);
    spacing.push_back(distance[order[k]]);
    for (std::size_t j = 0; j < n; ++j) {
      exact[j] = std::min(exact[j], std::sqrt(square<2>(points, next, points, j)));
      distance[j] = std::min(distance[j], std::sqrt(square<2>(points, order[k], points, j)));
    }
    next = static_cast<std::size_t>(std::max_element(exact.begin(), exact.end()) - exact.begin());
  }
  double ratio = 0;
  for (std::size_t k = 10; k < 1000; ++k) ratio += std::log(spacing[k] / exact_spacing[k]) / 990;
  EXPECT_GT(std::exp(ratio), 0.6) << std::exp(ratio);
  for (std::size_t k = 10; k < 1000; ++k) EXPECT_GT(spacing[k], 0.2 * exact_spacing[k]) << k;
}

}  // namespace
