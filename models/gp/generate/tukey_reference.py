#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Tukey's g-and-h transform and laws with 50 digits: tukey_reference.py TRANSFORM LAWS.

TRANSFORM is a table of tau, of its derivatives in u, g and h, of those of the logarithm of its slope,
and of the u where tau is the rounded value; LAWS one of the mean, the variance, a quantile, a density
and a score of z = location + scale tau(y / scale) with a Gaussian y. Derivatives are mpmath's numerical
ones, moments and scores integrals. Needs mpmath.
"""
import sys

import mpmath as mp

mp.mp.dps = 50

TRANSFORM = (
    "g,h,u,tau,slope,log_slope,by_g,by_h,log_slope_by_u,log_slope_by_g,log_slope_by_h,inverse"
)
LAWS = "mean,variance,location,scale,g,h,z,expectation,spread,quantile_0.9,log_density,crps"


def tau(u, g, h):
    skewed = u if g == 0 else mp.expm1(g * u) / g
    return skewed * mp.exp(h * u**2 / 2)


def slope(u, g, h):
    skewed = u if g == 0 else mp.expm1(g * u) / g
    return mp.exp(h * u**2 / 2) * (mp.exp(g * u) + h * u * skewed)


def derivative(f, x):
    """Of functions that are analytic about x, also where g = 0 is a removable singularity."""
    return mp.diff(f, x, h=mp.mpf(10) ** -15)


def inverse(x, g, h, near):
    """By bisection: the slope may be tiny."""
    low, high = near - abs(near) / 2, near + abs(near) / 2
    for _ in range(190):
        middle = (low + high) / 2
        if tau(middle, g, h) < x:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def transform_row(g, h, u):
    g, h, u = mp.mpf(g), mp.mpf(h), mp.mpf(u)
    value = tau(u, g, h)
    yield from (g, h, u, value, slope(u, g, h), mp.log(slope(u, g, h)))
    yield derivative(lambda s: tau(u, s, h), g)
    yield derivative(lambda s: tau(u, g, s), h)
    yield derivative(lambda s: mp.log(slope(s, g, h)), u)
    yield derivative(lambda s: mp.log(slope(u, s, h)), g)
    yield derivative(lambda s: mp.log(slope(u, g, s)), h)
    yield inverse(mp.mpf(float(value)), g, h, u)


def law_row(mean, variance, location, scale, g, h, u):
    mean, variance, location, scale, g, h = map(mp.mpf, (mean, variance, location, scale, g, h))
    deviation = mp.sqrt(variance)
    z = mp.mpf(float(location + scale * tau(mp.mpf(u), g, h)))

    def value(t):
        return location + scale * tau((mean + deviation * t) / scale, g, h)

    def by_t(t):
        return deviation * slope((mean + deviation * t) / scale, g, h)

    ends = [mp.mpf(k) for k in range(-30, 31, 3)]
    first = mp.quad(lambda t: value(t) * mp.npdf(t), ends)
    spread = mp.quad(lambda t: (value(t) - first) ** 2 * mp.npdf(t), ends)
    y = scale * inverse((z - location) / scale, g, h, mp.mpf(u))
    at = (y - mean) / deviation
    quantile = value(mp.sqrt(2) * mp.erfinv(mp.mpf("0.8")))
    density = mp.log(mp.npdf(y, mean, deviation) / slope(y / scale, g, h))
    score = mp.quad(
        lambda t: mp.ncdf(t) ** 2 * by_t(t), [t for t in ends if t < at] + [at]
    ) + mp.quad(lambda t: mp.ncdf(-t) ** 2 * by_t(t), [at] + [t for t in ends if t > at])
    yield from (mean, variance, location, scale, g, h, z, first, spread, quantile, density, score)


def write(path, header, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.write(header + "\n")
        for row in rows:
            file.write(",".join(mp.nstr(x, 25, min_fixed=0, max_fixed=0) for x in row) + "\n")


def main(transform, laws):
    shapes = [(0, 0), (0.3, 0), (-1.2, 0), (0, 0.1), (0.3, 0.1), (-0.3, 0.1), (2, 0.6)]
    shapes += [(1e-12, 1e-12), (-2.5, 0.01), (0.05, 1)]
    numbers = [-30, -7.5, -2, -0.4, -1e-6, 1e-12, 3e-3, 0.7, 2.5, 8, 25]
    write(
        transform,
        TRANSFORM,
        (transform_row(g, h, u) for g, h in shapes for u in numbers if g * u > -30 or h > 0),
    )
    write(
        laws,
        LAWS,
        (
            law_row(mean, variance, location, scale, g, h, u)
            for g, h in [(0, 0), (0.3, 0.1), (-0.8, 0), (0, 0.2), (1.5, 0.3), (1e-6, 0.05)]
            for mean, variance, location, scale, u in [
                (0.4, 0.5, 3, 1.3, 0.9),
                (-1.5, 2.0, -1, 2.0, 2.4),
                (1.0, 1e-6, 0, 1.0, 1.001),
                (0.1, 1.2, 100, 1.0, -3.0),
            ]
        ),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
