# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The figure of a run of tessera-gbees with 'task: conjunction'."""

import matplotlib.pyplot as plt
import numpy as np

from . import style
from ..results import ResultsError


def conjunction(results):
    """The probability that the objects of each message meet, with its interval, beside the formula
    in the encounter plane."""
    if "results/plane_probability" not in results:
        raise ResultsError(f"{results.path} is not of a run with 'task: conjunction'", 3)
    probability = np.asarray(results["results/probability"], dtype=float)
    low, high = results["results/interval_low"], results["results/interval_high"]
    plane = np.asarray(results["results/plane_probability"], dtype=float)
    names = [str(name) for name in results["results/message_id"]]
    order = np.argsort(-probability, kind="stable")
    place = np.arange(len(order))
    figure, axes = plt.subplots(figsize=(7.5, 1.3 + 0.26 * len(order)))
    axes.hlines(place, low[order], high[order], color=style.ACCENT, linewidth=2)
    axes.plot(probability[order], place, "o", color=style.ACCENT, markersize=5, label="by pairs")
    positive = np.concatenate([probability, high])
    positive = positive[np.isfinite(positive) & (positive > 0)]
    lowest = positive.min() / 300 if positive.size else 1e-12
    is_lower = plane < lowest  # beside the figure
    shown = np.where(is_lower, lowest, plane)[order]
    for lower, marker, text in (
        (False, "x", "formula in the encounter plane"),
        (True, "<", "the same, below the range"),
    ):
        chosen = is_lower[order] == lower
        if chosen.any():
            axes.plot(
                shown[chosen],
                place[chosen],
                marker,
                color=style.ACCENT_2,
                markersize=6,
                label=text,
                linestyle="none",
                clip_on=False,
            )
    axes.set_xscale("log")
    axes.set_xlim(lowest, min(2 * max(positive.max(initial=0), lowest * 10), 1.2))
    axes.set_yticks(place, [names[k] for k in order], fontsize=7)
    axes.invert_yaxis()
    axes.grid(axis="x")
    axes.set_xlabel("probability that the objects meet")
    axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    return figure
