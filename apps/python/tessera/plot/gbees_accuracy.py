# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of how true a density of tessera-gbees is: convergence studies, and the comparison with
particles."""

import numpy as np
from matplotlib.ticker import NullFormatter, ScalarFormatter

from . import style
from ..results import ResultsError


def study(results):
    """L1 and Bhattacharyya coefficient against the reference run, over the CFL number and over the
    spacing."""
    if "results/study/l1" not in results:
        raise ResultsError(
            f"{results.path} holds no convergence study (section 'study' of the input)", 3
        )
    columns = {
        name: results[f"results/study/{name}"]
        for name in ("reference", "cfl", "spacing", "l1", "bhattacharyya", "cell_steps")
    }
    legacy = "results/study/legacy_step"
    columns["legacy"] = results[legacy] if legacy in results else np.zeros(len(columns["l1"]))
    starts = np.append(np.flatnonzero(columns["reference"] == 1), len(columns["l1"]))
    groups = [
        {name: values[first:end] for name, values in columns.items()}
        for first, end in zip(starts[:-1], starts[1:])
        if end > first + 1
    ]
    if not groups:
        raise ResultsError(f"{results.path} holds no finished run of the study", 3)
    figure, grid = style.subplots(
        2, len(groups), figsize=(4.6 * len(groups), 5.4), squeeze=False, sharex="col", sharey="row"
    )
    for column, group in enumerate(groups):
        over = "cfl" if np.ptp(group["cfl"]) > 0 else "spacing"
        text = {"cfl": "CFL number", "spacing": "spacing / that of the grid"}[over]
        runs = 1 + np.flatnonzero(group["legacy"][1:] == 0)
        runs = runs[np.argsort(group[over][runs])]
        x = group[over][runs]
        for row, (name, label) in enumerate(
            (("l1", "L1 distance"), ("bhattacharyya", "Bhattacharyya coefficient"))
        ):
            axes = grid[row, column]
            axes.plot(
                x,
                group[name][runs],
                "o-",
                color=style.ACCENT if row == 0 else style.ACCENT_2,
                markersize=4,
            )
            for i in np.flatnonzero(group["legacy"] > 0):  # steps of one length have no CFL number
                axes.axhline(
                    group[name][i],
                    color=style.QUIET,
                    linestyle="--",
                    label=f"legacy, step {group['legacy'][i]:g}",
                )
            if np.any(group["legacy"] > 0) and row == 0:
                axes.legend()
            axes.set_xscale("log")
            if row == 0:
                axes.set_yscale("log")
                axes.set_title(f"reference: {text} {group[over][0]:g}")
            else:
                axes.set_xlabel(text)
                axes.set_xticks(x, [f"{value:g}" for value in x])
                axes.xaxis.set_minor_formatter(NullFormatter())
            if column == 0:
                axes.set_ylabel(label)
            axes.grid(True)
    figure.align_ylabels()
    figure.tight_layout()
    return figure


def validation(run):
    """Likeness to the particles over the records, and the mean of each variable by both."""
    results = run.results
    if "results/monte_carlo/l1" not in results:
        raise ResultsError(
            f"{results.path} holds no comparison with particles (section 'validate' of the input)",
            3,
        )
    d = run.dimension
    figure, panels = style.subplots(1, 2, figsize=(10, 3.8))
    for name, label, colour, line in (
        ("bhattacharyya", "Bhattacharyya, on the cells", style.ACCENT, "o-"),
        ("bhattacharyya_kde", "Bhattacharyya, kernel density estimate", style.ACCENT, "o--"),
        ("l1", "L1 distance", style.ACCENT_2, "s-"),
    ):
        values = results[f"results/monte_carlo/{name}"]
        if np.all(np.isnan(values)):
            continue
        panels[0].plot(run.time, values, line, color=colour, label=label, markersize=4)
    if "results/monte_carlo/coarsening" in results:
        factors, values = (
            results["results/monte_carlo/coarsening"],
            results["results/monte_carlo/bhattacharyya_coarse"],
        )
        for factor, coarse, colour in zip(
            factors, values.T, style.TIME(np.linspace(0.2, 0.8, len(factors)))
        ):
            panels[0].plot(
                run.time,
                coarse,
                "o:",
                color=colour,
                label=f"Bhattacharyya, on cells {factor} times as long",
                markersize=4,
            )
    panels[0].set_ylim(0, None)
    panels[0].legend()
    panels[0].set_title("Density against particles")
    colours = style.TIME(np.linspace(0, 1, d))
    mean, other = results["results/mean"], results["results/monte_carlo/mean"]
    scale = np.sqrt(np.einsum("rii->ri", results["results/monte_carlo/covariance"]))
    for i in range(d):
        panels[1].plot(
            run.time,
            (mean[:, i] - other[:, i]) / scale[:, i],
            "o-",
            color=colours[i],
            label=run.state_name(i),
            markersize=4,
        )
    panels[1].axhline(0, color=style.QUIET, linewidth=0.7)
    panels[1].legend(ncol=2)
    panels[1].set_title("Difference of the means / standard deviation of the particles")
    for axes in panels:
        axes.set_xlabel(run.time_label)
        axes.xaxis.set_major_formatter(ScalarFormatter())
    figure.tight_layout()
    return figure
