// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/math/special_functions/bessel.hpp>

#include "tests/benchmark/bessel_peer.hpp"

namespace tessera::bench {

void bessel_boost(const double* nu, const double* x, double* k, std::int64_t count) {
  using namespace boost::math::policies;
  const policy<promote_double<false>, overflow_error<ignore_error>, underflow_error<ignore_error>>
      plain;
  for (std::int64_t i = 0; i < count; ++i) k[i] = boost::math::cyl_bessel_k(nu[i], x[i], plain);
}

}  // namespace tessera::bench
