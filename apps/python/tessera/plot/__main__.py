# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Command line: tessera-plot RESULTS.h5|BENCH.json [RESULTS.h5 ...] [-o FIGURE.png] [--kind KIND]
[--record N ...]."""

import argparse
import logging
import os
import sys
import warnings

import matplotlib

matplotlib.use("Agg")

from . import APPS, figure, style  # noqa: E402  (matplotlib's backend comes first)
from .._child import run_in_child  # noqa: E402
from ..results import ResultsError, describe, load, set_longest_read  # noqa: E402

LONGEST_READ = 60  # s, of one dataset: damaged files can send the HDF5 library round in circles


def arguments():
    parser = argparse.ArgumentParser(
        prog="tessera-plot",
        description="Draws a Tessera results file; or several over each other, with a legend of their names.",
        epilog="exit status: 0 drawn, 2 wrong command line, 3 the file is damaged or lacks what is to be drawn, 4 files",
    )
    together = "; ".join(
        f"{app}: {', '.join(module.TOGETHER)}"
        for app, module in sorted(APPS.items())
        if hasattr(module, "TOGETHER")
    )
    parser.add_argument(
        "results",
        metavar="RESULTS.h5",
        nargs="+",
        help=f"a results file; several with these kinds alone: {together}",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FIGURE",
        help="picture to write, its format told by its ending (default: RESULTS.png, of the first file)",
    )
    kinds = "; ".join(f"{app}: {', '.join(module.KINDS)}" for app, module in sorted(APPS.items()))
    parser.add_argument("--kind", default="summary", help=f"{kinds} (default: %(default)s)")
    parser.add_argument(
        "--record",
        type=int,
        action="append",
        default=[],
        metavar="N",
        help="draw this record, counted from 0, or from -1 backwards; may be repeated",
    )
    return parser.parse_intermixed_args()


def draw(options):
    set_longest_read(LONGEST_READ)
    files = [load(path) for path in options.results]
    output = options.output or os.path.splitext(options.results[0])[0] + ".png"
    drawn = figure(files, options.kind, options.record)
    try:
        write(drawn, output)
    except ResultsError:
        raise
    except Exception as error:  # what cannot be laid out fails when it is drawn
        raise ResultsError(
            f"{', '.join(options.results)} cannot be drawn: what it holds does not fit together ({describe(error)})",
            3,
        ) from error
    return output


def write(drawn, output):
    ending = os.path.splitext(output)[1][1:].lower()
    if ending and ending not in drawn.canvas.get_supported_filetypes():
        raise ResultsError(
            f"cannot write {output}: there are no pictures of the kind '{ending}'", 4
        )
    try:
        with style.applied():
            drawn.savefig(output, dpi=style.DPI)
    except OSError as error:
        raise ResultsError(f"cannot write {output}: {error}", 4) from error


def draw_and_report(options):
    """Draws; the exit status."""
    warnings.simplefilter("ignore")  # of numpy and matplotlib, about values that cannot be drawn
    logging.disable(logging.CRITICAL)
    try:
        print(draw(options), flush=True)
    except ResultsError as error:
        print(f"tessera-plot: error: {error}", file=sys.stderr, flush=True)
        return error.code
    return 0


def main():
    options = arguments()
    return run_in_child("tessera-plot", options.results, lambda: draw_and_report(options))


if __name__ == "__main__":
    sys.exit(main())
