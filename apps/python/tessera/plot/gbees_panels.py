# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of how two variables of tessera-gbees are distributed from record to record."""

import math

import numpy as np

from . import style
from ..results import ResultsError

MOST_PANELS = 24
IN_A_ROW = 4
FAINTEST = 1e-3  # of each record's peak
NEARBY = 0.5  # of the size of a panel: bodies that come so near are shown


def panels(run, records):
    """The joint density of the first two variables, a panel each record, all on the same axes, and
    the bodies of the model's tables."""
    if run.dimension < 2:
        raise ResultsError(
            f"{run.results.path} has one variable; panels show two: choose --kind corner", 3
        )
    for record in records:
        if not run.has_pairs(record):
            raise ResultsError(
                f"{run.results.path} holds no pairs of record {record}: run again with output.pairs: true",
                3,
            )
    records = run.spread(records, MOST_PANELS)
    images = [run.pair(record, 0, 1) for record in records]
    limits = _limits(images)
    bodies, limits = _bodies_in_view(run, records, limits)
    rows, columns = math.ceil(len(records) / IN_A_ROW), min(len(records), IN_A_ROW)
    figure, grid = style.subplots(
        rows,
        columns,
        figsize=(0.7 + 2.4 * columns, 0.6 + 2.5 * rows),
        squeeze=False,
        sharex=True,
        sharey=True,
    )
    for axes in grid.flat[len(records) :]:
        axes.set_visible(False)
    for axes, record, (image, extent) in zip(grid.flat, records, images):
        axes.imshow(
            np.ma.masked_less(image.T, FAINTEST * image.max()),
            origin="lower",
            extent=extent,
            aspect="auto",
            cmap=style.DENSITY,
            interpolation="nearest",
        )
        for name, path in bodies.items():
            axes.plot(*path[record, :2], "o", color=style.ACCENT, markersize=7)
            axes.annotate(
                name,
                path[record, :2],
                xytext=(6, 5),
                textcoords="offset points",
                color=style.ACCENT,
                fontsize=8,
            )
        axes.set_title(
            run.title(record), color=style.ACCENT_2 if run.is_posterior(record) else style.INK
        )
    grid[0, 0].set_xlim(limits[0], limits[1])
    grid[0, 0].set_ylim(limits[2], limits[3])
    for axes in grid[:, 0]:
        axes.set_ylabel(run.axis_label(1))
    for column in range(columns):
        lowest = max(row for row in range(rows) if row * columns + column < len(records))
        grid[lowest, column].set_xlabel(run.axis_label(0))
        grid[lowest, column].tick_params(labelbottom=True)
    figure.tight_layout()
    return figure


def _bodies_in_view(run, records, limits):
    """The bodies that come near the density, with where they are in one of the records' panels, and
    limits that show them."""
    low, high = np.array(limits[::2]), np.array(limits[1::2])
    near, size = {}, high - low
    for name, path in run.bodies().items():
        places = path[records, :2]
        comes_near = ((places > low - NEARBY * size) & (places < high + NEARBY * size)).all(axis=1)
        if comes_near.any():
            near[name] = path
            low, high = np.minimum(low, places[comes_near].min(axis=0) - 0.04 * size), np.maximum(
                high, places[comes_near].max(axis=0) + 0.04 * size
            )
    return near, (low[0], high[0], low[1], high[1])


def _limits(images):
    """Where any record has a density worth drawing, with a margin."""
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    for image, extent in images:
        worth = image > FAINTEST * image.max()
        for axis in (0, 1):
            found = np.flatnonzero(worth.any(axis=1 - axis))
            step = (extent[2 * axis + 1] - extent[2 * axis]) / image.shape[axis]
            low[axis] = min(low[axis], extent[2 * axis] + found[0] * step)
            high[axis] = max(high[axis], extent[2 * axis] + (found[-1] + 1) * step)
    margin = 0.04 * (high - low)
    return low[0] - margin[0], high[0] + margin[0], low[1] - margin[1], high[1] + margin[1]
