#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes reference values of the modified Bessel function I_nu(x) for the tests. Needs mpmath.

    ./first_kind_reference.py > ../../../tests/data/bessel/bessel_i.csv

Columns: nu, x, e^-x I_nu(x), log I (NaN where I < 0), what log I lost by rounding, d log I / dx, the
condition (|I_|nu|| + |I_nu - I_|nu||) / |I_nu|, which is 1 for nu >= 0, and d log |I| / dnu; each
rounded to double and written as a C hexadecimal float. Points: the border between series and expansion, both sides of
it, large orders and arguments, small and tiny arguments, the results near underflow, zeros of log I
of large orders, whole and half-integer orders, and negative ones.
"""

import math
import random

from mpmath import mp, mpf

mp.dps = 60


def log_uniform(low, high):
    return 10 ** random.uniform(math.log10(low), math.log10(high))


def positive_orders():
    random.seed(7)
    uniform = random.uniform
    yield from ((uniform(0, 25), uniform(0, 25)) for _ in range(150))
    yield from ((uniform(0, 20), log_uniform(0.1, 140)) for _ in range(100))
    yield from ((uniform(0, 30), log_uniform(1e-8, 1)) for _ in range(60))
    yield from ((uniform(0, 5), log_uniform(1e-300, 1e-8)) for _ in range(30))
    yield from ((uniform(20, 200), log_uniform(1e-3, 1e4)) for _ in range(120))
    yield from ((uniform(0, 200), log_uniform(1e7, 1e29)) for _ in range(30))
    yield from ((log_uniform(1, 1e4), log_uniform(1, 1e5)) for _ in range(100))
    yield from ((log_uniform(1e-12, 0.1), log_uniform(1e-3, 100)) for _ in range(30))
    yield from ((nu, nu * uniform(0.05, 0.2)) for nu in range(30, 200, 10))
    yield from ((mu * 1000.0, mu * uniform(0.9, 1.1) * 662.743419) for mu in (1, 3, 10, 30))
    for angle in range(0, 91, 6):
        for w in (24.999999, 25.000001, 26.5, 29, 35, 60):
            c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            yield (w * max(c, 0), max(w * s, 1e-3))
    yield from (
        (1e5, 1e5),
        (1e6, 1e6),
        (1e6, 1e3),
        (1e3, 1e6),
        (1e5, 66274.3419),
        (1e6, 662743.419),
    )
    yield from (
        (1e6, 5.0),
        (123456.789, 1e-300),
        (3e5, 7e5),
        (1e6, 1e-5),
        (7e5, 1.2e6),
        (50, 1e-310),
    )
    for x in (1e-5, 0.1, 2.0, 9.0, 24.0, 60.0, 700.0):
        for nu in (0, 0.5, 1, 1.5, 2, 3, 7, 10.5, 20, 33.5, 200):
            yield (nu, x)


def negative_orders():
    random.seed(8)
    yield from ((-random.uniform(0, 24), log_uniform(1e-2, 24)) for _ in range(40))
    yield from ((-random.uniform(24, 60), log_uniform(1, 200)) for _ in range(30))
    yield from ((-random.uniform(200, 400), log_uniform(100, 500)) for _ in range(10))
    yield from ((-float(n), x) for n in (1, 2, 7, 40) for x in (0.3, 5.0, 80.0))


def series(nu, x):
    """I_nu(x) = (x/2)^nu / Gamma(nu + 1) sum_k q^k / (k! (nu + 1)_k)."""
    q, term, total, k = x * x / 4, mpf(1), mpf(1), 0
    while True:
        k += 1
        term = term * q / (k * (k + nu))
        total += term
        if term < total * mpf(10) ** -(mp.dps - 2) and k * (k + nu) > 2 * q:
            break
    return total * mp.exp(nu * mp.log(x / 2) - mp.loggamma(nu + 1))


def bessel_i(nu, x):
    if nu < 0 and nu == int(nu):
        nu = -nu
    return series(nu, x) if nu >= 0 and x < 3e6 else mp.besseli(nu, x)


def slope_in_order(nu, x):
    """d log |I| / dnu = dI/dnu / I by central differences of I with 100 digits more than they lose,
    extrapolated; where the series is long, of the leading digits of Hankel's expansion as before.
    """
    lost = 40
    if nu < 0:  # I itself may be smaller than its derivative by the ratio of I and K
        lost += int(abs(2 * nu * mp.log(max(mpf(1), abs(nu)) / x) / mp.log(10))) + 20
    with mp.workdps(60 + 2 * lost):
        nu, x, step = mpf(nu), mpf(x), mpf(10) ** -lost
        differences = [
            (bessel_i(nu + k * step, x) - bessel_i(nu - k * step, x)) / (2 * k * step)
            for k in (1, 2)
        ]
        return (4 * differences[0] - differences[1]) / 3 / bessel_i(nu, x)


def row(nu, x):
    nu, x = mpf(float(nu)), mpf(float(x))
    i, above = bessel_i(nu, x), bessel_i(nu + 1, x)
    log_i = mp.log(i) if i > 0 else mp.nan
    condition = mpf(1)
    if nu < 0:
        positive = bessel_i(-nu, x)
        condition = (abs(positive) + abs(i - positive)) / abs(i)
    scaled = i * mp.exp(-x)
    slope = slope_in_order(nu, x)
    return [nu, x, scaled, log_i, log_i - mpf(float(log_i)), nu / x + above / i, condition, slope]


def main():
    print(
        "# nu, x, e^-x I, log I, rest of log I, dlogI/dx, condition, dlogI/dnu; C hexadecimal floats; written by "
        "models/bessel/generate/first_kind_reference.py"
    )
    for points in (positive_orders(), negative_orders()):
        for nu, x in points:
            print(",".join(float.hex(float(v)) for v in row(nu, x)), flush=True)


if __name__ == "__main__":
    main()
