// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/math/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/harness/exec_space.hpp"

namespace tessera::math {
namespace {

using Exec = test::ExecSpace;

enum class Function { exponential, minus_one, sine, cosine, logarithm };

struct Fill {
  Function function;
  double low, step;
  bool logarithmic;
  Kokkos::View<double*, Exec> out;

  KOKKOS_INLINE_FUNCTION static double place(const double low, const double step, bool logarithmic,
                                             int i) {
    const double x = low + step * i;
    return logarithmic ? ::exp(x) : x;
  }

  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    const double x = out(i);
    double a, b;
    switch (function) {
      case Function::exponential:
        out(i) = exponential(x);
        break;
      case Function::minus_one:
        exponential(x, a);
        out(i) = a;
        break;
      case Function::sine:
        sine_cosine(x, a, b);
        out(i) = a;
        break;
      case Function::cosine:
        sine_cosine(x, a, b);
        out(i) = b;
        break;
      case Function::logarithm:
        out(i) = logarithm(x);
        break;
    }
  }
};

/// Largest error over a range, relative or absolute, against the host's long double functions.
template <class Exact>
double largest_error(Function function, const Exact& exact, double low, double high, bool relative,
                     bool logarithmic = false) {
  const int n = 200001;
  const Kokkos::View<double*, Exec> x("x", n);
  const auto host = Kokkos::create_mirror_view(x);
  std::vector<double> places(n);
  for (int i = 0; i < n; ++i)
    host(i) = places[i] = Fill::place(low, (high - low) / (n - 1), logarithmic, i);
  Kokkos::deep_copy(x, host);
  Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec>(0, n),
                       Fill{function, low, 0, logarithmic, x});
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  long double worst = 0;
  for (int i = 0; i < n; ++i) {
    const long double value = exact(static_cast<long double>(places[i]));
    const long double error = std::abs(static_cast<long double>(found(i)) - value) /
                              (relative && value != 0 ? std::abs(value) : 1.0L);
    worst = std::max(worst, error);
  }
  return static_cast<double>(worst);
}

TEST(Elementary, Exponential) {
  const auto exact = [](long double x) { return std::exp(x); };
  EXPECT_LE(largest_error(Function::exponential, exact, -690, 690, true), 3.3e-16);
  EXPECT_LE(largest_error(Function::exponential, exact, -1, 1, true), 3.3e-16);
}

TEST(Elementary, ExponentialMinusOne) {
  const auto exact = [](long double x) { return std::expm1(x); };
  EXPECT_LE(largest_error(Function::minus_one, exact, -40, 40, true), 4.5e-16);
  EXPECT_LE(largest_error(Function::minus_one, exact, -1, 1, true), 4.5e-16);
  EXPECT_LE(largest_error(Function::minus_one, exact, -1e-9, 1e-9, true), 3.3e-16);
}

TEST(Elementary, SineAndCosine) {
  for (const double end : {1.0, 100.0, 1e5}) {
    EXPECT_LE(largest_error(
                  Function::sine, [](long double x) { return std::sin(x); }, -end, end, false),
              2.3e-16)
        << end;
    EXPECT_LE(largest_error(
                  Function::cosine, [](long double x) { return std::cos(x); }, -end, end, false),
              2.3e-16)
        << end;
  }
  EXPECT_LE(largest_error(
                Function::sine, [](long double x) { return std::sin(x); }, -1e-5, 1e-5, true),
            2.3e-16);
}

TEST(Elementary, Logarithm) {
  const auto exact = [](long double x) { return std::log(x); };
  EXPECT_LE(largest_error(Function::logarithm, exact, -700, 700, true, true), 2.6e-16);
  EXPECT_LE(largest_error(Function::logarithm, exact, 0.9, 1.1, true), 2.6e-16);
  EXPECT_LE(largest_error(Function::logarithm, exact, 1 - 1e-9, 1 + 1e-9, true), 2.6e-16);
}

}  // namespace
}  // namespace tessera::math
