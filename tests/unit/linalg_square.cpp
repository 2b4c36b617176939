// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"

namespace tessera::linalg {
namespace {

void expect_near(const Matrix& a, const Matrix& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) EXPECT_NEAR(a[i][j], b[i][j], tolerance);
  }
}

const Matrix kUnit{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

TEST(Square, Inverse) {
  const Matrix matrix{{1, 2, 0.5}, {-3, 0, 1}, {0, 4, -2}};
  double logarithm = 0;
  expect_near(product(matrix, inverse(matrix, &logarithm)), kUnit, 1e-14);
  EXPECT_NEAR(logarithm, std::log(22.0), 1e-14);  // |det| = |1 (0 - 4) - 2 (6 - 0) + 0.5 (-12)|
  EXPECT_THROW(inverse({{1, 2}, {2, 4}}), Error);
}

TEST(Square, RootOfRowsWithUnits) {
  const Matrix covariance{{4e6, 100, -3}, {100, 0.04, 0}, {-3, 0, 1e-5}};
  const Matrix root = scaled_root(covariance);
  const Matrix back = product(root, transpose(root));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(back[i][j], covariance[i][j],
                  1e-14 * std::sqrt(covariance[i][i] * covariance[j][j]));
    }
  }
  expect_near(scaled_root({{9, 0}, {0, 1e-4}}), {{3, 0}, {0, 1e-2}}, 1e-15);
  EXPECT_THROW(scaled_root({{1, 2}, {2, 1}}), Error);
}

TEST(Square, RootOfASemidefiniteMatrix) {
  const Matrix singular{{4, 6, 0}, {6, 9, 0}, {0, 0, 0}};
  const Matrix root = semidefinite_root(singular);
  expect_near(product(root, transpose(root)), singular, 1e-14);
  expect_near(semidefinite_root({{9, 0}, {0, 1e-4}}), {{3, 0}, {0, 1e-2}}, 0);
  EXPECT_THROW(semidefinite_root({{1, 2}, {2, 1}}), Error);
  EXPECT_THROW(semidefinite_root({{1, 0.1}, {0.1, 0}}), Error);
  EXPECT_THROW(semidefinite_root({{-1, 0}, {0, 1}}), Error);
  EXPECT_THROW(semidefinite_root({{1, 0.5}, {0.4, 1}}), Error);
}

TEST(Square, Congruence) {
  expect_near(congruence({{1, 1}, {0, 2}}, {{1, 0}, {0, 3}}), {{4, 6}, {6, 12}}, 1e-15);
}

}  // namespace
}  // namespace tessera::linalg
