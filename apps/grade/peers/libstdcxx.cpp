// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
//
// The special functions of the C++ standard library for tessera-grade: libstdcxx k|i < points >
// values. Errors give NaN.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>

namespace {

double value(bool first_kind, double nu, double x) {
  try {
    return first_kind ? std::cyl_bessel_i(nu, x) : std::cyl_bessel_k(nu, x);
  } catch (const std::exception&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (std::strcmp(name, "version") == 0) {
#ifdef _GLIBCXX_RELEASE
    std::printf("libstdc++ %d\n", _GLIBCXX_RELEASE);
#else
    std::printf("-\n");
#endif
    return 0;
  }
  double nu, x;
  while (std::scanf("%lf %lf", &nu, &x) == 2) {
    std::printf("%.17g\n", value(std::strcmp(name, "i") == 0, nu, x));
  }
  return 0;
}
