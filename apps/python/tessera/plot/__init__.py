# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Figures from results files: `results.plot()` in Python, `tessera-plot RESULTS.h5` or `python -m
tessera.plot RESULTS.h5` elsewhere."""

from ..results import ResultsError, describe

# One module an app, of the app's name: KINDS lists its figures, draw() makes one.
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


def figure(results, kind="summary", records=()):
    """A matplotlib figure of results: tessera.open(...) or what tessera.run(...) returned.

    kind: one of APPS[app].KINDS, for the app that made the results. records: numbers of the records
    to draw, from 0, or from -1 backwards. Raises ResultsError where the results lack what is to be
    drawn.
    """
    app = results.attrs.get("app", "")
    if not isinstance(app, str) or app not in APPS:
        raise ResultsError(
            f"{results.path} comes from the app '{app}'; there are figures for: {', '.join(APPS)}",
            3,
        )
    kinds = APPS[app].KINDS
    if kind not in kinds:
        raise ResultsError(
            f"unknown kind '{kind}' for the app '{app}'; choose one of: {', '.join(kinds)}", 2
        )
    with style.applied():
        try:
            return APPS[app].draw(results, kind, list(records))
        except ResultsError:
            raise
        # arrays that do not fit each other fail in numpy's and matplotlib's own ways
        except Exception as error:
            raise ResultsError(
                f"{results.path} cannot be drawn: what it holds does not fit together ({describe(error)})",
                3,
            ) from error
