# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of tessera-gbees: the density's marginals, its cells and the history of the run."""

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm, Normalize
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from . import (
    gbees_accuracy,
    gbees_conjunction,
    gbees_filters,
    gbees_history,
    gbees_panels,
    gbees_regions,
    style,
)
from ..results import ResultsError

KINDS = (
    "summary",
    "corner",
    "state",
    "cells",
    "panels",
    "regions",
    "filters",
    "history",
    "validation",
    "study",
    "conjunction",
    "encounter",
    "approach",
)
ONE_PANEL = ("conjunction",)

TOGETHER = ("history",)  # kinds that take several files

MOST_CLOUDS = 10  # records drawn in space at once; evenly spread where there are more
MOST_RIDGES = 32  # records in a ridge plot; its title says so where there are more
FAINTEST = 1e-3  # cells below this fraction of a record's peak are not drawn
PARTICLES = {"c": "#1f8a70", "linewidths": 0, "alpha": 0.6}


class Run:
    """A results file in the terms of the method."""

    figures = "results/"  # where the marginals and cells are
    bins = "coordinates/"  # and the bins of the former

    def __init__(self, results):
        self.results = results
        self.time = results["results/time"]
        self.records = len(self.time)
        if self.records == 0:
            raise ResultsError(f"{results.path} holds no record", 3)
        self.dimension = results["results/mean"].shape[1]
        self.spacing = results["coordinates/spacing"]
        self.names = results["coordinates/variables"]
        self.segment = results["results/segment"]

    def axis_label(self, i):
        return style.label(self.names[i], self.results.units(f"{self.bins}x{i + 1}"))

    @property
    def time_label(self):
        return style.label("time", self.results.units("results/time"))

    def is_posterior(self, record):
        """Whether this record is the density just after a measurement."""
        return record > 0 and self.segment[record] > self.segment[record - 1]

    def title(self, record):
        text = f"t = {self.time[record]:.3g}"
        unit = self.results.units("results/time")
        if unit != "1":
            text += f" x {unit}" if unit[:1].isdigit() else f" {unit}"
        return text + ", after the measurement" if self.is_posterior(record) else text

    def has_cells(self, record):
        return f"results/record_{record}/p" in self.results

    def cells(self, record, axes):
        """The density over the given axes: centres of its cells and their mass, summed over the
        other axes."""
        if not self.has_cells(record):
            raise ResultsError(
                f"{self.results.path} holds no cells of record {record}: run again with the cells stored, "
                "or choose --kind corner",
                3,
            )
        x = self.results[f"{self.figures}record_{record}/x"]
        if "coordinates/axes" in self.results:  # a turned grid: along its axes
            x = (x - self.results["coordinates/centre"]) @ self.results["coordinates/axes"]
        x = x[:, axes]
        p = self.results[f"results/record_{record}/p"]
        spacing = self.cell_size(record, axes)
        origin = x.min(axis=0) if len(x) else np.zeros(len(axes))
        index = np.rint((x - origin) / spacing).astype(np.int64)
        shape = index.max(axis=0) + 1 if len(x) else np.ones(len(axes), dtype=int)
        key, inverse = np.unique(np.ravel_multi_index(index.T, shape), return_inverse=True)
        centre = origin + np.stack(np.unravel_index(key, shape), axis=1) * spacing
        return centre, np.bincount(inverse, weights=p, minlength=len(key))

    def particles(self, record, axes):
        """The particles of validate.monte_carlo.keep in these variables; None where the results
        have none, or have them in other variables than are drawn."""
        name = "results/monte_carlo/x"
        if name not in self.results or self.figures != "results/":
            return None
        x = self.results[name][record]
        if "coordinates/axes" in self.results:
            x = (x - self.results["coordinates/centre"]) @ self.results["coordinates/axes"]
        return x[:, axes]

    def state_name(self, i):
        """Name of a state variable, also where the grid is turned and its axes have other names."""
        return (
            self.results["coordinates/state"][i]
            if "coordinates/state" in self.results
            else self.names[i]
        )

    def has_pairs(self, record):
        return self.has_cells(record) or f"{self.figures}pairs_{record}/x1_x2" in self.results

    def pair(self, record, i, j):
        """The joint marginal of variables i < j: an image and its extent."""
        group = f"{self.figures}pairs_{record}/"
        if group + f"x{i + 1}_x{j + 1}" in self.results:
            image = self.results[group + f"x{i + 1}_x{j + 1}"]
            x, y = self.results[group + f"x{i + 1}"], self.results[group + f"x{j + 1}"]
            low, high = np.array([x[0], y[0]]), np.array([x[-1], y[-1]])
            half = np.array([self.bin_width(record, i), self.bin_width(record, j)]) / 2
        else:
            centre, p = self.cells(record, [i, j])
            low, high = centre.min(axis=0), centre.max(axis=0)
            size = self.cell_size(record, [i, j])
            index = np.rint((centre - low) / size).astype(int)
            image = np.zeros(index.max(axis=0) + 1)
            image[tuple(index.T)] = p
            half = size / 2
        return image, (low[0] - half[0], high[0] + half[0], low[1] - half[1], high[1] + half[1])

    def marginal(self, record, i):
        """Bin centres of variable i and the probability density there."""
        centres = self.results[f"{self.bins}x{i + 1}"]
        marginal = self.results[f"{self.figures}marginal_1d/x{i + 1}"][record]
        return centres[record] if self.follows else centres, marginal / self.bin_width(record, i)

    @property
    def follows(self):
        """Whether the bins of marginals are those of a record, as where the grid has followed the flow."""
        return self.results[f"{self.bins}x1"].ndim == 2

    def bin_width(self, record, i):
        """Of the marginals along variable i."""
        if not self.follows:
            return self.spacing[i]
        return np.diff(self.results[f"{self.bins}x{i + 1}"][record][:2])[0]

    def cell_size(self, record, axes):
        """Along some variables; of cells that lie along none of them that of two bins."""
        if not self.follows:
            return self.spacing[axes]
        return np.array([2 * self.bin_width(record, i) for i in axes])

    def bodies(self):
        """Tables of positions in the plane of the first two variables, by name: where they are at
        each record."""
        units = self.results.units(f"{self.bins}x1")
        if (
            units == "1"
            or units != self.results.units(f"{self.bins}x2")
            or "coordinates/axes" in self.results
        ):
            return {}
        found = {
            name: f"results/tables/{name}/value" for name in self.results.names("results/tables")
        }
        return {
            name: self.results[value]
            for name, value in found.items()
            if self.results.units(value) == units
            and self.results[value].shape in ((self.records, 2), (self.records, 3))
        }

    def spread(self, records, most):
        """At most that many of the records, evenly spread, first and last included."""
        if len(records) <= most:
            return records
        return [records[k] for k in np.linspace(0, len(records) - 1, most).round().astype(int)]

    def select(self, wanted):
        """The records asked for; negative numbers count from the end. All of them when none is
        named."""
        for record in wanted:
            if not -self.records <= record < self.records:
                raise ResultsError(
                    f"no record {record}: {self.results.path} holds records 0 to {self.records - 1}",
                    2,
                )
        return [record % self.records for record in wanted] or list(range(self.records))


