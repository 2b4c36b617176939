// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/function/coefficients_rys.hpp"
#include "tessera/boys/function/octave_interval.hpp"
#include "tessera/boys/function/rys_recurrence_by_power.hpp"
#include "tessera/boys/function/vector.hpp"
#include "tessera/core/device/quotient.hpp"

/// Rys quadrature from the recurrence coefficients b_k of the polynomials p_k(t), orthogonal on
/// [-1, 1] for the weight e^(-x t^2): p_(k+1) = t p_k - b_k p_(k-1). In u = t^2 the step of two
/// orders is, with r = p_(2k-1) / t,
///
///     p_(2k) = u r - b_(2k-1) p_(2k-2),     r' = p_(2k) - b_(2k) r.
///
/// Roundings of a step act as roundings of b_k and of t, which move no root by more than a few
/// units in its own last place. That is why the tables have b_k, and not other coefficients.
namespace tessera::boys::detail {

#if TESSERA_ON_GPU
TESSERA_FUNCTION const RysTablesByPower& rys_tables() {
  return rys_tables_on_device<RysTablesByPower>;
}
#else
inline constexpr RysTables rys_tables_on_host{};
TESSERA_FUNCTION const RysTables& rys_tables() { return rys_tables_on_host; }
#endif

/// The numbers of an array with room for whole groups of lanes.
TESSERA_FUNCTION constexpr int rys_padded(int count) {
  return (count + kVectorLanes - 1) / kVectorLanes * kVectorLanes;
}

using RysVector = Vector<double, kVectorLanes>;

/// The same number in every lane.
TESSERA_FUNCTION RysVector rys_fill(double a) { return fill_vector<kVectorLanes>(a); }

#if TESSERA_ON_GPU
/// b[k] = b_k for k = 1..2n-1, at 0 <= x < border[n - 1], and low[k], what rounding took from it.
template <int n>
TESSERA_FUNCTION void rys_recurrence(double x, double* b, double* low) {
  rys_recurrence_by_power<n>(rys_tables(), x, b, low);
}

/// The numbers that arrays of b_k have room for.
template <int n>
inline constexpr int kRysRoom = 2 * n + 1;
#else
/// The groups of lanes that hold b_1 ... b_(2n-1), in rounds of so many that their sums fit the
/// registers.
template <int n>
struct RysGroups {
  static constexpr int needed = rys_padded(2 * n - 1) / kVectorLanes, most = 12;
  static constexpr int rounds = (needed + most - 1) / most;
  static constexpr int together = (needed + rounds - 1) / rounds,
                       written = rounds * together * kVectorLanes;
};

/// The numbers that arrays of b_k have room for, as groups are written whole.
template <int n>
inline constexpr int kRysRoom = RysTables::largest_first + RysGroups<n>::written;

/// Polynomials at s by Horner's rule, less their first terms. The coefficients of s^1 ...
/// s^(split - 1) are of double precision, c[d * stride + i] that of s^d of the i-th polynomial, and
/// those from s^split on of single precision. `count` groups of polynomials go through the loops
/// together, whose lengths no processor foresees.
template <int count>
TESSERA_FUNCTION void rys_polynomials(const double* c, const float* f, int stride, int split,
                                      int degree, double s, RysVector (&sum)[count]) {
  const auto float_place = fill_vector<kVectorLanes>(static_cast<float>(s));
  const RysVector place = rys_fill(s);
  Vector<float, kVectorLanes> high[count];
  TESSERA_UNROLL
  for (int g = 0; g < count; ++g) high[g] = fill_vector<kVectorLanes>(0.0F);
  for (int d = degree - split; d >= 0; --d) {
    TESSERA_UNROLL
    for (int g = 0; g < count; ++g)
      high[g] = multiply_add(high[g], float_place,
                             load_vector<kVectorLanes>(f + d * stride + g * kVectorLanes));
  }
  TESSERA_UNROLL
  for (int g = 0; g < count; ++g) sum[g] = to_double(high[g]);
  for (int d = split - 1; d > 0; --d) {
    TESSERA_UNROLL
    for (int g = 0; g < count; ++g)
      sum[g] =
          multiply_add(sum[g], place, load_vector<kVectorLanes>(c + d * stride + g * kVectorLanes));
  }
  TESSERA_UNROLL
  for (int g = 0; g < count; ++g) sum[g] = sum[g] * place;
}

/// b[k] = b_k for k = 1..2n-1, at 0 <= x < border[n - 1], and low[k], what rounding took from it; b
/// and low have room for kRysRoom<n> numbers.
template <int n>
TESSERA_FUNCTION void rys_recurrence(double x, double* b, double* low) {
  const RysTables& tables = rys_tables();
  const OctaveInterval at = octave_interval<RysTables::shift, RysTables::parts_of_octave>(x);
  const int first = tables.first[at.index], stride = RysTables::last_coefficient + 1 - first;
  const int split = tables.split[at.index], degree = tables.degree[at.index];
  const double half_inverse = first > 1 ? 0.5 / x : 0;
  for (int k = 1; k < first; ++k) {
    b[k] = k * half_inverse;
    low[k] = 0;
  }
  constexpr int together = RysGroups<n>::together;
  for (int round = 0; round < RysGroups<n>::rounds; ++round) {
    const int column = round * together * kVectorLanes;
    const double* c = tables.recurrence + tables.offset[at.index] + column;
    const float* f = tables.recurrence_float + tables.offset_float[at.index] + column;
    RysVector sum[together];
    rys_polynomials(c, f + stride, stride, split, degree, at.s, sum);
    TESSERA_UNROLL
    for (int i = 0; i < together; ++i) {
      const RysVector leading = load_vector<kVectorLanes>(c + i * kVectorLanes);
      const RysVector rest = sum[i] + to_double(load_vector<kVectorLanes>(f + i * kVectorLanes));
      const RysVector whole = leading + rest;
      const int k = first + column + i * kVectorLanes;
      store_vector(whole, b + k);
      store_vector((leading - whole) + rest, low + k);
    }
  }
}
#endif

/// Approximate roots u[i], i = 0..n-1, to 3e-5 of their distances; the rest of the last group
/// repeats the last.
template <int n>
TESSERA_FUNCTION void rys_guesses(double x, double* u) {
  const auto& tables = rys_tables();
  constexpr int parts = RysTables::parts, whole = RysTables::whole_parts;
  constexpr int terms = RysTables::guess_degree + 1, lowest = RysTables::first_guessed;
  constexpr int before = (n * (n - 1) - lowest * (lowest - 1)) / 2;
  const double at = x * parts / tables.border[n - 1];
  const int part = at < whole ? static_cast<int>(at) : whole;
  const double s =
      at < whole ? 2 * at - (2 * part + 1) : (2 * at - (parts + whole)) * (1.0 / (parts - whole));
  const auto place = fill_vector<kVectorLanes>(static_cast<float>(s));
  const float* c = tables.guess + terms * ((whole + 1) * before + n * part);
  for (int i = 0; i < n; i += kVectorLanes) {
    auto sum = load_vector<kVectorLanes>(c + (terms - 1) * n + i);
    TESSERA_UNROLL
    for (int d = terms - 2; d >= 0; --d)
      sum = multiply_add(sum, place, load_vector<kVectorLanes>(c + d * n + i));
    store_vector(to_double(sum), u + i);
  }
  for (int i = n; i < rys_padded(n); ++i) u[i] = u[n - 1];
}

/// p = p_(2k) and r = p_(2k+1) / t at u, and their derivatives with respect to u.
struct RysSequence {
  RysVector u, p, r, dp, dr;
};

/// k = 1.
TESSERA_FUNCTION RysSequence rys_begin(const RysVector& u, const double* b) {
  const RysVector p = u - rys_fill(b[1]), one = rys_fill(1);
  return {u, p, p - rys_fill(b[2]), one, one};
}

/// From k - 1 to k.
TESSERA_FUNCTION void rys_advance(int k, const double* b, RysSequence& at) {
  const RysVector odd = rys_fill(-b[2 * k - 1]), even = rys_fill(-b[2 * k]);
  at.dp = multiply_add(at.u, at.dr, multiply_add(odd, at.dp, at.r));
  at.p = multiply_add(at.u, at.r, odd * at.p);
  at.dr = multiply_add(even, at.dr, at.dp);
  at.r = multiply_add(even, at.r, at.p);
}

// a / b, on a GPU to as many digits as a step of Newton's method has, 4e-6 or 2e-11; and factor / a
// for a > 0.
#if TESSERA_ON_GPU
static_assert(kVectorLanes == 1);
TESSERA_FUNCTION RysVector rys_rough_quotient(const RysVector& a, const RysVector& b) {
  return rys_fill(compat::rough_quotient(a.number[0], b.number[0]));
}
TESSERA_FUNCTION RysVector rys_near_quotient(const RysVector& a, const RysVector& b) {
  return rys_fill(compat::near_quotient(a.number[0], b.number[0]));
}
TESSERA_FUNCTION RysVector rys_over(double factor, const RysVector& a) {
  return rys_fill(factor * compat::reciprocal_of_normal(a.number[0]));
}
#else
TESSERA_FUNCTION RysVector rys_rough_quotient(const RysVector& a, const RysVector& b) {
  return a / b;
}
TESSERA_FUNCTION RysVector rys_near_quotient(const RysVector& a, const RysVector& b) {
  return a / b;
}
TESSERA_FUNCTION RysVector rys_over(double factor, const RysVector& a) {
  return rys_fill(factor) / a;
}
#endif

/// One step of Newton's method for the root of p_(2n) near each u.
template <int n>
TESSERA_FUNCTION void rys_improve(const double* b, double* u) {
  RysSequence at = rys_begin(load_vector<kVectorLanes>(u), b);
  TESSERA_UNROLL
  for (int k = 2; k <= n; ++k) rys_advance(k, b, at);
  store_vector(at.u - rys_rough_quotient(at.p, at.dp), u);
}

/// The last step for each u, and the weights: 1/w = K(u) / mass at the root, with Christoffel's sum
/// K = sum over k < n of p_(2k)^2 / (b_1 ... b_(2k)), whose terms are positive. K is taken from
/// u to the root by its derivative, because near the largest roots it changes up to 130 times as
/// fast as u does, and the root is rounded. inverse_norm[k] = 1 / (b_1 ... b_(2k)).
template <int n>
TESSERA_FUNCTION void rys_finish(const double* b, const double* inverse_norm, double mass,
                                 double* u, double* w) {
  RysSequence at = rys_begin(load_vector<kVectorLanes>(u), b);
  RysVector sum = rys_fill(1), slope = rys_fill(0);
  TESSERA_UNROLL
  for (int k = 2; k <= n; ++k) {
    const RysVector scaled = rys_fill(inverse_norm[k - 1]) * at.p;
    sum = multiply_add(scaled, at.p, sum);
    slope = multiply_add(scaled, at.dp, slope);
    rys_advance(k, b, at);
  }
  const RysVector step = rys_near_quotient(at.p, at.dp);
  store_vector(at.u - step, u);
  store_vector(rys_over(mass, multiply_add(rys_fill(-2) * step, slope, sum)), w);
}

/// What roundings took from p and r of a sequence.
struct RysRest {
  RysVector p, r;
};

TESSERA_FUNCTION RysRest rys_begin_rest(const RysSequence& at, const double* b, const double* low) {
  const RysVector odd = rys_fill(-b[1]), even = rys_fill(-b[2]);
  const RysVector p = rest_of_sum(at.u, odd, at.p) - rys_fill(low[1]);
  return {p, rest_of_sum(at.p, even, at.r) - rys_fill(low[2]) + p};
}

/// From k - 1 to k, with all that roundings take.
TESSERA_FUNCTION void rys_advance_precisely(int k, const double* b, const double* low,
                                            RysSequence& at, RysRest& rest) {
  const RysVector odd = rys_fill(-b[2 * k - 1]), even = rys_fill(-b[2 * k]);
  const RysVector ur = at.u * at.r, bp = odd * at.p, p = ur + bp;
  const RysVector lost_p = rest_of_product(at.u, at.r, ur) + rest_of_product(odd, at.p, bp) +
                           rest_of_sum(ur, bp, p) - rys_fill(low[2 * k - 1]) * at.p;
  rest.p = multiply_add(at.u, rest.r, multiply_add(odd, rest.p, lost_p));
  at.dp = multiply_add(at.u, at.dr, multiply_add(odd, at.dp, at.r));
  at.p = p;
  const RysVector br = even * at.r, r = p + br;
  const RysVector lost_r =
      rest_of_product(even, at.r, br) + rest_of_sum(p, br, r) - rys_fill(low[2 * k]) * at.r;
  rest.r = multiply_add(even, rest.r, rest.p + lost_r);
  at.dr = multiply_add(even, at.dr, at.dp);
  at.r = r;
}

/// Above this order roundings of the sequence would move weights by as much as 1e-14.
inline constexpr int kRysPlainOrder = TESSERA_HAS_FMA ? 16 : 12;

/// The same as rys_finish, with what roundings take from the sequence.
template <int n>
TESSERA_FUNCTION void rys_finish_precisely(const double* b, const double* low,
                                           const double* inverse_norm, double mass, double* u,
                                           double* w) {
  RysSequence at = rys_begin(load_vector<kVectorLanes>(u), b);
  RysRest rest = rys_begin_rest(at, b, low);
  RysVector sum = rys_fill(1), slope = rys_fill(0);
  for (int k = 2; k <= n; ++k) {
    const RysVector scaled = rys_fill(inverse_norm[k - 1]) * at.p;
    sum = multiply_add(scaled, at.p + rest.p + rest.p, sum);
    slope = multiply_add(scaled, at.dp, slope);
    rys_advance_precisely(k, b, low, at, rest);
  }
  const RysVector step = (at.p + rest.p) / at.dp;
  store_vector(at.u - step, u);
  store_vector(rys_fill(mass) / multiply_add(rys_fill(-2) * step, slope, sum), w);
}

/// Roots and weights at 0 <= x < border[n - 1], where mass = F_0(x), n > 1. u and w have room for
/// rys_padded(n) numbers.
template <int n>
TESSERA_FUNCTION void rys_near(double x, double mass, double* u, double* w) {
  double b[kRysRoom<n>], low[kRysRoom<n>], inverse_norm[n];
  rys_recurrence<n>(x, b, low);
  b[2 * n] = low[2 * n] = 0;  // multiply what is not used
  inverse_norm[0] = 1;
  TESSERA_UNROLL
  for (int k = 1; k < n; ++k)
    inverse_norm[k] = compat::reciprocal_of_normal(b[2 * k - 1] * b[2 * k]);
  TESSERA_UNROLL
  for (int k = 1; k < n; ++k) inverse_norm[k] *= inverse_norm[k - 1];
  rys_guesses<n>(x, u);
  TESSERA_NO_UNROLL
  for (int i = 0; i < n; i += kVectorLanes) rys_improve<n>(b, u + i);
  TESSERA_NO_UNROLL
  for (int i = 0; i < n; i += kVectorLanes) {
    if constexpr (n > kRysPlainOrder) {
      rys_finish_precisely<n>(b, low, inverse_norm, mass, u + i, w + i);
    } else {
      rys_finish<n>(b, inverse_norm, mass, u + i, w + i);
    }
  }
}

}  // namespace tessera::boys::detail
