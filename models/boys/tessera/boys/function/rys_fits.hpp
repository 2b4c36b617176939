// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/function/coefficients_rys_fits.hpp"
#include "tessera/boys/function/octave_interval.hpp"
#include "tessera/boys/function/vector.hpp"

/// Roots and weights of Rys quadrature of orders 1 to 5 as polynomials in x, on intervals whose
/// number is read from the bits of x. All intervals of an order have the same degree, so that the
/// code has no branches. The coefficients of high powers contribute so little that single precision
/// does for them.
namespace tessera::boys::detail {

template <int n>
inline constexpr RysFit<n> rys_fit_on_host{};
#if defined(__CUDACC__)
template <int n>
__device__ const RysFit<n> rys_fit_on_device{};
#endif

template <int n>
TESSERA_FUNCTION const RysFit<n>& rys_fit() {
#if TESSERA_ON_CUDA
  return rys_fit_on_device<n>;
#else
  return rys_fit_on_host<n>;
#endif
}

/// s^power, power > 0.
template <int power>
TESSERA_FUNCTION double power_of(double s) {
  if constexpr (power == 1) {
    return s;
  } else if constexpr (power % 2 == 1) {
    return s * power_of<power - 1>(s);
  } else {
    return power_of<power / 2>(s * s);
  }
}

/// A group of polynomials at s, from the numbers of its interval. Those of double precision and
/// those of single precision are two sums, which a CPU forms at the same time.
template <int size, class Fit>
TESSERA_FUNCTION void rys_fit_group(const double* c, const float* f, double s, double* value) {
  constexpr int most = TESSERA_ON_GPU ? 8 : kVectorLanes, lanes = size < most ? size : most;
  constexpr int degree = Fit::degree, split = Fit::split;
  const auto place = fill_vector<lanes>(s), power = fill_vector<lanes>(power_of<split - 1>(s));
  const auto float_place = fill_vector<lanes>(static_cast<float>(s));
  TESSERA_UNROLL
  for (int i = 0; i < size; i += lanes) {
    auto high = load_vector<lanes>(f + (degree - split) * size + i);
    TESSERA_UNROLL
    for (int d = degree - split - 1; d >= 0; --d)
      high = multiply_add(high, float_place, load_vector<lanes>(f + d * size + i));
    auto sum = load_vector<lanes>(c + (split - 1) * size + i);
    TESSERA_UNROLL
    for (int d = split - 2; d > 0; --d)
      sum = multiply_add(sum, place, load_vector<lanes>(c + d * size + i));
    sum = multiply_add(to_double(high), power, sum);
    store_vector(multiply_add(sum, place, load_vector<lanes>(c + i)), value + i);
  }
}

/// The polynomials from `begin` on, group by group.
template <int n, int begin = 0>
TESSERA_FUNCTION void rys_fit_groups(const OctaveInterval& at, double* value) {
  if constexpr (begin < 2 * n) {
    constexpr int left = 2 * n - begin, size = left >= 8 ? 8 : left >= 4 ? 4 : 2;
    const RysFit<n>& fit = rys_fit<n>();
    const int place = RysFits::intervals * begin + at.index * size;
    rys_fit_group<size, RysFit<n>>(fit.coefficient + fit.split * place,
                                   fit.float_coefficient + (fit.degree + 1 - fit.split) * place,
                                   at.s, value + begin);
    rys_fit_groups<n, begin + size>(at, value);
  }
}

/// The n roots, then the n weights, 0 <= x < RysFits::border.
template <int n>
TESSERA_FUNCTION void rys_fitted(double x, double* value) {
  rys_fit_groups<n>(octave_interval<RysFits::shift, RysFits::parts_of_octave>(x), value);
}

}  // namespace tessera::boys::detail
