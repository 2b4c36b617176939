// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"

namespace tessera::linalg {
namespace {

const Matrix kMatrix{{4.0, 1.0, 0.5}, {1.0, 3.0, -0.25}, {0.5, -0.25, 2.0}};

TEST(Symmetric, InverseAndDeterminant) {
  double log_determinant = 0;
  const Matrix inverse = inverse_positive_definite(kMatrix, &log_determinant);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < 3; ++k) product += inverse[i][k] * kMatrix[k][j];
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-15);
    }
  }
  EXPECT_NEAR(log_determinant, std::log(4 * (6 - 0.0625) - (2 + 0.125) + 0.5 * (-0.25 - 1.5)),
              1e-14);
}

TEST(Symmetric, CholeskyFactor) {
  const Matrix factor = cholesky_factor(kMatrix);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < 3; ++k) product += factor[i][k] * factor[j][k];
      EXPECT_NEAR(product, kMatrix[i][j], 1e-15);
      if (j > i) {
        EXPECT_EQ(factor[i][j], 0);
      }
    }
  }
}

TEST(Symmetric, Eigenvectors) {
  const Eigen eigen = eigen_decomposition(kMatrix);
  for (std::size_t a = 0; a < 3; ++a) {
    double largest = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      double product = 0;
      for (std::size_t j = 0; j < 3; ++j) product += kMatrix[i][j] * eigen.vectors[j][a];
      EXPECT_NEAR(product, eigen.values[a] * eigen.vectors[i][a], 1e-14);
      if (std::fabs(eigen.vectors[i][a]) > std::fabs(largest)) largest = eigen.vectors[i][a];
    }
    EXPECT_GT(largest, 0);
    if (a > 0) {
      EXPECT_LT(eigen.values[a - 1], eigen.values[a]);
    }
  }
}

TEST(Symmetric, Errors) {
  EXPECT_THROW(cholesky_factor({{1, 2}, {2, 1}}), Error);
  EXPECT_THROW(inverse_positive_definite({{1, 0.5}, {0, 1}}), Error);
  EXPECT_THROW(eigen_decomposition({{1, 0.5}, {0, 1}}), Error);
  EXPECT_THROW(eigen_decomposition({{1, 0.5}}), Error);
}

}  // namespace
}  // namespace tessera::linalg
