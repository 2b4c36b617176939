#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The parsimonious bivariate Matern covariance, with 50 digits: multivariate_reference.py FILE.

Writes a table of the covariance of one variable at a point with another one at a point h away,

    rho sqrt(sigma2_1 sigma2_2) M(h / beta; (nu_1 + nu_2) / 2),

of its derivatives in each of its parameters, and of the largest rho in d = 1, 2 and 3 coordinates,

    bound = sqrt(g(nu_1) g(nu_2)) / g((nu_1 + nu_2) / 2),     g(x) = Gamma(x + d / 2) / Gamma(x),

with its derivative in nu_1. Derivatives are mpmath's numerical ones. Needs mpmath.
"""
import sys

import mpmath as mp

mp.mp.dps = 50

NAMES = ["sigma2_1", "sigma2_2", "beta", "nu_1", "nu_2", "rho"]


def matern(nu, u):
    return mp.mpf(1) if u == 0 else 2 ** (1 - nu) / mp.gamma(nu) * u**nu * mp.besselk(nu, u)


def covariance(h, theta):
    sigma2_1, sigma2_2, beta, nu_1, nu_2, rho = theta
    return rho * mp.sqrt(sigma2_1 * sigma2_2) * matern((nu_1 + nu_2) / 2, h / beta)


def bound(d, nu_1, nu_2):
    def g(x):
        return mp.gamma(x + mp.mpf(d) / 2) / mp.gamma(x)

    return mp.sqrt(g(nu_1) * g(nu_2)) / g((nu_1 + nu_2) / 2)


def row(d, h, theta):
    exact = [mp.mpf(float(x)) for x in theta]
    h = mp.mpf(float(h))
    numbers = [covariance(h, exact)]
    for k in range(len(exact)):

        def along(x, k=k):
            return covariance(h, exact[:k] + [x] + exact[k + 1 :])

        numbers.append(mp.diff(along, exact[k]))
    nu_1, nu_2 = exact[3:5]
    numbers += [bound(d, nu_1, nu_2), mp.diff(lambda x: bound(d, x, nu_2), nu_1)]
    return [d, *theta, h, *numbers]


def main():
    cases = [
        (2, [1.3, 0.4, 0.2, 0.8, 1.7, 0.6]),
        (1, [0.7, 90.0, 1.5, 0.3, 2.9, -0.4]),
        (3, [2.0, 1e-3, 0.4, 1.5, 1.5, 0.95]),
        (3, [1.0, 1.0, 1.0, 0.1, 4.5, 0.1]),
        (2, [1.0, 2.0, 0.1, 0.5, 0.5, -1.0]),
    ]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        derivatives = [f"d_{name}" for name in NAMES]
        head = ["d", *NAMES, "h", "value", *derivatives, "bound", "d_bound"]
        file.write(",".join(head) + "\n")
        for d, theta in cases:
            for h in (0, 1e-6, 0.003, 0.03, 0.2, 1.0, 7.0):
                file.write(",".join(mp.nstr(mp.mpf(x), 20) for x in row(d, h, theta)))
                file.write("\n")


if __name__ == "__main__":
    main()
