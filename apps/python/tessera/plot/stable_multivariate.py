# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of elliptical stable laws: points with contours of the law, and how well whitened
coordinates follow it."""

import numpy as np

from . import style
from ..results import ResultsError


def _ellipse(axes, location, shape, radius, **options):
    """Where two coordinates are at a radius of the shape."""
    angle = np.linspace(0, 2 * np.pi, 200)
    x, y = location[:, None] + radius * np.linalg.cholesky(shape) @ [np.cos(angle), np.sin(angle)]
    axes.plot(x, y, **options)


def _scatter(axes, results, i, j):
    points, names = results["results/points"], results["results/coordinates"]
    location, shape = (
        results["results/location"][[i, j]],
        results["results/shape"][np.ix_([i, j], [i, j])],
    )
    radius = np.sqrt(
        np.sum(
            np.linalg.solve(np.linalg.cholesky(shape), (points[:, [i, j]] - location).T) ** 2,
            axis=0,
        )
    )
    if "results/weight" in results:
        weight = results["results/weight"]
        axes.scatter(
            points[:, i], points[:, j], s=9, c=-np.log(weight), cmap=style.TIME, linewidths=0
        )
    else:
        axes.plot(points[:, i], points[:, j], ".", markersize=2.5, color=style.ACCENT, alpha=0.5)
    for share, line in ((0.5, "-"), (0.95, "--")):
        _ellipse(
            axes,
            location,
            shape,
            np.quantile(radius, share),
            color=style.ACCENT_2,
            linewidth=1,
            linestyle=line,
            label=f"{100 * share:g} % of the points",
        )
    width = 1.6 * np.quantile(radius, 0.95) * np.sqrt(np.diag(shape))
    axes.set_xlim(location[0] - width[0], location[0] + width[0])
    axes.set_ylim(location[1] - width[1], location[1] + width[1])
    axes.set_xlabel(names[i])
    axes.set_ylabel(names[j])
    outside = np.sum((np.abs(points[:, [i, j]] - location) > width).any(axis=1))
    axes.set_title(
        f"{len(points):,} points" + (f"; {outside} lie outside the picture" if outside else "")
    )


def multivariate(results):
    """The first three coordinates two by two, coloured by their weights in the fit; PP-plots of the
    whitened coordinates."""
    if "results/coordinates" not in results:
        raise ResultsError(
            f"{results.path} holds no law of several dimensions; choose another --kind", 3
        )
    dimension = len(results["results/coordinates"])
    fitted = "results/whitened_cdf" in results
    pairs = [(0, 1), (0, 2)][: min(dimension - 1, 2)]
    if not pairs and not fitted:
        raise ResultsError(
            f"{results.path} holds points of one dimension; there is no figure of them", 3
        )
    columns = len(pairs) + fitted
    figure, panels = style.subplots(1, columns, figsize=(1 + 4.2 * columns, 4.3), squeeze=False)
    for axes, (i, j) in zip(panels[0], pairs):
        _scatter(axes, results, i, j)
    if pairs:
        panels[0, 0].legend(loc="lower left", fontsize=7.5)
    if fitted:
        axes = panels[0, -1]
        cdf = results["results/whitened_cdf"]
        axes.plot([0, 1], [0, 1], color=style.QUIET, linewidth=0.8)
        for k in range(min(dimension, 12)):
            axes.plot(
                np.sort(cdf[:, k]),
                (np.arange(len(cdf)) + 0.5) / len(cdf),
                color=style.ACCENT,
                linewidth=1,
                alpha=0.7,
            )
        axes.set_aspect("equal")
        error = results["results/alpha_se"]
        axes.set_title(
            rf"PP-plots, whitened; $\alpha$ = {results['results/alpha']:.3f}"
            + (f" ± {error:.2g}" if error > 0 else "")
        )
        axes.set_xlabel("fitted distribution function")
        axes.set_ylabel("empirical")
    figure.tight_layout()
    return figure
