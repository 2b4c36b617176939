// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/hardware.hpp"

/// Quotients of double precision without the special cases of division, which take a GPU more
/// instructions than the quotient itself. CPUs divide.
///
/// Domain: divisors between 1e-150 and 1e150 in size; 0, infinity and NaN give NaN on a GPU.
namespace tessera::compat {

/// 1 / x for x > 0; relative error 2e-16.
TESSERA_FUNCTION double reciprocal_of_normal(double x) {
#if TESSERA_ON_CUDA
  const double root = approximate_reciprocal_sqrt(x), near = root * root,
               rest = multiply_add(-near, x, 1.0);
  return multiply_add(near, multiply_add(rest, rest, rest), near);
#else
  return 1 / x;
#endif
}

/// a / b; relative error 4e-6 on a GPU.
TESSERA_FUNCTION double rough_quotient(double a, double b) {
#if TESSERA_ON_CUDA
  const double root = approximate_reciprocal_sqrt(b * b);
  return a * b * (root * root);
#else
  return a / b;
#endif
}

/// a / b; relative error 2e-11 on a GPU.
TESSERA_FUNCTION double near_quotient(double a, double b) {
#if TESSERA_ON_CUDA
  const double root = approximate_reciprocal_sqrt(b * b), near = b * (root * root);
  return a * multiply_add(near, multiply_add(-near, b, 1.0), near);
#else
  return a / b;
#endif
}

}  // namespace tessera::compat