class StateRun(Run):
    """The state in a results file whose variables are other coordinates of it."""

    figures = bins = "results/state/"

    def __init__(self, results):
        super().__init__(results)
        if "results/state/mean" not in results:
            raise ResultsError(
                f"the variables of {results.path} are the state (model.coordinates: cartesian): "
                "choose --kind corner",
                3,
            )
        self.names = results["results/state/variables"]


def draw(results, kind, wanted):
    """The figure of that kind; `wanted` are the numbers of records, empty for the kind's own
    choice."""
    if kind == "study" or (kind == "summary" and "results/study/l1" in results):
        return gbees_accuracy.study(results)
    if kind == "conjunction" or (kind == "summary" and "results/plane_probability" in results):
        return gbees_conjunction.conjunction(results)
    if kind == "encounter":
        return gbees_conjunction.encounter(results)
    if kind == "approach":
        return gbees_conjunction.approach(results)
    run = Run(results)
    if kind == "regions":
        return gbees_regions.regions(run)
    if kind == "filters":
        return gbees_filters.filters(run)
    if kind == "validation":
        return gbees_accuracy.validation(run)
    records = run.select(wanted)
    if kind == "corner":
        return corner(run, records if wanted else [run.records - 1])
    if kind == "state":
        return corner(StateRun(results), records if wanted else [run.records - 1])
    if kind == "cells":
        return cells(run, run.spread(records, MOST_CLOUDS))
    if kind == "panels":
        of_state = "results/state/mean" in results
        return gbees_panels.panels(StateRun(results) if of_state else run, records)
    if kind == "history":
        return gbees_history.history([run])
    return summary(run, run.spread(records, MOST_CLOUDS))


