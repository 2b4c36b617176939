// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/latent/lanczos.hpp"

#include <lapacke.h>

#include <cmath>
#include <cstddef>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/host_blas.hpp"

namespace tessera::gp::detail {

double quadrature_of_logarithm(const ConjugateSteps& steps) {
  const std::size_t n = steps.step.size();
  std::vector<double> diagonal(n), below(n), vectors(n * n);
  for (std::size_t k = 0; k < n; ++k) {
    diagonal[k] = 1 / steps.step[k] + (k > 0 ? steps.ratio[k - 1] / steps.step[k - 1] : 0);
    below[k] = std::sqrt(steps.ratio[k]) / steps.step[k];
  }
  const linalg::HostBlas one_thread;
  const int size = static_cast<int>(n);
  if (LAPACKE_dstev(LAPACK_COL_MAJOR, 'V', size, diagonal.data(), below.data(), vectors.data(),
                    size) != 0)
    throw Error(ErrorKind::numerical, "the eigenvalues of a tridiagonal matrix were not found",
                "give the covariance a nugget or a smaller range");
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k)
    sum += vectors[k * n] * vectors[k * n] * std::log(diagonal[k]);
  return sum;
}

}  // namespace tessera::gp::detail
