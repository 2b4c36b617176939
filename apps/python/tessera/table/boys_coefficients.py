# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The coefficients that Mazur et al. (2016) print in Tables 4 to 13, tried against values of
tessera-boys: the error of each form, and the coefficient that is most likely misprinted where it is
not what the paper aims at."""

import csv
import fractions
import itertools

import numpy as np

from . import source
from .layout import Table
from .paper import FOLDER
from .source import Misfit

AIMS = {np.float64: 1e-13, np.float32: 3e-7}  # absolute errors (section 3.2)
SUSPICIOUS = 3  # aims, from which on an error is looked into
CURED = 0.01  # a single coefficient explains an error that falls below this share of it
LAST = "table9"  # of double precision


class Form:
    """A polynomial, or a ratio of two, for a function on an interval."""

    def __init__(self, key, rows):
        _, order, low, high, damping = key
        self.order, self.low, self.high = int(order), float(low), float(high)
        self.damping = float(fractions.Fraction(damping))
        self.parts = {
            part: [row["value"] for row in those]
            for part, those in itertools.groupby(rows, key=lambda row: row["part"])
        }
        self.unread = [
            (part, m) for part, values in self.parts.items() for m, v in enumerate(values) if not v
        ]

    @property
    def name(self):
        degrees = "/".join(str(len(values) - 1) for values in self.parts.values())
        return f"F_{self.order}, {self.low:g} to {self.high:g}, [{degrees}]"

    def coefficients(self, real):
        return {
            part: np.array([float(value or 0) for value in values], real)
            for part, values in self.parts.items()
        }

    def evaluate(self, coefficients, x):
        """The function in the precision of x."""
        sums = {part: horner(values, x) for part, values in coefficients.items()}
        upper = sums["polynomial"] if "polynomial" in sums else sums["numerator"]
        ratio = upper / sums["denominator"] if "denominator" in sums else upper
        return np.exp(x.dtype.type(-self.damping) * x) * ratio

    def cure(self, x, exact):
        """The single coefficient whose change fits the exact values best, one beyond the last of
        each part included: its part, its power, what it would be, and the largest error that
        remains."""
        printed = {
            part: np.append(values, 0.0) for part, values in self.coefficients(np.float64).items()
        }
        value = self.evaluate(printed, x)
        damped = np.exp(-self.damping * x)
        below = horner(printed["denominator"], x) if "denominator" in printed else 1.0
        trials = []
        for part, values in printed.items():
            for m in range(len(values)):
                slope = x**m / below * (-value if part == "denominator" else damped)
                changed = {name: other.copy() for name, other in printed.items()}
                changed[part][m] += slope @ (exact - value) / (slope @ slope)
                error = np.abs(self.evaluate(changed, x) - exact).max()
                trials.append((error, part, m, changed[part][m]))
        error, part, m, would_be = min(trials)
        return part, m, would_be, error


def horner(coefficients, x):
    total = np.zeros_like(x)
    for c in coefficients[::-1]:
        total = total * x + x.dtype.type(c)
    return total


def forms(table):
    """The forms of one of the paper's tables."""
    with open(FOLDER / "mazur_2016_coefficients.csv", encoding="utf-8", newline="") as file:
        file.readline()
        rows = [row for row in csv.DictReader(file) if row["table"] == table]

    def key(row):
        return tuple(row[name] for name in ("table", "order", "from", "to", "damping"))

    return [Form(k, list(those)) for k, those in itertools.groupby(rows, key=key)]


def check(form, orders, x, values, real):
    """A row of the table: the form, its error, and what a cure would be."""
    inside = (x >= form.low) & (x < form.high)
    x, exact = x[inside], values[inside, form.order]
    if form.unread and (len(form.unread) > 1):
        return [form.name, None, None, f"{len(form.unread)} coefficients cannot be read", None]
    found = form.evaluate(form.coefficients(real), x.astype(real)).astype(float)
    errors = np.abs(found - exact)
    worst = int(errors.argmax())
    row = [form.name, float(errors[worst]), f"{x[worst]:g}", "", None]
    if errors[worst] <= SUSPICIOUS * AIMS[real] and not form.unread:
        return row
    for order in range(orders):
        other = np.abs(found - values[inside, order]).max()
        if order != form.order and other <= SUSPICIOUS * AIMS[real]:
            return [*row[:3], f"is F_{order}", float(other)]
    part, m, would_be, error = form.cure(x, exact)
    if form.unread == [(part, m)]:
        return [form.name, None, None, f"{part}, m = {m} cannot be read: {would_be:.10g}", error]
    if error < CURED * errors[worst] or error < AIMS[real]:
        if m == len(form.parts[part]):
            row[3:] = [f"{part}, m = {m} is missing: {would_be:.10g}", float(error)]
            return row
        printed = float(form.parts[part][m])
        row[3:] = [f"{part}, m = {m}: {would_be:.13g} for {printed:.13g}", float(error)]
    else:
        row[3] = "no single coefficient"
    return row


def make(table):
    """The function that makes the table of that name."""
    real = np.float64 if int(table[5:]) <= int(LAST[5:]) else np.float32

    def made(files, _printed):
        results = source.one(files)
        x, values = source.need(results, "results/x", "results/F")
        source.require(results, "problem.method", "two_range")
        source.require(results, "problem.precision", "double")
        tried = forms(table)
        highest = max(form.high for form in tried)
        orders = max(form.order for form in tried) + 1
        if values.shape[1] < orders or x.min() > 0 or x.max() < highest - 1e-9 or len(x) < 100:
            raise Misfit(
                f"it needs F_0 to F_{orders - 1} at 100 or more places from 0 to {highest:g}"
            )
        return Table(
            ["form", "largest error", "at x", "suspicious", "error without it"],
            [check(form, orders, x, values, real) for form in tried],
            [
                f"Absolute errors of the printed coefficients at {len(x)} places, in {np.dtype(real).name}; the paper aims"
                f" at {AIMS[real]:g}. A form that misses it {SUSPICIOUS} times is looked into: whether it is another function,"
                " or which single coefficient, changed, explains it. Coefficients are those of the text of the paper, whose"
                " own misprints and those of its extraction cannot be told apart."
            ],
        )

    return made


TABLES = {
    f"table{n}": (
        make(f"table{n}"),
        f"{form} coefficients in {precision} precision, tried",
    )
    for numbers, form, precision in (
        ((4, 5, 6), "rational", "double"),
        ((7, 8, 9), "polynomial", "double"),
        ((10, 11), "rational", "single"),
        ((12, 13), "polynomial", "single"),
    )
    for n in numbers
}
INPUTS = {f"table{n}": "table4" for n in range(5, 14)}
