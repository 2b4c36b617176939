#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of Rys quadrature. Needs mpmath (about one minute).

    ./rys.py                     into ../tessera/boys/function/coefficients_rys.hpp
    ./rys.py --check FILE        compares some numbers of FILE with newly computed ones

Per interval of x, PARTS_OF_OCTAVE of which fill an octave of x + SHIFT, a polynomial in s, which
goes from -1 to 1, for each coefficient b_1 ... b_39 of rys_functions.py, and what rounding to
double precision took from the coefficient of s^0. High powers have coefficients of single
precision. Where the limit b_k = k / (2x) is good to LIMIT_TOLERANCE, no polynomial is stored. Per
order n > 5, a polynomial of degree GUESS_DEGREE for each root on the parts that guess_parts() has,
good enough for Newton's method to begin with. From x = border of the order on the quadrature is
that of the limit.
"""

import sys

from mpmath import mp, mpf

import rys_functions as rys
from rys_tables import (
    END,
    HEAD,
    Comparison,
    Polynomials,
    array,
    chebyshev_series,
    float_text,
    node_arguments,
    octave_intervals,
    run_generator,
    shortest,
    to_powers,
)

MAX_ORDER, FIRST_GUESSED = 20, 6
LAST = 2 * MAX_ORDER - 1
SHIFT, PARTS_OF_OCTAVE = 6, 4
TOLERANCE = mpf("3e-17")  # of the polynomials, relative to b_k
FLOAT_TOLERANCE = mpf("2e-17")  # of their coefficients of single precision
LIMIT_TOLERANCE = mpf("2e-18")  # of k / (2x), relative to b_k
FAR_TOLERANCE = mpf("2e-17")  # of the roots and weights of the limit
PARTS, WHOLE_PARTS, GUESS_DEGREE = 8, 5, 6
UNUSED = 48  # numbers at the end of the tables
DIGITS = 90


def far_border(n, first):
    """The first even x >= first from which on the limit has the roots and weights."""
    limit_roots, limit_weights = rys.hermite_quadrature(n)
    x = first
    while True:
        points, weights = rys.quadrature(n, mpf(x))
        errors = [abs(x * u / r - 1) for u, r in zip(points, limit_roots)]
        errors += [abs(mp.sqrt(x) * w / v - 1) for w, v in zip(weights, limit_weights)]
        if max(errors) < FAR_TOLERANCE:
            return x, limit_roots, limit_weights
        x += 2


def recurrence_interval(begin, end):
    """(first k, its polynomials, what rounding took from the coefficients of s^0)."""
    first = 1
    if begin > 0:
        b = rys.recurrence(LAST, rys.moments(LAST + 1, begin))
        while first < LAST and abs(b[first] * 2 * begin / first - 1) < LIMIT_TOLERANCE:
            first += 1
    samples = [
        rys.recurrence(LAST, rys.moments(LAST + 1, x))[first:]
        for x in node_arguments(begin, end, 30)
    ]
    made = Polynomials(samples, TOLERANCE, FLOAT_TOLERANCE)
    rest = [
        float_text(p[0] - mpf(float(text)), mpf(2) ** -60 * p[0])
        for p, text in zip(made.powers, made.double_rows(1)[0])
    ]
    return first, made, rest


def guess_parts(border):
    """(begin, end) of the parts of [0, border]: WHOLE_PARTS of the width border / PARTS, and one
    for all that is left, where the roots are those of the limit with small changes."""
    width = mpf(border) / PARTS
    return [(width * j, width * (j + 1)) for j in range(WHOLE_PARTS)] + [
        (width * WHOLE_PARTS, mpf(border))
    ]


def guess_interval(n, begin, end):
    """Rows of coefficients by ascending power, for each root of order n."""
    points = [rys.quadrature(n, x)[0] for x in node_arguments(begin, end, 14)]
    powers = [
        to_powers(chebyshev_series([p[i] for p in points])[: GUESS_DEGREE + 1]) for i in range(n)
    ]
    gaps = [min(p[max(i, 1)] - p[max(i, 1) - 1] for p in points) for i in range(n)]
    gaps = [min(gap, powers[i][0], *(gaps[i + 1 : i + 2])) for i, gap in enumerate(gaps)]
    return [
        [float_text(p[d], mpf("3e-8") * gap) for p, gap in zip(powers, gaps)]
        for d in range(GUESS_DEGREE + 1)
    ]


class RecurrenceTable:
    """The arrays of all intervals."""

    def __init__(self, end):
        self.integers = {
            name: [] for name in ("first", "degree", "split", "offset", "offset_float")
        }
        self.numbers, self.floats = [], []
        for begin, until in octave_intervals(SHIFT, PARTS_OF_OCTAVE, end):
            self._add(*recurrence_interval(begin, until))
        # numbers of as many k as an order has are read, and not used where there are none
        self.numbers += ["0"] * UNUSED
        self.floats += ["0.F"] * UNUSED

    def _add(self, first, made, rest):
        values = (first, made.degree, made.split, len(self.numbers), len(self.floats))
        for column, value in zip(self.integers.values(), values):
            column.append(value)
        self.numbers += [c for row in made.double_rows(made.split) for c in row]
        self.floats += [c for row in [rest, *made.float_rows(made.split)] for c in row]

    def text(self):
        text = "\n\n  /// Each interval has polynomials for the coefficients b_k from `first` on, of this degree, in double precision below\n"
        text += "  /// s^split; its numbers begin at `offset` and `offset_float`.\n"
        text += "\n".join(
            array("int", name, list(map(str, values))) for name, values in self.integers.items()
        )
        text += "\n\n  /// Per interval and power below s^split, one number for each k from the first to the last.\n"
        text += array("double", "recurrence", self.numbers)
        text += "\n\n  /// The same for what rounding took from the coefficients of s^0, and for the powers from s^split on.\n"
        return text + array("float", "recurrence_float", self.floats)


def guess_table(borders):
    guesses = [
        c
        for n in range(FIRST_GUESSED, MAX_ORDER + 1)
        for part in guess_parts(borders[n - 1])
        for row in guess_interval(n, *part)
        for c in row
    ]
    return guesses + ["0.F"] * 4


CONSTANTS = """
/// What Rys quadrature of every order reads. function/rys_quadrature.hpp says how.
struct RysTables {
  static constexpr int max_order = %d, last_coefficient = %d, shift = %d, parts_of_octave = %d;
  static constexpr int largest_first = %d, first_guessed = %d, parts = %d, whole_parts = %d, guess_degree = %d;

