// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Points in levels, and fields made level by level, against passes from the first point to the
// last.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/gp/points/ordering.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tessera/gp/vecchia/vecchia_fields.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using test::normals;
using Neighbours = NeighbourView<ExecSpace>;
using Table = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>;

/// Every level wide, some of them, none; one thread.
const std::vector<std::int64_t> kNarrow{0, 20, 1 << 20, detail::kOneThread};

/// The nearest predecessors of points in the plane, in an order.
Neighbours nearest(std::int64_t n, int m, Ordering ordering, std::int64_t first) {
  const std::vector<double>
      x = test::random_points(CovarianceModel{}, static_cast<std::size_t>(n), 3).coordinate[0],
      y = test::random_points(CovarianceModel{}, static_cast<std::size_t>(n), 4).coordinate[0];
  const auto upload_points = [&](const std::vector<std::uint32_t>& order) {
    std::vector<double> flat;
    for (const std::vector<double>& from : {x, y}) {
      for (const std::uint32_t i : order) flat.push_back(from[i]);
    }
    const auto points = allocate<Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>>(
        ExecSpace(), "tessera::test::points", n, 2);
    copy_from_host(ExecSpace(), points.data(), flat.data(), flat.size());
    return points;
  };
  std::vector<std::uint32_t> given(static_cast<std::size_t>(n));
  std::iota(given.begin(), given.end(), 0u);
  const auto order =
      allocate<Kokkos::View<std::uint32_t*, ExecSpace>>(ExecSpace(), "tessera::test::order", n);
  order_points<ExecSpace>(ExecSpace(), upload_points(given), ordering, 1, order);
  const auto neighbours =
      allocate<Neighbours>(ExecSpace(), "tessera::test::neighbours", n - first, m);
  find_predecessors<ExecSpace>(ExecSpace(), upload_points(download(ExecSpace(), order)), first,
                               neighbours);
  return neighbours;
}

std::vector<std::int32_t> read(const Neighbours& neighbours) {
  std::vector<std::int32_t> values(neighbours.span());
  copy_to_host(ExecSpace(), values.data(), neighbours.data(), values.size());
  return values;
}

/// Finds levels by their definition.
std::vector<std::int32_t> expected_levels(const Neighbours& neighbours, std::int64_t known) {
  const std::vector<std::int32_t> table = read(neighbours);
  const std::size_t width = neighbours.extent(1);
  std::vector<std::int32_t> level(neighbours.extent(0), 0);
  for (std::size_t i = 0; i < level.size(); ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      const std::int64_t other = table[i * width + j] - known;
      if (other >= 0) level[i] = std::max(level[i], level[static_cast<std::size_t>(other)] + 1);
    }
  }
  return level;
}

TEST(GpLevels, EveryPointComesRightAfterThoseItDependsOn) {
  for (const Ordering ordering : {Ordering::maxmin, Ordering::random, Ordering::coordinate}) {
    for (const std::int64_t known : {0, 700}) {
      const std::int64_t n = 3000;
      const Neighbours neighbours = nearest(n, 11, ordering, known);
      const std::vector<std::int32_t> expected = expected_levels(neighbours, known);
      for (const std::int64_t narrow : kNarrow) {
        const auto levels = detail::find_levels(ExecSpace(), neighbours, known, narrow);
        ASSERT_EQ(levels.count(), 1 + *std::max_element(expected.begin(), expected.end()));
        const std::vector<std::int32_t> row = download(ExecSpace(), levels.row);
        std::vector<std::int32_t> found(expected.size(), -1);
        for (std::int64_t level = 0; level < levels.count(); ++level) {
          EXPECT_GT(levels.size(level), 0);
          for (std::int64_t k = 0; k < levels.size(level); ++k)
            found[static_cast<std::size_t>(row[static_cast<std::size_t>(
                levels.host_begin[static_cast<std::size_t>(level)] + k)])] =
                static_cast<std::int32_t>(level);
        }
        EXPECT_EQ(found, expected);
      }
    }
  }
}

TEST(GpLevels, LittleOfEverything) {
  const auto none = allocate<Neighbours>(ExecSpace(), "tessera::test::neighbours", 0, 3);
  EXPECT_EQ(detail::find_levels(ExecSpace(), none, 5, 10).count(), 0);
  const auto later = allocate<Neighbours>(ExecSpace(), "tessera::test::neighbours", 2, 1);
  const std::vector<std::int32_t> each_other{1, 0};
  copy_from_host(ExecSpace(), later.data(), each_other.data(), each_other.size());
  EXPECT_THROW(detail::find_levels(ExecSpace(), later, 0, 10), Error);
}

/// One thread, from the first point to the last.
struct SequentialPass {
  detail::FieldRule<ExecSpace> rule;
  Table field, numbers;
  KOKKOS_INLINE_FUNCTION void operator()(int) const {
    for (std::size_t c = 0; c < field.extent(1); ++c) {
      for (std::size_t i = 0; i < rule.neighbours.extent(0); ++i) {
        double value = compat::math::sqrt(rule.variance(i)) * numbers(c, rule.order(i));
        for (std::size_t j = 0; j < rule.neighbours.extent(1); ++j) {
          if (rule.neighbours(i, j) >= 0)
            value =
                compat::multiply_add(rule.weights(i, j), field(rule.neighbours(i, j), c), value);
        }
        field(rule.known + i, c) = value;
        numbers(c, rule.order(i)) = value;
      }
    }
  }
};

