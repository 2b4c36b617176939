# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Command line: tessera-table RESULTS.h5 [RESULTS.h5 ...] [--table NAME] [--format FORMAT] [-o
FILE]."""

import argparse
import logging
import sys
import warnings

import h5py

from . import APPS, FORMATS, table
from .._child import run_in_child
from .._printing import print_page
from ..results import ResultsError, as_text, load, set_longest_read

LONGEST_READ = 60  # s, of one dataset: damaged files can send the HDF5 library round in circles


def arguments():
    parser = argparse.ArgumentParser(
        prog="tessera-table",
        description="Prints a table of a paper from Tessera results files, the paper's value beside ours.",
        epilog="exit status: 0 printed, 2 wrong command line, 3 a file is damaged or does not fit the table, 4 files",
    )
    parser.add_argument("results", metavar="RESULTS.h5", nargs="+")
    names = "; ".join(f"{app}: {', '.join(module.TABLES)}" for app, module in sorted(APPS.items()))
    parser.add_argument(
        "--table",
        metavar="NAME",
        help=f"{names} (default: what the input of the first results is named after)",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: %(default)s")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write there instead of to the terminal"
    )
    return parser.parse_args()


def is_restart_file(path):
    """Whether a file is one that a run goes on from. What cannot be read is none."""
    try:
        with h5py.File(path, "r") as file:
            return as_text(file.attrs.get("format", "")) == "tessera-restart"
    except (OSError, ValueError, RuntimeError, KeyError):
        return False


def without_restart_files(paths):
    """The results files among these; a warning names the restart files. Raises ResultsError where
    there are no others."""
    restarts = [path for path in paths if is_restart_file(path)]
    if len(restarts) == len(paths):
        raise ResultsError(
            f"{', '.join(restarts)}"
            f" {'is a restart file' if len(paths) == 1 else 'are restart files'}, from"
            " which a run is continued (--restart FILE), and no results\n"
            "  remedy: give the results file of the run, which has no '.restart' in its name",
            3,
        )
    for path in restarts:
        print(
            f"tessera-table: warning: {path} is a restart file, and no results; it is left out",
            file=sys.stderr,
            flush=True,
        )
    return [path for path in paths if path not in restarts]


def page(options):
    """The table as text."""
    set_longest_read(LONGEST_READ)
    files = [load(path) for path in without_restart_files(options.results)]
    return FORMATS[options.format](table(files, options.table))


def print_and_report(options):
    """Prints the table; the exit status."""
    warnings.simplefilter("ignore")  # of numpy, about numbers that are not there
    logging.disable(logging.CRITICAL)
    return print_page("tessera-table", lambda: page(options), options.output)


def main():
    options = arguments()
    return run_in_child("tessera-table", options.results, lambda: print_and_report(options))


if __name__ == "__main__":
    sys.exit(main())
