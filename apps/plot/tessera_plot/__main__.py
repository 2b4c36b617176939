# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Command line: tessera-plot RESULTS.h5|BENCH.json [-o FIGURE.png] [--kind KIND] [--record N ...]."""

import argparse
import os
import sys

from . import style  # chooses matplotlib's backend before anything draws
from .reader import ResultsError, load

# One module an app, of the app's name: KINDS lists its figures, draw() makes one.
from . import (
    bench,
    bessel,
    boys,
    gbees,
    gp,
    mpr,
    stable,
)

APPS = {module.__name__.rpartition(".")[2]: module for module in (
    bench,
    bessel,
    boys,
    gbees,
    gp,
    mpr,
    stable,
)}


def arguments():
    parser = argparse.ArgumentParser(prog="tessera-plot", description="Draws a Tessera results file.",
                                     epilog="exit status: 0 drawn, 2 wrong command line, 3 the file lacks what is to be drawn, 4 files")
    parser.add_argument("results", metavar="RESULTS.h5")
    parser.add_argument("-o", "--output", metavar="FIGURE", help="picture to write, its format told by its ending (default: RESULTS.png)")
    kinds = "; ".join(f"{app}: {', '.join(module.KINDS)}" for app, module in sorted(APPS.items()))
    parser.add_argument("--kind", default="summary", help=f"{kinds} (default: %(default)s)")
    parser.add_argument("--record", type=int, action="append", default=[], metavar="N",
                        help="draw this record, counted from 0, or from -1 backwards; may be repeated")
    return parser.parse_args()


def draw(options):
    results = load(options.results)
    app = results.attrs.get("app", "")
    if app not in APPS:
        raise ResultsError(f"{options.results} comes from the app '{app}'; there are figures for: {', '.join(APPS)}", 3)
    kinds = APPS[app].KINDS
    if options.kind not in kinds:
        raise ResultsError(f"unknown kind '{options.kind}' for the app '{app}'; choose one of: {', '.join(kinds)}", 2)
    style.apply()
    figure = APPS[app].draw(results, options.kind, options.record)
    output = options.output or os.path.splitext(options.results)[0] + ".png"
    try:
        figure.savefig(output, dpi=style.DPI)
    except (OSError, ValueError) as error:
        raise ResultsError(f"cannot write {output}: {error}", 4) from error
    return output


def main():
    try:
        print(draw(arguments()))
    except ResultsError as error:
        print(f"tessera-plot: error: {error}", file=sys.stderr)
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
