# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of Zukovic et al. (2020) from results of tessera-mpr, task validate."""

import numpy as np

from . import source
from .layout import Table
from .source import Misfit

PAPER, AUTHORS = "zukovic_2020", "Zukovic et al. (2020)"
SIDE = 1024  # sites, of Tables 2 and 3
FRACTIONS = (0.33, 0.66)
SAMPLINGS = 100
FIGURE3 = "tessera-mpr inputs/mpr/paper/figure3.yaml"  # which makes Figures 4 and 6 too
MEASURES = {"MAAE": ("maae", 1), "MARE [%]": ("mare", 100), "MAARE [%]": ("maare", 100)}
MEASURES |= {"MRASE": ("mrase", 1), "time [s]": ("seconds", 1)}


class Fills:
    """Fills of one variant of a results file (a backend, a precision, rows of tiles), by size,
    fraction and repeat."""

    def __init__(self, results, variant=None):
        source.require(results, "model.mode", "paper")
        self.results, self.variant = results, variant
        self.sizes, self.fractions = (
            source.need(results, f"coordinates/{axis}") for axis in ("size", "fraction")
        )
        self.precision, self.backend, self.tile_rows = (
            self.of_variant(name, results.attrs.get(name, "?"))
            for name in ("precision", "backend", "tile_rows")
        )

    def of_variant(self, name, otherwise):
        if self.variant is None or f"coordinates/{name}" not in self.results:
            return otherwise
        value = source.need(self.results, f"coordinates/{name}")[self.variant]
        return value.decode() if isinstance(value, bytes) else value

    def get(self, name):
        """One measure: size, fraction, repeat."""
        values = source.need(self.results, f"results/validation/{name}")
        if self.variant is not None:
            values = values[self.variant]
        if values.shape[:2] != (len(self.sizes), len(self.fractions)):
            raise Misfit(f"'results/validation/{name}' has the shape {values.shape}", self.results)
        return values

    def done(self, name, i, j):
        """The repeats of one measure that the run came to, at a size and a fraction."""
        values = self.get(name)[i, j]
        return values[np.isfinite(values)]

    def times(self):
        """{(size, fraction): mean time} of what the run came to."""
        return {
            (int(size), round(float(p), 6)): float(seconds.mean())
            for i, size in enumerate(self.sizes)
            for j, p in enumerate(self.fractions)
            if len(seconds := self.done("seconds", i, j))
        }

    def label(self, others):
        """What tells these fills from others: the backend, tiles and, where they differ, the
        precision."""
        several = len({fill.precision for fill in others}) > 1
        rows = f", {self.tile_rows} rows" if self.tile_rows not in ("?", 0) else ""
        return f"{self.backend}{f', {self.precision}' if several else ''}{rows}"


def fills_of(files):
    """The fills of all variants of several files."""
    fills = []
    for results in files:
        values = source.need(results, "results/validation/seconds")
        variants = range(values.shape[0]) if values.ndim == 4 else [None]
        fills += [Fills(results, variant) for variant in variants]
    return fills


def fields_of(results):
    """How many fields, and samplings of each, a run had."""
    counts = [source.setting(results, f"validate.{key}") for key in ("fields", "samplings")]
    repeats = source.setting(results, "validate.repeats")
    if repeats and repeats.isdigit():
        return int(repeats), 1
    return tuple(int(count) if count else 1 for count in counts)


def notes_of_interruptions(files):
    """How many fills those runs came to that were interrupted."""
    notes = []
    for results in files:
        if source.is_interrupted(results):
            seconds = source.need(results, "results/validation/seconds")
            done = int(np.isfinite(seconds).sum())
            counted = source.counted(results, done, seconds.size, "fills")
            notes.append(f"{source.name(results)}: {counted}; means are of those.")
    return notes


def percent(fraction):
    return f"{100 * fraction:g} %"


def errors_of(precision):
    """The table of errors and times in this precision: Table 2 or 3."""

    def make(files, printed):
        fills = []
        for results in files:
            every = fills_of([results])
            fitting = [fill for fill in every if fill.precision == precision]
            if not fitting:
                raise Misfit(
                    f"its precision is '{every[0].precision}', and not '{precision}'", results
                )
            fills += fitting
        first = fills[0]
        size = source.index_of(first.sizes, SIDE)
        size = len(first.sizes) - 1 if size is None else size
        side = int(first.sizes[size])
        columns, parts = [""], []
        for p in FRACTIONS:
            if source.index_of(first.fractions, p) is None:
                continue
            theirs = [column for column in printed.columns if column.endswith(percent(p))]
            columns += theirs
            for fill in fills:
                of = f" ({fill.label(fills)})" if len(fills) > 1 else ""
                columns += [f"ours{of}, {percent(p)}", "deviation"]
            parts.append((theirs, p))
        if not parts:
            raise Misfit("it holds no fills with 33 % or 66 % of the sites missing")
        rows = []
        for row in printed.rows:
            cells = [row]
            for theirs, p in parts:
                cells += [printed(row, column) for column in theirs]
                for fill in fills:
                    cells += measure(fill, row, side, p, fills)
            rows.append(cells)
        fields, samplings = fields_of(first.results)
        notes = [
            f"ours: means and standard deviations of {samplings}"
            f" {'sampling' if samplings == 1 else 'samplings'} of"
            f" {'one field' if fields == 1 else f'each of {fields} fields'};"
            f" the paper takes {SAMPLINGS} samplings of one field. The time is that of the filling, transfers excluded. Speed-ups of the paper are over its C++ code on one core, ours over"
            " our backend serial: whole fills over whole fills."
        ]
        if side != SIDE:
            notes.append(f"Ours is of {side} x {side} sites, the paper's of {SIDE} x {SIDE}.")
        return Table(columns, rows, notes + notes_of_interruptions(files))

    return make


