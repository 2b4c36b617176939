// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/boys/program/method_range.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "tessera/boys/function/basic_methods.hpp"

namespace tessera::boys {

namespace {

double wanted_error(bool single_precision) { return single_precision ? 3e-7 : 1e-13; }

/// The rounding of F_0 that upward recursion may magnify.
double unit_roundoff(bool single_precision) {
  return single_precision ? std::numeric_limits<float>::epsilon() / 2.0
                          : std::numeric_limits<double>::epsilon() / 2;
}

/// The largest factor by which upward recursion to n_max magnifies an error of F_0.
double magnification(int n_max, double x) {
  double largest = 1, product = 1;
  for (int n = 0; n < n_max; ++n) {
    product *= (2 * n + 1) / (2 * x);
    largest = std::max(largest, product);
  }
  return largest;
}

}  // namespace

bool keeps_accuracy(const MethodChoice& choice, double x, bool single_precision) {
  const double wanted = wanted_error(single_precision);
  switch (choice.method) {
    case Method::taylor:  // beyond, terms cancel
      return x <= std::min(taylor_range(choice.terms, wanted), single_precision ? 4.0 : 10.6);
    case Method::upward:
      return unit_roundoff(single_precision) * magnification(choice.n_max, x) <= wanted;
    case Method::miller:
      return x <= (single_precision ? static_cast<double>(kMaxMillerArgument<float>)
                                    : kMaxMillerArgument<double>);
    case Method::asymptotic:
      return x >= (single_precision ? 13 : 26.5) + choice.n_max / 11.0;
    default:
      return true;
  }
}

template <class Real>
std::string accuracy_warning(const MethodChoice& choice, const std::vector<Real>& x) {
  constexpr bool single_precision = sizeof(Real) == 4;
  std::size_t outside = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Real value : x) {
    const double place = static_cast<double>(value);
    if (keeps_accuracy(choice, place, single_precision)) continue;
    ++outside;
    low = std::min(low, place);
    high = std::max(high, place);
  }
  if (outside == 0) return {};
  char text[320];
  std::snprintf(text, sizeof text,
                "method '%s' does not keep an absolute error of %g at %zu of %zu arguments, from x "
                "= %.4g to %.4g: choose problem.method: two_range, or other arguments in problem.x",
                to_string(choice.method).c_str(), wanted_error(single_precision), outside, x.size(),
                low, high);
  return text;
}

template std::string accuracy_warning(const MethodChoice&, const std::vector<double>&);
template std::string accuracy_warning(const MethodChoice&, const std::vector<float>&);

}  // namespace tessera::boys
