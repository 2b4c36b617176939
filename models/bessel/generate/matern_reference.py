#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes reference values of the Matern correlation for the tests. Needs mpmath.

    ./matern_reference.py > ../../../tests/data/bessel/matern.csv

Columns: nu, h, M_nu(h), what M lost by rounding, h dM/dh, dM/dnu with M_nu(h) = 2^(1-nu) / Gamma(nu) h^nu K_nu(h); each rounded to double
and written as a C hexadecimal float. The smoothness runs over small, half-integer, integer, nearly integer and large numbers, the distance over the three
parts of the table, its borders, and numbers in between.
"""

import random

from mpmath import mp, mpf

mp.dps = 60
SMOOTHNESS = [1e-3, 0.05, 0.1, 0.3, 0.426, 0.5, 0.75, 1 - 1e-9, 1.0, 1 + 1e-5, 1.3, 1.5, 1.9, 2.0, 2.3, 2.5, 3.0, 3.49, 3.5, 5.0, 6.7, 10.0, 20.0,
              33.3, 64.9, 100.0, 151.25, 200.0]
BORDERS = [2.0**-10, 2.0**5, 2.0**6, 2.0**7]
DISTANCES = [1e-150, 1e-60, 1e-20, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 5e-4, 9e-4, 1.1e-3, 0.01, 0.03, 0.1, 0.2, 0.5, 0.9, 1.0, 1.7, 2.3, 3.1, 4.9, 7.7, 12.0,
             19.0, 27.0, 35.0, 50.0, 90.0, 140.0, 200.0, 350.0, 600.0, 690.0]


def correlation(nu, h):
    return 2 ** (1 - nu) / mp.gamma(nu) * h**nu * mp.besselk(nu, h)


def row(nu, h):
    nu, h = mpf(nu), mpf(h)
    m = correlation(nu, h)
    # M' = -2^(1-nu) / Gamma(nu) h^nu K_{nu-1}(h)
    slope = -h * 2 ** (1 - nu) / mp.gamma(nu) * h**nu * mp.besselk(nu - 1, h)
    step = mpf(10) ** -15
    with mp.workdps(90):
        weights = [(mpf(4) / 3, step), (-mpf(1) / 3, 2 * step)]  # two central differences, extrapolated: relative error step^4
        order = sum(w * (correlation(nu + d, h) - correlation(nu - d, h)) / (2 * d) for w, d in weights)
    return [nu, h, m, m - mpf(float(m)), slope, order]


def main():
    print("# nu, h, M, rest of M, h dM/dh, dM/dnu; C hexadecimal floats; written by models/bessel/generate/matern_reference.py")
    random.seed(1)
    for nu in SMOOTHNESS:
        scatter = [float(mp.mpf(10) ** random.uniform(-3.5, 2.2)) for _ in range(12)]
        for h in sorted(DISTANCES + BORDERS + scatter):
            print(",".join(float.hex(float(v)) for v in row(nu, h)))


if __name__ == "__main__":
    main()
