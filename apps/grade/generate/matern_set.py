#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the reference set of Matern correlations: matern_set.py [--count N] [--seed S] OUTPUT.h5.

M_nu(h) = 2^(1 - nu) / Gamma(nu) h^nu K_nu(h), 1 - M, h dM/dh and dM/dnu, from the integral of
bessel_functions.py with as many more digits as small h takes. Every point is computed at a second
precision; a random part is checked by mpmath. Needs python3-gmpy2, python3-mpmath, numpy and h5py.
"""

import math
import sys

import bessel_functions as bessel
import gmpy2
import mpmath
from gmpy2 import mpfr
from reference_set import ReferenceSet, Source, sample, set_arguments

INPUTS = {"nu": "smoothness nu", "h": "distance over range, h"}
QUANTITIES = {
    "matern": "M_nu(h)",
    "one_minus": "1 - M_nu(h), the variogram",
    "dmatern_dh": "dM/dh",
    "dmatern_dnu": "dM/dnu",
}
SHARES = {
    "body": 0.4,
    "small h": 0.15,
    "tiny h": 0.03,
    "large h": 0.12,
    "large nu": 0.12,
    "small nu": 0.06,
    "near a whole nu": 0.05,
    "near a half-integer nu": 0.05,
    "half-integer nu": 0.02,
}


def points(kind, source):
    uniform, spread = source.uniform, source.spread

    near = source.sign() * spread(1e-15, 1e-3)
    h, whole = spread(1e-3, 100), source.randrange(1, 20)
    return {
        "body": lambda: (uniform(0.1, 5), spread(1e-3, 30)),
        "small h": lambda: (uniform(0.1, 5), spread(1e-12, 1e-3)),
        "tiny h": lambda: (uniform(0.1, 3), spread(1e-30, 1e-12)),
        "large h": lambda: (uniform(0.1, 5), uniform(30, 760)),
        "large nu": lambda: (spread(5, 200), spread(1e-2, 300)),
        "small nu": lambda: (spread(1e-3, 0.1), h),
        "near a whole nu": lambda: (whole + near, h),
        "near a half-integer nu": lambda: (whole - 0.5 + near, h),
        "half-integer nu": lambda: (whole - 0.5, h),
    }[kind]()


def correlation(nu, h, bits):
    """name -> (value, condition); bits: beyond what cancels in 1 - M and dM/dnu."""
    more = 2 * max(0, -math.log2(h)) * min(nu, 1.5) + 10
    with bessel.context(
        bits + more + math.log2(1 + nu * (2 + abs(math.log(h)))) * 2 + max(0, math.log2(h))
    ):
        saved, bessel.BITS = bessel.BITS, int(bits + more)
        (k, k_h, k_nu, k_hh, k_hnu, k_nunu), g = bessel.bessel_k(nu, h)
        bessel.BITS = saved
        n, x = mpfr(nu), mpfr(h)
        log_h = gmpy2.log(x)
        scale = gmpy2.exp((1 - n) * gmpy2.log(mpfr(2)) - gmpy2.lgamma(n)[0] + n * log_h + g)
        m = scale * k
        below = -k_h - n / x * k  # K_(nu - 1)
        m_h = -scale * below
        slope = log_h - gmpy2.log(mpfr(2)) - gmpy2.digamma(n)
        m_nu = scale * (slope * k + k_nu)
        m_hh = scale * (n * (n - 1) / (x * x) * k + 2 * n / x * k_h + k_hh)
        m_hnu = slope * m_h + scale * (n / x * k_nu + k / x + k_hnu)
        m_nunu = slope * m_nu - bessel.trigamma(n) * m + scale * (slope * k_nu + k_nunu)
        point = (nu, h)
        return {
            "matern": (m, bessel.relative(point, m, (m_nu, m_h))),
            "one_minus": (1 - m, bessel.relative(point, 1 - m, (m_nu, m_h))),
            "dmatern_dh": (m_h, bessel.relative(point, m_h, (m_hnu, m_hh))),
            "dmatern_dnu": (m_nu, bessel.relative(point, m_nu, (m_nunu, m_hnu))),
        }


def by_mpmath(chosen):
    """The largest relative disagreement with mpmath's K at 60 digits, and differences in nu."""
    mpmath.mp.dps = 60
    worst = 0.0

    def matern(nu, h):
        return 2 ** (1 - nu) / mpmath.gamma(nu) * h**nu * mpmath.besselk(nu, h)

    for nu, h, found in chosen:
        n, x, step = mpmath.mpf(nu), mpmath.mpf(h), mpmath.mpf(10) ** -18
        m = matern(n, x)
        theirs = {"matern": m, "one_minus": 1 - m}
        theirs["dmatern_dnu"] = (matern(n + step, x) - matern(n - step, x)) / (2 * step)
        for name, value in theirs.items():
            worst = max(worst, float(abs(mpmath.mpf(str(found[name][0])) / value - 1)))
    return worst


def main():
    options = set_arguments(__doc__, 26000, "points", 100, "points compared with mpmath")
    source, worst, kept = Source(options.seed), 0.0, []
    made = ReferenceSet("matern", 1, "Matern correlations", INPUTS, QUANTITIES)
    for kind, share in SHARES.items():
        for _ in range(round(share * options.count)):
            nu, h = points(kind, source)
            found = correlation(nu, h, 110)
            finer = correlation(nu, h, 150)
            with bessel.context(150):
                made.add(kind, (nu, h), finer)
                for name, (value, _) in finer.items():
                    if value != 0:
                        worst = max(worst, float(abs(found[name][0] / value - 1)))
            if kind == "body":
                kept.append((nu, h, finer))
            made.report(options.count)
    gmpy2.set_context(gmpy2.context(precision=200))
    chosen = sample(kept, options)
    second = by_mpmath(chosen)
    made.write(
        options,
        worst,
        second,
        digits="45 and more",
        generator="apps/grade/generate/matern_set.py",
        check=f"33 digits and more at every point; mpmath at {len(chosen)} points",
    )


if __name__ == "__main__":
    main()
