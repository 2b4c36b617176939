# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of the regions of tessera-gbees: the probability of being there, and of having been, over
time."""

import numpy as np

from . import style
from ..results import ResultsError


def regions(run):
    """Probabilities over time; of absorbing regions their rates, and histograms of what they
    took."""
    names = run.results.names("results/regions")
    if not names:
        raise ResultsError(
            f"{run.results.path} looks at no regions (section 'regions' of the input)", 3
        )
    absorbing = [name for name in names if f"series/regions/{name}/probability" in run.results]
    histograms = [
        f"results/regions/{name}/{member}"
        for name in absorbing
        for member in run.results.names(f"results/regions/{name}")
        if member.startswith("histogram_")
    ]
    rows = 2 if absorbing else 1
    figure = style.figure(figsize=(6.5 if not histograms else 10.5, 3.4 * rows))
    columns = 2 if histograms else 1
    grid = figure.add_gridspec(rows, columns, width_ratios=[1.4, 1][:columns])
    colours = dict(zip(names, style.TIME(np.linspace(0.05, 0.85, len(names)))))
    top = figure.add_subplot(grid[0, 0])
    _probabilities(run, top, names, absorbing, colours)
    if absorbing:
        bottom = figure.add_subplot(grid[1, 0], sharex=top)
        _rates(run, bottom, absorbing, colours)
        top.tick_params(labelbottom=False)
        bottom.set_xlabel(run.time_label)
    else:
        top.set_xlabel(run.time_label)
    if histograms:
        column = grid[:, 1].subgridspec(len(histograms), 1, hspace=0.45)
        for i, path in enumerate(histograms):
            _histogram(run, figure.add_subplot(column[i]), path, colours[path.split("/")[2]])
    figure.align_ylabels([top, bottom] if absorbing else [top])
    figure.subplots_adjust(
        left=0.1, right=0.98, top=0.95, bottom=0.13 if rows == 2 else 0.18, wspace=0.25, hspace=0.12
    )
    return figure


def _probabilities(run, axes, names, absorbing, colours):
    for name in names:
        time, probability = (
            run.results[f"results/regions/{name}/time"],
            run.results[f"results/regions/{name}/probability"],
        )
        if name in absorbing:
            axes.plot(
                np.append(0, run.results["series/time"]),
                np.append(0, run.results[f"series/regions/{name}/probability"]),
                color=colours[name],
                label=f"having been in {name}",
            )
        else:
            axes.plot(
                time,
                probability,
                "o-" if len(time) > 1 else "o",
                color=colours[name],
                markersize=3.5,
                label=f"being in {name}",
            )
        if "results/monte_carlo/regions" in run.results:
            of_particles = run.results["results/monte_carlo/regions"][
                :, run.results.group_attribute(f"results/regions/{name}", "number")
            ]
            axes.plot(
                run.time,
                of_particles,
                "x",
                color=colours[name],
                markersize=5,
                label="the same of particles",
            )
    axes.set_ylim(0, None)
    axes.margins(x=0.01)
    axes.set_ylabel("probability")
    axes.legend(loc="best")


def _rates(run, axes, absorbing, colours):
    for name in absorbing:
        axes.plot(
            run.results["series/time"],
            run.results[f"series/regions/{name}/rate"],
            color=colours[name],
            linewidth=1,
        )
    axes.set_ylim(0, None)
    axes.set_ylabel("probability absorbed / time")


def _histogram(run, axes, path, colour):
    edges, rows = run.results[f"{path}/edges"], run.results[f"{path}/probability"]
    bins = rows.sum(axis=0)[1:-1]
    axes.stairs(bins / np.diff(edges), edges, color=colour, fill=True, alpha=0.35)
    axes.stairs(bins / np.diff(edges), edges, color=colour)
    axes.set_xlabel(run.results.long_name(f"{path}/edges").removeprefix("of the bins, by "))
    axes.set_ylabel("density where it enters")
    axes.margins(x=0)
    axes.set_ylim(0, None)
