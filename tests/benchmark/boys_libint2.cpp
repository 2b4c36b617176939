// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <libint2/boys.h>

#include <array>
#include <memory>

#include "tests/benchmark/boys_peer.hpp"

namespace tessera::bench {

void boys_libint2(int N, const double* x, std::int64_t count, double* F) {
  using Evaluator = libint2::FmEval_Chebyshev7<double>;
  // a table of just the orders asked for is its fastest
  static std::array<std::unique_ptr<Evaluator>, 41> evaluators;
  if (!evaluators[N]) evaluators[N] = std::make_unique<Evaluator>(N);
  const Evaluator& evaluator = *evaluators[N];
  for (std::int64_t i = 0; i < count; ++i) evaluator.eval(F + i * (N + 1), x[i], N);
}

}  // namespace tessera::bench
