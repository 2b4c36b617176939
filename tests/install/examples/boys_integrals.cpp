// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Electron repulsion of Cartesian Gaussians up to d, x^i y^j z^k exp(-a |r - A|^2), by the scheme
// of McMurchie and Davidson (J. Comput. Phys. 26 (1978) 218): what Boys functions of several orders
// are for. Four d functions take F_0 to F_8, from one call; small integrals take them in single
// precision. The same integrals by Rys quadrature (M. Dupuis, J. Rys, H. F. King, J. Chem. Phys. 65
// (1976) 111) take five roots, also for erf(omega r) / r and erfc(omega r) / r. Checks itself:
// derivatives by the centre, symmetry, the tolerance, one scheme by the other, and the two ranges.
#include <array>
#include <cmath>
#include <cstdio>
#include <tessera/boys/rys.hpp>
#include <tessera/boys/variants.hpp>
#include <utility>

constexpr int kMostOrder = 8;  // four d functions

struct Gaussian {
  std::array<double, 3> center;
  double exponent;
  std::array<int, 3> powers;  // of x, y and z; their sum is 0 for s, 1 for p, 2 for d
};

/// Coefficient t of the product of two one-dimensional Gaussians in Hermite Gaussians, without its
/// exponential; a, b: exponents, distance: A - B.
double hermite(int i, int j, int t, double distance, double a, double b) {
  const double p = a + b, shift = a * b / p * distance;
  if (t < 0 || t > i + j) return 0;
  if (i == 0 && j == 0) return 1;
  const bool lower_j = j > 0;
  const int k = lower_j ? i : i - 1, l = lower_j ? j - 1 : j;
  return hermite(k, l, t - 1, distance, a, b) / (2 * p) +
         (lower_j ? shift / b : -shift / a) * hermite(k, l, t, distance, a, b) +
         (t + 1) * hermite(k, l, t + 1, distance, a, b);
}

/// Derivative (t, u, v) of the potential between two Hermite Gaussians; r: their distance, F: (-2
/// alpha)^n F_n(alpha r^2).
double potential(std::array<int, 3> tuv, int n, const std::array<double, 3>& r, const double* F) {
  for (int k = 0; k < 3; ++k) {
    if (tuv[k] == 0) continue;
    std::array<int, 3> once = tuv, twice = tuv;
    once[k] -= 1;
    twice[k] -= 2;
    return (tuv[k] > 1 ? (tuv[k] - 1) * potential(twice, n + 1, r, F) : 0.0) +
           r[k] * potential(once, n + 1, r, F);
  }
  return F[n];
}

/// A pair of Gaussians as one about P.
struct Pair {
  double p, factor;
  std::array<double, 3> center;
  const Gaussian &a, &b;

  Pair(const Gaussian& first, const Gaussian& second)
      : p(first.exponent + second.exponent), factor(0), a(first), b(second) {
    double squared = 0;
    for (int k = 0; k < 3; ++k) {
      const double distance = a.center[k] - b.center[k];
      center[k] = (a.exponent * a.center[k] + b.exponent * b.center[k]) / p;
      squared += distance * distance;
    }
    factor = std::exp(-a.exponent * b.exponent / p * squared);
  }

  double coefficient(const std::array<int, 3>& tuv) const {
    double product = 1;
    for (int k = 0; k < 3; ++k)
      product *= hermite(a.powers[k], b.powers[k], tuv[k], a.center[k] - b.center[k], a.exponent,
                         b.exponent);
    return product;
  }

  /// Calls visit(t, u, v) for every Hermite Gaussian of the pair.
  template <class Visit>
  void each(const Visit& visit) const {
    std::array<int, 3> tuv;
    for (tuv[0] = 0; tuv[0] <= a.powers[0] + b.powers[0]; ++tuv[0])
      for (tuv[1] = 0; tuv[1] <= a.powers[1] + b.powers[1]; ++tuv[1])
        for (tuv[2] = 0; tuv[2] <= a.powers[2] + b.powers[2]; ++tuv[2]) visit(tuv);
  }
};

