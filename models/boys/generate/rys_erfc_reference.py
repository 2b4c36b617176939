#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the reference values of Rys quadrature of erfc(omega r) / r for the tests, from 90 digits.
Needs mpmath (two minutes).

    ./rys_erfc_reference.py > ../../../tests/data/boys/rys_erfc.csv

Columns: x, rho, omega, n, then the n roots and the n weights, each rounded correctly and written as
a C hexadecimal float. s = omega^2 / (omega^2 + rho) is exact; the integrals of v^m e^(-x v), v = t^2
- s, over sqrt(s) <= t <= 1 come from a Gauss-Legendre rule of POINTS points.
"""

from mpmath import mp, mpf

import gauss_legendre
import rys_functions as rys

mp.dps = 90
POINTS = 300
REACH = 600  # of x v
ORDERS = [1, 2, 5, 6, 9, 13, 16, 20]
ARGUMENTS = [0, 1e-5, 0.75, 4, 17.25, 59, 147.5, 1e3, 1e37]
OMEGAS = [(1, 0), (1, 2**-20), (3, 0.25), (1, 1), (0.5, 3), (2**-20, 1)]  # rho, omega


def moments(count, x, s, rule):
    """The integrals of (v / reach)^m e^(-x v) for m < count, and reach."""
    a = mp.sqrt(s)
    reach = min(1 - s, mpf(REACH) / x) if x > 0 else 1 - s
    length = mp.sqrt(s + reach) - a
    found = [mpf(0)] * count
    for point, weight in zip(*rule):
        v = length * point * (2 * a + length * point)
        term = weight * length * mp.exp(-x * v)
        for m in range(count):
            found[m] += term
            term *= v / reach
    return found, reach


def quadrature(n, x, s, rule):
    mass, reach = moments(2 * n, x, s, rule)
    b = rys.recurrence(2 * n - 1, mass)
    points = rys.roots(n, b)
    weights = rys.weights(n, b, mass[0], points)
    return [s + reach * u for u in points], [mp.exp(-x * s) * w for w in weights]


def main():
    rule = gauss_legendre.rule(POINTS)
    print(
        "# x, rho, omega, n, u_1, ..., u_n, w_1, ..., w_n; C hexadecimal floats; written by models/boys/generate/rys_erfc_reference.py"
    )
    for n in ORDERS:
        for rho, omega in OMEGAS:
            s = mpf(omega) ** 2 / (mpf(omega) ** 2 + mpf(rho))
            for x in map(mpf, ARGUMENTS):
                points, weights = quadrature(n, x, s, rule)
                row = [x, rho, omega, n, *points, *weights]
                print(",".join(float.hex(float(v)) for v in row))


if __name__ == "__main__":
    main()
