// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The examples of tessera::boys, of which its README and its headers show parts.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <tessera/boys/batch.hpp>
#include <tessera/boys/boys.hpp>
#include <tessera/boys/complex.hpp>
#include <tessera/boys/rys.hpp>

using ExecSpace = Kokkos::DefaultExecutionSpace;

bool close(double found, double expected, double tolerance) {
  const bool good = std::fabs(found - expected) <= tolerance;
  if (!good) std::printf("%.17g instead of %.17g\n", found, expected);
  return good;
}

/// F_0(x) in closed form.
double order_0(double x) { return 0.88622692545275801 / std::sqrt(x) * std::erf(std::sqrt(x)); }

/// One argument at a time, on the host; kernels call the same functions.
bool evaluate_arguments() {
  const double x = 2.5;
  double F[9];
  tessera::boys::boys<8>(x, F);  // F[0] = F_0(x), ..., F[8] = F_8(x)

  double sum = 0;
  // no array in between
  tessera::boys::boys_each<8>(x, [&](int n, double value) { sum += (n + 1) * value; });

  // F_8(x) and e^-x
  const tessera::boys::TopOrder<double> top = tessera::boys::boys_top_order<8>(x);
  double expanded[9];
  tessera::boys::boys_expand<8>(x, top, [&](int n, double value) { expanded[n] = value; });

  double re[3], im[3];
  tessera::boys::boys_complex<2>(2.5, 0.1, re, im);  // z = 2.5 + 0.1 i

  double expected = 0;
  for (int n = 0; n <= 8; ++n) expected += (n + 1) * F[n];
  // F_n' = -F_{n+1}: the imaginary part is about -0.1 F_1.
  return close(F[0], order_0(x), 1e-15) && close(sum, expected, 1e-14) &&
         close(expanded[3], F[3], 1e-15) && close(im[0], -0.1 * F[1], 1e-3);
}

/// Roots and weights of Rys quadrature, on the host; kernels call the same function.
bool integrate() {
  const double x = 2.5;
  double roots[6], weights[6];
  tessera::boys::rys<6>(x, roots, weights);  // roots ascend; they serve powers up to u^11

  double F[4], sum = 0;
  tessera::boys::boys<3>(x, F);
  for (int i = 0; i < 6; ++i) sum += weights[i] * roots[i] * roots[i] * roots[i];
  return close(sum, F[3], 1e-15);
}

/// Many arguments.
bool evaluate_batch() {
  const ExecSpace exec;
  const int count = 1000;
  const Kokkos::View<double*, ExecSpace> x("x", count);
  Kokkos::deep_copy(exec, x, 0.75);

  // F(i, n) = F_n(x(i)), n = 0..8, one array per order
  const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> F("F", count, 9);
  tessera::boys::boys_batch(exec, 8, x, F);

  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), F);
  return close(host(count - 1, 0), order_0(0.75), 1e-15);
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return evaluate_arguments() && integrate() && evaluate_batch() ? 0 : 1;
}