/// (ab|cd). tolerance: the error that each Boys function may bring in; 0 for double precision.
double repulsion(const Gaussian& a, const Gaussian& b, const Gaussian& c, const Gaussian& d,
                 double tolerance = 0) {
  constexpr double two_pi_to_5_2 = 34.986836655249725693;  // 2 pi^(5/2)
  const Pair bra(a, b), ket(c, d);
  const double alpha = bra.p * ket.p / (bra.p + ket.p);
  std::array<double, 3> r;
  double squared = 0;
  for (int k = 0; k < 3; ++k) {
    r[k] = bra.center[k] - ket.center[k];
    squared += r[k] * r[k];
  }
  const double factor =
      bra.factor * ket.factor * two_pi_to_5_2 / (bra.p * ket.p * std::sqrt(bra.p + ket.p));
  double F[kMostOrder + 1];
  tessera::boys::boys_mixed<kMostOrder>(alpha * squared, factor, tolerance, F);
  double power = 1;
  for (double& f : F) {
    f *= power;
    power *= -2 * alpha;
  }
  double sum = 0;
  bra.each([&](const std::array<int, 3>& t) {
    ket.each([&](const std::array<int, 3>& u) {
      const int sign = (u[0] + u[1] + u[2]) % 2 == 0 ? 1 : -1;
      sum += sign * bra.coefficient(t) * ket.coefficient(u) *
             potential({t[0] + u[0], t[1] + u[1], t[2] + u[2]}, 0, r, F);
    });
  });
  return factor * sum;
}

constexpr int kRoots = kMostOrder / 2 + 1;

/// One coordinate of a pair of pairs at a root: the integrals over both electrons, divided by that
/// of four s functions.
struct Coordinate {
  double b00, b10, b01, c00, d00;  // the coefficients of the recurrences
  double ab, cd;                   // A - B, C - D

  Coordinate(const Pair& bra, const Pair& ket, int k, double root) {
    const double p = bra.p, q = ket.p, of_p = q / (p + q) * root, of_q = p / (p + q) * root,
                 distance = ket.center[k] - bra.center[k];
    b00 = root / (2 * (p + q));
    b10 = (1 - of_p) / (2 * p);
    b01 = (1 - of_q) / (2 * q);
    c00 = bra.center[k] - bra.a.center[k] + of_p * distance;
    d00 = ket.center[k] - ket.a.center[k] - of_q * distance;
    ab = bra.a.center[k] - bra.b.center[k];
    cd = ket.a.center[k] - ket.b.center[k];
  }

  /// With all powers at the first centre of each pair.
  double at_first(int n, int m) const {
    if (n < 0 || m < 0) return 0;
    if (n > 0)
      return c00 * at_first(n - 1, m) + (n - 1) * b10 * at_first(n - 2, m) +
             m * b00 * at_first(n - 1, m - 1);
    if (m > 0) return d00 * at_first(0, m - 1) + (m - 1) * b01 * at_first(0, m - 2);
    return 1;
  }
  /// Powers i, j of the first pair and k, l of the second.
  double integral(int i, int j, int k, int l) const {
    if (j > 0) return integral(i + 1, j - 1, k, l) + ab * integral(i, j - 1, k, l);
    if (l > 0) return integral(i, j, k + 1, l - 1) + cd * integral(i, j, k, l - 1);
    return at_first(i, k);
  }
};

enum class Range { whole, near, far };

