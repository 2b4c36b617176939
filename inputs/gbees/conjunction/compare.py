#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The probabilities of a folder of conjunction data messages beside references, as a table in
Markdown:

    compare.py FOLDER REFERENCES.csv [-p PROGRAM] [--relative-error 0.02] [--also COLUMN ...]
    compare.py messages monte_carlo.csv --also Nc3D

A row of REFERENCES is a message: FOLDER/ID.cdm (another name: --file 'case_{:0>2}.cdm'). Its
columns are by default those of the Monte Carlo references that NASA CARA publishes with its
messages:

    Conjunction_ID   the message (--id)
    PcSDMC           the probability (--reference)
    NtotSDMC         the number of its trials (--trials), from which its standard error follows, or
                     a column of standard errors (--error)
    HBR_m            the hard-body radius in m (--radius); without the column the message's own

--window BEGIN END names two columns, the window in s after TCA; without it each message has that of
its encounter. --entries ID ...: messages whose reference counts pairs that come closer than the
radius from outside, and not those that are closer from the beginning (`entry_probability`).

The columns of the table: the message, miss distance and relative speed, the reference with its
standard error, the probability by pairs, by the grid in the encounter plane ('not short' where the
passage is not), by the published formula in that plane, those of --also as the file has them, and
the deviation (pairs - reference) / sqrt(sum of the squared standard errors). Below the table stand
the sum of the squared deviations with the 95 % point of chi-square, which the sum exceeds in one
case of twenty by chance, and the farthest message. Where a trial met nothing there is no standard
error: such rows are left out of the sum, which is said. It needs tessera-gbees (on the PATH, or
PROGRAM), and no Python package.
"""

import argparse
import csv
import math
import os
import subprocess
import sys
import tempfile

HEAD = ["message", "miss, speed", "reference, standard error", "pairs", "grid", "formula"]


def chi_square_point(degrees, level=0.95):
    """The point that chi-square of so many degrees of freedom stays below with a probability."""

    def below(x):  # the incomplete gamma function by its series
        term = total = 1 / (degrees / 2)
        k = degrees / 2
        while term > 1e-17 * total:
            k += 1
            term *= x / 2 / k
            total += term
        return total * math.exp(degrees / 2 * math.log(x / 2) - x / 2 - math.lgamma(degrees / 2))

    low, high = 1e-9, degrees + 20 * math.sqrt(degrees) + 20
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < level else (low, middle)
    return low


def fail(text):
    sys.exit(f"compare.py: error: {text}")


def number(row, column, name):
    """A finite number of a row, which must be there."""
    try:
        value = float(row[column])
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        fail(f"{name}: the column '{column}' holds {row[column]!r}, which is no finite number")
    return value


class Case:
    """A message and its reference."""

    def __init__(self, row, options):
        self.id = row[options.id]
        self.path = os.path.join(options.folder, options.file.format(self.id))
        name = f"{options.references}: {self.id}"
        self.reference = number(row, options.reference, name)
        if options.error is not None:
            self.error = number(row, options.error, name)
        else:
            trials = number(row, options.trials, name)
            if not trials >= 1:
                fail(f"{name}: the column '{options.trials}' must be 1 or more")
            self.error = math.sqrt(max(self.reference * (1 - self.reference), 0) / trials)
        self.radius = number(row, options.radius, name) if options.radius else None
        self.window = tuple(number(row, c, name) for c in options.window or ())
        self.also = [number(row, column, name) for column in options.also]
        self.is_entry = self.id in options.entries

    def deviation(self, found):
        """Between the probability by pairs and the reference, in standard errors of both."""
        error = math.hypot(self.error, float(found["standard_error"]))
        return (self.probability(found) - self.reference) / error

    def probability(self, found):
        return float(found["entry_probability" if self.is_entry else "probability"])


def read_cases(options):
    """The rows of the references whose messages there are."""
    try:
        with open(options.references, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            columns, rows = reader.fieldnames or [], list(reader)
    except OSError as error:
        fail(f"cannot read {options.references}: {error.strerror}")
    if options.radius is None and "HBR_m" in columns:
        options.radius = "HBR_m"
    needed = [options.id, options.reference, *options.also, *(options.window or ())]
    needed += [options.trials if options.error is None else options.error]
    needed += [options.radius] if options.radius else []
    for column in needed:
        if column not in columns:
            fail(f"{options.references} has no column '{column}', but {', '.join(columns)}")
    unknown = set(options.entries) - {row[options.id] for row in rows}
    if unknown:
        fail(f"{options.references} has no row {', '.join(sorted(unknown))}, as --entries says")
    cases = [Case(row, options) for row in rows]
    there = [case for case in cases if os.path.exists(case.path)]
    if not there:
        fail(
            f"there is none of the {len(cases)} messages, the first {cases[0].path}"
            if cases
            else f"{options.references} has no row"
        )
    for case in cases:
        if case not in there:
            print(f"compare.py: {case.path} does not exist and is left out", file=sys.stderr)
    known = {os.path.abspath(case.path) for case in cases}
    for name in sorted(os.listdir(options.folder)):
        path = os.path.join(options.folder, name)
        if name.endswith(".cdm") and os.path.abspath(path) not in known:
            print(f"compare.py: {path} has no reference and is left out", file=sys.stderr)
    return there


def run(cases, options):
    """The rows that the program finds, by message. Messages of a radius and a window run at once."""
    groups = {}
    for case in cases:
        groups.setdefault((case.radius, case.window), []).append(case)
    found = {}
    for (radius, window), members in groups.items():
        with tempfile.TemporaryDirectory() as folder:
            lines = ["app: gbees", "task: conjunction", "conjunction:", "  messages:"]
            # a text of JSON is one of YAML
            lines += [f"    - {quoted(os.path.abspath(case.path))}" for case in members]
            lines += [f"  relative_error: {options.relative_error!r}", "  table: table.csv"]
            lines += [f"  hard_body_radius: {radius!r}"] if radius is not None else []
            lines += [f"  window: {list(window)}"] if window else []
            with open(os.path.join(folder, "input.yaml"), "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
            program = options.program
            if os.path.dirname(program):
                program = os.path.abspath(program)
            try:
                status = subprocess.run([program, "input.yaml", "-q"], cwd=folder, check=False)
            except OSError as error:
                fail(f"cannot run {options.program}: {error.strerror}; name it with --program")
            if status.returncode != 0:
                fail(f"{options.program} ended with {status.returncode}")
            with open(os.path.join(folder, "table.csv"), encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        found.update({case.id: row for case, row in zip(members, rows)})
    return found


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def probability(value):
    """1.234e-5, as the tables of the documents have it."""
    if value == 0:
        return "0"
    figures, exponent = f"{value:.3e}".split("e")
    return f"{figures}e{int(exponent)}"


def table_row(case, found):
    miss, speed = float(found["miss_distance"]), float(found["relative_speed"])
    grid = float(found["grid_probability"])
    share = f"{100 * case.error / case.reference:.2g} %" if case.reference > 0 else "none"
    return [
        case.id,
        (f"{miss / 1000:.1f} km" if miss >= 100 else f"{miss:.2g} m")
        + ", "
        + (f"{speed / 1000:.3g} km/s" if speed >= 100 else f"{speed:.2g} m/s"),
        f"{probability(case.reference)}, {share}",
        probability(case.probability(found)),
        "not short" if math.isnan(grid) else probability(grid),
        probability(float(found["plane_probability"])),
        *map(probability, case.also),
        f"{case.deviation(found):+.1f}" if case.error > 0 else "",
    ]


def report(cases, found, options):
    """The lines that are printed."""
    head = [*HEAD, *options.also, "deviation"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for case in cases:
        lines.append("| " + " | ".join(table_row(case, found[case.id])) + " |")
    counted = [case for case in cases if case.error > 0]
    lines.append("")
    if counted:
        deviations = {case.id: case.deviation(found[case.id]) for case in counted}
        farthest = max(deviations, key=lambda name: abs(deviations[name]))
        total = sum(value**2 for value in deviations.values())
        lines.append(
            f"{len(counted)} messages: sum of squared deviations {total:.1f} (95 % point"
            f" {chi_square_point(len(counted)):.1f}), farthest {farthest},"
            f" {deviations[farthest]:+.1f} standard errors"
        )
    if len(counted) < len(cases):
        lines.append(
            f"{len(cases) - len(counted)} without a standard error are left out of the sum"
        )
    return lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="FOLDER", help="of messages")
    parser.add_argument("references", metavar="REFERENCES.csv", help="a row for each message")
    parser.add_argument("-p", "--program", default="tessera-gbees", help="default: %(default)s")
    parser.add_argument("--relative-error", type=float, default=0.02, help="default: %(default)s")
    parser.add_argument("--id", default="Conjunction_ID", help="column; default: %(default)s")
    parser.add_argument("--file", default="{}.cdm", help="of an ID; default: %(default)s")
    parser.add_argument("--reference", default="PcSDMC", help="column; default: %(default)s")
    parser.add_argument("--trials", default="NtotSDMC", help="column; default: %(default)s")
    parser.add_argument("--error", help="column; default: from --trials")
    parser.add_argument("--radius", help="column; default: HBR_m where there is one")
    parser.add_argument("--window", nargs=2, metavar=("BEGIN", "END"), help="columns")
    parser.add_argument("--also", nargs="+", default=[], metavar="COLUMN", help="in the table too")
    parser.add_argument("--entries", nargs="+", default=[], metavar="ID", help="see above")
    options = parser.parse_args()
    if not os.path.isdir(options.folder):
        fail(f"there is no folder '{options.folder}'")
    cases = read_cases(options)
    print("\n".join(report(cases, run(cases, options), options)))


if __name__ == "__main__":
    main()
