# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The history of runs of tessera-gbees: of one, or of several over each other."""

import numpy as np
from matplotlib.lines import Line2D

from . import style
from ..results import ResultsError

WIDE = 10  # times of runs that are this many times apart are drawn on a logarithmic axis


def history(runs):
    """Cells, time step, mass and lost mass against time; how long a run took to come there, and how
    fast it was, where the file tells. Several runs have a colour each."""
    for run in runs:
        if len(run.results["series/time"]) == 0:
            raise ResultsError(
                f"{run.results.path} holds no steps: a grid that follows the flow goes from record to"
                " record; choose --kind summary, or run with grid.follow=none",
                3,
            )
    style.need_same(
        [run.results for run in runs], "units of the time", lambda r: r.units("results/time")
    )
    timed = [run for run in runs if "progress/wall_time" in run.results]
    several = len(runs) > 1
    figure, panels = style.subplots(
        2,
        3 if timed else 2,
        figsize=(13 if timed else 9, 5.6 if several else 5.2),
        sharex=True,
    )
    cells(runs, panels[0, 0])
    _steps(runs, panels[0, 1])
    _mass(runs, panels[1, 0])
    _lost(runs, panels[1, 1])
    if timed:
        _wall(runs, panels[0, 2], panels[1, 2])
    for axes in panels[1]:
        axes.set_xlabel(runs[0].time_label)
    for axes in panels.flat:
        axes.margins(x=0)
    figure.align_ylabels()
    top = style.file_legend(figure, [run.results for run in runs]) if several else 1
    figure.tight_layout(w_pad=2.5, rect=(0, 0, 1, top))
    return figure


def _lines(runs, alone=style.ACCENT):
    """Each run with what its lines look like."""
    colours = style.colours(len(runs)) if len(runs) > 1 else [alone]
    for run, colour, width in zip(runs, colours, style.widths(len(runs))):
        yield run, {"color": colour, "linewidth": width}


def cells(runs, axes):
    """Existing and active cells; of several runs the active ones are dotted."""
    for run, line in _lines(runs, style.QUIET):
        time = run.results["series/time"]
        active = {"color": style.ACCENT} if len(runs) == 1 else {**line, "linestyle": ":"}
        axes.plot(time, run.results["series/cells_existing"], label="existing", **line)
        axes.plot(time, run.results["series/cells_active"], label="active", **active)
    axes.set_ylim(0, None)
    axes.set_ylabel("cells")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}".replace(",", "\u2009"))
    handles = axes.get_lines()
    if len(runs) > 1:
        handles = [
            Line2D([], [], color=style.QUIET, label="existing"),
            Line2D([], [], color=style.QUIET, linestyle=":", label="active"),
        ]
    axes.legend(handles=handles, loc="lower right", bbox_to_anchor=(1, 1), ncol=2, borderaxespad=0)


def _wall(runs, axes, below):
    """Seconds of each run, and below the cell-steps of each of them, over some fiftieth of it."""
    last, fastest = [], []
    for run, line in _lines(runs):
        if "progress/wall_time" not in run.results:
            continue
        time, wall = run.results["progress/time"], run.results["progress/wall_time"]
        axes.plot(time, wall, **line)
        done = np.cumsum(run.results["series/cells_existing"], dtype=float)
        done = (
            np.interp(time, run.results["series/time"], done) if done.size else np.zeros(len(time))
        )
        parts = np.unique(np.linspace(0, max(len(time) - 1, 0), 51).astype(int))[: len(time)]
        passed = np.diff(wall[parts])
        rate = np.diff(done[parts]) / np.where(passed > 0, passed, np.nan)
        below.step(time[parts][1:], rate, where="pre", **line)
        last.append(wall[-1] if len(wall) else 0)
        fastest.append(np.nanmax(rate) if np.isfinite(rate).any() else 0)
    for panel, largest in ((axes, last), (below, fastest)):
        if min(largest) > 0 and max(largest) > WIDE * min(largest):
            panel.set_yscale("log")
        else:
            panel.set_ylim(0, None)
    axes.set_ylabel("wall time [s]")
    below.set_ylabel("cell-steps / s")


def _steps(runs, axes):
    for run, line in _lines(runs):
        axes.plot(run.results["series/time"], run.results["series/dt"], **line)
    axes.set_ylim(0, None)
    axes.set_ylabel(style.label("time step", runs[0].results.units("series/dt")))


def _mass(runs, axes):
    for run, line in _lines(runs):
        axes.plot(run.time, run.results["results/mass"], "o-", **line, markersize=3.5)
    mass = np.concatenate([run.results["results/mass"] for run in runs])
    middle = mass.mean()
    half = max(2 * np.abs(mass - middle).max(), 1e-3)
    axes.set_ylim(middle - half, middle + half)
    axes.ticklabel_format(axis="y", useOffset=False)
    axes.set_ylabel("mass")


def _lost(runs, axes):
    for run, line in _lines(runs, style.ACCENT_2):
        axes.plot(run.results["series/time"], run.results["series/lost_mass"], **line)
    axes.ticklabel_format(axis="y", scilimits=(-3, 3))
    axes.set_ylim(0, None)
    axes.set_ylabel("lost mass")
