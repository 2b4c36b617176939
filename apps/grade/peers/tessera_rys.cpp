// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
//
// Tessera's Rys quadrature for tessera-grade: tessera_rys roots|weights < points > values.

#include <cstdio>
#include <cstring>
#include <tessera/boys/rys.hpp>
#include <utility>

namespace {

template <int n>
void print(double x, bool weights) {
  double u[n], w[n];
  tessera::boys::rys<n>(x, u, w);
  for (int i = 0; i < n; ++i) {
    std::printf("%.17g ", weights ? w[i] : u[i]);
  }
  std::printf("\n");
}

template <int... m>
void choose(int n, double x, bool weights, std::integer_sequence<int, m...>) {
  ((n == m + 1 ? print<m + 1>(x, weights) : void()), ...);
}

}  // namespace

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (std::strcmp(name, "version") == 0) {
    std::printf("0.1\n");
    return 0;
  }
  const bool weights = std::strcmp(name, "weights") == 0;
  double n, x;
  while (std::scanf("%lf %lf", &n, &x) == 2) {
    choose(static_cast<int>(n), x, weights,
           std::make_integer_sequence<int, tessera::boys::kMaxRysOrder>());
  }
  return 0;
}
