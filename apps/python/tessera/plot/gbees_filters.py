# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of filters that ran beside a density of tessera-gbees."""

import numpy as np

from . import style
from ..results import ResultsError

LOOKS = {
    "ukf": ("unscented Kalman filter", style.ACCENT, "o-"),
    "enkf": ("ensemble Kalman filter", "#3a8f7b", "s-"),
    "particle": ("particle filter", style.ACCENT_2, "^-"),
}


def filters(run):
    """The mean of each variable by the density, with its standard deviation, and by the filters;
    and how like the density these are."""
    results = run.results
    found = [name for name in LOOKS if f"results/filters/{name}/mean" in results]
    if not found:
        raise ResultsError(
            f"{results.path} holds no filters (section 'validate.filters' of the input)", 3
        )
    rows = run.dimension + 1
    figure, grid = style.subplots(
        rows, 1, figsize=(8, 1.2 + 1.7 * rows), sharex=True, squeeze=False
    )
    mean, deviation = results["results/mean"], np.sqrt(
        np.einsum("rii->ri", results["results/covariance"])
    )
    for i, axes in enumerate(grid[:-1, 0]):
        axes.fill_between(
            run.time,
            mean[:, i] - deviation[:, i],
            mean[:, i] + deviation[:, i],
            color=style.SHADOW,
            label="density, ± a standard deviation",
        )
        axes.plot(run.time, mean[:, i], color=style.INK)
        for name in found:
            text, colour, line = LOOKS[name]
            axes.plot(
                run.time,
                results[f"results/filters/{name}/mean"][:, i],
                line,
                color=colour,
                markersize=3.5,
                linewidth=0.9,
                label=text,
            )
        axes.set_ylabel(
            style.label(
                run.state_name(i),
                results.units("results/mean") if "," not in results.units("results/mean") else "1",
            )
        )
    for name in found:
        text, colour, line = LOOKS[name]
        grid[-1, 0].plot(
            run.time,
            results[f"results/filters/{name}/bhattacharyya"],
            line,
            color=colour,
            markersize=3.5,
            linewidth=0.9,
        )
    grid[-1, 0].set_ylim(0, 1.05)
    grid[-1, 0].set_ylabel("Bhattacharyya")
    grid[-1, 0].set_xlabel(run.time_label)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", ncol=2)
    for axes in grid[:, 0]:
        for record in np.flatnonzero(np.diff(run.segment) > 0):
            axes.axvline(run.time[record], color=style.QUIET, linewidth=0.6, linestyle=":")
    figure.align_ylabels()
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.55 / (1.2 + 1.7 * rows)))
    return figure
