// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gp/latent/families.hpp"
#include "tessera/gp/latent/predictive.hpp"

/// The distribution function of an observation y whose predictor f is Gaussian, with what follows
/// from it. For all families but Bernoulli's there is a random number T with P(y | f) = P(T >= f),
/// so that
///
///     F(y) = E Phi((T - mean) / deviation),
///
/// an integral over the density of T, by adaptive Gauss-Kronrod quadrature.
///
/// Accuracy: F 1e-9 absolute, quantiles 1e-8 relative (counts: the smallest y with F(y) >= p, up to
/// that of F), scores 1e-7 relative (tests/unit/gp_predictive.cpp). Domain: variance >= 0.

namespace tessera::gp {

/// Returns F(y), the probability of at most y.
double predictive_probability(const Response& response, const Moments& predictor, double y);

/// Returns the smallest y with F(y) >= p. Domain: 0 < p < 1.
double predictive_quantile(const Response& response, const Moments& predictor, double p);

/// Returns the continuous ranked probability score of an observation y, the integral of (F(x) -
/// [x >= y])^2 over x: for counts a sum, for Bernoulli's family the square of the probability's
/// error (Gneiting and Raftery 2007). It is infinite for student_t up to half a degree of freedom.
double predictive_crps(const Response& response, const Moments& predictor, double y);

}  // namespace tessera::gp