  /// Order n takes the limit from x = border[n - 1] on.
"""


def write(path):
    mp.dps = DIGITS
    borders, limit_roots, limit_weights, x = [], [], [], 30
    for n in range(1, MAX_ORDER + 1):
        x, r, w = far_border(n, x)
        borders.append(x)
        limit_roots += r
        limit_weights += w
    recurrence = RecurrenceTable(borders[-1])
    print(recurrence.integers, file=sys.stderr)
    mp.dps = 50
    guesses = guess_table(borders)
    mp.dps = DIGITS
    tiny = mpf(2) ** -60
    text = HEAD % "rys.py" + CONSTANTS % (
        *(MAX_ORDER, LAST, SHIFT, PARTS_OF_OCTAVE),
        *(max(recurrence.integers["first"]), FIRST_GUESSED, PARTS, WHOLE_PARTS, GUESS_DEGREE),
    )
    text += array("int", "border", [str(b) for b in borders])
    text += "\n\n  /// The limit: x root, sqrt(x) weight; order n begins at n (n - 1) / 2.\n"
    text += array("double", "limit_root", [shortest(v, tiny * v) for v in limit_roots]) + "\n"
    text += array("double", "limit_weight", [shortest(v, tiny * v) for v in limit_weights])
    text += recurrence.text()
    text += "\n\n  /// Per order, part and power, one number for each root.\n"
    path.write_text(text + array("float", "guess", guesses) + END)
    doubles = len(recurrence.numbers) + 2 * len(limit_roots)
    floats = len(recurrence.floats) + len(guesses)
    print(f"{8 * doubles + 4 * floats} bytes of tables", file=sys.stderr)


def check(path):
    """Computes some parts of the tables again. The texts must be the same."""
    tables = Comparison(path.read_text())
    mp.dps = DIGITS
    intervals = octave_intervals(SHIFT, PARTS_OF_OCTAVE, int(tables.stored("border")[-1]))
    for j in (0, 9, len(intervals) - 2):
        first, made, rest = recurrence_interval(*intervals[j])
        tables.compare("first", j, [str(first)])
        tables.compare("degree", j, [str(made.degree)])
        numbers = [c for row in made.double_rows(made.split) for c in row]
        floats = [c for row in [rest, *made.float_rows(made.split)] for c in row]
        tables.compare("recurrence", int(tables.stored("offset")[j]), numbers)
        tables.compare("recurrence_float", int(tables.stored("offset_float")[j]), floats)
    points, weights = rys.hermite_quadrature(6)
    tiny = mpf(2) ** -60
    tables.compare("limit_root", 15, [shortest(v, tiny * v) for v in points])
    tables.compare("limit_weight", 15, [shortest(v, tiny * v) for v in weights])
    mp.dps = 50
    parts, terms = WHOLE_PARTS + 1, GUESS_DEGREE + 1
    for n, part in ((6, 0), (6, 5), (9, 2)):
        before = (n * (n - 1) - FIRST_GUESSED * (FIRST_GUESSED - 1)) // 2
        rows = guess_interval(n, *guess_parts(int(tables.stored("border")[n - 1]))[part])
        tables.compare("guess", terms * (parts * before + part * n), [c for r in rows for c in r])
    return 1 if tables.wrong else 0


if __name__ == "__main__":
    sys.exit(run_generator(__doc__, "coefficients_rys.hpp", write, check))