def draw_together(files, _kind, wanted):
    """The history of several runs, over each other."""
    runs = [Run(results) for results in files]
    for run in runs:
        run.select(wanted)
    return gbees_history.history(runs)


# --- corner
# ----------------------------------------------------------------------------------------------


def corner(run, records):
    """1-D marginals on the diagonal, 2-D ones below it; several records are laid over each other as
    lines."""
    d = run.dimension
    size = max(4.5, 1.9 * d)
    figure, grid = style.subplots(d, d, figsize=(size, size), squeeze=False, sharex="col")
    last = records[-1]
    limits = [_support(run, records, i) for i in range(d)]
    particles = run.particles(last, list(range(d))) if run.has_pairs(last) else None
    if particles is not None:
        limits = [_widened(*pair, column) for pair, column in zip(limits, particles.T)]
    for row in range(d):
        for column in range(d):
            axes = grid[row, column]
            if column > row:
                axes.set_visible(False)
                continue
            if row == column:
                _marginal_lines(run, axes, records, row)
            elif run.has_pairs(last):
                _marginal_image(run, axes, last, column, row)
                if particles is not None:
                    axes.scatter(particles[:, column], particles[:, row], s=1, **PARTICLES)
                axes.set_ylim(*limits[row])
            else:
                axes.set_visible(False)
            axes.set_xlim(*limits[column])
            axes.xaxis.set_major_locator(MaxNLocator(3 if d > 2 else 5, prune="both"))
            axes.yaxis.set_major_locator(MaxNLocator(3 if d > 2 else 5, prune="both"))
            _corner_labels(run, axes, row, column, last)
    figure.text(0.97, 0.95, "Density at " + run.title(last), ha="right", va="top", fontsize=11)
    handles = grid[0, 0].get_legend_handles_labels()[0] if len(records) > 1 else []
    if particles is not None and d > 1:
        dot = {"marker": "o", "linestyle": "none", "markersize": 3, "markeredgewidth": 0}
        what = f"{len(particles)} particles" + (
            f" at {run.title(last)}" if len(records) > 1 else ""
        )
        handles.append(Line2D([], [], color=PARTICLES["c"], label=what, **dot))
    if handles:
        below_bar = (0.98, 0.85 if d > 3 else 0.8)
        figure.legend(handles=handles, loc="upper right", bbox_to_anchor=below_bar)
    if run.has_pairs(last) and d > 1:
        _bar(figure, (0.72, 0.9, 0.25, 0.012), Normalize(0, 1), "density / peak of its panel")
    figure.align_labels()
    figure.subplots_adjust(left=0.12, right=0.97, bottom=0.1, top=0.96, wspace=0.1, hspace=0.1)
    return figure


def _corner_labels(run, axes, row, column, last):
    bottom = row == run.dimension - 1 or not run.has_pairs(last)
    axes.tick_params(labelbottom=bottom)
    if bottom:
        axes.set_xlabel(run.axis_label(column))
    if row == column:
        axes.spines["left"].set_visible(False)
        axes.set_yticks([])
    elif column == 0:
        axes.set_ylabel(run.axis_label(row))
    else:
        axes.tick_params(labelleft=False)


def _support(run, records, i):
    """Where the marginals of variable i hold 99.9 % of the mass, with a margin."""
    low, high = np.inf, -np.inf
    for record in records:
        x, density = run.marginal(record, i)
        total = np.cumsum(density)
        if total[-1] > 0:
            low = min(low, x[np.searchsorted(total, 0.0005 * total[-1])])
            high = max(high, x[min(np.searchsorted(total, 0.9995 * total[-1]), len(x) - 1)])
    margin = 0.06 * (high - low) + max(run.bin_width(record, i) for record in records)
    return low - margin, high + margin


