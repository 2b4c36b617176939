// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <string>

#include "tessera/stable/fit/fit_types.hpp"

namespace tessera::stable {

enum class QuantityKind { alpha, beta, sigma, mu, quantile, value_at_risk, expected_shortfall };

/// A number that belongs to a distribution: a parameter in S0, the quantile of probability `level`,
/// the value at risk of confidence `level` (minus the quantile of 1 - level, a loss where the
/// variable is a return), or the expected shortfall, the mean loss beyond it.
struct Quantity {
  QuantityKind kind = QuantityKind::alpha;
  double level = NAN;

  bool is_parameter() const { return kind <= QuantityKind::mu; }
  /// The index of a parameter in the arrays of a FitResult.
  int parameter() const { return static_cast<int>(kind); }
};

/// "alpha", "quantile 0.01", "VaR 0.99", "ES 0.99".
std::string name(const Quantity& quantity);

/// Returns the value of a quantity. Throws Error (input) for a level outside (0, 1).
double evaluate(const Quantity& quantity, const FourParameters& distribution);

/// Returns the derivatives of a quantity in alpha, beta, sigma and mu. Derivatives of quantiles and
/// shortfalls in alpha and beta are differences (relative error 1e-7).
std::array<double, 4> find_gradient(const Quantity& quantity, const FourParameters& distribution);

/// Returns the range of values that a quantity can take.
std::array<double, 2> find_range(const Quantity& quantity);

/// The task whose fit is that of `task` with the quantity held at `value`, climbing from `start`.
/// Quantiles and shortfalls need a task that leaves mu free.
FitTask hold(const Quantity& quantity, double value, FitTask task, const FourParameters& start);

}  // namespace tessera::stable
