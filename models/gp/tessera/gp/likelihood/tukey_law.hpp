// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The law of z = location + scale tau(y / scale), with Tukey's g-and-h transform tau (tukey.hpp)
/// and a Gaussian y.
///
/// With a = mean / scale, v = variance / scale^2, d = 1 - h v and E e^(c u + h u^2 / 2) in closed
/// form
///
///     E z = location + scale e^(h a^2 / (2 d)) d^(-1/2) (e^(g (a + g v / 2) / d) - 1) / g,
///
/// and likewise E z^2 with 2 h, if h v < 1 and 2 h v < 1; beyond, moments are infinite (the mean of
/// a law with two such tails is not a number).
///
/// Accuracy: mean, quantiles and log density 1e-12 relative, variance 1e-9, score 1e-8
/// (tests/unit/gp_tukey.cpp). Domain: variance >= 0; the score h v < 1.8.

namespace tessera::gp {

struct TukeyLaw {
  double mean, variance;  ///< of y
  double location, scale, g, h;

  double value(double y) const;    ///< z at y
  double inverse(double z) const;  ///< y at z; infinite beyond the values of z

  double expectation() const;
  double spread() const;  ///< the variance of z
  double quantile(double probability) const;
  double log_density(double z) const;

  /// The continuous ranked probability score of an observation z, the integral of (F(x) -
  /// [x >= z])^2 over x (Gneiting and Raftery 2007).
  double crps(double z) const;
};

}  // namespace tessera::gp
