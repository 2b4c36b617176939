# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures from results files: `results.plot()` in Python, `tessera-plot RESULTS.h5` or `python -m
tessera.plot RESULTS.h5` elsewhere."""

import contextlib

try:
    from matplotlib.figure import Figure
except ModuleNotFoundError:
    raise ImportError(
        "tessera.plot needs matplotlib, which is not installed\n"
        "  remedy: apt-get install python3-matplotlib, or pip install matplotlib"
    ) from None

from ..results import ResultsError, describe

# One module an app, of the app's name: KINDS lists its figures, draw() makes one. TOGETHER lists
# those that several files have together, and draw_together() makes one.
from . import (
    bench,
    bessel,
    boys,
    gbees,
    gp,
    mpr,
    stable,
    style,
)

__all__ = ["APPS", "figure"]

APPS = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        bench,
        bessel,
        boys,
        gbees,
        gp,
        mpr,
        stable,
    )
}


def figure(results, kind="summary", records=(), *, ax=None, fig=None):
    """A matplotlib figure of results: tessera.open(...) or what tessera.run(...) returned.

    results: one, or a list of several, which are drawn over each other where the kind is one of
    APPS[app].TOGETHER. kind: one of APPS[app].KINDS, for the app that made the results. records:
    numbers of the records to draw, from 0, or from -1 backwards. ax, fig: axes, or a figure or a
    subfigure, to draw in, which are returned then. Raises ResultsError where the results lack what
    is to be drawn, and where ax is given for a figure of several panels; those of one panel are
    APPS[app].ONE_PANEL, and others of results that have one of what they show.
    """
    files = list(results) if isinstance(results, (list, tuple)) else [results]
    module = APPS[_app(files)]
    if kind not in module.KINDS:
        raise ResultsError(
            f"unknown kind '{kind}' for the app '{_app(files)}'; choose one of: {', '.join(module.KINDS)}",
            2,
        )
    if len(files) > 1 and kind not in getattr(module, "TOGETHER", ()):
        raise ResultsError(_one_file(files, kind), 2)
    paths = ", ".join(results.path for results in files)
    with style.applied(), style.drawn_in(ax, fig):
        try:
            if len(files) > 1:
                drawn = module.draw_together(files, kind, list(records))
            else:
                drawn = module.draw(files[0], kind, list(records))
            return drawn if ax is fig is None else fig if ax is None else ax
        except style.SeveralPanelsError:
            alone = ", ".join(_of_one_panel(module, files[0]))
            raise ResultsError(
                f"the figure '{kind}' of these results has several panels, which one ax does not hold\n"
                "  remedy: give fig=, a figure or a subfigure"
                + (f", or choose a kind of one panel: {alone}" if alone else ""),
                2,
            ) from None
        except ResultsError:
            raise
        # arrays that do not fit each other fail in numpy's and matplotlib's own ways
        except Exception as error:
            raise ResultsError(
                f"{paths} cannot be drawn: what it holds does not fit together ({describe(error)})",
                3,
            ) from error


def _of_one_panel(module, results):
    """The kinds of one panel that these results can be drawn as."""
    kinds = []
    for kind in getattr(module, "ONE_PANEL", ()):
        with style.drawn_in(None, Figure()), contextlib.suppress(Exception):
            module.draw(results, kind, [])
            kinds.append(kind)
    return kinds


def _app(files):
    """The app that made the results, the same for all files."""
    if not files:
        raise ResultsError("no results to draw", 2)
    names = []
    for results in files:
        app = results.attrs.get("app", "")
        if not isinstance(app, str) or app not in APPS:
            raise ResultsError(
                f"{results.path} comes from the app '{app}'; there are figures for: {', '.join(APPS)}",
                3,
            )
        names.append(app)
    if len(set(names)) > 1:
        raise ResultsError(
            f"the results come from several apps ({', '.join(sorted(set(names)))}); draw those of one app together",
            3,
        )
    return names[0]


def _one_file(files, kind):
    """Why several files are not drawn."""
    together = [
        f"{app}: {', '.join(module.TOGETHER)}"
        for app, module in APPS.items()
        if hasattr(module, "TOGETHER")
    ]
    return (
        f"{len(files)} results files, of which --kind {kind} draws one; draw each by itself, or choose"
        f" a kind that draws several over each other ({'; '.join(together)})"
    )