def _widened(low, high, places):
    """Limits that show all of these places too, those that are not finite aside."""
    places = places[np.isfinite(places)]
    margin = 0.02 * (high - low)
    return (
        min(low, places.min(initial=np.inf) - margin),
        max(high, places.max(initial=-np.inf) + margin),
    )


def _marginal_lines(run, axes, records, i):
    colours = _time_colours(run, records)
    for record in records:
        x, density = run.marginal(record, i)
        colour = colours(run.time[record]) if len(records) > 1 else style.ACCENT
        line = "--" if run.is_posterior(record) and len(records) > 1 else "-"
        half = run.bin_width(record, i) / 2
        edges = np.append(x - half, x[-1] + half)
        axes.stairs(
            density, edges, color=colour, linestyle=line, linewidth=1.2, label=run.title(record)
        )
        axes.stairs(
            density, edges, color=colour, fill=True, alpha=0.2 if len(records) == 1 else 0.06
        )
    axes.set_ylim(0, None)


def _time_colours(run, records):
    times = run.time[records]
    return lambda time: style.TIME(
        Normalize(times.min(), max(times.max(), times.min() + 1e-300))(time)
    )


def _marginal_image(run, axes, record, i, j):
    image, extent = run.pair(record, i, j)
    axes.imshow(
        np.ma.masked_less(image.T, FAINTEST * image.max()),
        origin="lower",
        extent=extent,
        aspect="auto",
        cmap=style.DENSITY,
        interpolation="nearest",
    )


# --- cells
# ----------------------------------------------------------------------------------------------


def cells(run, records):
    """The cells of the first three variables at several records, coloured by density and labelled
    with the time."""
    figure = style.figure(figsize=(7.5, 7))
    _scatter(
        run,
        figure.add_axes((0.0, 0.06, 0.96, 0.94), projection="3d", computed_zorder=False),
        records,
    )
    _density_bar(figure, (0.06, 0.93, 0.22, 0.012))
    return figure


def _scatter(run, axes, records):
    if run.dimension < 3:
        raise ResultsError(
            f"{run.results.path} has {run.dimension} variables; cells are drawn for three or more: choose --kind corner",
            3,
        )
    clouds = [_cloud(run, record) for record in records]
    everywhere = np.concatenate([centre for centre, _ in clouds])
    low, high = everywhere.min(axis=0), everywhere.max(axis=0)
    floor = low[2] - 0.12 * (high[2] - low[2])
    for record, (centre, density) in zip(records, clouds):
        axes.scatter(
            centre[:, 0],
            centre[:, 1],
            floor,
            c=style.SHADOW,
            s=4,
            marker="s",
            linewidths=0,
            depthshade=False,
            zorder=0,
        )
        shade = LogNorm(FAINTEST, 1)(density)
        colour = style.DENSITY(shade)
        colour[:, 3] = 0.04 + 0.6 * shade**3
        axes.scatter(*centre.T, c=colour, s=7, linewidths=0, depthshade=False, zorder=1)
        particles = run.particles(record, [0, 1, 2])
        if particles is not None:
            inside = np.all((particles >= low) & (particles <= high), axis=1)
            axes.scatter(*particles[inside].T, s=2, zorder=2, **PARTICLES)
        if not run.is_posterior(record):
            place = centre[-1] + [0, 0, 0.05 * (high[2] - low[2])]
            axes.text(
                *place,
                f"{run.time[record]:.3g}",
                fontsize=9,
                fontweight="bold",
                ha="center",
                zorder=10,
                path_effects=[withStroke(linewidth=2, foreground="white")],
            )
    _dress_space(run, axes, low, high, floor)


