// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gp/latent/families.hpp"

/// An observation y whose predictor f is Gaussian: p(y) is the integral of p(y | f) N(f; mean,
/// variance).
///
/// Accuracy: 1e-8 of the density (tests/unit/gp_predictive.cpp); of counts y (and sizes) above
/// 1e6 rounding leaves 1e-15 y log y of it. Domain: variance >= 0.

namespace tessera::gp {

struct Moments {
  double mean, variance;
};

/// Returns mean and variance of y; of Bernoulli observations the mean is the probability of 1. The
/// variance of student_t is infinite up to two degrees of freedom.
Moments predict_response(const Response& response, const Moments& predictor);

/// Returns log p(y).
double log_predictive_density(const Response& response, const Moments& predictor, double y);

/// Returns the y with the probability u below it, given f; of counts the smallest with no less.
double response_quantile(const Response& response, double f, double u);

}  // namespace tessera::gp
