#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes reference values of the modified Bessel function K_nu(x) for the tests. Needs mpmath.

    ./reference.py > ../../../tests/data/bessel/bessel_k.csv

Columns: nu, x, e^x K_nu(x) (inf beyond the range), log K, what log K lost by rounding, d log K / dx, d log K / dnu; each rounded to double
and written as a C hexadecimal float. Points: the region nu 0..20, x 0.1..140 and its surroundings, small, tiny and large arguments, large
orders, half-integers, integers and their neighbourhoods, the border between series and quadrature, both sides of the order from which
the uniform expansion serves, and orders to 10^6.
"""

import math
import random

from mpmath import mp, mpf

mp.dps = 50


def points():
    random.seed(4)
    uniform, log_uniform = random.uniform, lambda a, b: 10 ** random.uniform(math.log10(a), math.log10(b))
    yield from ((uniform(0, 20), uniform(0.1, 140)) for _ in range(220))
    yield from ((uniform(0, 20), log_uniform(0.1, 140)) for _ in range(220))
    yield from ((uniform(0, 20), log_uniform(1e-8, 0.1)) for _ in range(150))
    yield from ((uniform(0, 20), log_uniform(1e-300, 1e-8)) for _ in range(60))
    yield from ((uniform(20, 200), log_uniform(1e-3, 1e4)) for _ in range(150))
    yield from ((uniform(0, 200), log_uniform(140, 1e12)) for _ in range(60))
    yield from ((log_uniform(1e-12, 0.1), log_uniform(1e-3, 100)) for _ in range(30))
    yield from ((nu, nu * (1 + uniform(-0.1, 0.1))) for nu in (1.3, 5.5, 12.25, 40.0, 77.7, 120.0, 200.0))
    for x in (1e-5, 0.05, math.nextafter(0.1, 0), 0.1, math.nextafter(0.1, 1), 0.7, 2.0, 9.0, 60.0):
        for nu in (0, 0.5, 1, 1.5, 2, 3, 7, 10.5, 20, 33.5, 200):
            yield (nu, x)
            yield (nu + 1e-10 if nu < 200 else nu - 1e-10, x)
            if nu > 0:
                yield (nu - 1e-6, x)


def large_orders():
    random.seed(5)
    uniform, log_uniform = random.uniform, lambda a, b: 10 ** random.uniform(math.log10(a), math.log10(b))
    yield from ((uniform(58, 62), log_uniform(1e-3, 1e3)) for _ in range(40))
    yield from ((log_uniform(60, 1e4), log_uniform(1e-2, 1e5)) for _ in range(60))
    yield from ((log_uniform(1e4, 1e6), log_uniform(1e2, 1e7)) for _ in range(20))
    yield from ((nu, nu * uniform(0.6, 0.7)) for nu in (1e3, 1e4, 1e5, 3e5, 1e6))  # where log K vanishes
    yield from ((60.0, 1e-310), (1e6, 1e-300), (1e6, 5.0), (123456.789, 1e-30), (140.8799894950248, 91.192321336646486))
    yield (0.48908734328942116, 5.2103325527690362e-232)


def integral(nu, x):
    """e^x K_nu(x) by the trapezoidal rule on int e^(-x (cosh t - 1)) cosh(nu t) dt, whose error falls faster than any power."""
    top = mp.asinh(nu / x)
    step = 1 / (4 * mp.sqrt(mp.sqrt(nu * nu + x * x) + 6))
    total, node, peak = mpf(1) / 2, 0, mp.exp(-x * (mp.cosh(top) - 1) + nu * top)
    while True:
        node += 1
        value = mp.exp(-x * (mp.cosh(node * step) - 1)) * mp.cosh(nu * node * step)
        total += value
        if node * step > top and value < peak * mpf(10) ** -(mp.dps + 2):
            return total * step


def bessel_k(nu, x):
    return mp.besselk(nu, x) if nu < 58 else integral(nu, x) * mp.exp(-x)


def logarithm(nu, x):
    return mp.log(bessel_k(nu, x))


def row(nu, x):
    nu, x = mpf(float(nu)), mpf(float(x))
    k = bessel_k(nu, x)
    log_k = mp.log(k)
    scaled = k * mp.exp(x)
    dx = nu / x - bessel_k(nu + 1, x) / k
    with mp.workdps(80):  # two central differences, extrapolated
        step = mpf(10) ** -14
        dnu = sum(w * (logarithm(nu + d, x) - logarithm(nu - d, x)) / (2 * d) for w, d in [(mpf(4) / 3, step), (-mpf(1) / 3, 2 * step)])
    if nu == 0:
        dnu = mpf(0)
    return [nu, x, scaled if scaled < mpf(2) ** 1023 else mp.inf, log_k, log_k - mpf(float(log_k)), dx, dnu]


def main():
    print("# nu, x, e^x K, log K, rest of log K, dlogK/dx, dlogK/dnu; C hexadecimal floats; written by models/bessel/generate/reference.py")
    for nu, x in [*points(), *large_orders()]:
        print(",".join(float.hex(float(v)) for v in row(nu, x)))


if __name__ == "__main__":
    main()