def _cloud(run, record):
    """A point in each cell worth drawing, faintest first, and their density relative to the peak.
    Points at the centres of the cells would be a lattice, which shows patterns of its own from most
    sides."""
    size = run.cell_size(record, [0, 1, 2])
    if run.follows and run.dimension == 3 and run.has_cells(record):  # as they lie, on no lattice
        centre = run.results[f"{run.figures}record_{record}/x"]
        p = run.results[f"results/record_{record}/p"]
        size = size / 2
    else:
        centre, p = run.cells(record, [0, 1, 2])
    density = p / p.max()
    order = np.argsort(density)
    order = order[density[order] > FAINTEST]
    place = np.random.default_rng(0).uniform(-0.5, 0.5, (len(order), 3))
    return centre[order] + place * size, density[order]


def _dress_space(run, axes, low, high, floor):
    for i, axis in enumerate((axes.xaxis, axes.yaxis, axes.zaxis)):
        axis.set_label_text(run.axis_label(i))
        axis.set_major_locator(MaxNLocator(5))
        axis.set_pane_color((1, 1, 1, 0))
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_zlim(floor, high[2])
    axes.tick_params(pad=0)
    axes.set_box_aspect((1, 1, 0.8), zoom=1.05)
    axes.view_init(elev=24, azim=-58)


def _density_bar(figure, place):
    _bar(figure, place, LogNorm(FAINTEST, 1), "density / peak of its record")


def _bar(figure, place, norm, text):
    bar = figure.colorbar(
        ScalarMappable(norm, style.DENSITY), cax=figure.add_axes(place), orientation="horizontal"
    )
    bar.minorticks_off()
    bar.set_label(text, fontsize=8)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)


# --- summary
# ----------------------------------------------------------------------------------------------


def summary(run, records):
    """The run on one page: the density in space, its marginals over time, and the cells in use."""
    with_cells = run.dimension >= 3 and all(run.has_cells(record) for record in records)
    ridges = run.spread(list(range(run.records)), MOST_RIDGES)
    figure = style.figure(figsize=(13, 6.4) if with_cells else (max(6.5, 2.2 * run.dimension), 6.4))
    left = 0.53 if with_cells else 0.14
    if with_cells:
        _scatter(
            run,
            figure.add_axes((-0.01, 0.03, 0.48, 0.93), projection="3d", computed_zorder=False),
            records,
        )
        _density_bar(figure, (0.022, 0.9, 0.12, 0.013))
        figure.text(0.02, 0.945, "Density, labelled with its time", fontsize=10.5)
    figure.text(
        left,
        0.945,
        "Marginal densities over time"
        + (f", {len(ridges)} of {run.records} records" if len(ridges) < run.records else ""),
        fontsize=10.5,
    )
    if run.segment.any():
        figure.text(
            0.98, 0.945, "after a measurement", fontsize=9, color=style.ACCENT_2, ha="right"
        )
    panels = figure.add_gridspec(
        1, run.dimension, left=left, right=0.98, bottom=0.37, top=0.92, wspace=0.08
    )
    for i in range(run.dimension):
        _ridges(run, figure.add_subplot(panels[i]), i, ridges, labelled=i == 0)
    axes = figure.add_axes((left, 0.09, 0.98 - left, 0.17))
    gbees_history.cells([run], axes)
    axes.margins(x=0)
    axes.set_xlabel(run.time_label)
    return figure


def _ridges(run, axes, i, records, labelled):
    """The marginals of variable i, one above the other in the order of time, each scaled to its own
    peak."""
    for height, record in reversed(list(enumerate(records))):
        x, density = run.marginal(record, i)
        top = height + 1.5 * density / max(density.max(), 1e-300)
        colour = style.ACCENT_2 if run.is_posterior(record) else style.ACCENT
        axes.fill_between(x, height, top, color="white", alpha=0.75, linewidth=0)
        axes.fill_between(x, height, top, color=colour, alpha=0.22, linewidth=0)
        axes.plot(x, top, color=colour, linewidth=1)
    axes.set_xlim(*_support(run, records, i))
    axes.set_ylim(-0.1, len(records) + 0.6)
    axes.xaxis.set_major_locator(MaxNLocator(4 if run.dimension < 4 else 2, prune="both"))
    axes.set_xlabel(run.axis_label(i))
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_yticks(
        range(len(records)),
        [f"{run.time[record]:.3g}" for record in records] if labelled else [],
        fontsize=None if len(records) <= 16 else 7,
    )
    if labelled:
        axes.set_ylabel(run.time_label)
