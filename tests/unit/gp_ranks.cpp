// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The exact solver among several ranks against that of one device. Started alone this is one rank;
// CTest starts it by mpirun too.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/local_factor.hpp"
#include "tessera/core/linalg/shared_factor.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/ranks.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using test::expect_close;
using test::normals;
using test::random_points;
using Exact = ExactSolver<ExecSpace>;
using Shared = linalg::SharedFactor<ExecSpace>;
using linalg::Block;

constexpr std::int64_t kWidth = Shared::kWidth;

/// Fewer points than a panel, than a panel for each rank, and some panels with a rest.
std::vector<std::size_t> sizes() {
  return {100, static_cast<std::size_t>(kWidth), static_cast<std::size_t>(4 * kWidth + 77)};
}

/// A matrix whose inverse is small: 1 + 1/(1 + |i - j|) below a heavy diagonal.
struct FillPanel {
  Block panel;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t t) const {
    const std::int64_t i = t % panel.rows, j = t / panel.rows;
    const double distance = static_cast<double>(i < j ? j - i : i - j);
    panel.data[i + j * panel.stride] = 1 / (1 + distance) + (i == j ? 5 : 0);
  }
};

template <class Factor>
std::int64_t fill_and_factor(Factor& factor) {
  return factor.factor([](std::int64_t, const Block& panel) {
    Kokkos::parallel_for("tessera::test::fill",
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                             0, panel.rows * panel.columns),
                         FillPanel{panel});
  });
}

using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;

Matrix numbers(std::int64_t n, std::int64_t columns, int seed) {
  const std::vector<double> values = normals(static_cast<std::size_t>(n * columns), seed);
  const Matrix matrix("tessera::test::numbers", n, columns);
  copy_from_host(ExecSpace(), matrix.data(), values.data(), values.size());
  return matrix;
}

std::vector<double> read(const Matrix& matrix) {
  std::vector<double> values(matrix.span());
  copy_to_host(ExecSpace(), values.data(), matrix.data(), values.size());
  return values;
}

Block block(const Matrix& matrix) {
  const auto rows = static_cast<std::int64_t>(matrix.extent(0));
  return {matrix.data(), rows, static_cast<std::int64_t>(matrix.extent(1)), rows};
}

TEST(SharedFactor, DoesWhatOneDeviceDoes) {
  for (const std::size_t size : sizes()) {
    const auto n = static_cast<std::int64_t>(size);
    linalg::LocalFactor<ExecSpace> local(ExecSpace(), n);
    Shared shared(ExecSpace(), n, test::ranks());
    ASSERT_EQ(fill_and_factor(local), 0);
    ASSERT_EQ(fill_and_factor(shared), 0);
    expect_close(shared.diagonal(), local.diagonal(), 1e-13, "diagonal");
    using Call = void (linalg::CholeskyFactor<ExecSpace>::*)(const Block&);
    using Factor = linalg::CholeskyFactor<ExecSpace>;
    for (const Call call : {&Factor::solve, &Factor::solve_transposed, &Factor::multiply,
                            &Factor::multiply_transposed}) {
      // each rank brings columns of its own, or none
      const int columns = test::ranks().rank() % 2 == 0 ? 3 : 0;
      const Matrix a = numbers(n, columns, 5), b = numbers(n, columns, 5);
      (local.*call)(block(a));
      (shared.*call)(block(b));
      expect_close(read(b), read(a), 1e-12, "columns");
    }
  }
}

TEST(SharedFactor, FindsTheFirstMinorThatIsNotPositive) {
  const std::int64_t n = 3 * kWidth + 5;
  for (const std::int64_t wrong : {std::int64_t(1), kWidth, kWidth + 1, n}) {
    Shared shared(ExecSpace(), n, test::ranks());
    EXPECT_EQ(shared.factor([&](std::int64_t first, const Block& panel) {
      Kokkos::parallel_for("tessera::test::fill",
                           Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                               0, panel.rows * panel.columns),
                           FillPanel{panel});
      const std::int64_t at = wrong - 1 - first;
      if (at >= 0 && at < panel.columns)
        store(ExecSpace(), "tessera::test::spoil", panel.data + at + at * panel.stride, -1.0);
    }),
              wrong);
  }
}

