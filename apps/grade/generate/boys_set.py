#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the reference set of Boys functions: boys_set.py [--count N] [--seed S] OUTPUT.h5.

F_n(x) = int_0^1 t^(2n) e^(-x t^2) dt for n = 0 ... 32 at each x: the highest order by its series of
positive terms, or by Gamma(n + 1/2) / (2 x^(n + 1/2)) where the rest is below 10^-60 of it, the others
by the downward recurrence. Every x is computed at a second precision; a random part is checked by
mpmath's incomplete gamma function. Needs python3-gmpy2, python3-mpmath, numpy and h5py.
"""

import sys

import gmpy2
import mpmath
from gmpy2 import mpfr
from reference_set import ReferenceSet, Source, sample, set_arguments

LAST = 32
INPUTS = {"n": "order n", "x": "argument x"}
QUANTITIES = {"boys": "F_n(x)"}
SHARES = {
    "body": 0.55,
    "where series end": 0.2,
    "small x": 0.1,
    "tiny x": 0.03,
    "large x": 0.1,
    "huge x": 0.02,
}


def arguments_of(kind, source):
    spread = source.spread
    return {
        "body": lambda: source.uniform(0, 60),
        "where series end": lambda: source.uniform(25, 160),
        "small x": lambda: spread(1e-8, 1),
        "tiny x": lambda: spread(1e-300, 1e-8),
        "large x": lambda: spread(60, 1e6),
        "huge x": lambda: spread(1e6, 1e300),
    }[kind]()


def functions(x, bits):
    """F_0(x), ..., F_(LAST + 1)(x)."""
    with gmpy2.local_context(gmpy2.context(), precision=bits, emax=1 << 40, emin=-(1 << 40)):
        x = mpfr(x)
        top = LAST + 1
        half = mpfr(1) / 2
        exponential = gmpy2.exp(-x)
        if x > 400:
            return [gmpy2.gamma(n + half) / (2 * x ** (n + half)) for n in range(top + 1)]
        b = top + half
        term = 1 / (2 * b)
        total = term
        while term > total * mpfr(2) ** -bits:
            b += 1
            term *= x / b
            total += term
        values = [total * exponential]
        for n in range(top - 1, -1, -1):
            values.append((2 * x * values[-1] + exponential) / (2 * n + 1))
        return values[::-1]


def by_mpmath(chosen):
    mpmath.mp.dps = 40
    worst = 0.0
    for n, x, value in chosen:
        order, place = n + mpmath.mpf(1) / 2, mpmath.mpf(x)
        theirs = mpmath.gammainc(order, 0, place) / (2 * place**order)
        worst = max(worst, float(abs(mpmath.mpf(str(value)) / theirs - 1)))
    return worst


def main():
    options = set_arguments(__doc__, 3200, "arguments", 400, "values compared with mpmath")
    source, worst, kept = Source(options.seed), 0.0, []
    made = ReferenceSet("boys", 1, "Boys functions", INPUTS, QUANTITIES)
    gmpy2.set_context(gmpy2.context(precision=170, emax=1 << 40, emin=-(1 << 40)))
    made.add("zero", (0, 0.0), {"boys": (mpfr(1), 0)})
    for n in range(1, LAST + 1):
        made.add("zero", (n, 0.0), {"boys": (1 / mpfr(2 * n + 1), 0)})
    for kind, share in SHARES.items():
        for _ in range(round(share * options.count)):
            x = arguments_of(kind, source)
            values, coarser = functions(x, 220), functions(x, 120)
            for n in range(LAST + 1):
                value = values[n]
                worst = max(worst, float(abs(coarser[n] / value - 1)))
                made.add(kind, (n, x), {"boys": (value, x * values[n + 1] / value)})
                if kind != "huge x":
                    kept.append((n, x, value))
    gmpy2.set_context(gmpy2.context(precision=200))
    chosen = sample(kept, options)
    second = by_mpmath(chosen)
    made.write(
        options,
        worst,
        second,
        digits="66",
        generator="apps/grade/generate/boys_set.py",
        check=f"36 digits at every point; mpmath's incomplete gamma function at {len(chosen)} points",
    )


if __name__ == "__main__":
    main()
