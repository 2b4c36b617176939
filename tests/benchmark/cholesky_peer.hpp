// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tessera::bench {

/// A factorisation by ScaLAPACK.
struct ScalapackFactor {
  double seconds = 0;          ///< of the factorisation alone, until the last rank has ended
  double log_determinant = 0;  ///< the same on every rank
};

/// The Cholesky factor of the covariance `test_covariance` of n points by PDPOTRF, in square blocks
/// of `block` numbers dealt to a grid of ranks as square as their number allows. Only where
/// ScaLAPACK is installed, and under a launcher; all ranks call it.
ScalapackFactor cholesky_scalapack(std::int64_t n, int block);

}  // namespace tessera::bench
