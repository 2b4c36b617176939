# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""QQ-plots of fits: sorted values against fitted quantiles, with bands in which each of them lies
with 95 % if the fit is right."""

import numpy as np

from . import style
from ..results import ResultsError


def _log_odds(p):
    p = np.clip(p, 1e-9, 1 - 1e-9)
    return np.log(p) - np.log1p(-p)


def qq(results):
    """The values of a fit against the quantiles at (i - 1/2)/n, in units of the scale; both ends
    are drawn in full, the middle in steps."""
    if "results/quantile_p" not in results:
        raise ResultsError(f"{results.path} holds no fit of one sample; choose another --kind", 3)
    data, p, x = (
        results["results/data"],
        results["results/quantile_p"],
        results["results/quantile_x"],
    )
    n, sigma, mu = len(data), results["results/sigma"], results["results/mu"]

    def quantile(probability):
        """In units of the scale, on an axis that is linear in the middle and logarithmic far
        out."""
        return np.interp(_log_odds(probability), _log_odds(p), np.arcsinh((x - mu) / sigma))

    ends = np.unique(np.geomspace(1, (n + 1) // 2, 150).astype(int)) - 1
    order = np.unique(np.concatenate([ends, n - 1 - ends]))
    # These are the probabilities that the fitted distribution gives to sorted values.
    draws = np.random.default_rng(0).beta(order + 1, n - order, size=(4000, len(order)))
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    place, value = quantile((order + 0.5) / n), np.arcsinh((data[order] - mu) / sigma)
    figure, axes = style.subplots(figsize=(6.2, 6))
    axes.fill_between(
        place,
        quantile(low),
        quantile(high),
        color=style.QUIET,
        alpha=0.25,
        linewidth=0,
        label="95 % of values at this place",
    )
    axes.plot(place, place, color=style.QUIET, linewidth=0.8)
    axes.plot(place, value, ".", markersize=4, color=style.ACCENT)
    top = max(np.abs(value).max(), np.abs(place).max())
    marks = [m for m in (0.5, 2, 10, 100, 1e3, 1e4, 1e6, 1e9, 1e12) if np.arcsinh(m) < top]
    ticks = [-m for m in reversed(marks)] + [0] + marks
    for axis, name in ((axes.xaxis, "fitted quantiles"), (axes.yaxis, "values")):
        axis.set_ticks(np.arcsinh(ticks), [f"{t:g}" for t in ticks])
        axis.set_label_text(f"{name}, in scales from the location")
    outside = np.sum((value < quantile(low)) | (value > quantile(high)))
    axes.set_title(
        f"{n:,} values; of {len(order)} that are drawn {outside} lie outside their bands"
    )
    axes.legend(loc="upper left", fontsize=8)
    figure.tight_layout()
    return figure
