// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

/// Tukey's g-and-h transform of numbers u, which skews them by g and makes their tails heavy by h
/// (Tukey 1977; of random fields: Xu and Genton, Journal of the American Statistical Association
/// 112, 2017):
///
///     tau(u) = (exp(g u) - 1) / g exp(h u^2 / 2),     g = 0: u exp(h u^2 / 2).
///
/// It rises with u for every real g and h >= 0. With h = 0 its values end at -1 / g.
///
/// Accuracy: tau, its inverse and derivatives 1e-14 relative, as far as their arguments count:
/// times h u^2 and g u where these exceed 10 (tests/unit/gp_tukey.cpp). Domain: h >= 0.

namespace tessera::gp {

double tukey_g_and_h(double u, double g, double h);

/// Returns the u with tau(u) = x; beyond the values that tau takes an infinity of their side.
double inverse_tukey_g_and_h(double x, double g, double h);

/// The derivatives of tau at u, and those of the logarithm of its slope.
struct TukeySlopes {
  double slope, log_slope;  ///< of tau in u
  double by_g, by_h;        ///< of tau
  /// Of log_slope; by_g and by_h at the same u
  double log_slope_by_u, log_slope_by_g, log_slope_by_h;
};
TukeySlopes tukey_slopes(double u, double g, double h);

/// Scale, g and h of a law whose quantiles are near those of a sample: where a fit starts. Of
/// fewer than twenty numbers, or where most are equal, g and h are 0.
struct TukeyShape {
  double scale, g, h, median;
};
TukeyShape shape_of_quantiles(std::vector<double> sample);

}  // namespace tessera::gp
