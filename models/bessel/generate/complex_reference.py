#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes reference values of K_nu(z) and I_nu(z) of complex z for the tests. Needs mpmath.

    ./complex_reference.py > ../../../tests/data/bessel/bessel_complex.csv

Columns: nu, Re z, Im z, the parts of e^z K_nu(z) and of e^-|Re z| I_nu(z), and the sizes that errors
are measured by: for K its modulus, and in the left half-plane (|K_nu(-z)| + pi |I_nu(-z)|) |e^z|;
for I the larger of its modulus and, for |z| > nu, those of I_nu and I_{nu+1} together, all times
e^-|Re z|. Numbers are rounded to double and written as C hexadecimal floats.
"""

import math
import random

from mpmath import mp, mpc, mpf


def points():
    random.seed(9)
    uniform = random.uniform

    def log_uniform(low, high):
        return 10 ** uniform(math.log10(low), math.log10(high))

    angles = (math.pi / 2, -math.pi / 2, 0.0, 0.1, math.pi, 3.0, -2.2)
    for _ in range(40):
        for nu, size in (
            (uniform(0, 2), log_uniform(0.1, 100)),
            (uniform(0, 20), log_uniform(0.1, 200)),
            (uniform(20, 200), log_uniform(1, 300)),
            (uniform(0, 20), log_uniform(1e-8, 0.1)),
            (uniform(0, 3), log_uniform(1e-290, 1e-8)),
            (uniform(0, 200), log_uniform(900, 1e5)),
            (-uniform(0, 20), log_uniform(0.1, 50)),
        ):
            angle = random.choice((uniform(-math.pi, math.pi), random.choice(angles)))
            x, y = size * math.cos(angle), size * math.sin(angle)
            if abs(angle) == math.pi / 2:
                x = 0.0
            if angle in (0.0, math.pi):
                y = 0.0
            yield nu, x, y
    for nu in (0.0, 0.5, 1.0, 2.0, 7.5, 33.0, 200.0):
        for z in (1j, 3 + 4j, -2 + 0.5j, 24.999j, 25.001 + 1j, 0.0999j, 0.1001j, 60j, 500 + 500j):
            yield nu, z.real, z.imag
    # large orders, where the exponent of the uniform expansion and its neighbourhoods are
    for _ in range(220):
        nu, size = uniform(20, 200), log_uniform(50, 2500)
        angle = random.choice((uniform(0, math.pi / 2), uniform(1.5, math.pi / 2), 0.0))
        yield nu, size * math.cos(angle), size * math.sin(angle)


def row(nu, x, y):
    z = mpc(x, y)
    with mp.workdps(60 + (int(abs(z) / 2.3) if abs(z) < 400 else 0)):
        k, i = mp.besselk(nu, z), mp.besseli(nu, z)
        decay = mp.exp(-abs(mpf(x)))
        scale_k, scale_i = abs(k), abs(i)
        if x < 0:
            scale_k = abs(mp.besselk(nu, -z)) + mp.pi * abs(mp.besseli(nu, -z))
        if abs(z) > abs(nu):
            scale_i = max(scale_i, abs(i) + abs(mp.besseli(nu + 1, z)))
        if nu < 0:
            positive = mp.besseli(-nu, z)
            scale_i = max(scale_i, abs(positive) + abs(i - positive))
        scaled_k, scaled_i = k * mp.exp(z), i * decay
        return [
            *(nu, x, y, scaled_k.real, scaled_k.imag, scaled_i.real, scaled_i.imag),
            *(scale_k * mp.exp(mpf(x)), scale_i * decay),
        ]


def main():
    print(
        "# nu, Re z, Im z, e^z K (2), e^-|Re z| I (2), size of K, size of I; C hexadecimal floats; written by "
        "models/bessel/generate/complex_reference.py"
    )
    for point in points():
        values = [float(v) for v in row(*point)]
        if all(math.isfinite(v) for v in values) and min(values[-2:]) > 1e-290:
            print(",".join(float.hex(v) for v in values))


if __name__ == "__main__":
    main()
