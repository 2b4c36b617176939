# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""A figure of tessera-gp: the random effects of groupings beside the field."""

import numpy as np

from . import style
from ..results import ResultsError

MOST_LABELS = 40


def effects(run):
    """The effects of each grouping's levels in the order of their sizes, with the intervals that
    hold 95 %, and what was simulated."""
    names = [
        str(name).removeprefix("variance_").replace("/", "_")
        for name in run.results["results/parameters"]
        if str(name).startswith("variance_")
    ]
    if not names or not run.results.names("results/groups"):
        raise ResultsError(f"{run.results.path} holds no effects of groupings (data.groups)", 3)
    longest = max(len(run.results[f"results/groups/{name}/effect"]) for name in names)
    height = np.clip(0.19 * longest + 1.2, 3, 8)
    figure, panels = style.subplots(
        1, len(names), figsize=(4.6 * len(names), height), squeeze=False
    )
    for name, axes in zip(names, panels[0]):
        _panel(run, axes, name)
    panels[0, 0].legend(loc="lower right", frameon=False, fontsize=8)
    figure.tight_layout()
    return figure


def _panel(run, axes, name):
    group = f"results/groups/{name}"
    mean, deviation = run.results[f"{group}/effect"], run.results[f"{group}/deviation"]
    labels = run.results[f"{group}/label"]
    order = np.argsort(mean)
    place = np.arange(len(mean))
    axes.axvline(0, color=style.QUIET, linewidth=0.8)
    axes.errorbar(
        mean[order],
        place,
        xerr=1.96 * deviation[order],
        fmt="o",
        markersize=4,
        color=style.ACCENT,
        ecolor="#9aa5cf",
        elinewidth=1.6,
        label="effect, 95 % interval",
    )
    if f"{group}/truth" in run.results:
        truth = run.results[f"{group}/truth"][order]
        axes.plot(
            truth, place, "x", markersize=5, color=style.ACCENT_2, label="simulated", zorder=3
        )
    if len(mean) <= MOST_LABELS:
        axes.set_yticks(place, [str(label) for label in labels[order]])
    else:
        axes.set_yticks([])
    axes.set_ylim(-1, len(mean))
    axes.set_xlabel("effect")
    variance = run.results.group_attribute(group, "variance")
    share = run.results.group_attribute(group, "share")
    axes.set_title(f"{name}: variance {variance:.3g}, {100 * share:.0f} % of all")
