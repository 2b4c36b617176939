# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Grades, and tables of them."""

import numpy as np

from ..table.layout import Table
from .calls import place
from .errors import Errors

HEADINGS = (
    "implementation",
    "version",
    "domain %",
    "values",
    "NaN",
    "inf",
    "wrong",
    "median",
    "p99",
    "worst",
    "worst/cond",
    "within %",
    "us/value",
    "place of the worst",
)


class Grade:
    """Errors of an implementation at the points of a quantity, in units of 2^-52."""

    def __init__(self, name, version, whole, points, errors, seconds):
        self.name, self.version = name, version
        self.domain = len(points) / len(whole) if len(whole) else 0.0
        self.points, self.errors = points, errors
        self.values = len(errors) if errors else 0
        self.seconds = seconds / self.values if self.values else np.nan

    @property
    def nan(self):
        return int(np.count_nonzero(self.errors.nan)) if self.errors else 0

    @property
    def infinite(self):
        return int(np.count_nonzero(self.errors.infinite)) if self.errors else 0

    @property
    def wrong(self):
        return int(np.count_nonzero(self.errors.wrong)) if self.errors else 0

    @property
    def median(self):
        return self.errors.quantile(0.5) if self.errors else np.nan

    @property
    def p99(self):
        return self.errors.quantile(0.99) if self.errors else np.nan

    @property
    def worst(self):
        return self.errors.worst()[0] if self.errors else np.nan

    @property
    def worst_conditioned(self):
        return self.errors.worst(conditioned=True)[0] if self.errors else np.nan

    @property
    def place_of_worst(self):
        row = self.errors.worst()[1] if self.errors else None
        return "-" if row is None else f"{place(self.points, row)} ({self.points.kind[row]})"

    def share_within(self, limit):
        return self.errors.share_within(limit) if self.errors else np.nan

    def row(self, limit):
        return [
            self.name,
            self.version,
            percent(self.domain),
            self.values,
            self.nan,
            self.infinite,
            self.wrong,
            number(self.median),
            number(self.p99),
            number(self.worst),
            number(self.worst_conditioned),
            percent(self.share_within(limit)),
            number(self.seconds * 1e6),
            self.place_of_worst,
        ]


def number(value):
    """Three digits."""
    return None if np.isnan(value) else f"{value:.3g}"


def percent(share):
    """Never 100 where one is missing."""
    if np.isnan(share):
        return None
    return f"{np.floor(share * 1e4) / 100:.2f}".rstrip("0").rstrip(".")


def by_class(grade):
    """Grades of the same values by what their points were chosen for."""
    made = []
    for kind in dict.fromkeys(grade.points.kind):
        chosen = grade.points.kind == kind
        rows = np.nonzero(chosen)[0]
        part = grade.points.part(chosen)
        errors = Errors.__new__(Errors)
        inside = np.isin(grade.errors.row, rows)
        for name in ("nan", "infinite", "relative", "conditioned", "wrong"):
            setattr(errors, name, getattr(grade.errors, name)[inside])
        errors.row = np.searchsorted(rows, grade.errors.row[inside])
        one = Grade(f"{grade.name}: {kind}", grade.version, part, part, errors, np.nan)
        one.seconds = grade.seconds
        made.append(one)
    return made


def explanation(limit):
    """What the columns mean."""
    return (
        "Errors are relative, in units of 2^-52 = 2.2e-16. Of infinite and NaN results the worst says"
        " nothing; median and p99 count them as infinite. wrong: a relative error above 0.001;"
        f" within: at most {limit:g}; worst/cond: the worst error divided by 1 + the condition number;"
        " domain: the points where the implementation promises a value."
    )


def table(quantity, grades, limit=1e-13, failures=()):
    """The table of grades of one quantity."""
    made = Table(HEADINGS, [grade.row(limit) for grade in grades])
    made.title = f"{quantity.name} (version {quantity.version}): {quantity.title}"
    made.notes = [*failures]
    return made
