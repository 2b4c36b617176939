// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
//
// Boost.Math for tessera-grade: boost FUNCTION < points > values. Errors give NaN.

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/bessel_prime.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/version.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>

namespace {

double matern(double nu, double h) {
  return std::pow(2.0, 1 - nu) / boost::math::tgamma(nu) * std::pow(h, nu) *
         boost::math::cyl_bessel_k(nu, h);
}

double boys(double n, double x) {
  return x == 0 ? 1 / (2 * n + 1)
                : boost::math::tgamma_lower(n + 0.5, x) / (2 * std::pow(x, n + 0.5));
}

double k(double nu, double x) { return boost::math::cyl_bessel_k(nu, x); }
double i(double nu, double x) { return boost::math::cyl_bessel_i(nu, x); }
double dk_dx(double nu, double x) { return boost::math::cyl_bessel_k_prime(nu, x); }
double di_dx(double nu, double x) { return boost::math::cyl_bessel_i_prime(nu, x); }

struct Entry {
  const char* name;
  double (*function)(double, double);
};

constexpr Entry kEntries[] = {{"k", k},         {"i", i},           {"dk_dx", dk_dx},
                              {"di_dx", di_dx}, {"matern", matern}, {"boys", boys}};

double value(const Entry& entry, double a, double b) {
  try {
    return entry.function(a, b);
  } catch (const std::overflow_error&) {
    return std::numeric_limits<double>::infinity();
  } catch (const std::exception&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (std::strcmp(name, "version") == 0) {
    std::printf("%d.%d\n", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000);
    return 0;
  }
  for (const Entry& entry : kEntries) {
    if (std::strcmp(name, entry.name) != 0) {
      continue;
    }
    double a, b;
    while (std::scanf("%lf %lf", &a, &b) == 2) {
      std::printf("%.17g\n", value(entry, a, b));
    }
    return 0;
  }
  std::fprintf(stderr, "unknown function '%s'\n", name);
  return 2;
}
