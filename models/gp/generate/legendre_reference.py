#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The Matern correlation by a Legendre series, with 40 digits: legendre_reference.py FILE.

Writes a table of psi(t) = sum a_l P_l(cos t) / sum a_l, a_l = (kappa^2 + l^2)^-(nu + 1/2), l = 0 to
`terms`, of kappa dpsi/dkappa and of dpsi/dnu, at great-circle angles t. Polynomials come from their
recurrence in t, derivatives from those of a_l. Needs mpmath.
"""
import sys

import mpmath as mp

mp.mp.dps = 40


def sums(terms, nu, kappa, angles):
    square = kappa**2
    weights = []
    for degree in range(terms + 1):
        s = square + degree**2
        own = s ** -(nu + mp.mpf(1) / 2)
        weights.append((own, -(2 * nu + 1) * square / s * own, -mp.log(s) * own))
    whole = [mp.fsum(w[k] for w in weights) for k in range(3)]
    for angle in angles:
        x, before, value = mp.cos(angle), mp.mpf(1), mp.cos(angle)
        total = [w + w1 * x for w, w1 in zip(weights[0], weights[1])]
        for degree in range(2, terms + 1):
            before, value = value, ((2 * degree - 1) * x * value - (degree - 1) * before) / degree
            total = [t + w * value for t, w in zip(total, weights[degree])]
        psi = total[0] / whole[0]
        yield angle, psi, *((total[k] - psi * whole[k]) / whole[0] for k in (1, 2))


def main():
    lines = ["terms,nu,kappa,angle,value,by_kappa,by_nu"]
    angles = ["1e-7", "3e-4", "0.01", "0.0707", "0.5", "1.5", "1.7", "2.9", "3.14159"]
    for terms, nu, kappa in (
        (60, "0.05", "2"),
        (500, "0.3", "7.5"),
        (500, "1.5", "20"),
        (1000, "0.5", "100"),
        (1000, "4", "0.7"),
        (3000, "0.8", "300"),
    ):
        exact = [mp.mpf(float(x)) for x in (nu, kappa)]
        for row in sums(terms, *exact, [mp.mpf(float(x)) for x in angles]):
            numbers = [repr(float(row[0])), *(mp.nstr(x, 20) for x in row[1:])]
            lines.append(",".join([str(terms), nu, kappa, *numbers]))
    with open(sys.argv[1], "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
