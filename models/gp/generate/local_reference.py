#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Covariances that are not stationary, with 40 digits: local_reference.py FILE.

Writes a table of the covariance of two points in d coordinates and of its derivatives in each of its
parameters: variance and range depend on covariates u and v, and coordinates are warped where there
are knots, of which the first is at 0 and the last at 1. family: 0 matern, 1 powered_exponential.
Warps are numerical integrals of their slopes, and derivatives mpmath's numerical ones of the formula

    sigma2 (s(a) s(b))^(1/2) (2 r(a) r(b) / (r(a)^2 + r(b)^2))^(d / 2)
        M(|g(a) - g(b)| / beta (2 / (r(a)^2 + r(b)^2))^(1/2)),

log s = s1 (u - cu) + s2 (v - cv), log r = r1 (v - cv). Needs mpmath.
"""
import random
import sys

import mpmath as mp

mp.mp.dps = 40

THETA = ["sigma2", "beta", "shape", "s1", "s2", "r1"]
WARP = 3  # coefficients of each coordinate


def correlation(family, shape, u):
    if u == 0:
        return mp.mpf(1)
    if family == 1:
        return mp.exp(-(u**shape))
    return 2 ** (1 - shape) / mp.gamma(shape) * u**shape * mp.besselk(shape, u)


def warp(knots, coefficients, x):
    """The integral of the slope from 0 to x."""
    logs = list(coefficients[: knots - 1])
    logs.append(-mp.fsum(logs))
    at = [mp.mpf(k) / (knots - 1) for k in range(knots)]

    def slope(t):
        if t <= 0:
            return mp.exp(logs[0])
        if t >= 1:
            return mp.exp(logs[-1])
        k = min(int(mp.floor(t * (knots - 1))), knots - 2)
        part = (t - at[k]) * (knots - 1)
        return mp.exp(logs[k] + part * (logs[k + 1] - logs[k]))

    if x < 0:
        return -mp.quad(slope, [x, 0])
    return mp.quad(slope, [0] + [t for t in at if 0 < t < x] + [x]) if x > 0 else mp.mpf(0)


def covariance(case, theta):
    family, d, knots, a, b, (ua, va), (ub, vb), (cu, cv) = case
    sigma2, beta, shape, s1, s2, r1, *of_warp = theta
    variance = mp.exp((s1 * (ua - cu) + s2 * (va - cv) + s1 * (ub - cu) + s2 * (vb - cv)) / 2)
    p, q = mp.exp(r1 * (va - cv)), mp.exp(r1 * (vb - cv))
    square = mp.mpf(0)
    for k in range(d):
        own = of_warp[WARP * k : WARP * (k + 1)]
        x, y = (warp(knots, own, z[k]) if knots else z[k] for z in (a, b))
        square += ((x - y) / beta) ** 2
    u = mp.sqrt(square * 2 / (p * p + q * q))
    factor = (2 * p * q / (p * p + q * q)) ** (mp.mpf(d) / 2)
    return sigma2 * variance * factor * correlation(family, shape, u)


def row(case, theta):
    exact = [mp.mpf(x) for x in theta]
    family, d, knots, a, b, of_a, of_b, centre = case
    case = (family, d, knots, *([mp.mpf(x) for x in v] for v in (a, b, of_a, of_b, centre)))
    numbers = [covariance(case, exact)]
    for k in range(len(exact)):

        def along(x, k=k):
            return covariance(case, exact[:k] + [x] + exact[k + 1 :])

        of_warp = k >= len(THETA)
        used = not of_warp or (knots > 0 and (k - len(THETA)) // WARP < d)
        numbers.append(mp.diff(along, exact[k]) if used else mp.mpf(0))
    return [family, d, knots, *theta, *a, *b, *of_a, *of_b, *centre, *numbers]


def main():
    draw = random.Random(4)
    names = THETA + [f"w{k + 1}" for k in range(3 * WARP)]
    columns = ["family", "d", "knots", *names]
    columns += ["ax", "ay", "az", "bx", "by", "bz", "ua", "va", "ub", "vb", "cu", "cv", "value"]
    columns += [f"d_{name}" for name in names]
    lines = [",".join(columns)]
    for index in range(18):
        family, d, knots = index % 3 // 2, 1 + index % 3, 4 * (index // 3 % 2)
        shape = draw.choice([0.3, 0.5, 0.8, 1.5, 2.2]) if family == 0 else 1.3
        theta = [draw.uniform(0.5, 2), draw.uniform(0.2, 0.8), shape]
        theta += [draw.uniform(-1, 1) for _ in range(3)]
        theta += [draw.uniform(-1.5, 1.5) if knots else 0.0 for _ in range(3 * WARP)]
        near = index % 4 == 3  # points close to each other
        a = [draw.uniform(-0.2, 1.2) if k < d else 0.0 for k in range(3)]
        b = [(a[k] + 0.01 if near else draw.uniform(-0.2, 1.2)) if k < d else 0.0 for k in range(3)]
        covariates = [[draw.uniform(-1, 2), draw.uniform(0, 3)] for _ in range(3)]
        numbers = row((family, d, knots, a, b, *covariates), theta)
        given = 3 + len(theta) + 12
        lines.append(
            ",".join(repr(x) for x in numbers[:given])
            + ","
            + ",".join(mp.nstr(x, 20, min_fixed=1, max_fixed=0) for x in numbers[given:])
        )
    with open(sys.argv[1], "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