/// (ab|cd) by Rys quadrature, of 1 / r, erfc(omega r) / r or erf(omega r) / r.
double repulsion_by_rys(const Gaussian& a, const Gaussian& b, const Gaussian& c, const Gaussian& d,
                        Range range = Range::whole, double omega = 0) {
  constexpr double two_pi_to_5_2 = 34.986836655249725693;  // 2 pi^(5/2)
  const Pair bra(a, b), ket(c, d);
  const double rho = bra.p * ket.p / (bra.p + ket.p);
  double squared = 0;
  for (int k = 0; k < 3; ++k) squared += std::pow(bra.center[k] - ket.center[k], 2);
  double root[kRoots], weight[kRoots];
  if (range == Range::whole) {
    tessera::boys::rys<kRoots>(rho * squared, root, weight);
  } else if (range == Range::near) {
    tessera::boys::rys_erfc<kRoots>(rho * squared, rho, omega, root, weight);
  } else {
    tessera::boys::rys_erf<kRoots>(rho * squared, rho, omega, root, weight);
  }
  double sum = 0;
  for (int i = 0; i < kRoots; ++i) {
    double product = weight[i];
    for (int k = 0; k < 3; ++k)
      product *= Coordinate(bra, ket, k, root[i])
                     .integral(a.powers[k], b.powers[k], c.powers[k], d.powers[k]);
    sum += product;
  }
  return bra.factor * ket.factor * two_pi_to_5_2 / (bra.p * ket.p * std::sqrt(bra.p + ket.p)) * sum;
}

bool agree(const char* what, double value, double expected, double tolerance) {
  const bool good = std::abs(value - expected) <= tolerance;
  std::printf("%s: %.12g, expected %.12g%s\n", what, value, expected, good ? "" : " WRONG");
  return good;
}

int main() {
  const Gaussian s{{0.1, -0.2, 0.3}, 0.8, {0, 0, 0}}, p{{0.1, -0.2, 0.3}, 0.8, {1, 0, 0}},
      d{{0.1, -0.2, 0.3}, 0.8, {2, 0, 0}}, b{{-0.7, 0.4, 0.2}, 1.3, {0, 1, 0}},
      c{{1.1, 0.6, -0.5}, 0.5, {1, 1, 0}}, e{{0.3, -0.9, 0.8}, 2.1, {0, 0, 2}};
  // d/dA_x of exp(-a |r - A|^2) is 2a times the p function; of the p function, 2a times d, less s
  const auto moved = [](Gaussian g, double by) {
    g.center[0] += by;
    return g;
  };
  const auto derivative = [&](const Gaussian& g) {
    const auto at = [&](double by) { return repulsion(moved(g, by), b, c, e); };
    const double h = 0.01;
    return (45 * (at(h) - at(-h)) - 9 * (at(2 * h) - at(-2 * h)) + at(3 * h) - at(-3 * h)) /
           (60 * h);
  };
  const double ps = repulsion(p, b, c, e), ds = repulsion(d, b, c, e), ss = repulsion(s, b, c, e);
  bool good = agree("(pb|ce)", 2 * p.exponent * ps, derivative(s), 1e-11);
  good &= agree("(db|ce)", 2 * d.exponent * ds - ss, derivative(p), 1e-11);
  good &= agree("(ce|db)", repulsion(c, e, d, b), ds, 1e-15);
  good &= agree("(dd|dd) in double and single", repulsion(d, d, c, e, 1e-4), repulsion(d, d, c, e),
                1e-4);
  good &= agree("far away", repulsion(d, d, moved(c, 40), moved(e, 40), 1e-7),
                repulsion(d, d, moved(c, 40), moved(e, 40)), 1e-7);
  for (const auto& [what, values] : {std::pair{"(ss|ss) by Rys", std::array{s, s, s, s}},
                                     std::pair{"(pb|ce) by Rys", std::array{p, b, c, e}},
                                     std::pair{"(db|ce) by Rys", std::array{d, b, c, e}},
                                     std::pair{"(cd|ec) by Rys", std::array{c, d, e, c}},
                                     std::pair{"(dd|dd) by Rys", std::array{d, d, d, d}}}) {
    const auto& [i, j, k, l] = values;
    const double whole = repulsion_by_rys(i, j, k, l);
    good &= agree(what, whole, repulsion(i, j, k, l), 1e-13);
    good &= agree("  near and far",
                  repulsion_by_rys(i, j, k, l, Range::near, 0.4) +
                      repulsion_by_rys(i, j, k, l, Range::far, 0.4),
                  whole, 1e-13);
  }
  return good ? 0 : 1;
}
