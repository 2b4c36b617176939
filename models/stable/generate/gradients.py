#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Reference values of the derivatives of stable laws (S0) in x, alpha and beta: gradients.py
[OUTPUT.csv [ROWS]], with mpmath.

log pdf and P(X <= x) and their derivatives, by the integrals of reference.py in 50 digits or more:
two rays with two different steps agree to 1e-22. The derivatives of sf = 1/2 - phi/pi + (1/pi) Im
int e^E dt/t in alpha and beta have the integrands dE/dalpha e^E and dE/dbeta e^E.

ROWS: only that many, evenly picked.

    gradients.py --second [OUTPUT.csv]

writes second derivatives of log pdf, by central differences of the first ones in steps of 1e-9.
"""

import os
import sys

import mpmath as mp
import reference

ALPHAS = [0.3, 0.5, 0.8, 0.97, 0.999999999, 1.0, 1.000000001, 1.2, 1.5, 1.75, 1.9, 1.99]
BETAS = [-0.9, -0.4, 0.0, 0.5, 0.95]
PLACES = [-1e3, -12.0, -2.5, -0.3, 0.0, 0.7, 1.7, 6.0, 45.0]
AGREE = reference.AGREE


def integrals(alpha, beta, x, phi, centre, steps):
    """pdf, sf, the derivatives of pdf in x, alpha, beta and of sf in alpha, beta along a ray."""
    e_of = reference.exponent(alpha, beta, x)
    h = mp.mpf(1) / steps
    sums = [mp.mpc(0)] * 7
    u = -mp.log(mp.mp.prec / min(alpha, 1) + 60)
    small = mp.mpf(2) ** (-mp.mp.prec - 20)
    peak, past = mp.mpf(0), 0
    while past < 4:
        v = mp.exp(-u)
        lt = mp.mpc(centre + u - v, -phi)
        t = mp.exp(lt)
        e, ea, eb = e_of(t, lt)
        w = mp.exp(e) * (1 + v)
        g = w * t
        for i, term in enumerate((g, w, -1j * t * g, ea * g, eb * g, ea * w, eb * w)):
            sums[i] += term
        size = abs(w)
        peak = max(peak, abs(g))
        past = past + 1 if u > 0 and size < small * min(1, peak + small) else 0
        u += h
        if u > 40:
            return None
    s = [h * q / mp.pi for q in sums]
    tail = mp.mpf(1) / 2 - phi / mp.pi + s[1].imag
    return [s[0].real, tail, s[2].real, s[3].real, s[4].real, s[5].imag, s[6].imag]


def value(alpha, beta, x):
    """log pdf and cdf, with their derivatives in x, alpha and beta."""
    zeta = 0 if alpha == 1 else -beta * mp.tan(mp.pi * alpha / 2)
    if beta < 0 if reference.near_one(alpha, beta) else x < zeta:
        found = value(alpha, -beta, -x)
        if found is None:
            return None
        log_pdf, fx, fa, fb, cdf, pdf, ca, cb = found
        return log_pdf, -fx, fa, -fb, 1 - cdf, pdf, -ca, cb
    for digits in (50, 90, 150):
        mp.mp.dps = digits
        angles = reference.rays(alpha, beta)
        zeta = 0 if alpha == 1 else -beta * mp.tan(mp.pi * alpha / 2)
        near = abs(alpha - 1) < 0.1
        distance = abs(x) + 1 if near else max(abs(x - zeta), mp.mpf(10) ** -300)
        centre = min(mp.log(4 / distance), mp.log(4) / alpha)
        steps = 20 + digits // 3
        a = integrals(alpha, beta, x, angles[0], centre, steps)
        b = integrals(alpha, beta, x, angles[1], centre - mp.mpf("0.1"), steps + 3)
        if a is None or b is None:
            return None
        scales = (0, 0, b[0], b[0], b[0], min(b[1], 1 - b[1]), min(b[1], 1 - b[1]))
        if b[0] > 0 and all(abs(p - q) <= AGREE * (abs(q) + s) for p, q, s in zip(a, b, scales)):
            f, sf, fx, fa, fb, sa, sb = b
            return mp.log(f), fx / f, fa / f, fb / f, 1 - sf, f, -sa, -sb
    return None


SECOND = [
    (0.7, 1.5, 0.5),
    (-2.5, 0.8, -0.4),
    (6.0, 1.2, 0.95),
    (1.7, 1.9, 0.0),
    (0.3, 0.5, 0.5),
    (-12.0, 1.75, 0.5),
    (2.0, 1.0, 0.3),
    (45.0, 1.5, 0.9),
    (-1.0, 1.0, 0.5),
    (1.5, 1.0, -0.5),
    (1.5, 0.9, -0.9),
    (0.1, 1.0, 0.8),
    (0.1, 1.0, 0.0),
    (-1.0, 0.97, 0.5),
]


def second_derivatives(x, alpha, beta):
    """d2 log pdf in xx, x alpha, x beta, alpha alpha, alpha beta and beta beta."""
    mp.mp.dps = 50
    step = mp.mpf(10) ** -9
    rows = []
    for i in range(3):
        ends = []
        for sign in (1, -1):
            place = [mp.mpf(x), mp.mpf(alpha), mp.mpf(beta)]
            place[i] += sign * step
            ends.append(value(place[1], place[2], place[0])[1:4])
        rows.append([(up - down) / (2 * step) for up, down in zip(*ends)])
    return [rows[i][j] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]


def write_second(output):
    with open(output, "w", encoding="utf-8") as file:
        file.write("x,alpha,beta,xx,x_alpha,x_beta,alpha_alpha,alpha_beta,beta_beta\n")
        for place in SECOND:
            numbers = [mp.nstr(v, 16, min_fixed=0, max_fixed=0) for v in second_derivatives(*place)]
            file.write(",".join([*map(repr, place), *numbers]) + "\n")


def main():
    where = os.path.dirname(os.path.abspath(__file__))
    data = os.path.join(where, "../../../tests/data/stable")
    if "--second" in sys.argv:
        given = sys.argv[2:] or [os.path.join(data, "second_derivatives.csv")]
        return write_second(given[0])
    output = sys.argv[1] if len(sys.argv) > 1 else os.path.join(data, "gradients.csv")
    points = [(a, b, x) for a in ALPHAS for b in BETAS for x in PLACES]
    if len(sys.argv) > 2:
        points = points[:: max(1, len(points) // int(sys.argv[2]))]
    with open(output, "w", encoding="utf-8") as file:
        file.write("alpha,beta,x,log_pdf,d_x,d_alpha,d_beta,cdf,pdf,cdf_alpha,cdf_beta\n")
        for a, b, x in points:
            found = value(mp.mpf(a), mp.mpf(b), mp.mpf(x))
            if found is None:
                print(f"no agreement at alpha {a} beta {b} x {x}", file=sys.stderr)
                continue
            numbers = [mp.nstr(v, 22, min_fixed=0, max_fixed=0) for v in found]
            file.write(f"{a!r},{b!r},{x!r}," + ",".join(numbers) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