def measure(fill, row, side, p, fills):
    """The mean and the deviation of a row; of the speed-up the ratio alone."""
    i, j = source.index_of(fill.sizes, side), source.index_of(fill.fractions, p)
    if i is None or j is None:
        return [None, None]
    if row in MEASURES:
        name, factor = MEASURES[row]
        values = factor * fill.done(name, i, j)
        return [
            float(values.mean()) if len(values) else None,
            float(values.std(ddof=1)) if len(values) > 1 else None,
        ]
    case = (side, round(p, 6))
    serial = [other for other in fills if other.backend == "serial" and case in other.times()]
    if row != "speedup" or not serial or len(fills) == 1 or case not in fill.times():
        return [None, None]
    return [serial[0].times()[case] / fill.times()[case], None]


def cases(fills):
    """All sizes and fractions of several variants, by fraction."""
    found = sorted({case for fill in fills for case in fill.times()}, key=lambda c: (c[1], c[0]))
    return [(case, f"{case[0]}, {percent(case[1])}") for case in found]


def times(files, printed):
    """Times against the size of the grid, or against the fraction: Figures 3 and 5."""
    fills = fills_of(files)
    names = dict(zip((results.path for results in files), source.ours(files)))
    headings = [
        f"{names[f.results.path]} ({'CPU' if f.backend != 'cuda' else 'GPU'}, {f.precision}"
        + (f", {f.tile_rows} rows)" if f.tile_rows not in ("?", 0) else ")")
        for f in fills
    ]
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
            "Seconds of one fill, transfers excluded; the paper's are those that its text and tables print.",
            *notes_of_interruptions(files),
        ],
    )


def ratio_table(files, pairs, printed, columns, note):
    """Ratios of the times of pairs of variants: (heading, over, under) each."""
    found = [(heading, over.times(), under.times()) for heading, over, under in pairs]
    rows = []
    for case, label in cases([fill for _, *pair in pairs for fill in pair]):
        ratios = [
            over[case] / under[case] if case in over and case in under else None
            for _, over, under in found
        ]
        if any(ratio is not None for ratio in ratios):
            rows.append([label, *(printed(label, c) for c in columns), *ratios])
    if not rows:
        raise Misfit("its variants have no size and fraction in common")
    headings = [heading for heading, *_ in pairs]
    return Table(
        ["sites a side, missing", *(f"paper: {c}" for c in columns), *headings],
        rows,
        [note, *notes_of_interruptions(files)],
    )


def precision_ratio(files, printed):
    """Time in double over that in single precision: Figure 4."""
    fills = fills_of(files)
    pairs = [
        (f"ours ({double.backend})", double, single)
        for double in fills
        for single in fills
        if (double.precision, single.precision) == ("double", "single")
        and double.backend == single.backend
    ]
    if not pairs:
        raise Misfit(
            "this figure takes results of precision double and of single on one backend",
            remedy=f"{FIGURE3} validate.precisions=[double,single] makes what does",
        )
    note = "Time in double precision over that in single."
    return ratio_table(files, pairs, printed, printed.columns, note)


def speedup(files, printed):
    """Time on one core over that on a GPU: Figure 6."""
    fills = fills_of(files)
    pairs = [
        (f"ours ({other.backend} over serial, {other.precision})", serial, other)
        for serial in fills
        for other in fills
        if serial.backend == "serial" != other.backend and serial.precision == other.precision
    ]
    if not pairs:
        raise Misfit(
            "this figure takes times of two backends, one of backend serial and one of another, in"
            " the same precision",
            remedy=f"{FIGURE3} validate.backends=[serial,cuda] makes what does, where the program"
            " has both; or give two files, one of a program with each",
        )
    precisions = [c for c in printed.columns if any(c == pair[1].precision for pair in pairs)]
    note = "Whole fills over whole fills, transfers excluded."
    return ratio_table(files, pairs, printed, precisions, note)


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
