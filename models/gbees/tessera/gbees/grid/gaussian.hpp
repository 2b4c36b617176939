// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/grid/grid.hpp"

namespace tessera::gbees {

/// A Gaussian density in D dimensions.
///
///     const Gaussian<2> start({{0.5, 0.0}}, {{0.0025, 0.0}, {0.0, 0.0025}});
template <int D>
struct Gaussian {
  Vector<D> mean;
  double precision[D][D];  ///< the inverse of the covariance matrix
  Vector<D> deviation;     ///< standard deviation of each variable
  double peak;             ///< the density at the mean

  Gaussian() = default;  // of no values

  /// Throws Error (input) when the covariance matrix is not D x D, symmetric and positive definite.
  Gaussian(const Vector<D>& mean_, const linalg::Matrix& covariance) : mean(mean_) {
    double log_determinant = 0;
    const linalg::Matrix inverse = linalg::inverse_positive_definite(covariance, &log_determinant);
    if (inverse.size() != D)
      throw Error(ErrorKind::input,
                  "gbees: the covariance matrix of the density has another number of variables");
    for (int i = 0; i < D; ++i) {
      deviation[i] = std::sqrt(covariance[i][i]);
      for (int j = 0; j < D; ++j) precision[i][j] = inverse[i][j];
    }
    peak = std::exp(-0.5 * (D * std::log(2 * 3.14159265358979323846) + log_determinant));
  }

  /// The density as a share of its peak: exp(-d^T P d / 2) with d = x - mean.
  KOKKOS_INLINE_FUNCTION double operator()(const Vector<D>& x) const {
    double form = 0;
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) form += (x[i] - mean[i]) * precision[i][j] * (x[j] - mean[j]);
    }
    return compat::math::exp(-0.5 * form);
  }
};

/// A weighted sum of Gaussians; the weights are positive and count in proportion to their sum.
template <int D>
struct MixtureComponent {
  double weight;
  Gaussian<D> density;
};
template <int D>
using Mixture = std::vector<MixtureComponent<D>>;

}  // namespace tessera::gbees
