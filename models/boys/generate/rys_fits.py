#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the polynomials of the roots and weights of Rys quadrature of orders 1 to 5. Needs mpmath
(about one minute).

    ./rys_fits.py                into ../tessera/boys/function/coefficients_rys_fits.hpp
    ./rys_fits.py --check FILE   compares some numbers of FILE with newly computed ones

Per order and interval of x, PARTS_OF_OCTAVE of which fill an octave of x + SHIFT, a polynomial in
s, which goes from -1 to 1, for each root and each weight. All intervals of an order have the same
degree, and coefficients of single precision from the same power on. The 2n polynomials stand in
groups of 8, 4 and 2, so that the numbers of a group and a power fill vector registers.
"""

import re
import sys

from mpmath import mp, mpf

import rys_functions as rys
from rys_tables import (
    END,
    HEAD,
    Comparison,
    Polynomials,
    array,
    node_arguments,
    octave_intervals,
    run_generator,
)

MAX_ORDER = 5
SHIFT, PARTS_OF_OCTAVE, BORDER = 8, 8, 72
TOLERANCE = mpf("1e-16")  # of the polynomials, relative to the value
FLOAT_TOLERANCE = mpf("2e-16")  # of their coefficients of single precision
DIGITS = 50


def values(n, x):
    """The roots and weights of order n."""
    if n == 1:
        mass = rys.moments(2, x)
        return [mass[1] / mass[0], mass[0]]
    points, weights = rys.quadrature(n, x)
    return list(points) + list(weights)


def intervals():
    return octave_intervals(SHIFT, PARTS_OF_OCTAVE, BORDER)


def groups(count):
    """(begin, end) of the groups of `count` polynomials."""
    found, begin = [], 0
    for size in (8, 4, 2):
        if begin + size <= count:
            found.append((begin, begin + size))
            begin += size
    return found


def polynomials(n, begin, end, degree=0):
    samples = [values(n, x) for x in node_arguments(begin, end, 24)]
    return Polynomials(samples, TOLERANCE, FLOAT_TOLERANCE, degree)


def rows_of(part, group):
    return [c for row in part for c in row[slice(*group)]]


def structure(n):
    """The struct of order n, and its bytes."""
    degree = max(polynomials(n, *at).degree for at in intervals())
    made = [polynomials(n, *at, degree) for at in intervals()]
    split = max(one.split for one in made)
    doubles, floats = [], []
    for group in groups(2 * n):
        for one in made:
            doubles += rows_of(one.double_rows(split), group)
            floats += rows_of(one.float_rows(split), group)
    text = f"template <>\nstruct RysFit<{n}> {{\n"
    text += f"  static constexpr int degree = {degree}, split = {split};\n"
    text += array("alignas(64) double", "coefficient", doubles) + "\n"
    text += array("alignas(64) float", "float_coefficient", floats)
    return text, 8 * len(doubles) + 4 * len(floats)


CONSTANTS = """
/// The intervals of the polynomials of orders 1 to 5. function/rys_fits.hpp says how.
struct RysFits {
  static constexpr int max_order = %d, shift = %d, parts_of_octave = %d, intervals = %d, border = %d;
};

/// The polynomials of one order: per group of 8, 4 or 2 of them (the roots, then the weights), interval and power below s^split, one number for
/// each polynomial; the same for the powers from s^split on.
template <int n>
struct RysFit;

"""


def write(path):
    mp.dps = DIGITS
    numbers = (MAX_ORDER, SHIFT, PARTS_OF_OCTAVE, len(intervals()), BORDER)
    structures = [structure(n) for n in range(1, MAX_ORDER + 1)]
    text = HEAD % "rys_fits.py" + CONSTANTS % numbers
    path.write_text(text + "\n};\n\n".join(text for text, _ in structures) + END)
    print(f"{sum(size for _, size in structures)} bytes of tables", file=sys.stderr)


def check(path):
    """Computes some parts of the tables again. The texts must be the same."""
    mp.dps = DIGITS
    wrong = 0
    for n, interval in ((1, 3), (3, 8), (5, 25)):
        body = path.read_text().split(f"struct RysFit<{n}> {{")[1].split("\n};")[0]
        degree, split = map(int, re.findall(r" (?:degree|split) = (\d+)", body))
        made = polynomials(n, *intervals()[interval], degree)
        tables = Comparison(body)
        for begin, end in groups(2 * n):
            place = len(intervals()) * begin + interval * (end - begin)
            doubles = rows_of(made.double_rows(split), (begin, end))
            floats = rows_of(made.float_rows(split), (begin, end))
            tables.compare("coefficient", split * place, doubles)
            tables.compare("float_coefficient", (degree + 1 - split) * place, floats)
        wrong += tables.wrong
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(run_generator(__doc__, "coefficients_rys_fits.hpp", write, check))
