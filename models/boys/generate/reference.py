#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the reference values of the complex Boys functions for the tests. Needs mpmath.

    ./reference.py > ../../../tests/data/boys/boys_complex.csv

Columns: Re z, Im z, then Re F_n(z), Im F_n(z) for n = 0..16, each correctly rounded and written as a C hexadecimal float.
"""

from mpmath import mp, mpc, mpf

mp.dps = 80
MODULI = [1e-300, 1e-8, 0.1, 0.5, 1, 2, 3, 4, 5, 5.875, 6.125, 7, 8, 10, 12, 14, 16, 20, 25, 29.875, 30.125, 40, 60, 100, 600]
ANGLES = [0, 20, 45, 55, 65, 75, 85, 90, -70]


def rounded(degrees, modulus):
    """The double-precision point near modulus e^(i degrees)."""
    angle = mp.radians(degrees)
    return mpf(float(modulus * mp.cos(angle))) if degrees != 90 else mpf(0), mpf(float(modulus * mp.sin(angle)))


def main():
    print("# re(z), im(z), re(F_0), im(F_0), ..., re(F_16), im(F_16); C hexadecimal floats; written by models/boys/generate/reference.py")
    points = [rounded(degrees, mpf(modulus)) for modulus in MODULI for degrees in ANGLES]
    points += [rounded(degrees, mpf(modulus)) for modulus in (0.5, 2, 2.9) for degrees in (110, 180)]
    for re, im in points:
        z = mpc(re, im)
        values = [mp.hyp1f1(n + mpf(1) / 2, n + mpf(3) / 2, -z) / (2 * n + 1) for n in range(17)]
        print(",".join(float.hex(float(v)) for v in [re, im] + [part for f in values for part in (mp.re(f), mp.im(f))]))


if __name__ == "__main__":
    main()
