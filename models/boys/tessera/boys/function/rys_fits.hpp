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

/// The polynomials of a group, of those that are left.
TESSERA_FUNCTION constexpr int rys_fit_group_size(int left) {
  return left >= 8 ? 8 : left >= 4 ? 4 : 2;
}

/// The numbers of RysFit with all intervals of a power side by side. The threads of a warp are in
/// intervals of their own, and read few cache lines that way.
template <int n>
struct RysFitByPower {
  static constexpr int intervals = RysFits::intervals, degree = RysFit<n>::degree,
                       split = RysFit<n>::split, floats = degree + 1 - split;
  double coefficient[2 * n][split][intervals];
  float float_coefficient[2 * n][floats][intervals];
};

template <int n>
constexpr RysFitByPower<n> rys_fit_by_power() {
  using Turned = RysFitByPower<n>;
  constexpr RysFit<n> fit;
  Turned turned{};
  for (int begin = 0, size = 0; begin < 2 * n; begin += size) {
    size = rys_fit_group_size(2 * n - begin);
    for (int i = 0; i < Turned::intervals; ++i) {
      const int place = Turned::intervals * begin + i * size;
      for (int k = 0; k < size; ++k) {
        for (int d = 0; d < Turned::split; ++d)
          turned.coefficient[begin + k][d][i] =
              fit.coefficient[Turned::split * place + d * size + k];
        for (int d = 0; d < Turned::floats; ++d)
          turned.float_coefficient[begin + k][d][i] =
              fit.float_coefficient[Turned::floats * place + d * size + k];
      }
    }
  }
  return turned;
}

#if defined(__CUDACC__) || defined(__HIPCC__)
template <int n>
__device__ const RysFitByPower<n> rys_fit_on_device = rys_fit_by_power<n>();
#endif

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

#if TESSERA_ON_GPU
/// All polynomials, one by one.
template <int n>
TESSERA_FUNCTION void rys_fit_groups(const OctaveInterval& at, double* value) {
  using Fit = RysFitByPower<n>;
  const Fit& fit = rys_fit_on_device<n>;
  const double power = power_of<Fit::split - 1>(at.s);
  const float float_place = static_cast<float>(at.s);
  TESSERA_UNROLL
  for (int k = 0; k < 2 * n; ++k) {
    float high = fit.float_coefficient[k][Fit::floats - 1][at.index];
    TESSERA_UNROLL
    for (int d = Fit::floats - 2; d >= 0; --d)
      high = multiply_add(high, float_place, fit.float_coefficient[k][d][at.index]);
    double sum = fit.coefficient[k][Fit::split - 1][at.index];
    TESSERA_UNROLL
    for (int d = Fit::split - 2; d > 0; --d)
      sum = multiply_add(sum, at.s, fit.coefficient[k][d][at.index]);
    sum = multiply_add(static_cast<double>(high), power, sum);
    value[k] = multiply_add(sum, at.s, fit.coefficient[k][0][at.index]);
  }
}
#else
/// A group of polynomials at s, from the numbers of its interval. Those of double precision and
/// those of single precision are two sums, which a CPU forms at the same time.
template <int size, class Fit>
TESSERA_FUNCTION void rys_fit_group(const double* c, const float* f, double s, double* value) {
  constexpr int lanes = size < kVectorLanes ? size : kVectorLanes;
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
    constexpr int size = rys_fit_group_size(2 * n - begin);
    const RysFit<n>& fit = rys_fit_on_host<n>;
    const int place = RysFits::intervals * begin + at.index * size;
    rys_fit_group<size, RysFit<n>>(fit.coefficient + fit.split * place,
                                   fit.float_coefficient + (fit.degree + 1 - fit.split) * place,
                                   at.s, value + begin);
    rys_fit_groups<n, begin + size>(at, value);
  }
}
#endif

/// The n roots, then the n weights, 0 <= x < RysFits::border.
template <int n>
TESSERA_FUNCTION void rys_fitted(double x, double* value) {
  rys_fit_groups<n>(octave_interval<RysFits::shift, RysFits::parts_of_octave>(x), value);
}

}  // namespace tessera::boys::detail