CovarianceModel model(bool rotated) {
  CovarianceModel m;
  m.has_nugget = true;
  m.anisotropic = m.rotated = rotated;
  return m;
}

TEST(GpRanks, LikelihoodsGradientsAndPredictions) {
  for (const bool rotated : {false, true}) {
    const CovarianceModel m = model(rotated);
    const Theta theta = rotated ? Theta{1.3, 0.1, 0.2, 0.5, 0.8, 0.05} : Theta{1.3, 0.1, 0.8, 0.05};
    const std::size_t n = sizes().back();
    Points points = random_points(m, n, 1);
    if (rotated) {
      for (std::size_t i = 0; i < n; ++i)
        points.error_variance.push_back(0.01 + 0.001 * static_cast<double>(i % 7));
    }
    const Points targets = random_points(m, 301, 2);
    const auto columns = trend(Mean::linear, points, points),
               at_targets = trend(Mean::linear, targets, points);
    Exact alone(ExecSpace(), m, points), shared(ExecSpace(), m, points, test::ranks());
    const std::vector<double> z = alone.simulate(theta, normals(2 * n, 2), {});
    expect_close(shared.simulate(theta, normals(2 * n, 2), {}), z, 1e-12, "simulation");
    alone.set_data(z, columns);
    shared.set_data(z, columns);
    const Evaluation a = alone.evaluate(theta, true, true), b = shared.evaluate(theta, true, true);
    ASSERT_TRUE(a.valid && b.valid) << b.problem;
    EXPECT_NEAR(b.loglik / a.loglik, 1, 1e-12);
    expect_close(b.gradient, a.gradient, 1e-9, "gradient");
    expect_close(b.information, a.information, 1e-9, "information");
    Theta other = theta;
    other[1] *= 0.8;
    expect_close(shared.misspecified_variance(theta, other, targets),
                 alone.misspecified_variance(theta, other, targets), 1e-9, "misspecified variance");
    for (const int draws : {0, 2}) {
      const DrawOptions options{
          draws, 1e-8, normals(static_cast<std::size_t>(draws) * targets.size(), 3), {}};
      const Prediction c = alone.predict(theta, targets, at_targets, options),
                       d = shared.predict(theta, targets, at_targets, options);
      expect_close(d.mean, c.mean, 1e-10, "mean");
      expect_close(d.variance, c.variance, 1e-10, "variance");
      if (draws > 0) expect_close(d.draws, c.draws, 1e-8, "draws");
    }
  }
}

TEST(GpRanks, CrossValidation) {
  const CovarianceModel m = model(false);
  const Theta theta{1.3, 0.1, 0.8, 0.05};
  const std::size_t n = sizes().back();
  const Points points = random_points(m, n, 1);
  const std::vector<double> z = normals(n, 2);
  Exact alone(ExecSpace(), m, points), shared(ExecSpace(), m, points, test::ranks());
  for (const Mean mean : {Mean::zero, Mean::linear}) {
    alone.set_data(z, trend(mean, points, points));
    shared.set_data(z, trend(mean, points, points));
    // some solved together; also fewer than ranks
    for (const std::size_t folds : {n, n / 5, std::size_t(7), std::size_t(2)}) {
      std::vector<int> fold;
      // folds of different sizes, some empty
      for (std::size_t i = 0; i < n; ++i) fold.push_back(static_cast<int>(i * i % folds));
      if (folds == n) std::iota(fold.begin(), fold.end(), 0);
      const Prediction a = alone.cross_validate(theta, fold),
                       b = shared.cross_validate(theta, fold);
      expect_close(b.mean, a.mean, 1e-10, "mean");
      expect_close(b.variance, a.variance, 1e-10, "variance");
    }
  }
}

TEST(GpRanks, SaysWhereACovarianceIsSingular) {
  const CovarianceModel m = model(false);
  Points points = random_points(m, 700, 1);
  for (std::vector<double>& x : points.coordinate) x[600] = x[5];
  Exact shared(ExecSpace(), m, points, test::ranks());
  shared.set_data(normals(700, 2), {});
  const Evaluation evaluation = shared.evaluate({1, 0.1, 0.5, 0}, false);
  EXPECT_FALSE(evaluation.valid);
  EXPECT_FALSE(evaluation.problem.empty());
}

}  // namespace
