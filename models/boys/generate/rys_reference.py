#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the reference values of Rys quadrature for the tests, from 90 digits. Needs mpmath.

    ./rys_reference.py > ../../../tests/data/boys/rys.csv

Columns: x, n, then the n roots and the n weights, each rounded correctly and written as a C hexadecimal float.
"""

from mpmath import mp, mpf

import rys_functions as rys

mp.dps = 90
ORDERS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32]
ARGUMENTS = [
    0,
    5e-324,
    1e-17,
    1e-5,
    0.75,
    2,
    3.9375,
    4,
    7.5,
    11,
    17.25,
    26,
    35,
    43,
    59,
    75,
    95,
    121,
    147.5,
    1e3,
    1e37,
]


def main():
    print(
        "# x, n, u_1, ..., u_n, w_1, ..., w_n; C hexadecimal floats; written by models/boys/generate/rys_reference.py"
    )
    for n in ORDERS:
        limit_roots, limit_weights = rys.hermite_quadrature(n)
        for x in map(mpf, ARGUMENTS):
            if x < 500:
                points, weights = rys.quadrature(n, x)
            else:  # e^(-x) is below 1e-217
                points, weights = [r / x for r in limit_roots], [
                    w / mp.sqrt(x) for w in limit_weights
                ]
            print(",".join(float.hex(float(v)) for v in [x, n, *points, *weights]))


if __name__ == "__main__":
    main()
