// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/bessel/matern/matern_coefficients.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "tessera/bessel/matern/matern_expansion.hpp"
#include "tessera/core/error.hpp"

namespace tessera::bessel::detail {

namespace {

using Real = long double;

constexpr int kTerms = 40;  // of a Taylor series about the middle of an interval

/// A function and its derivative to nu.
struct Jet {
  Real value = 0, dnu = 0;
};

/// e^u K_nu(u) and e^u K_{nu-1}(u) sqrt(2 / pi), u >= 32: Hankel's expansion for an order within
/// 1/2 of 0, then the recurrence in the order.
struct ScaledBessel {
  Jet order, below;
};

/// sqrt(2 / pi) e^u K_mu(u) by Hankel's expansion.
Jet hankel(Real mu, Real u) {
  Jet term{1, 0}, sum{1, 0};
  for (int k = 1; k < 100; ++k) {
    const Real odd = 2 * k - 1, share = 1 / (k * u), factor = (4 * mu * mu - odd * odd) * share / 8;
    term.dnu = term.dnu * factor + term.value * mu * share;
    term.value *= factor;
    sum.value += term.value;
    sum.dnu += term.dnu;
    if (std::abs(term.value) + std::abs(term.dnu) < 1e-22L) break;
  }
  const Real root = std::sqrt(u);
  return {sum.value / root, sum.dnu / root};
}

ScaledBessel scaled_bessel(Real nu, Real u) {
  const int n = static_cast<int>(std::floor(nu + 0.5L));
  const Real mu = nu - n;
  Jet order = hankel(mu, u), above = hankel(mu + 1, u);
  Jet below{above.value - 2 * mu / u * order.value,
            above.dnu - 2 / u * (order.value + mu * order.dnu)};
  for (int i = 0; i < n; ++i) {
    const Real m = mu + i;
    const Jet next{2 * m / u * order.value + below.value,
                   2 / u * (order.value + m * order.dnu) + below.dnu};
    below = order;
    order = next;
  }
  return {order, below};
}

/// Coefficients of T_k / 2^(k-1), which begin with z^k.
const std::array<std::array<Real, kTerms>, kTerms>& monic_chebyshev() {
  static const auto table = [] {
    std::array<std::array<Real, kTerms>, kTerms> T{};
    T[0][0] = 1;
    T[1][1] = 1;
    for (int k = 2; k < kTerms; ++k) {
      for (int j = 0; j < kTerms; ++j)
        T[k][j] = (j > 0 ? T[k - 1][j - 1] : 0) - T[k - 2][j] / (k == 2 ? 2 : 4);
    }
    return T;
  }();
  return table;
}

using Series = std::array<Real, kTerms>;

/// Replaces the terms beyond degree 9 by their near-best approximation on [-1, 1].
void economize(Series& t, int terms) {
  const auto& T = monic_chebyshev();
  for (int k = terms - 1; k > kDegree; --k) {
    for (int j = k - 2; j >= 0; j -= 2) t[j] -= t[k] * T[k][j];
    t[k] = 0;
  }
}

Real evaluate(const Series& t, int terms, Real z) {
  Real sum = 0;
  for (int k = terms; k-- > 0;) sum = sum * z + t[k];
  return sum;
}

Real evaluate_derivative(const Series& t, int terms, Real z) {
  Real sum = 0;
  for (int k = terms; k-- > 1;) sum = sum * z + k * t[k];
  return sum;
}

/// Writes a polynomial of degree 9 as MaternPolynomials reads it.
void store(const Series& t, std::vector<double>& data, int intervals, int interval) {
  for (int k = 0; k < kDoubleCoefficients; ++k)
    data[2 * ((k / 2) * static_cast<std::size_t>(intervals) + interval) + k % 2] =
        static_cast<double>(t[k]);
  float tail[kDegree + 1 - kDoubleCoefficients];
  for (int k = kDoubleCoefficients; k <= kDegree; ++k)
    tail[k - kDoubleCoefficients] = static_cast<float>(t[k]);
  std::memcpy(data.data() + 2 * (3 * static_cast<std::size_t>(intervals) + interval), tail,
              sizeof tail);
}

/// The first `terms` of each count.
struct IntervalSeries {
  Series value, order;
  int terms = kDegree + 1;
};

/// Middle and half width of an interval of 2^exponent, 2^(exponent+1), ...
struct Interval {
  Interval(int exponent, int interval, int per_binade)
      : half_width(std::ldexp(Real(1), exponent + interval / per_binade) / (2 * per_binade)),
        middle((2 * (interval % per_binade) + 2 * per_binade + 1) * half_width) {}
  Real half_width, middle;
};

/// The solution of s G'' + (1 - nu) G' = G / 4, G = s^(nu/2) K_nu(sqrt s), by Taylor series from
/// interval to interval, downwards, where it is stable: the intervals of 2^kFirstExponent up to
/// 4^far_exponent, in some normalisation that depends on nu.
class March {
 public:
  March(Real nu, const Jet& value_at_end, const Jet& derivative_at_end, Real end)
      : m_nu(nu), m_at(end), m_value(value_at_end), m_derivative(derivative_at_end) {}

