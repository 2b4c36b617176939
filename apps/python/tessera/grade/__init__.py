# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Grades functions against reference sets in arbitrary precision: `tessera-grade bessel-k
scipy.special:kv` or `python -m tessera.grade`.

    quantity = tessera.grade.load("bessel-k")          # points and values; "stable/cdf", ...
    grade = tessera.grade.grade(quantity, scipy.special.kv)
    grade.worst, grade.p99, grade.nan                  # errors in units of 2^-52

The sets, their format and grades of other libraries are in apps/grade/REFEREE.md of Tessera.
"""

from ..table.layout import FORMATS
from . import calls
from .errors import Errors
from .report import HEADINGS, Grade, by_class, table
from .sets import NAMES, Quantity, load, quantities

__all__ = [
    "FORMATS",
    "HEADINGS",
    "NAMES",
    "Grade",
    "Quantity",
    "by_class",
    "grade",
    "grade_command",
    "load",
    "quantities",
    "table",
]


def grade(quantity, function, *, name="-", version="-", each=False, domain=None):
    """The grade of a callable at the points of a quantity.

    each: it takes one point a call. domain: a function of the inputs that says where the callable
    promises a value; other points are left out. Raises ResultsError where it raises, or gives
    another shape.
    """
    points = within(quantity, domain)
    if not len(points):
        return Grade(name, version, quantity, points, None, 0.0)
    got, seconds = calls.values(function, points, each)
    return Grade(name, version, quantity, points, Errors(points, got), seconds)


def grade_command(quantity, command, *, name="-", exchange="text", timeout=None):
    """The grade of an executable, which reads points and writes values."""
    got, seconds = calls.run_command(command, quantity, exchange, timeout)
    return Grade(name, "-", quantity, quantity, Errors(quantity, got), seconds)


def within(quantity, domain):
    return quantity if domain is None else quantity.part(domain(*quantity.inputs.values()))
