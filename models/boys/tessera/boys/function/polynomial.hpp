// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>
#include <utility>

#include "tessera/boys/function/arithmetic.hpp"
#include "tessera/boys/function/coefficients.hpp"

namespace tessera::boys::detail {

// A series names its degree and gives each coefficient as a constant expression, so that compilers
// place it in the instruction or in constant memory and never load from a table.

template <class Real, int N>
struct Head {
  static constexpr int degree = sizeof(Coefficients<Real, N>::head) / sizeof(Real) - 1;
  template <int K>
  static constexpr Real coefficient = Coefficients<Real, N>::head[K];
};

template <class Real, int N>
struct Tail {
  static constexpr int degree = sizeof(Coefficients<Real, N>::tail) / sizeof(Real) - 1;
  template <int K>
  static constexpr Real coefficient = Coefficients<Real, N>::tail[K];
};

template <class Real>
struct Exponential {
  static constexpr int degree = sizeof(ExponentialCoefficients<Real>::c) / sizeof(Real) - 1;
  template <int K>
  static constexpr Real coefficient = ExponentialCoefficients<Real>::c[K];
};

#if defined(__CUDACC__)
/// The coefficients of a series in constant memory, from where multiply-adds take them as operands.
/// Written into the code, each would cost two more instructions, and the units that issue them
/// would be busier than those that multiply.
template <class Series>
struct ConstantSeries {
  using Real = std::remove_cvref_t<decltype(Series::template coefficient<0>)>;
  Real c[Series::degree + 1];

  template <int... K>
  static constexpr ConstantSeries from(std::integer_sequence<int, K...>) {
    return {{Series::template coefficient<K>...}};
  }
};
template <class Series>
__constant__ ConstantSeries<Series> constant_series =
    ConstantSeries<Series>::from(std::make_integer_sequence<int, Series::degree + 1>());
#endif

/// Coefficient K of the series.
template <class Series, int K>
TESSERA_FUNCTION auto series_coefficient() {
#if TESSERA_BOYS_USES_CONSTANT_MEMORY
  return constant_series<Series>.c[K];
#else
  constexpr auto c = Series::template coefficient<K>;
  return c;
#endif
}

/// Horner's rule in t over the coefficients First, First + Step, ... of the series.
template <class Series, int First, int Step, class Real>
TESSERA_FUNCTION Real horner(Real t) {
  const Real c = series_coefficient<Series, First>();
  if constexpr (First + Step > Series::degree) {
    return c;
  } else {
    return multiply_add(horner<Series, First + Step, Step>(t), t, c);
  }
}

/// The value of a series at t. GPUs have other threads to hide latencies behind and take the fewest
/// operations; CPUs take two chains.
template <class Series, class Real>
TESSERA_FUNCTION Real polynomial(Real t) {
#if TESSERA_ON_GPU
  return horner<Series, 0, 1>(t);
#else
  if constexpr (Series::degree < 4) {
    return horner<Series, 0, 1>(t);
  } else {
    const Real t2 = t * t;
    return multiply_add(horner<Series, 1, 2>(t2), t, horner<Series, 0, 2>(t2));
  }
#endif
}

}  // namespace tessera::boys::detail
