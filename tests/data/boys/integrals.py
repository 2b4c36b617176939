#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the reference integrals of inputs/boys/integrals.yaml. Needs mpmath and PyYAML; takes some minutes.

    ./integrals.py ../../../inputs/boys/integrals.yaml > integrals.csv

No Boys function is involved: 1/r = 2/sqrt(pi) int_0^inf exp(-u^2 r^2) du (to omega for erf(omega
r)/r, from omega for erfc) makes every integral over space a Gaussian one, and the integral over u
is done numerically in 25 digits.

Rows: interaction, quantity, first pair, second pair, value as a C hexadecimal float; pairs i >= j
of basis functions are numbered i (i + 1) / 2 + j. An overlap or an attraction by the nuclei has no
second pair (-1).
"""

import itertools
import sys

import yaml
from mpmath import mp, mpf

mp.dps = 25
OMEGA = mpf("0.3")
LIMITS = {
    "coulomb": (mpf(0), mp.inf),
    "erf": (mpf(0), mpf(float(OMEGA))),
    "erfc": (mpf(float(OMEGA)), mp.inf),
}


def squared_distance(a, b):
    return sum((u - v) ** 2 for u, v in zip(a, b))


class Product:
    """K exp(-p |r - P|^2), the product of two Gaussians."""

    def __init__(self, a, A, b, B, factor):
        self.p = a + b
        self.center = [(a * u + b * v) / self.p for u, v in zip(A, B)]
        self.factor = factor * mp.exp(-a * b / self.p * squared_distance(A, B))


def over_u(function, scale, limits):
    """2/sqrt(pi) times the integral over u, in parts about the scale on which the integrand
    changes."""
    low, high = limits
    points = [low] + [c * scale for c in (mpf(1) / 4, 1, 4, 16) if low < c * scale < high] + [high]
    return 2 / mp.sqrt(mp.pi) * mp.quad(function, points)


def attraction(ab, C, limits):
    p, r2 = ab.p, squared_distance(ab.center, C)
    return ab.factor * over_u(
        lambda u: (mp.pi / (p + u * u)) ** mpf("1.5") * mp.exp(-p * u * u / (p + u * u) * r2),
        mp.sqrt(p),
        limits,
    )


def repulsion(ab, cd, limits):
    p, q, r2 = ab.p, cd.p, squared_distance(ab.center, cd.center)
    rho = p * q / (p + q)

    def integrand(u):
        d = p * q + u * u * (p + q)
        return (mp.pi**2 / d) ** mpf("1.5") * mp.exp(-p * q * u * u / d * r2)

    return ab.factor * cd.factor * over_u(integrand, mp.sqrt(rho), limits)


def read(path):
    with open(path, encoding="utf-8") as file:
        text = yaml.safe_load(file)
    nuclei = [(mpf(n["charge"]), [mpf(float(c)) for c in n["position"]]) for n in text["molecule"]]
    basis = []
    for f in text["basis"]:
        terms = [
            (mpf(float(a)), mpf(float(c)) * (2 * mpf(float(a)) / mp.pi) ** mpf("0.75"))
            for a, c in zip(f["exponents"], f["coefficients"])
        ]
        norm = sum(c * d * (mp.pi / (a + b)) ** mpf("1.5") for a, c in terms for b, d in terms)
        basis.append((nuclei[f["atom"]][1], [(a, c / mp.sqrt(norm)) for a, c in terms]))
    return nuclei, basis


def main():
    nuclei, basis = read(sys.argv[1])
    pairs = [
        [
            Product(a, basis[i][0], b, basis[j][0], c * d)
            for a, c in basis[i][1]
            for b, d in basis[j][1]
        ]
        for i in range(len(basis))
        for j in range(i + 1)
    ]
    print("# interaction, quantity, pair, pair, value; written by tests/data/boys/integrals.py")

    def row(*fields, value):
        print(",".join(str(f) for f in fields), float(value).hex(), sep=",", flush=True)

    for k, pair in enumerate(pairs):
        row(
            "coulomb",
            "overlap",
            k,
            -1,
            value=sum(ab.factor * (mp.pi / ab.p) ** mpf("1.5") for ab in pair),
        )
    for kind, limits in LIMITS.items():
        for k, pair in enumerate(pairs):
            row(
                kind,
                "attraction",
                k,
                -1,
                value=-sum(Z * attraction(ab, C, limits) for ab in pair for Z, C in nuclei),
            )
        for k, l in itertools.combinations_with_replacement(range(len(pairs)), 2):
            if kind == "coulomb" or (k + l) % 4 == 0:
                row(
                    kind,
                    "repulsion",
                    k,
                    l,
                    value=sum(repulsion(ab, cd, limits) for ab in pairs[k] for cd in pairs[l]),
                )


if __name__ == "__main__":
    main()
