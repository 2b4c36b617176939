# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""What the tables of Rys quadrature share: intervals of x, polynomials by Chebyshev interpolation,
and their texts in C++ (mpmath, at the working precision of `mp`)."""

import argparse
import pathlib
import re

from mpmath import mp, mpf


def octave_intervals(shift, parts, end):
    """(begin, end) of the intervals from 0 to `end` or beyond: every octave of x + shift has
    `parts` of equal width. The functions are smoother the larger x is."""
    intervals, begin = [], mpf(shift)
    while begin < shift + end:
        width = mpf(2) ** (int(begin).bit_length() - 1) / parts
        intervals.append((begin - shift, begin - shift + width))
        begin += width
    return intervals


def nodes(count):
    """The nodes of Chebyshev interpolation on [-1, 1]."""
    return [mp.cos(mp.pi * (j + mpf(1) / 2) / count) for j in range(count)]


def node_arguments(begin, end, count):
    """The nodes on [begin, end]."""
    return [begin + (end - begin) * (1 + s) / 2 for s in nodes(count)]


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


class Polynomials:
    """Polynomials of one degree in s, -1 <= s <= 1, for several functions on an interval. samples:
    rows of values at the nodes. Both tolerances are relative to the least value of a function."""

    def __init__(self, samples, tolerance, float_tolerance, degree=0):
        columns = list(zip(*samples))
        self.least = [min(map(abs, column)) for column in columns]
        self._series = [chebyshev_series(column) for column in columns]
        self.degree = max(
            degree,
            *(self._needed(s, a * tolerance) for s, a in zip(self._series, self.least)),
        )
        self.powers = [to_powers(s[: self.degree + 1]) for s in self._series]
        self.split = self._first_float(float_tolerance)

    @staticmethod
    def _needed(series, allowed):
        tail, d = mpf(0), len(series) - 1
        while tail + abs(series[d]) < allowed:
            tail += abs(series[d])
            d -= 1
        return d

    def _first_float(self, tolerance):
        """From this power on, coefficients of single precision do; half a rounding counts."""
        tail, split = [mpf(0)] * len(self.powers), self.degree + 1
        while split > 0:
            tail = [t + abs(p[split - 1]) for t, p in zip(tail, self.powers)]
            if any(t > tolerance * a * mpf(2) ** 25 for t, a in zip(tail, self.least)):
                break
            split -= 1
        return split

    def double_rows(self, split):
        """Texts of the coefficients of s^0 ... s^(split - 1), a row a power."""
        return [
            [shortest(p[d], mpf(2) ** -60 * a) for p, a in zip(self.powers, self.least)]
            for d in range(split)
        ]

    def float_rows(self, split):
        """Texts of the coefficients from s^split on."""
        return [
            [float_text(p[d], abs(p[d]) * mpf(2) ** -28) for p in self.powers]
            for d in range(split, self.degree + 1)
        ]


def shortest(value, error):
    """The shortest decimal number of at most 20 digits within `error` of the value."""
    for digits in range(1, 21):
        text = mp.nstr(value, digits, min_fixed=-4, max_fixed=6)
        if abs(mpf(text) - value) <= error:
            break
    text = text.replace(".0e", "e")
    text = text[:-2] if text.endswith(".0") else text
    return re.sub(r"^(-?)0\.", r"\1.", text)


def float_text(value, error):
    """The same as a literal of C++ of single precision: 3F has no point."""
    text = shortest(value, error)
    return text + ("F" if re.search(r"[.e]", text) else ".F")


def array(kind, name, items):
    """The definition of an array in C++."""
    lines, line = [], f"  {kind} {name}[{len(items)}] = {{"
    for k, item in enumerate(items):
        item += "};" if k == len(items) - 1 else ","
        if len(line) + len(item) > 140:
            lines.append(line)
            line = "    "
        line += item
    return "\n".join(lines + [line])


class Comparison:
    """Compares newly computed texts with those of arrays in a file."""

    def __init__(self, text):
        self._text, self.wrong = text, 0

    def stored(self, name):
        body = re.search(r" " + name + r"\[\d+\] = \{(.*?)\};", self._text, re.DOTALL)[1]
        return [v.strip() for v in body.split(",")]

    def compare(self, name, begin, items):
        there = self.stored(name)[begin : begin + len(items)]
        self.wrong += sum(a != b for a, b in zip(items, there)) + abs(len(items) - len(there))
        print(f"{name} from {begin}: {len(items)} numbers compared, {self.wrong} differ so far")


HEAD = """// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
// Written by models/boys/generate/%s; do not edit.
// clang-format off
#pragma once

namespace tessera::boys::detail {
"""
END = "\n};\n\n}  // namespace tessera::boys::detail\n"


def run_generator(page, header, write, check):
    """Runs a script and returns its exit status: write(path) of a header of the functions, or with
    --check FILE check(FILE)."""
    parser = argparse.ArgumentParser(description=page.splitlines()[0])
    parser.add_argument("--check", type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    if arguments.check:
        return check(arguments.check)
    functions = pathlib.Path(__file__).resolve().parent.parent / "tessera" / "boys" / "function"
    write(functions / header)
    return 0
