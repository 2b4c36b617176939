#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Reference values of stable laws: reference.py [OUTPUT.csv [ROWS]], with mpmath.

pdf(x) = (1/pi) Re int e^{E(t)} dt and sf(x) = 1/2 - phi/pi + (1/pi) Im int e^{E(t)} dt/t along the ray t = r e^{-i phi}, in the plain form

    E(t) = -t^alpha - i [x t + zeta (t^alpha - t)],  zeta = -beta tan(pi alpha/2);  at alpha = 1: -t - i [x t + (2/pi) beta t ln t],

and its derivatives, in as many digits as it takes for two different rays and two different steps to agree to 1e-22. The integration is a trapezoidal
rule in u, ln r = c + u - e^-u. Nothing is shared with the C++ code but the characteristic function.

ROWS: only that many, evenly picked, for the test that regenerates some of them.
"""

import os
import sys

import mpmath as mp

ALPHAS = ["0.1", "0.5", "0.9", "0.999999999", "1", "1.000000001", "1.5", "1.999999"]
BETAS = [-1.0, -0.7, 0.0, 0.95]
PLACES = [-30.0, -1.0, 0.0, 0.6, 8.0, 1e8]
AGREE = mp.mpf(10) ** -22


def exponent(alpha, beta, x):
    """E(t) and its derivatives in alpha and beta, as functions of (t, ln t)."""
    if alpha == 1:
        k = 2 / mp.pi

        def at_one(t, lt):
            e = -t - 1j * (x * t + k * beta * t * lt)
            return e, -t * lt - 1j * beta / mp.pi * t * lt * lt, -1j * k * t * lt

        return at_one
    tangent = mp.tan(mp.pi * alpha / 2)
    zeta, slope = -beta * tangent, -beta * mp.pi / 2 / mp.cos(mp.pi * alpha / 2) ** 2

    def away(t, lt):
        p = mp.exp(alpha * lt)
        e = -p - 1j * (x * t + zeta * (p - t))
        return e, -p * lt - 1j * (slope * (p - t) + zeta * p * lt), 1j * tangent * (p - t)

    return away


def integrals(alpha, beta, x, phi, centre, steps):
    """pdf, sf and the derivatives of the pdf in x, alpha, beta along one ray."""
    e_of = exponent(alpha, beta, x)
    h = mp.mpf(1) / steps
    sums = [mp.mpc(0)] * 5
    u = -mp.log(mp.mp.prec / min(alpha, 1) + 60)
    small = mp.mpf(2) ** (-mp.mp.prec - 20)
    peak = mp.mpf(0)
    past = 0
    while past < 4:
        v = mp.exp(-u)
        lt = mp.mpc(centre + u - v, -phi)
        t = mp.exp(lt)
        e, ea, eb = e_of(t, lt)
        w = mp.exp(e) * (1 + v)
        g = w * t
        for i, term in enumerate((g, w, -1j * t * g, ea * g, eb * g)):
            sums[i] += term
        size = abs(w)
        peak = max(peak, abs(g))
        past = past + 1 if u > 0 and size < small * min(1, peak + small) else 0
        u += h
        if u > 40:  # a light tail that this contour does not reach
            return None
    s = [h * q / mp.pi for q in sums]
    return [s[0].real, mp.mpf(1) / 2 - phi / mp.pi + s[1].imag, s[2].real, s[3].real, s[4].real]


def near_one(alpha, beta):
    """Where zeta is so large that the ray follows beta instead of x - zeta."""
    return abs(alpha - 1) < 0.05 and beta != 0


def rays(alpha, beta):
    """Two angles on which the integrand decays: for x >= zeta, or near alpha = 1 for beta > 0."""
    if near_one(alpha, beta) or alpha == 1:
        return [mp.mpf("0.7"), mp.mpf("1.1")]
    psi = mp.atan(-beta * mp.tan(mp.pi * alpha / 2))
    top = min((psi + mp.pi / 2) / alpha, mp.pi / 2)
    return [top * mp.mpf("0.55"), top * mp.mpf("0.8")]


def value(alpha, beta, x):
    """pdf, sf, cdf, d pdf/dx, d/dalpha, d/dbeta at x."""
    zeta = 0 if alpha == 1 else -beta * mp.tan(mp.pi * alpha / 2)
    if beta < 0 if near_one(alpha, beta) else x < zeta:
        found = value(alpha, -beta, -x)
        if found is None:
            return None
        f, sf, fx, fa, fb, cdf = found
        return f, cdf, -fx, fa, -fb, sf
    for digits in (50, 110):
        mp.mp.dps = digits
        zeta, angles = 0 if alpha == 1 else -beta * mp.tan(mp.pi * alpha / 2), rays(alpha, beta)
        if abs(alpha - 1) < 0.1:
            distance = abs(x) + 1
        else:
            distance = max(abs(x - zeta), mp.mpf(10) ** -300)
        centre = min(mp.log(4 / distance), mp.log(4) / alpha)
        steps = 14 + digits // 8
        a = integrals(alpha, beta, x, angles[0], centre, steps)
        b = integrals(alpha, beta, x, angles[1], centre - mp.mpf("0.1"), steps + 3)
        if a is None or b is None:
            return None
        cdf_a, cdf_b = 1 - a[1], 1 - b[1]

        def alike(p, q, scale):
            return abs(p - q) <= AGREE * (abs(q) + scale)

        if (b[0] > 0 and alike(a[0], b[0], 0) and alike(a[1], b[1], 0) and alike(cdf_a, cdf_b, 0)
                and all(alike(a[i], b[i], b[0]) for i in (2, 3, 4))):
            return b[0], b[1], b[2], b[3], b[4], cdf_b
    return None


def rows():
    for alpha in ALPHAS:
        for beta in BETAS:
            for x in PLACES:
                yield float(alpha), beta, x


def main():
    output = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../../../tests/data/stable/law.csv")
    points = list(rows())
    if len(sys.argv) > 2:
        points = points[:: max(1, len(points) // int(sys.argv[2]))]
    with open(output, "w", encoding="utf-8") as file:
        file.write("alpha,beta,x,log_pdf,cdf,sf,d_x,d_alpha,d_beta\n")
        for a, b, x in points:
            alpha, beta, place = mp.mpf(a), mp.mpf(b), mp.mpf(x)
            outside = a < 1 and abs(b) == 1 and (x + b * mp.tan(mp.pi * alpha / 2)) * b <= 0
            if outside:
                continue
            found = value(alpha, beta, place)
            if found is None:
                print(f"no agreement at alpha {a} beta {b} x {x}", file=sys.stderr)
                continue
            f, sf, fx, fa, fb, cdf = found
            numbers = [mp.log(f), cdf, sf, fx / f, fa / f, fb / f]
            file.write(f"{a!r},{b!r},{x!r}," + ",".join(mp.nstr(v, 20, min_fixed=0, max_fixed=0) for v in numbers) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
