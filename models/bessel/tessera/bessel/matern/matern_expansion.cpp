// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/bessel/matern/matern_expansion.hpp"

#include <array>
#include <cmath>

namespace tessera::bessel::detail {

namespace {

using Real = long double;

constexpr Real kEulerGamma = 0.577215664901532860606512090082402431L;
constexpr Real kLog4 = 1.386294361119890618834464242916353136L;

/// A function and its derivative.
struct Jet {
  Real value, derivative;
};

/// log(1 + y) / y for |y| <= 1/2.
Jet log1p_ratio(Real y) {
  if (std::abs(y) > 0.1L) {
    const Real value = std::log1p(y) / y;
    return {value, (1 / (1 + y) - value) / y};
  }
  Jet sum{0, 0};
  Real power = 1;  // (-y)^k
  Real previous = 0;
  for (int k = 0; k < 24; ++k) {
    sum.value += power / (k + 1);
    sum.derivative -= k * previous / (k + 1);
    previous = power;
    power *= -y;
  }
  return sum;
}

/// zeta(j) - 1 for j >= 2, by the formula of Euler and Maclaurin.
Real zeta_minus_one(int j) {
  constexpr int N = 12;
  Real sum = 0;
  for (int m = 2; m < N; ++m) sum += std::pow(static_cast<Real>(m), static_cast<Real>(-j));
  const Real last = std::pow(static_cast<Real>(N), static_cast<Real>(-j));
  sum += last * N / (j - 1) + last / 2;
  constexpr std::array<Real, 6> bernoulli = {1.0L / 12, -1.0L / 720, 1.0L / 30240,
                                             // B_2k / (2k)!
                                             -1.0L / 1209600, 1.0L / 47900160,
                                             -691.0L / 1307674368000};
  Real factor = last * j / N;
  for (int k = 0; k < 6; ++k) {
    sum += bernoulli[k] * factor;
    factor *= static_cast<Real>(j + 2 * k + 1) * (j + 2 * k + 2) / (static_cast<Real>(N) * N);
  }
  return sum;
}

/// log Gamma(1 + x) / x for |x| <= 1/2.
Jet log_gamma_ratio(Real x) {
  static const auto zeta = [] {
    std::array<Real, 36> values{};
    for (int j = 2; j < 36; ++j) values[j] = zeta_minus_one(j);
    return values;
  }();
  const Jet logarithm = log1p_ratio(x);
  Jet sum{1 - kEulerGamma - logarithm.value, -logarithm.derivative};
  Real power = 1;                 // (-x)^(j-2)
  for (int j = 2; j < 36; ++j) {  // sum (-1)^j (zeta(j) - 1) x^(j-1) / j
    sum.value += zeta[j] * power * x / j;
    sum.derivative += zeta[j] * power * (j - 1) / j;
    power *= -x;
  }
  return sum;
}

}  // namespace

MaternExpansion matern_expansion(long double nu) {
  MaternExpansion e;
  e.n = static_cast<int>(std::floor(nu + 0.5L));
  const Real delta = nu - e.n;
  e.delta = static_cast<double>(delta);
  for (int j = 0; j < 3 && j < e.n; ++j) {
    Real a = 1, logarithmic = 0;
    for (int i = 1; i <= j; ++i) {
      a /= 4 * i * (i - nu);
      logarithmic += 1 / (i - nu);
    }
    e.a[j] = static_cast<double>(a);
    e.a_dnu[j] = static_cast<double>(a * logarithmic);
  }
  if (e.n >= 3) return e;  // the pairs lie below 2^-60
  for (int k = 0; k < 3; ++k) {
    const int m = e.n + k;
    Real C = 1, logarithmic = 0;
    for (int i = 1; i <= m; ++i) {
      C /= 4 * i;
      if (i == e.n) continue;
      C /= i - nu;
      logarithmic += 1 / (i - nu);
    }
    Real C_dnu = C * logarithmic;
    if (e.n == 0) {
      C_dnu = -C - C_dnu * delta;
      C *= -delta;
    }
    e.C[k] = static_cast<double>(C);
    e.C_dnu[k] = static_cast<double>(C_dnu);

    const Jet left = log_gamma_ratio(-delta), right = log_gamma_ratio(delta);
    Real q = -kLog4 - left.value - right.value, q_dnu = left.derivative - right.derivative;
    for (int i = 1; i <= m; ++i) {
      const Jet ratio = log1p_ratio(delta / i);
      q -= ratio.value / i;
      q_dnu -= ratio.derivative / (static_cast<Real>(i) * i);
      if (i > k) continue;
      const Jet mirrored = log1p_ratio(-delta / i);
      q -= mirrored.value / i;
      q_dnu += mirrored.derivative / (static_cast<Real>(i) * i);
    }
    e.q[k] = static_cast<double>(q);
    e.q_dnu[k] = static_cast<double>(q_dnu);
  }
  return e;
}

}  // namespace tessera::bessel::detail
