// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/boys/integrals.hpp"

namespace tessera::boys {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// (2a/pi)^(3/4), which normalises exp(-a r^2).
double norm(double exponent) { return std::pow(2 * exponent / kPi, 0.75); }

double self_overlap(const Contraction& f) {
  double sum = 0;
  for (std::size_t i = 0; i < f.exponents.size(); ++i) {
    for (std::size_t j = 0; j < f.exponents.size(); ++j) {
      const double p = f.exponents[i] + f.exponents[j];
      sum += f.coefficients[i] * f.coefficients[j] * norm(f.exponents[i]) * norm(f.exponents[j]) *
             std::pow(kPi / p, 1.5);
    }
  }
  return sum;
}

}  // namespace

void make_pairs(const std::vector<Contraction>& basis, bool normalize,
                std::vector<GaussianProduct>& products, std::vector<std::int32_t>& first) {
  std::vector<double> scale(basis.size(), 1.0);
  if (normalize) {
    for (std::size_t i = 0; i < basis.size(); ++i) scale[i] = 1 / std::sqrt(self_overlap(basis[i]));
  }
  products.clear();
  first.assign(1, 0);
  for (std::size_t i = 0; i < basis.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const Contraction &f = basis[i], &g = basis[j];
      const double distance = squared_distance(f.center, g.center);
      for (std::size_t k = 0; k < f.exponents.size(); ++k) {
        for (std::size_t l = 0; l < g.exponents.size(); ++l) {
          const double a = f.exponents[k], b = g.exponents[l], p = a + b;
          GaussianProduct product;
          product.exponent = p;
          product.factor = scale[i] * scale[j] * f.coefficients[k] * g.coefficients[l] * norm(a) *
                           norm(b) * std::exp(-a * b / p * distance);
          for (int d = 0; d < 3; ++d) product.center[d] = (a * f.center[d] + b * g.center[d]) / p;
          products.push_back(product);
        }
      }
      first.push_back(static_cast<std::int32_t>(products.size()));
    }
  }
}

}  // namespace tessera::boys
