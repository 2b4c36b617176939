#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the reference sets of K_nu(x) and I_nu(x): bessel_set.py {k,i} [--count N] [--seed S] OUTPUT.h5.

Values, scaled values, logarithms, and the derivatives of values and logarithms in x and nu.
bessel_functions.py has the methods: 45 digits and more. Every point is checked by the Wronskian
I_nu K_(nu+1) + I_(nu+1) K_nu = 1/x and its derivative in nu, which tie an integral to a series, and a
random part by mpmath. Needs python3-gmpy2, python3-mpmath, numpy and h5py.
"""

import argparse
import sys

import bessel_functions as bessel
import gmpy2
import mpmath
from gmpy2 import mpfr
from reference_set import ReferenceSet, Source, add_set_arguments, sample

INPUTS = {"nu": "order nu", "x": "argument x"}
SHARES = {
    "body": 0.24,
    "order 0 or 1": 0.06,
    "small x": 0.1,
    "tiny x": 0.03,
    "large x": 0.1,
    "huge x": 0.02,
    "medium order": 0.15,
    "large order": 0.08,
    "near a whole order": 0.06,
    "near a half-integer order": 0.06,
    "whole order": 0.04,
    "half-integer order": 0.03,
    "tiny order": 0.03,
}
SECOND = ("body", "small x", "large x", "medium order")  # classes that mpmath can do


def names(letter):
    form = letter.upper()
    sign = "" if letter == "k" else "-"
    return {
        letter: f"{form}_nu(x)",
        f"{letter}_scaled": f"e^{sign}x {form}_nu(x)",
        f"log_{letter}": f"log {form}_nu(x)",
        f"d{letter}_dx": f"d {form}_nu(x) / dx",
        f"d{letter}_dnu": f"d {form}_nu(x) / d nu",
        f"dlog_{letter}_dx": f"d log {form}_nu(x) / dx",
        f"dlog_{letter}_dnu": f"d log {form}_nu(x) / d nu",
    }


def points(kind, source):
    uniform, spread = source.uniform, source.spread

    whole, near = source.randrange(0, 60), source.sign() * spread(1e-15, 1e-3)
    x = spread(1e-3, 200)
    return {
        "body": lambda: (uniform(0, 20), uniform(0.1, 140)),
        "order 0 or 1": lambda: (float(source.randrange(2)), spread(1e-6, 2000)),
        "small x": lambda: (uniform(0, 20), spread(1e-8, 0.1)),
        "tiny x": lambda: (uniform(0, 2), spread(1e-300, 1e-8)),
        "large x": lambda: (uniform(0, 50), spread(140, 1e6)),
        "huge x": lambda: (uniform(0, 50), spread(1e6, 1e15)),
        "medium order": lambda: (uniform(20, 200), spread(0.1, 1e4)),
        "large order": lambda: (
            (nu := spread(200, 1e6)),
            nu * spread(1e-3, 10) if nu < 1e5 else nu * spread(0.03, 1),
        ),
        "near a whole order": lambda: (abs(whole + near), x),
        "near a half-integer order": lambda: (whole + 0.5 + near, x),
        "whole order": lambda: (float(whole), x),
        "half-integer order": lambda: (whole + 0.5, x),
        "tiny order": lambda: (spread(1e-12, 0.1), x),
    }[kind]()


def disagreement(x, k, i, nu):
    """Of the Wronskian and of its derivative in nu, relative to the sizes of their terms."""
    k_above, i_above = nu / x * k[0] - k[1], i[1] - nu / x * i[0]
    k_above_nu = k[0] / x + nu / x * k[2] - k[4]
    i_above_nu = i[4] - i[0] / x - nu / x * i[2]
    first = x * (i[0] * k_above + i_above * k[0]) - 1
    terms = (i[2] * k_above, i[0] * k_above_nu, i_above_nu * k[0], i_above * k[2])
    return max(abs(first), abs(sum(terms)) / max(map(abs, terms)))


def by_mpmath(letter, chosen):
    """The largest relative disagreement with mpmath's functions at 60 digits."""
    mpmath.mp.dps = 60
    function = mpmath.besselk if letter == "k" else mpmath.besseli
    worst = 0.0
    for nu, x, value, slope in chosen:
        theirs = function(mpmath.mpf(nu), mpmath.mpf(x))
        worst = max(worst, float(abs(mpmath.mpf(str(value)) / theirs - 1)))
        if slope:
            with mpmath.workdps(80):
                step = mpmath.mpf(10) ** -20
                ends = [function(mpmath.mpf(nu) + s * step, mpmath.mpf(x)) for s in (1, -1)]
                theirs = (ends[0] - ends[1]) / (2 * step)
            worst = max(worst, float(abs(mpmath.mpf(str(slope)) / theirs - 1)))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("letter", choices=("k", "i"))
    options = add_set_arguments(parser, 15000, "points", 200, "points compared with mpmath")
    letter, source = options.letter, Source(options.seed)
    title = "modified Bessel functions of the " + ("second" if letter == "k" else "first") + " kind"
    made = ReferenceSet(f"bessel-{letter}", 1, title, INPUTS, names(letter))
    worst, kept = mpfr(0), []
    for kind, share in SHARES.items():
        for _ in range(round(share * options.count)):
            nu, x = points(kind, source)
            with bessel.context(bessel.bits_for(nu, x)):
                k, log_k = bessel.bessel_k(nu, x)
                i, log_i = bessel.bessel_i(nu, x)
                if nu == 0:
                    i[2] = -k[0] * gmpy2.exp(log_k - log_i)  # where the series cancels
                product = gmpy2.exp(log_k + log_i)
                worst = max(worst, disagreement(mpfr(x), k, [v * product for v in i], mpfr(nu)))
                found = (k, log_k) if letter == "k" else (i, log_i)
                values = bessel.quantities(letter, nu, x, *found)
                made.add(kind, (nu, x), values)
            if x < 1e4 and kind in SECOND:
                smooth = kind in ("body", "medium order")
                kept.append(
                    (nu, x, values[letter][0], values[f"d{letter}_dnu"][0] if smooth else 0)
                )
            made.report(options.count)
    gmpy2.set_context(gmpy2.context(precision=200, emax=1 << 50, emin=-(1 << 50)))
    chosen = sample(kept, options)
    second = by_mpmath(letter, chosen)
    made.write(
        options,
        worst,
        second,
        digits="45 and more",
        generator="apps/grade/generate/bessel_set.py",
        check=f"the Wronskian of K (integral) and I (series) and its derivative in nu; mpmath at {len(chosen)} points",
    )


if __name__ == "__main__":
    main()