TEST(GpLevels, FieldsHaveTheBitsOfASequentialPass) {
  const std::int64_t n = 2500, fields = 19;
  const int m = 9;
  for (const std::int64_t known : {0, 400}) {
    const std::int64_t rows = n - known;
    const auto numbers = [](std::int64_t count, unsigned seed) {
      return normals(static_cast<std::size_t>(count), seed);
    };
    detail::FieldRule<ExecSpace> rule{
        nearest(n, m, Ordering::maxmin, known),
        allocate<Table>(ExecSpace(), "tessera::test::weights", rows, m),
        {},
        {},
        known};
    std::vector<double> weights = numbers(rows * m, 1), variances = numbers(rows, 2),
                        given = numbers(rows * fields, 3), data = numbers(known * fields, 4);
    for (double& w : weights) w *= 0.3;
    for (double& v : variances) v *= v;
    copy_from_host(ExecSpace(), rule.weights.data(), weights.data(), weights.size());
    rule.variance = upload(ExecSpace(), "tessera::test::variance", variances);
    std::vector<std::uint32_t> order;
    for (std::int64_t i = 0; i < rows; ++i)
      order.push_back(static_cast<std::uint32_t>((i * 11) % rows));
    rule.order = upload(ExecSpace(), "tessera::test::order", order);

    const SequentialPass pass{rule, allocate<Table>(ExecSpace(), "tessera::test::field", n, fields),
                              allocate<Table>(ExecSpace(), "tessera::test::numbers", fields, rows)};
    copy_from_host(ExecSpace(), pass.field.data(), data.data(), data.size());
    copy_from_host(ExecSpace(), pass.numbers.data(), given.data(), given.size());
    Kokkos::parallel_for("tessera::test::sequential_pass",
                         Kokkos::RangePolicy<ExecSpace>(ExecSpace(), 0, 1), pass);
    std::vector<double> expected(given.size());
    copy_to_host(ExecSpace(), expected.data(), pass.numbers.data(), expected.size());
    for (const std::int64_t narrow : kNarrow) {
      // fields at a time: 1, 2, all
      for (const std::int64_t room : {std::int64_t(1), 2 * (n + rows), std::int64_t(1) << 27}) {
        std::vector<double> found = given;
        detail::draw_fields(
            ExecSpace(), rule, detail::find_levels(ExecSpace(), rule.neighbours, known, narrow),
            found,
            [&](std::int64_t field, double* values, std::int64_t stride) {
              for (std::int64_t i = 0; i < known; ++i)
                values[i * stride] = data[static_cast<std::size_t>(i * fields + field)];
            },
            narrow, room);
        EXPECT_EQ(found, expected) << narrow << ' ' << room;
      }
    }
  }
}

/// A field has the same bits alone and among others, simulated and drawn, and the solver says how
/// many levels it took.
TEST(GpLevels, FieldsDoNotDependOnEachOther) {
  const std::size_t n = 700, m = 150;
  CovarianceModel model;
  model.has_nugget = true;
  const Theta theta{1.3, 0.1, 0.8, 0.05};
  const Points points = test::random_points(model, n, 5),
               targets = test::random_points(model, m, 6);
  VecchiaSolver<ExecSpace> solver(ExecSpace(), model, points, test::vecchia_options(12));
  EXPECT_EQ(solver.levels(), 0);
  const std::vector<double> e = normals(2 * n, 7), noise = normals(2 * n, 8);
  const auto part = [](const std::vector<double>& from, std::size_t size, std::size_t which) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(which * size);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(size));
  };
  const std::vector<double> both = solver.simulate(theta, e, noise);
  const std::vector<std::int32_t> levels = expected_levels(solver.neighbours(), 0);
  EXPECT_EQ(solver.levels(), 1 + *std::max_element(levels.begin(), levels.end()));
  for (const std::size_t r : {0, 1})
    EXPECT_EQ(solver.simulate(theta, part(e, n, r), part(noise, n, r)), part(both, n, r)) << r;

  solver.set_data(part(both, n, 0), {});
  DrawOptions draws;
  draws.count = 2;
  draws.normals = normals(2 * m, 9);
  const std::vector<double> drawn = solver.predict(theta, targets, {}, draws).draws;
  EXPECT_GT(solver.levels(), 1);
  const std::vector<double> numbers = draws.normals;
  draws.count = 1;
  for (const std::size_t d : {0, 1}) {
    draws.normals = part(numbers, m, d);
    const std::vector<double> alone = solver.predict(theta, targets, {}, draws).draws;
    for (std::size_t i = 0; i < m; ++i) ASSERT_EQ(alone[i], drawn[2 * i + d]) << i;
  }
}

}  // namespace
