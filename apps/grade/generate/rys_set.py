#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the reference set of Rys quadrature: rys_set.py [--count N] [--seed S] OUTPUT.h5.

The roots u_i = t_i^2 and weights w_i of order n = 1 ... 32, with sum_i w_i f(u_i) = int_0^1 f(t^2)
e^(-x t^2) dt for polynomials f of degree 2 n - 1, by models/boys/generate/rys_functions.py at 70
digits beyond what cancels. A random part is checked at 40 digits more, and all of it by the moments
F_0(x) ... F_(2n-1)(x) that the quadrature must give. Needs python3-gmpy2, python3-mpmath, numpy and
h5py; half a minute for each 1000 quadratures.
"""

import os
import sys

import gmpy2
import mpmath
from gmpy2 import mpfr
from reference_set import ReferenceSet, Source, set_arguments

sys.path.append(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../models/boys/generate")
)

import rys_functions as rys  # noqa: E402

INPUTS = {"n": "order n", "x": "argument x"}
LAST_ORDER = 32
LAST_FULL_ORDER = 20  # orders above get a quarter of the arguments
QUANTITIES = {
    "roots": "u_1 < ... < u_n, u = t^2, in (0, 1)",
    "weights": "w_1, ..., w_n",
}
SHARES = {
    "body": 0.6,
    "small x": 0.1,
    "tiny x": 0.04,
    "where tables end": 0.16,
    "large x": 0.08,
    "huge x": 0.02,
}


def arguments_of(kind, source):
    spread = source.spread
    return {
        "body": lambda: source.uniform(0, 60),
        "small x": lambda: spread(1e-8, 1),
        "tiny x": lambda: spread(1e-300, 1e-8),
        "where tables end": lambda: source.uniform(60, 250),
        "large x": lambda: spread(250, 1e6),
        "huge x": lambda: spread(1e6, 1e37),
    }[kind]()


def quadrature(n, x, limit):
    """Roots and weights; limit: those of x -> infinity."""
    if x > 600:  # e^(-x) is below 1e-260
        return [r / x for r in limit[0]], [w / mpmath.sqrt(x) for w in limit[1]]
    return rys.quadrature(n, x)


def from_moments(n, x, roots, weights):
    """How far sum_i w_i u_i^m is from F_m(x), relative."""
    if x > 600:
        return mpmath.mpf(0)
    moments = rys.moments(2 * n, x)
    powers, worst = list(weights), mpmath.mpf(0)
    for moment in moments:
        worst = max(worst, abs(sum(powers) / moment - 1))
        powers = [p * r for p, r in zip(powers, roots)]
    return worst


def conditions(n, x, limit, found):
    """|x d value / dx / value|, by a difference."""
    if x == 0:
        return [[0.0] * n, [0.0] * n]
    step = x * mpmath.mpf(10) ** -8
    moved = quadrature(n, x + step, limit)
    return [
        [abs(b / a - 1) * mpmath.mpf(10) ** 8 for a, b in zip(here, there)]
        for here, there in zip(found, moved)
    ]


def to_gmpy2(values):
    return [mpfr(mpmath.nstr(value, 40)) for value in values]


def main():
    options = set_arguments(__doc__, 260, "arguments of an order")
    source, worst, second = Source(options.seed), mpmath.mpf(0), mpmath.mpf(0)
    made = ReferenceSet("rys", 2, "Rys quadrature", INPUTS, QUANTITIES)
    gmpy2.set_context(gmpy2.context(precision=140))
    for n in range(1, LAST_ORDER + 1):
        digits = 50 + int(1.6 * n)
        mpmath.mp.dps = digits
        limit = rys.hermite_quadrature(n)
        count = options.count if n <= LAST_FULL_ORDER else options.count // 4
        cases = [("zero", 0.0)]
        for kind, share in SHARES.items():
            cases += [(kind, arguments_of(kind, source)) for _ in range(round(share * count))]
        for kind, place in cases:
            x = mpmath.mpf(place)
            found = quadrature(n, x, limit)
            worst = max(worst, from_moments(n, x, *found))
            if source.random() < 0.05:
                with mpmath.workdps(digits + 40):
                    finer = quadrature(n, x, rys.hermite_quadrature(n))
                    pairs = zip(found[0] + found[1], finer[0] + finer[1])
                    second = max(second, *(abs(a / b - 1) for a, b in pairs))
            roots, weights = conditions(n, x, limit, found)
            values = {
                "roots": (to_gmpy2(found[0]), roots),
                "weights": (to_gmpy2(found[1]), weights),
            }
            made.add(kind, (n, place), values)
        print(f"n = {n}: {float(worst):.1e} {float(second):.1e}", file=sys.stderr, flush=True)
    made.write(
        options,
        worst,
        second,
        digits="51 to 101",
        generator="apps/grade/generate/rys_set.py",
        check="the moments of every quadrature; 40 digits more at a twentieth of them",
    )


if __name__ == "__main__":
    main()
