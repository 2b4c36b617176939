// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "models/bessel/matern_coefficients.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "models/bessel/detail/matern_expansion.hpp"

namespace tessera::bessel {

namespace {

using namespace detail;
using Real = long double;

constexpr int kTerms = 40;  // of a Taylor series about the middle of a part

/// A function and its derivative to nu.
struct Jet {
  Real value = 0, dnu = 0;
};

/// e^u K_nu(u) and e^u K_{nu-1}(u) sqrt(2 / pi), u >= 32: Hankel's expansion for an order within 1/2 of 0, then the recurrence in the
/// order.
struct ScaledBessel {
  Jet order, below;
};

/// sqrt(2 / pi) e^u K_mu(u) by Hankel's expansion.
Jet hankel(Real mu, Real u) {
  Jet term{1, 0}, sum{1, 0};
  for (int k = 1; k < 100; ++k) {
    const Real odd = 2 * k - 1, factor = (4 * mu * mu - odd * odd) / (8 * k * u);
    term.dnu = term.dnu * factor + term.value * mu / (k * u);
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
  Jet below{above.value - 2 * mu / u * order.value, above.dnu - 2 / u * (order.value + mu * order.dnu)};
  for (int i = 0; i < n; ++i) {
    const Real m = mu + i;
    const Jet next{2 * m / u * order.value + below.value, 2 / u * (order.value + m * order.dnu) + below.dnu};
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
      for (int j = 0; j < kTerms; ++j) T[k][j] = (j > 0 ? T[k - 1][j - 1] : 0) - T[k - 2][j] / (k == 2 ? 2 : 4);
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

Real evaluate_slope(const Series& t, int terms, Real z) {
  Real sum = 0;
  for (int k = terms; k-- > 1;) sum = sum * z + k * t[k];
  return sum;
}

/// Writes a polynomial of degree 9 as MaternPolynomials reads it.
void store(const Series& t, std::vector<double>& data, int parts, int part) {
  for (int k = 0; k < kDoubleCoefficients; ++k)
    data[2 * ((k / 2) * static_cast<std::size_t>(parts) + part) + k % 2] = static_cast<double>(t[k]);
  float tail[kDegree + 1 - kDoubleCoefficients];
  for (int k = kDoubleCoefficients; k <= kDegree; ++k) tail[k - kDoubleCoefficients] = static_cast<float>(t[k]);
  std::memcpy(data.data() + 2 * (3 * static_cast<std::size_t>(parts) + part), tail, sizeof tail);
}

struct Part {
  Series value, order;
};

/// Middle and half width of a part of 2^exponent, 2^(exponent+1), ...
struct Place {
  Place(int exponent, int part)
      : half_width(std::ldexp(Real(1), exponent + part / kPartsPerBinade - 5)), middle((2 * (part % kPartsPerBinade) + 33) * half_width) {}
  Real half_width, middle;
};

/// The solution of s G'' + (1 - nu) G' = G / 4, G = s^(nu/2) K_nu(sqrt s), by Taylor series from part to part, downwards, where it is
/// stable. Returns the parts of 2^kFirstExponent up to 4^far_exponent, in some normalisation that depends on nu.
std::vector<Part> march(Real nu, int parts, const Jet& value_at_end, const Jet& slope_at_end, Real end) {
  std::vector<Part> all(parts);
  Jet g = value_at_end, slope = slope_at_end;
  Real at = end;
  for (int i = parts; i-- > 0;) {
    // A step to the middle of the part, then the series there.
    const auto series = [nu](const Jet& value, const Jet& derivative, Real middle, Real scale, Part& out) {
      out.value[0] = value.value;
      out.order[0] = value.dnu;
      out.value[1] = derivative.value * scale;
      out.order[1] = derivative.dnu * scale;
      for (int k = 0; k + 2 < kTerms; ++k) {
        const Real below = scale * scale / 4, beside = (k + 1) * (k + 1 - nu) * scale, divisor = middle * ((k + 2) * (k + 1));
        out.value[k + 2] = (below * out.value[k] - beside * out.value[k + 1]) / divisor;
        out.order[k + 2] = (below * out.order[k] - beside * out.order[k + 1] + scale * (k + 1) * out.value[k + 1]) / divisor;
      }
    };
    const auto move = [&](Real to, const Part& t, Real scale) {
      const Real z = (to - at) / scale;
      g = {evaluate(t.value, kTerms, z), evaluate(t.order, kTerms, z)};
      slope = {evaluate_slope(t.value, kTerms, z) / scale, evaluate_slope(t.order, kTerms, z) / scale};
      at = to;
    };
    const Place place(kFirstExponent, i);
    Part t;
    series(g, slope, at, place.half_width, t);
    move(place.middle, t, place.half_width);
    series(g, slope, at, place.half_width, all[i]);
    move(place.middle - place.half_width, all[i], place.half_width);
  }
  return all;
}

/// The polynomials of the far part: Chebyshev interpolation of M / far_decay.
std::vector<Part> interpolate(Real nu, int far_exponent, int parts) {
  constexpr int N = kDegree + 3;
  const Real pi = std::acos(Real(-1));
  const auto& T = monic_chebyshev();
  const Real begin = std::ldexp(Real(1), far_exponent);
  std::vector<Part> all(parts);
  for (int i = 0; i < parts; ++i) {
    const Place place(far_exponent, i);
    Jet f[N];
    for (int j = 0; j < N; ++j) {
      const Real u = place.middle + place.half_width * std::cos(pi * (j + 0.5L) / N);
      const ScaledBessel k = scaled_bessel(nu, u);
      const Real y = u * u / (std::sqrt(u * u + nu * nu) + nu), logarithm = std::log(u / begin);
      const Real scale = std::exp(nu * logarithm + (y - u) + begin - nu * std::log1p(y / (2 * nu)));
      f[j] = {scale * k.order.value, scale * (k.order.dnu + logarithm * k.order.value)};
    }
    Part& out = all[i];
    out.value.fill(0);
    out.order.fill(0);
    for (int k = 0; k <= kDegree; ++k) {
      Jet c;
      for (int j = 0; j < N; ++j) {
        const Real weight = std::cos(pi * k * (j + 0.5L) / N) * (k == 0 ? 1 : 2) / N;
        c.value += weight * f[j].value;
        c.dnu += weight * f[j].dnu;
      }
      const Real leading = k == 0 ? 1 : std::ldexp(Real(1), k - 1);
      for (int j = 0; j <= k; ++j) {
        out.value[j] += c.value * leading * T[k][j];
        out.order[j] += c.dnu * leading * T[k][j];
      }
    }
  }
  return all;
}

}  // namespace

MaternCoefficients matern_coefficients(double nu) {
  if (!(nu > 0 && nu <= kMaternMaxNu)) {
    throw Error(ErrorKind::input, "the Matern smoothness nu = " + std::to_string(nu) + " is out of range", "choose 0 < nu <= 200");
  }
  MaternCoefficients out;
  MaternShape& shape = out.shape;
  shape.nu = nu;
  // The polynomials in s are good to some 1e-12 of M as long as M falls more slowly than h^-34; beyond, its leading term is split off.
  shape.far_exponent = 5;
  while (std::hypot(std::ldexp(1.0, shape.far_exponent + 1), nu) - nu < 34) ++shape.far_exponent;
  shape.near_parts = (2 * shape.far_exponent - kFirstExponent) * kPartsPerBinade;
  shape.far_parts = (kLastFarExponent - shape.far_exponent) * kPartsPerBinade;
  shape.expansion = matern_expansion(nu);

  const Real begin = std::ldexp(Real(1), shape.far_exponent);
  const ScaledBessel k = scaled_bessel(nu, begin);
  std::vector<Part> parts = march(nu, shape.near_parts, k.order, {-k.below.value / (2 * begin), -k.below.dnu / (2 * begin)}, begin * begin);
  const std::vector<Part> far = interpolate(nu, shape.far_exponent, shape.far_parts);

  // Normalisation: what the expansion about zero gives where the polynomials begin.
  const MaternJet first = matern_near_zero(shape.expansion, std::ldexp(1.0, kFirstExponent), kFirstExponent * std::log(2.0));
  const Real scale = evaluate(parts[0].value, kTerms, -1) / first.m;
  const Real drift = (evaluate(parts[0].order, kTerms, -1) / scale - first.dm_dnu) / first.m;

  parts.insert(parts.end(), far.begin(), far.end());
  const int count = shape.parts();
  out.value.resize(static_cast<std::size_t>(count) * kDoublesPerPart);
  out.order.resize(out.value.size());
  for (int i = 0; i < count; ++i) {
    Part& part = parts[i];
    for (int j = 0; j < kTerms; ++j) {
      part.value[j] /= scale;
      part.order[j] = part.order[j] / scale - drift * part.value[j];
    }
    if (i < shape.near_parts) {
      economize(part.value, kTerms);
      economize(part.order, kTerms);
    }
    store(part.value, out.value, count, i);
    store(part.order, out.order, count, i);
  }
  return out;
}

}  // namespace tessera::bessel
