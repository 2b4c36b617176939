#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Laws of observations that are not Gaussian, with 40 digits: families_reference.py FILE.

Writes a table of log p(y | f) with what does not depend on f, of its first derivative, of the weight
-d2 log p / df2 (student_t: Fisher's information) and of the weight's derivative in f. Derivatives are
mpmath's numerical ones of the density as its definition has it. Needs mpmath.
"""
import sys

import mpmath as mp

mp.mp.dps = 80

PREDICTORS = [-12, -5.5, -4.5, -2, -0.3, 0, 0.7, 2.5, 4.9, 8]


def binary(probability):
    return lambda y, f, a, b: mp.log(probability(f if y == 1 else -f))


def negative_binomial(y, f, a, b):
    mean = mp.exp(f)
    return (
        mp.loggamma(y + a)
        - mp.loggamma(a)
        - mp.loggamma(y + 1)
        + a * mp.log(a / (a + mean))
        + y * mp.log(mean / (a + mean))
    )


def gamma(y, f, a, b):
    rate = a / mp.exp(f)
    return a * mp.log(rate) - mp.loggamma(a) + (a - 1) * mp.log(y) - rate * y


def student_t(y, f, a, b):
    z = (y - f) / a
    return (
        mp.loggamma((b + 1) / 2)
        - mp.loggamma(b / 2)
        - mp.log(b * mp.pi) / 2
        - mp.log(a)
        - (b + 1) / 2 * mp.log(1 + z * z / b)
    )


# number in ResponseFamily: log density, (a, b), observations
FAMILIES = {
    1: (binary(lambda t: mp.erfc(-t / mp.sqrt(2)) / 2), [(1, 1)], [0, 1]),
    2: (binary(lambda t: 1 / (1 + mp.exp(-t))), [(1, 1)], [0, 1]),
    3: (lambda y, f, a, b: y * f - mp.exp(f) - mp.loggamma(y + 1), [(1, 1)], [0, 1, 17]),
    4: (negative_binomial, [(0.5, 1), (6, 1)], [0, 3, 40]),
    5: (gamma, [(0.7, 1), (4, 1)], [0.02, 1.5, 30]),
    6: (student_t, [(0.5, 2.5), (2, 7)], [-3, 0.25, 9]),
}


def main():
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("family,a,b,y,f,value,slope,weight,weight_slope\n")
        for family, (density, parameters, observations) in FAMILIES.items():
            for a, b in parameters:
                for y in observations:
                    for f in PREDICTORS:
                        a_, b_, y_, f_ = (mp.mpf(x) for x in (a, b, y, f))
                        value = [mp.diff(lambda g: density(y_, g, a_, b_), f_, n) for n in range(4)]
                        if family == 6:
                            value[2:] = [-(b_ + 1) / ((b_ + 3) * a_ * a_), mp.mpf(0)]
                        row = [value[0], value[1], -value[2], -value[3]]
                        text = ",".join(mp.nstr(x, 20) for x in row)
                        file.write(f"{family},{a},{b},{y},{f},{text}\n")


if __name__ == "__main__":
    main()
