# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of tessera-gp: the time of generating the matrix, and of whole fits, over the number of
points."""

import numpy as np
from matplotlib.ticker import LogLocator, NullLocator

from . import style
from ..results import ResultsError
from ..table import gp as table
from ..table import source

LOOK = {"marker": "o", "markersize": 4}


def has_generation(results):
    """Whether results are of the task that times the generation of the matrix."""
    return "results/generation_seconds" in results


def generation(files):
    """Seconds of a generation over the number of points, a line a file with the least and the most
    of its repeats; with several files also the speed-up over the first (Figs. 9, 10 and 12 of Geng
    et al.)."""
    times = [_generations(results) for results in files]
    notes = [
        f"{table.method(results)}, {results.attrs.get('backend', '?')},"
        f" {_ranks(int(results.group_attribute('results', 'ranks')))}{_missing(results)}"
        for results in files
    ]
    several = len(files) > 1
    figure, panels = style.subplots(
        1, 2 if several else 1, figsize=(9.4 if several else 5.4, 4.1), squeeze=False
    )
    axes = panels[0, 0]
    for of_file, colour in zip(times, style.colours(len(files))):
        points = list(of_file)
        mean = [of_file[n].mean() for n in points]
        axes.plot(points, mean, color=colour, **LOOK)
        spread = [(of_file[n].min(), of_file[n].max()) for n in points]
        axes.vlines(points, *zip(*spread), color=colour, linewidth=1)
    axes.set_ylabel("time of a generation [s]")
    _mark_sizes(axes, times)
    _logarithmic(axes)
    if not several:
        axes.set_title(f"Generation of the matrix, {notes[0]}")
        figure.tight_layout()
        return figure
    _speed_up(panels[0, 1], times)
    figure.tight_layout(rect=(0, 0, 1, style.file_legend(figure, files, notes)), w_pad=2)
    return figure


def _ranks(count):
    return f"{count} rank" if count == 1 else f"{count} ranks"


def _missing(results):
    """A note on generations that an interrupted run did not come to."""
    seconds = results["results/generation_seconds"]
    done = np.isfinite(seconds)
    if done.all():
        return ""
    return ", " + source.counted(results, done.sum(), done.size, "generations")


def _generations(results):
    """{points: seconds of each repeat}, by ascending number of points."""
    if not has_generation(results):
        raise ResultsError(
            f"{results.path} holds no times of generations; 'generate' in the input makes them", 3
        )
    points, seconds = results["coordinates/points"], results["results/generation_seconds"]
    found = {int(n): row[np.isfinite(row)] for n, row in zip(points, seconds)}
    found = {n: found[n] for n in sorted(found) if len(found[n])}
    if not found:
        raise ResultsError(
            f"{results.path} holds no time of a generation: the run was interrupted\n"
            f"  remedy: {source.how_to_complete(results)}",
            3,
        )
    return found


def _speed_up(axes, times):
    """How many times as fast as the first file the others are, at the sizes that both have."""
    first = times[0]
    axes.axhline(1, color=style.QUIET, linewidth=0.8, linestyle="--")
    for of_file, colour in list(zip(times, style.colours(len(times))))[1:]:
        both = [n for n in first if n in of_file]
        ratios = [first[n].mean() / of_file[n].mean() for n in both]
        mean = f"mean {np.mean(ratios):.3g}" if both else "no size in common"
        axes.plot(both, ratios, color=colour, label=mean, **LOOK)
    axes.set_ylabel("speed-up over the first")
    axes.set_ylim(0, None)
    axes.legend()
    _mark_sizes(axes, [[n for n in first if any(n in other for other in times[1:])] or first])


def fit_time(files):
    """Minutes of a whole fit over the number of points, of results of figure11.yaml: files of one
    device and one kind of fit make a line (Fig. 11 of Geng et al.)."""
    lines = _lines_of_fits(files)
    figure, axes = style.subplots(figsize=(6.4, 4.3))
    for (label, minutes), colour in zip(lines, style.colours(len(lines))):
        points = sorted(minutes)
        axes.plot(points, [minutes[n] for n in points], color=colour, label=label, **LOOK)
    axes.set_ylabel("time of a fit [min]")
    _mark_sizes(axes, [minutes for _, minutes in lines])
    _logarithmic(axes)
    axes.set_title("Whole fits", pad=8 + 11 * len(lines))
    axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), borderaxespad=0.1)
    figure.tight_layout()
    return figure


def _lines_of_fits(files):
    """[(label, {points: minutes})]. A number of points that a line has already begins another, as
    of two GPUs beside one, which the results do not tell apart."""
    lines = []
    for results, name in zip(files, style.file_names(files)):
        points, minutes = _fit(results)
        fit = f"{source.setting(results, 'fit.method')}, {table.method(results)}"
        kind = f"{results.attrs.get('device_name', '?')}, {fit}"
        for of_kind, _, of_line in lines:
            if of_kind == kind and points not in of_line:
                of_line[points] = minutes
                break
        else:
            lines.append((kind, name, {points: minutes}))
    kinds = [kind for kind, *_ in lines]
    return [
        (f"{name}: {kind}" if kinds.count(kind) > 1 else kind, minutes)
        for kind, name, minutes in lines
    ]


def _fit(results):
    """The number of points and the minutes of a whole fit."""
    if "results/evaluations" not in results or len(results["results/evaluations"]) == 0:
        if source.is_interrupted(results):
            raise ResultsError(
                f"{results.path} holds no whole fit: the run was interrupted\n"
                f"  remedy: {source.how_to_complete(results)}",
                3,
            )
        raise ResultsError(f"{results.path} holds no fit; 'fit' in the input makes one", 3)
    minutes = sum(results.timings.get(region, 0.0) for region in table.FIT) / 60
    return int(results.group_attribute("results", "points")), minutes


def _logarithmic(axes):
    """A logarithmic axis of times, with numbers between the powers of ten where these are few."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    if high < 100 * low:
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_locator(NullLocator())


def _mark_sizes(axes, curves):
    """The axis of the number of points: logarithmic, marked at the sizes where they are few."""
    axes.set_xscale("log")
    sizes = sorted({n for curve in curves for n in curve})
    if len(sizes) == 1:
        axes.set_xlim(sizes[0] / 2, sizes[0] * 2)
    places = [sizes[0]] + [b for a, b in zip(sizes, sizes[1:]) if b > 1.12 * a]
    if len(places) <= 8:
        axes.set_xticks(places, [f"{n:,}".replace(",", "\u202f") for n in places])
    axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    axes.set_xlabel("points N")
    axes.grid(True, which="major")
