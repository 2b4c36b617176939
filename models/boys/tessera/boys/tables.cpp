// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/boys/tables.hpp"

#include <array>
#include <cmath>

#include "tessera/boys/function/extended.hpp"
#include "tessera/core/error.hpp"

namespace tessera::boys {

namespace {

using Polynomial = std::array<long double, kTableTerms>;

/// The polynomial in t of degree 7 through values at the Chebyshev nodes t_j = cos(pi (j + 1/2) /
/// 8).
Polynomial interpolate(const Polynomial& values) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  // coefficients of the sum and of two neighbouring Chebyshev polynomials
  Polynomial power{}, previous{}, current{};
  previous[0] = 1;
  current[1] = 1;
  for (int k = 0; k < kTableTerms; ++k) {
    long double weight = 0;
    for (int j = 0; j < kTableTerms; ++j)
      weight += values[j] * std::cos(pi * k * (j + 0.5L) / kTableTerms);
    weight *= (k == 0 ? 1.0L : 2.0L) / kTableTerms;
    for (int i = 0; i < kTableTerms; ++i) power[i] += weight * previous[i];
    Polynomial next{};  // T_{k+2} = 2 t T_{k+1} - T_k
    for (int i = 0; i < kTableTerms; ++i) next[i] = (i > 0 ? 2 * current[i - 1] : 0) - previous[i];
    previous = current;
    current = next;
  }
  return power;
}

/// Polynomials of the orders first..last, order by order in each segment.
std::vector<double> make_table(int first, int last) {
  if (first < 0 || last > kMaxOrder) {
    throw Error(ErrorKind::input,
                "boys: the order " + std::to_string(last) + " of a table is out of range",
                "choose 0 to " + std::to_string(kMaxOrder));
  }
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  std::vector<double> table;
  table.reserve(static_cast<std::size_t>(kTableSegments) * (last - first + 1) * kTableTerms);
  for (int segment = 0; segment < kTableSegments; ++segment) {
    std::vector<Polynomial> values(last + 1);
    for (int j = 0; j < kTableTerms; ++j) {
      const long double t = std::cos(pi * (j + 0.5L) / kTableTerms);
      const std::vector<long double> F =
          detail::boys_extended(last, (segment + (1 + t) / 2) / kTableSegmentsPerUnit);
      for (int n = first; n <= last; ++n) values[n][j] = F[n];
    }
    for (int n = first; n <= last; ++n) {
      for (const long double c : interpolate(values[n])) table.push_back(static_cast<double>(c));
    }
  }
  return table;
}

}  // namespace

std::vector<double> make_all_orders_table(int N) { return make_table(0, N); }

std::vector<double> make_top_order_table(int N) { return make_table(N, N); }

}  // namespace tessera::boys
