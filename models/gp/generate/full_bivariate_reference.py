#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The full bivariate Matern covariance, with 50 digits: full_bivariate_reference.py FILE.

Writes a table of the covariance of one variable at a point with the other one at a point h away,

    rho sqrt(sigma2_1 sigma2_2) M(h / beta_12; nu_12),     nu_12 = (nu_1 + nu_2) / 2 + excess,

of its derivatives in each of its parameters, and of the largest rho in d coordinates, the square
root of the least ratio of spectral densities

    f_1(t) f_2(t) / f_12(t)^2,     f(t) = Gamma(nu + d / 2) / Gamma(nu) beta^(-2 nu) / (beta^-2 + t^2)^(nu + d / 2),

over all frequencies t >= 0, with its derivatives. The least ratio is looked for on a grid of t, and
from there by its own derivative; limits count as they are. Derivatives are numerical ones; that of
the largest rho in an excess of 0 is written as 0, since there is none. Needs mpmath.
"""
import sys

import mpmath as mp

mp.mp.dps = 50

NAMES = [
    "sigma2_1",
    "sigma2_2",
    "beta_1",
    "beta_2",
    "beta_12",
    "nu_1",
    "nu_2",
    "excess_12",
    "rho",
]


def matern(nu, u):
    return mp.mpf(1) if u == 0 else 2 ** (1 - nu) / mp.gamma(nu) * u**nu * mp.besselk(nu, u)


def covariance(h, theta):
    sigma2_1, sigma2_2, _, _, beta_12, nu_1, nu_2, excess, rho = theta
    return rho * mp.sqrt(sigma2_1 * sigma2_2) * matern((nu_1 + nu_2) / 2 + excess, h / beta_12)


def log_density(t, nu, beta, d):
    half = mp.mpf(d) / 2
    return (
        mp.loggamma(nu + half)
        - mp.loggamma(nu)
        - 2 * nu * mp.log(beta)
        - (nu + half) * mp.log(beta**-2 + t**2)
    )


def bound(d, shape):
    """`shape`: ranges, smoothnesses and the excess."""
    beta_1, beta_2, beta_12, nu_1, nu_2, excess = shape

    def log_ratio(t):
        return (
            log_density(t, nu_1, beta_1, d) + log_density(t, nu_2, beta_2, d)
        ) / 2 - log_density(t, (nu_1 + nu_2) / 2 + excess, beta_12, d)

    # from far below 1 / beta to far above, with the limits
    times = [mp.mpf(10) ** (mp.mpf(k) / 40) for k in range(-160, 241)]
    values = [log_ratio(t) for t in times]
    least = values.index(min(values))
    candidates = [log_ratio(mp.mpf(0))]
    if 0 < least < len(times) - 1:
        at = mp.findroot(lambda x: mp.diff(lambda y: log_ratio(mp.exp(y)), x), mp.log(times[least]))
        candidates.append(log_ratio(mp.exp(at)))
    if excess == 0:
        candidates.append(log_ratio(mp.mpf(10) ** 40))
    return mp.exp(min(candidates))


def slope(function, x, k):
    """A central difference, good to some 30 digits."""
    step = mp.mpf(10) ** -16
    up, down = list(x), list(x)
    up[k] += step
    down[k] -= step
    return (function(up) - function(down)) / (2 * step)


def rows(d, theta, distances):
    exact = [mp.mpf(float(x)) for x in theta]
    shape = exact[2:8]
    largest = bound(d, shape)
    slopes = [slope(lambda x: bound(d, x), shape, k) for k in range(5 if shape[5] == 0 else 6)]
    slopes += [mp.mpf(0)] * (6 - len(slopes))
    for h in distances:
        numbers = [covariance(mp.mpf(float(h)), exact)]
        for k in range(len(exact)):

            def along(x, k=k):
                return covariance(mp.mpf(float(h)), exact[:k] + [x] + exact[k + 1 :])

            numbers.append(mp.diff(along, exact[k]))
        yield [d, *exact, mp.mpf(float(h)), *numbers, largest, *slopes]


def main():
    cases = [
        # the least ratio at t = 0
        (2, [1.3, 0.4, 0.2, 0.25, 0.21875, 0.8, 1.7, 0.1, 0.6]),
        (3, [1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 2.5, 0.5, 0.1]),
        # at a frequency between
        (1, [0.7, 90.0, 0.2, 0.2, 0.12, 0.5, 1.5, 0.2, -0.4]),
        (2, [1.0, 2.0, 0.3, 0.1, 0.2, 1.5, 0.6, 0.1, 0.5]),
        (1, [2.0, 1e-3, 0.1, 0.3, 0.15, 0.5, 0.5, 0.0, 0.7]),
        (3, [1.0, 1.0, 0.15, 0.3, 0.2, 0.6, 0.6, 0.001, 0.3]),
        # two minima
        (1, [1.0, 1.0, 0.477, 0.19, 0.2265, 1.633, 2.861, 0.05, 0.3]),
        # at infinity
        (3, [1.0, 2.0, 0.438, 0.444, 0.262, 0.736, 0.428, 0.0, 0.25]),
        # far apart
        (2, [1.0, 1.0, 10.0, 0.02, 0.3, 0.3, 4.0, 1.0, 0.0]),
    ]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        derivatives = [f"d_{name}" for name in NAMES]
        of_bound = [f"bound_{name}" for name in NAMES[2:8]]
        head = ["d", *NAMES, "h", "value", *derivatives, "bound", *of_bound]
        file.write(",".join(head) + "\n")
        for d, theta in cases:
            for row in rows(d, theta, (0, 1e-6, 0.03, 0.2, 1.0, 7.0)):
                file.write(",".join(mp.nstr(mp.mpf(x), 20) for x in row) + "\n")


if __name__ == "__main__":
    main()