  std::vector<IntervalSeries> run(int intervals) {
    std::vector<IntervalSeries> all(intervals);
    IntervalSeries step;
    for (int i = intervals; i-- > 0;) {
      const Interval interval(kFirstExponent, i, Near::per_binade);
      expand(interval.half_width, step);
      move(interval.middle, interval.half_width, step);
      expand(interval.half_width, all[i]);
      move(interval.middle - interval.half_width, interval.half_width, all[i]);
    }
    return all;
  }

 private:
  /// The series about the present point in units of `scale`, up to terms that do not matter.
  void expand(Real scale, IntervalSeries& out) const {
    static const auto factors = [] {
      std::array<Real, kTerms> values{};
      for (int k = 0; k < kTerms; ++k) values[k] = 1 / static_cast<Real>((k + 2) * (k + 1));
      return values;
    }();
    out.value[0] = m_value.value;
    out.order[0] = m_value.dnu;
    out.value[1] = m_derivative.value * scale;
    out.order[1] = m_derivative.dnu * scale;
    const Real below = scale * scale / (4 * m_at), beside = scale / m_at,
               negligible = 1e-22L * std::abs(m_value.value),
               negligible_dnu = 1e-22L * std::abs(m_value.dnu);
    int k = 0;
    for (; k + 2 < kTerms; ++k) {
      const Real linear = (k + 1) * beside, mixed = linear * (k + 1 - m_nu);
      out.value[k + 2] = (below * out.value[k] - mixed * out.value[k + 1]) * factors[k];
      out.order[k + 2] =
          (below * out.order[k] - mixed * out.order[k + 1] + linear * out.value[k + 1]) *
          factors[k];
      if (k > kDegree && std::abs(out.value[k + 2]) < negligible &&
          std::abs(out.value[k + 1]) < negligible &&
          std::abs(out.order[k + 2]) < negligible + negligible_dnu &&
          std::abs(out.order[k + 1]) < negligible + negligible_dnu) {
        ++k;
        break;
      }
    }
    out.terms = k + 2 > kTerms ? kTerms : k + 2;
  }

  void move(Real to, Real scale, const IntervalSeries& t) {
    const Real z = (to - m_at) / scale;
    m_value = {evaluate(t.value, t.terms, z), evaluate(t.order, t.terms, z)};
    m_derivative = {evaluate_derivative(t.value, t.terms, z) / scale,
                    evaluate_derivative(t.order, t.terms, z) / scale};
    m_at = to;
  }

  Real m_nu, m_at;
  Jet m_value, m_derivative;
};

/// Interpolation at the N zeros of a Chebyshev polynomial.
constexpr int kNodes = kDegree + 3;
struct Interpolation {
  /// Weights of the values in the coefficients of T_k / 2^(k-1)
  Real node[kNodes], weight[kDegree + 1][kNodes];

  static const Interpolation& get() {
    static const Interpolation only;
    return only;
  }

