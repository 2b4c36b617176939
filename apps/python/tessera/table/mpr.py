# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of Zukovic et al. (2020) from results of tessera-mpr, task validate."""

from . import source
from .layout import Table
from .source import Misfit

PAPER, AUTHORS = "zukovic_2020", "Zukovic et al. (2020)"
SIDE = 1024  # sites, of Tables 2 and 3
FRACTIONS = (0.33, 0.66)
SAMPLINGS = 100
MEASURES = {"MAAE": ("maae", 1), "MARE [%]": ("mare", 100), "MAARE [%]": ("maare", 100)}
MEASURES |= {"MRASE": ("mrase", 1), "time [s]": ("seconds", 1)}


class Fills:
    """Fills by size, fraction and repeat."""

    def __init__(self, results):
        source.require(results, "model.mode", "paper")
        self.results = results
        self.sizes, self.fractions = (
            source.need(results, f"coordinates/{axis}") for axis in ("size", "fraction")
        )
        self.precision = results.attrs.get("precision", "?")
        self.backend = results.attrs.get("backend", "?")

    def get(self, name):
        """One measure: size, fraction, repeat."""
        values = source.need(self.results, f"results/validation/{name}")
        if values.shape[:2] != (len(self.sizes), len(self.fractions)):
            raise Misfit(f"'results/validation/{name}' has the shape {values.shape}")
        return values

    def times(self):
        """{(size, fraction): mean time}."""
        means = self.get("seconds").mean(axis=2)
        return {
            (int(size), round(float(p), 6)): float(means[i, j])
            for i, size in enumerate(self.sizes)
            for j, p in enumerate(self.fractions)
        }

    def label(self):
        return f"{'CPU' if self.backend != 'cuda' else 'GPU'}, {self.precision}"


def percent(fraction):
    return f"{100 * fraction:g} %"


def errors_of(precision):
    """The table of errors and times in this precision: Table 2 or 3."""

    def make(files, printed):
        fills = Fills(source.one(files))
        if fills.precision != precision:
            raise Misfit(f"its precision is '{fills.precision}', and not '{precision}'")
        size = source.index_of(fills.sizes, SIDE)
        size = len(fills.sizes) - 1 if size is None else size
        columns, parts, repeats = [""], [], 0
        for p in FRACTIONS:
            j = source.index_of(fills.fractions, p)
            if j is None:
                continue
            theirs = [column for column in printed.columns if column.endswith(percent(p))]
            columns += [*theirs, f"ours, {percent(p)}", "deviation"]
            parts.append((theirs, j))
        if not parts:
            raise Misfit("it holds no fills with 33 % or 66 % of the sites missing")
        rows = []
        for row in printed.rows:
            cells = [row]
            for theirs, j in parts:
                cells += [printed(row, column) for column in theirs]
                if row not in MEASURES:
                    cells += [None, None]
                    continue
                name, factor = MEASURES[row]
                values = factor * fills.get(name)[size, j]
                repeats = len(values)
                cells += [float(values.mean()), float(values.std(ddof=1)) if repeats > 1 else None]
            rows.append(cells)
        notes = [
            f"ours: means and standard deviations of {repeats} samplings, each of a field of its own;"
            f" the paper takes {SAMPLINGS} of one field. The time is that of the filling, transfers excluded;"
            " speed-ups of the paper are over its C++ code on one core."
        ]
        if fills.sizes[size] != SIDE:
            notes.append(
                f"Ours is of {fills.sizes[size]} x {fills.sizes[size]} sites, the paper's of {SIDE} x {SIDE}."
            )
        return Table(columns, rows, notes)

    return make


def cases(fills):
    """All sizes and fractions of several files, by fraction."""
    found = sorted({case for fill in fills for case in fill.times()}, key=lambda c: (c[1], c[0]))
    return [(case, f"{case[0]}, {percent(case[1])}") for case in found]


def times(files, printed):
    """Times against the size of the grid, or against the fraction: Figures 3 and 5."""
    fills = [Fills(results) for results in files]
    headings = [f"{heading} ({fill.label()})" for heading, fill in zip(source.ours(files), fills)]
    labelled = cases(fills)
    extra = [label for label in printed.rows if label not in {label for _, label in labelled}]
    rows = [
        [
            label,
            *(printed(label, c) for c in printed.columns),
            *(f.times().get(case) for f in fills),
        ]
        for case, label in labelled
    ]
    rows += [
        [label, *(printed(label, c) for c in printed.columns), *(None for _ in fills)]
        for label in extra
    ]
    return Table(
        ["sites a side, missing", *printed.columns, *headings],
        rows,
        [
            "Seconds of one fill, transfers excluded; the paper's are those that its text and tables print."
        ],
    )


def pair(files, what, is_first):
    """Two files by what tells them apart."""
    fills = [Fills(results) for results in files]
    first = [fill for fill in fills if is_first(fill)]
    second = [fill for fill in fills if not is_first(fill)]
    if len(first) != 1 or len(second) != 1:
        raise Misfit(f"this figure takes two results files, {what}")
    return first[0], second[0]


def ratios(first, second):
    a, b = first.times(), second.times()
    both = [(case, label) for case, label in cases([first]) if case in b]
    if not both:
        raise Misfit("the two files have no size and fraction in common")
    return [(label, a[case] / b[case]) for case, label in both]


def precision_ratio(files, printed):
    """Time in double over that in single precision: Figure 4."""
    double, single = pair(
        files, "one of precision double and one of single", lambda fill: fill.precision == "double"
    )
    if double.backend != single.backend:
        raise Misfit(f"the backends differ, {double.backend} and {single.backend}")
    rows = [
        [label, *(printed(label, c) for c in printed.columns), ratio]
        for label, ratio in ratios(double, single)
    ]
    return Table(
        ["sites a side, missing", *printed.columns, f"ours ({double.backend})"],
        rows,
        ["Time in double precision over that in single."],
    )


def speedup(files, printed):
    """Time on one core over that on a GPU: Figure 6."""
    cpu, gpu = pair(
        files, "one of backend serial and one of another", lambda f: f.backend == "serial"
    )
    if cpu.precision != gpu.precision:
        raise Misfit(f"the precisions differ, {cpu.precision} and {gpu.precision}")
    rows = [[label, printed(label, cpu.precision), ratio] for label, ratio in ratios(cpu, gpu)]
    return Table(
        ["sites a side, missing", "paper", f"ours ({gpu.backend} over serial)"],
        rows,
        [f"Whole fills against whole fills, {cpu.precision} precision, transfers excluded."],
    )


TABLES = {
    "table2": (errors_of("double"), "errors and times in double precision"),
    "table3": (errors_of("single"), "errors and times in single precision"),
    "figure3": (times, "time of a fill against the side of the grid"),
    "figure4": (precision_ratio, "ratio of the times in double and single precision"),
    "figure5": (times, "time of a fill against the fraction of missing values"),
    "figure6": (speedup, "speed-up over one core"),
}
INPUTS = {"figure4": "figure3", "figure6": "figure3"}
PICTURES = {}
