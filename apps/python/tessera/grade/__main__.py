# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Command line: tessera-grade SET [CALLABLE] [--command COMMAND] [--all] ..."""

import argparse
import sys
import warnings

from . import FORMATS, NAMES, by_class, calls, grade, grade_command, load, quantities, table
from .._printing import print_page
from ..results import ResultsError
from .peers import budgeted, peers_of
from .report import explanation

WITHIN = 1e-13


def arguments():
    parser = argparse.ArgumentParser(
        prog="tessera-grade",
        description="Grades a function against a reference set in arbitrary precision: how many values are"
        " right, and where it is worst.",
        epilog="examples: tessera-grade bessel-k scipy.special:kv; tessera-grade stable/cdf --all; tessera-grade"
        " boys --command ./my_program. A program reads a line of inputs for each point and writes a line of"
        " values. exit status: 0 graded, 2 wrong command line, 3 what is graded failed, 4 files",
    )
    parser.add_argument(
        "set",
        metavar="SET[/QUANTITY]",
        nargs="?",
        help=f"{', '.join(NAMES)}; --list has the quantities (default: the first one)",
    )
    parser.add_argument(
        "callable",
        metavar="MODULE:FUNCTION",
        nargs="*",
        help="Python callables, which get an array for each input",
    )
    parser.add_argument("--command", metavar="COMMAND", help="an executable to grade")
    parser.add_argument(
        "--exchange",
        choices=("text", "npy"),
        default="text",
        help="what the executable reads and writes: lines of numbers, or an .npy array of a row for each"
        " point (default: %(default)s)",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="every implementation that is known for the set and found on this machine; without a set,"
        " all sets",
    )
    parser.add_argument("--each", action="store_true", help="callables take one point a call")
    parser.add_argument(
        "--count", metavar="N", type=positive, help="grade a random part of N points"
    )
    parser.add_argument(
        "--seed", metavar="N", type=seed_number, default=0, help="of that part (default: 0)"
    )
    parser.add_argument(
        "--seconds",
        metavar="S",
        type=positive_number,
        default=20.0,
        help="--all takes as many points as about S seconds allow (default: %(default)g)",
    )
    parser.add_argument(
        "--timeout", metavar="S", type=positive_number, help="end the executable after S seconds"
    )
    parser.add_argument(
        "--within",
        metavar="ERROR",
        type=positive_number,
        default=WITHIN,
        help="relative error whose share is printed (default: %(default)g)",
    )
    parser.add_argument(
        "--classes", action="store_true", help="a row for each class of points, too"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: %(default)s")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write there instead of to the terminal"
    )
    parser.add_argument(
        "--reference",
        metavar="FOLDER",
        help="of the reference sets (default: TESSERA_REFERENCE, or what came with the program)",
    )
    parser.add_argument("--list", action="store_true", help="list sets and quantities")
    return parser


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def seed_number(text):
    number = int(text)
    if not 0 <= number < 2**32:
        raise argparse.ArgumentTypeError("must be from 0 to 2^32 - 1")
    return number


def positive_number(text):
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("must be above 0")
    return number


def listing(options):
    """The sets and their quantities as text."""
    lines = []
    for name in NAMES:
        for quantity in quantities(name, options.reference):
            found = load(f"{name}/{quantity}", options.reference)
            values = int((found.value == found.value).sum())
            lines.append(f"{found.name:24}{values:8}  {found.title}; of {', '.join(found.inputs)}")
    return "\n".join(lines) + "\n"


def page(options):
    """What the command line asks for, as text."""
    if options.list:
        return listing(options)
    if options.set is None and not options.all:
        raise ResultsError(
            "no set is named\n  remedy: tessera-grade SET MODULE:FUNCTION; --list has the sets", 2
        )
    if not (options.callable or options.command or options.all):
        raise ResultsError(
            f"nothing is named to grade on '{options.set}'\n"
            "  remedy: add MODULE:FUNCTION, --command COMMAND, or --all",
            2,
        )
    if options.set is None:
        names = [f"{name}/{q}" for name in NAMES for q in quantities(name, options.reference)]
    else:
        names = [options.set]
    tables = [graded(name, options) for name in names]
    if options.set is None:
        tables = of_all_sets(tables, options.format)
    tables[-1].notes.append(explanation(options.within))
    return "\n".join(FORMATS[options.format](made) for made in tables)


def of_all_sets(tables, form):
    """Those that grade something, and which do not."""
    empty = [made.title.split(" ")[0] for made in tables if not made.rows]
    kept = [made for made in tables if made.rows] or tables[-1:]
    if empty:
        kept[-1].notes.append(f"No implementation was found of: {', '.join(empty)}.")
    if form == "markdown":
        for made in kept:
            made.title = f"## {made.title}"
    return kept


def graded(name, options):
    """The table of one quantity."""
    quantity = load(name, options.reference)
    if options.count:
        quantity = quantity.sample(options.count, options.seed)
    grades, failures = [], []
    for given in options.callable:
        function, version = calls.import_callable(given)
        grades.append(grade(quantity, function, name=given, version=version, each=options.each))
    if options.command:
        grades.append(
            grade_command(
                quantity,
                options.command,
                name=options.command,
                exchange=options.exchange,
                timeout=options.timeout,
            )
        )
    if options.all:
        for peer in peers_of(quantity.name):
            try:
                grades.append(budgeted(peer, quantity, options.seconds, options.seed))
            except ResultsError as error:
                reason = str(error).split("\n", maxsplit=1)[0]
                failures.append(f"{peer.name} was not graded: {reason}.")
        if not grades and options.set:
            failures.append("No implementation of this quantity was found on this machine.")
    if options.classes:
        grades = [
            one for whole in grades for one in [whole, *(by_class(whole) if whole.errors else [])]
        ]
    return table(quantity, grades, options.within, failures)


def main():
    warnings.simplefilter("ignore")  # of what is graded
    options = arguments().parse_args()
    return print_page("tessera-grade", lambda: page(options), options.output)


if __name__ == "__main__":
    sys.exit(main())
