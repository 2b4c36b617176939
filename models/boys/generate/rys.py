#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of Rys quadrature. Needs mpmath (about one minute).

    ./rys.py                     into ../tessera/boys/function/coefficients_rys.hpp
    ./rys.py --check FILE        compares some numbers of FILE with newly computed ones

Per interval of x of width WIDTH, a polynomial in s = (x - middle) / (WIDTH / 2) for each coefficient b_1 ... b_39 of rys_functions.py,
and what rounding to double precision took from the coefficient of s^0. Where the limit b_k = k / (2x) is good to LIMIT_TOLERANCE, no
polynomial is stored. Per order n and interval of width border / PARTS, a polynomial of degree GUESS_DEGREE for each root, good enough for
Newton's method to begin with. From x = border of the order on the quadrature is that of the limit.
"""

import argparse
import pathlib
import re
import sys

from mpmath import mp, mpf

import rys_functions as rys

MAX_ORDER = 20
LAST = 2 * MAX_ORDER - 1
WIDTH = 4
TOLERANCE = mpf("3e-17")  # of the polynomials, relative to b_k
LIMIT_TOLERANCE = mpf("2e-18")  # of k / (2x), relative to b_k
FAR_TOLERANCE = mpf("2e-17")  # of the roots and weights of the limit
PARTS, GUESS_DEGREE = 16, 4
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


def nodes(count):
    return [mp.cos(mp.pi * (j + mpf(1) / 2) / count) for j in range(count)]


def chebyshev_series(samples):
    """Coefficients of the Chebyshev polynomials from values at the nodes."""
    count = len(samples)
    series = [
        2
        / mpf(count)
        * mp.fsum(v * mp.cos(mp.pi * d * (j + mpf(1) / 2) / count) for j, v in enumerate(samples))
        for d in range(count)
    ]
    series[0] /= 2
    return series


def to_powers(series):
    """The same polynomial in powers of s."""
    powers = [mpf(0)] * len(series)
    before, now = [mpf(1)], [mpf(0), mpf(1)]
    for d, c in enumerate(series):
        for k, a in enumerate(before):
            powers[k] += c * a
        following = [mpf(0)] + [2 * a for a in now]
        for k, a in enumerate(before):
            following[k] -= a
        before, now = now, following
    return powers


def shortest(value, error):
    """The shortest decimal number of at most 20 digits within `error` of the value."""
    for digits in range(1, 21):
        text = mp.nstr(value, digits, min_fixed=-4, max_fixed=6)
        if abs(mpf(text) - value) <= error:
            break
    text = text.replace(".0e", "e")
    text = text[:-2] if text.endswith(".0") else text
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def recurrence_interval(j):
    """(first k, degree, rows) of the interval j: the coefficients by ascending power, and what rounding took from those of s^0."""
    x = [WIDTH * (j + (1 + s) / 2) for s in nodes(28)]
    samples = [rys.recurrence(LAST, rys.moments(LAST + 1, u)) for u in x]
    first = 1
    if j > 0:
        begin = WIDTH * j
        b = rys.recurrence(LAST, rys.moments(LAST + 1, mpf(begin)))
        while first < LAST and abs(b[first] * 2 * begin / first - 1) < LIMIT_TOLERANCE:
            first += 1
    series = [chebyshev_series([b[k] for b in samples]) for k in range(first, LAST + 1)]
    smallest = [min(b[k] for b in samples) for k in range(first, LAST + 1)]
    degree = 0
    for one, least in zip(series, smallest):
        tail, d = mpf(0), len(one) - 1
        while tail + abs(one[d]) < TOLERANCE * least:
            tail += abs(one[d])
            d -= 1
        degree = max(degree, d)
    powers = [to_powers(one[: degree + 1]) for one in series]
    rows = [[shortest(p[d], mpf(2) ** -60 * p[0]) for p in powers] for d in range(degree + 1)]
    rows.append(
        [
            shortest(p[0] - mpf(float(text)), mpf(2) ** -60 * p[0])
            for p, text in zip(powers, rows[0])
        ]
    )
    return first, degree, rows


def guess_interval(n, last, part):
    """Rows of coefficients by ascending power, for each root of order n."""
    width = mpf(last) / PARTS
    points = [
        rys.quadrature(n, width * (part + (1 + s) / 2))[0] for s in nodes(10)
    ]
    powers = [
        to_powers(chebyshev_series([p[i] for p in points])[: GUESS_DEGREE + 1]) for i in range(n)
    ]
    gaps = [
        min(p[max(i, 1)] - p[max(i, 1) - 1] if n > 1 else p[0] for p in points) for i in range(n)
    ]
    gaps = [min(gap, powers[i][0], *(gaps[i + 1 : i + 2])) for i, gap in enumerate(gaps)]
    return [
        [shortest(p[d], mpf("3e-8") * gap) + "F" for p, gap in zip(powers, gaps)]
        for d in range(GUESS_DEGREE + 1)
    ]


def float_literal(text):
    """A literal of C++: 3F has no point."""
    return text if re.search(r"[.e]", text) or not text.endswith("F") else text[:-1] + ".F"


def array(kind, name, items):
    lines, line = [], f"  {kind} {name}[{len(items)}] = {{"
    for k, item in enumerate(map(float_literal, items)):
        item += "};" if k == len(items) - 1 else ","
        if len(line) + len(item) > 140:
            lines.append(line)
            line = "    "
        line += item
    return "\n".join(lines + [line])


HEAD = """// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
// Written by models/boys/generate/rys.py; do not edit.
// clang-format off
#pragma once