 private:
  Interpolation() {
    const Real pi = std::acos(Real(-1));
    for (int j = 0; j < kNodes; ++j) {
      const Real angle = pi * (j + 0.5L) / kNodes;
      node[j] = std::cos(angle);
      for (int k = 0; k <= kDegree; ++k)
        weight[k][j] = std::cos(k * angle) * (k == 0 ? 1 : std::ldexp(Real(1), k)) / kNodes;
    }
  }
};

/// The polynomials of the far interval: M / far_decay, interpolated.
std::vector<IntervalSeries> interpolate(Real nu, int far_exponent, int intervals) {
  const Interpolation& at = Interpolation::get();
  const auto& T = monic_chebyshev();
  const Real begin = std::ldexp(Real(1), far_exponent);
  std::vector<IntervalSeries> all(intervals);
  for (int i = 0; i < intervals; ++i) {
    const Interval interval(far_exponent, i, Far::per_binade);
    Jet f[kNodes];
    for (int j = 0; j < kNodes; ++j) {
      const Real u = interval.middle + interval.half_width * at.node[j];
      const ScaledBessel k = scaled_bessel(nu, u);
      const Real y = u * u / (std::sqrt(u * u + nu * nu) + nu), logarithm = std::log(u / begin);
      const Real scale = std::exp(nu * logarithm + (y - u) + begin - nu * std::log1p(y / (2 * nu)));
      f[j] = {scale * k.order.value, scale * (k.order.dnu + logarithm * k.order.value)};
    }
    IntervalSeries& out = all[i];
    out.value.fill(0);
    out.order.fill(0);
    for (int k = 0; k <= kDegree; ++k) {
      Jet c;
      for (int j = 0; j < kNodes; ++j) {
        c.value += at.weight[k][j] * f[j].value;
        c.dnu += at.weight[k][j] * f[j].dnu;
      }
      for (int j = k; j >= 0; j -= 2) {
        out.value[j] += c.value * T[k][j];
        out.order[j] += c.dnu * T[k][j];
      }
    }
  }
  return all;
}

}  // namespace

MaternCoefficients matern_coefficients(double nu) {
  if (!(nu >= kMaternMinNu && nu <= kMaternMaxNu)) {
    char value[32];
    std::snprintf(value, sizeof value, "%.6g", nu);
    throw Error(ErrorKind::input,
                "the Matern smoothness nu = " + std::string(value) + " is out of range",
                "choose 1e-20 <= nu <= 200");
  }
  MaternCoefficients out;
  MaternShape& shape = out.shape;
  shape.nu = nu;
  // The polynomials in s are good to some 1e-12 of M as long as M falls more slowly than h^-34;
  // beyond, its leading term is split off.
  shape.far_exponent = 5;
  while (std::hypot(std::ldexp(1.0, shape.far_exponent + 1), nu) - nu < 34) ++shape.far_exponent;
  shape.near_intervals = (2 * shape.far_exponent - kFirstExponent) * Near::per_binade;
  shape.far_intervals = (kLastFarExponent - shape.far_exponent) * Far::per_binade;
  shape.expansion = matern_expansion(nu);

  const Real begin = std::ldexp(Real(1), shape.far_exponent);
  const ScaledBessel k = scaled_bessel(nu, begin);
  std::vector<IntervalSeries> intervals =
      March(nu, k.order, {-k.below.value / (2 * begin), -k.below.dnu / (2 * begin)}, begin * begin)
          .run(shape.near_intervals);
  const std::vector<IntervalSeries> far = interpolate(nu, shape.far_exponent, shape.far_intervals);

  // Normalisation: what the expansion about zero gives where the polynomials begin.
  const MaternJet first = matern_near_zero(shape.expansion, std::ldexp(1.0, kFirstExponent),
                                           kFirstExponent * std::log(2.0));
  const Real scale = evaluate(intervals[0].value, intervals[0].terms, -1) / first.m;
  const Real inverse_scale = 1 / scale;
  const Real drift =
      (evaluate(intervals[0].order, intervals[0].terms, -1) / scale - first.dm_dnu) / first.m;

  intervals.insert(intervals.end(), far.begin(), far.end());
  const int count = shape.intervals();
  out.value.resize(static_cast<std::size_t>(count) * kDoublesPerInterval);
  out.order.resize(out.value.size());
  for (int i = 0; i < count; ++i) {
    IntervalSeries& interval = intervals[i];
    for (int j = 0; j < interval.terms; ++j) {
      interval.value[j] *= inverse_scale;
      interval.order[j] = interval.order[j] * inverse_scale - drift * interval.value[j];
    }
    economize(interval.value, interval.terms);
    economize(interval.order, interval.terms);
    store(interval.value, out.value, count, i);
    store(interval.order, out.order, count, i);
  }
  return out;
}

}  // namespace tessera::bessel::detail
