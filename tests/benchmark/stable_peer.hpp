// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// libstable, only where it is installed. Its distributions are in S0 here, with mu = 0 and sigma =
/// 1.

namespace tessera::bench {

enum class LibstableFunction { pdf, cdf, quantile };

struct LibstableOptions {
  double relative = 1e-6, absolute = 1e-6;  ///< tolerances of its integrals: these are its own
  unsigned threads = 1;                     ///< 0: as many as it takes by itself
};

/// Values of one distribution at x, for quantiles at probabilities x.
void stable_libstable(LibstableFunction function, const LibstableOptions& options, double alpha,
                      double beta, const double* x, double* out, std::int64_t count);

/// The same with a distribution for each point, in one thread.
void stable_libstable(LibstableFunction function, const LibstableOptions& options,
                      const double* alpha, const double* beta, const double* x, double* out,
                      std::int64_t count);

}  // namespace tessera::bench