namespace tessera::boys::detail {

/// What Rys quadrature of every order reads. function/rys_quadrature.hpp says how.
struct RysTables {
  static constexpr int max_order = %d, last_coefficient = %d, width = %d, parts = %d, guess_degree = %d;

"""


def write(path):
    mp.dps = DIGITS
    borders, limit_roots, limit_weights, x = [], [], [], 30
    for n in range(1, MAX_ORDER + 1):
        x, r, w = far_border(n, x)
        borders.append(x)
        limit_roots += r
        limit_weights += w
    print("borders", borders, file=sys.stderr)
    first, degree, offset, numbers = [], [], [], []
    for j in range(-(-borders[-1] // WIDTH)):
        k, d, rows = recurrence_interval(j)
        first.append(k)
        degree.append(d)
        offset.append(len(numbers))
        numbers += [c for row in rows for c in row]
    print("first", first, "degree", degree, "numbers", len(numbers), file=sys.stderr)
    numbers += ["0"] * 8  # groups of numbers are read at a time; these are not used
    mp.dps = 50
    guesses = []
    for n in range(1, MAX_ORDER + 1):
        for part in range(PARTS):
            guesses += [c for row in guess_interval(n, borders[n - 1], part) for c in row]
    guesses += ["0F"] * 8
    mp.dps = DIGITS
    tiny = mpf(2) ** -60
    text = HEAD % (MAX_ORDER, LAST, WIDTH, PARTS, GUESS_DEGREE)
    text += "  /// Order n takes the limit from x = border[n - 1] on.\n"
    text += array("int", "border", [str(b) for b in borders])
    text += "\n\n  /// The limit: x root, sqrt(x) weight; order n begins at n (n - 1) / 2.\n"
    text += array("double", "limit_root", [shortest(v, tiny * v) for v in limit_roots]) + "\n"
    text += array("double", "limit_weight", [shortest(v, tiny * v) for v in limit_weights])
    text += "\n\n  /// Each interval has polynomials for the coefficients b_k from `first` on, of this degree; its numbers begin at `offset`.\n"
    text += "\n".join(
        array("int", name, [str(v) for v in values])
        for name, values in (("first", first), ("degree", degree), ("offset", offset))
    )
    text += "\n\n  /// Per interval and power, and after all powers, one number for each k from the first to the last.\n"
    text += array("double", "recurrence", numbers)
    text += "\n\n  /// Per order, part and power, one number for each root.\n" + array(
        "float", "guess", guesses
    )
    text += "\n};\n\n}  // namespace tessera::boys::detail\n"
    path.write_text(text)
    print(
        f"{8 * len(numbers) + 4 * len(guesses) + 16 * len(limit_roots)} bytes of tables",
        file=sys.stderr,
    )


def stored(text, name):
    body = re.search(r" " + name + r"\[\d+\] = \{(.*?)\};", text, re.DOTALL)[1]
    return [v.strip() for v in body.split(",")]


def check(path):
    """Computes some parts of the tables again. The texts must be the same."""
    text = path.read_text()
    wrong = 0

    def compare(name, begin, items):
        nonlocal wrong
        there = stored(text, name)[begin : begin + len(items)]
        wrong += sum(float_literal(a) != b for a, b in zip(items, there)) + abs(
            len(items) - len(there)
        )
        print(f"{name} from {begin}: {len(items)} numbers compared, {wrong} differ so far")

    mp.dps = DIGITS
    for j in (0, 9):
        k, d, rows = recurrence_interval(j)
        compare("first", j, [str(k)])
        compare("degree", j, [str(d)])
        compare("recurrence", int(stored(text, "offset")[j]), [c for row in rows for c in row])
    points, weights = rys.hermite_quadrature(6)
    tiny = mpf(2) ** -60
    compare("limit_root", 15, [shortest(v, tiny * v) for v in points])
    compare("limit_weight", 15, [shortest(v, tiny * v) for v in weights])
    mp.dps = 50
    for n, part in ((1, 3), (6, 0), (6, 15)):
        begin = PARTS * (GUESS_DEGREE + 1) * (n * (n - 1) // 2) + part * (GUESS_DEGREE + 1) * n
        items = guess_interval(n, int(stored(text, "border")[n - 1]), part)
        compare("guess", begin, [c for row in items for c in row])
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    if arguments.check:
        return check(arguments.check)
    write(
        pathlib.Path(__file__).resolve().parent.parent
        / "tessera"
        / "boys"
        / "function"
        / "coefficients_rys.hpp"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
