#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Gneiting's covariance of space and time, with 50 digits: gneiting_reference.py FILE.

Writes a table of the covariance of two points and of its derivatives in each of its parameters, for
points in d = 1, 2 and 3 coordinates that are h apart in space and t apart in time. family: 0 matern,
1 powered_exponential; delta: -1 stands for none. Derivatives are mpmath's numerical ones of the formula

    sigma2 psi^-tau M(h / (beta psi^(interaction/2))),     psi = 1 + (t / beta_time)^(2 alpha),

tau = d / 2, or delta + interaction d / 2. Needs mpmath.
"""
import itertools
import sys

import mpmath as mp

mp.mp.dps = 50

NAMES = ["sigma2", "beta", "shape", "beta_time", "alpha", "interaction", "delta"]


def correlation(family, shape, u):
    if u == 0:
        return mp.mpf(1)
    if family == 1:
        return mp.exp(-(u**shape))
    return 2 ** (1 - shape) / mp.gamma(shape) * u**shape * mp.besselk(shape, u)


def covariance(family, d, h, t, has_delta, theta):
    sigma2, beta, shape, beta_time, alpha, interaction, delta = theta
    psi = 1 + (t / beta_time) ** (2 * alpha) if t > 0 else mp.mpf(1)
    tau = delta + interaction * d / 2 if has_delta else mp.mpf(d) / 2
    return sigma2 * psi**-tau * correlation(family, shape, h / (beta * psi ** (interaction / 2)))


def row(family, d, h, t, theta):
    has_delta = theta[-1] >= 0
    exact = [mp.mpf(float(x)) for x in theta]
    h, t = mp.mpf(float(h)), mp.mpf(float(t))
    numbers = [covariance(family, d, h, t, has_delta, exact)]
    for k in range(len(exact)):

        def along(x, k=k):
            return covariance(family, d, h, t, has_delta, exact[:k] + [x] + exact[k + 1 :])

        missing = k == len(exact) - 1 and not has_delta
        numbers.append(mp.mpf(0) if missing else mp.diff(along, exact[k]))
    return [family, d, *theta, h, t, *numbers]


def main():
    cases = [
        (0, 2, [1.3, 0.2, 0.8, 2.0, 0.7, 0.6, -1]),
        (0, 1, [0.7, 1.5, 1.7, 0.3, 1.0, 1.0, -1]),
        (0, 3, [2.0, 0.4, 0.3, 5.0, 0.25, 0.9, -1]),
        (0, 3, [1.0, 1.0, 2.5, 1.0, 0.5, 1.0, 0.4]),
        (0, 2, [1.0, 0.1, 0.5, 30.0, 0.5, 0.0, 20.0]),
        (1, 2, [1.5, 0.3, 1.2, 1.0, 0.9, 0.5, -1]),
        (1, 1, [1.0, 0.5, 2.0, 0.5, 0.4, 1.0, 0.0]),
    ]
    places = list(itertools.product((0, 1e-6, 0.03, 0.4, 3.0), (0, 1e-8, 0.02, 1.0, 40.0)))
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        head = ["family", "d", *NAMES, "h", "t", "value", *(f"d_{name}" for name in NAMES)]
        file.write(",".join(head) + "\n")
        for family, d, theta in cases:
            for h, t in places:
                file.write(",".join(mp.nstr(mp.mpf(x), 20) for x in row(family, d, h, t, theta)))
                file.write("\n")


if __name__ == "__main__":
    main()
