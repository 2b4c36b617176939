# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The scores of the comparison, by its definitions."""
import math

import numpy as np

ERROR_FUNCTION = np.vectorize(math.erf, otypes=[float])


def root_mean_square(errors):
    return float(np.sqrt(np.mean(errors**2)))


def log_score(mean, variance, values):
    """The negative logarithm of the predictive density, averaged over the points."""
    return float(
        np.mean(0.5 * (mean - values) ** 2 / variance + 0.5 * np.log(2 * np.pi * variance))
    )


def crps(mean, variance, values):
    """The continuous ranked probability score of normal predictions, averaged over the points."""
    deviation = np.sqrt(variance)
    u = (values - mean) / deviation
    density = np.exp(-0.5 * u**2) / np.sqrt(2 * np.pi)
    scores = u * ERROR_FUNCTION(u / np.sqrt(2)) + 2 * density - 1 / np.sqrt(np.pi)
    return float(np.mean(deviation * scores))


def divergence(exact, mean, variance):
    """Kullback-Leibler's, of the exact predictions from these, summed over the points."""
    exact_mean, exact_variance = exact
    ratio = (exact_variance + (exact_mean - mean) ** 2) / variance
    return float(np.sum(0.5 * np.log(variance / exact_variance) + 0.5 * ratio - 0.5))


def of_prediction(mean, variance, target):
    """All scores of a target by name; those against exact predictions where these are known."""
    scores = {
        "RMSE": root_mean_square(mean - target.values),
        "log score": log_score(mean, variance, target.values),
        "CRPS": crps(mean, variance, target.values),
    }
    if target.exact is not None:
        scores["RMSE of mean"] = root_mean_square(mean - target.exact[0])
        scores["RMSE of variance"] = root_mean_square(variance - target.exact[1])
        scores["KL"] = divergence(target.exact, mean, variance)
    return scores
