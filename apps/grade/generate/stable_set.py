#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the reference set of stable laws: stable_set.py [--count N] [--seed S] [--checks N] OUTPUT.h5.

Densities, their logarithms, both tail probabilities, the scores in x, alpha and beta, and both
quantiles, for laws in S0 with scale 1 and location 0. stable_law.py has the method: two contours
that agree to 1e-24. A random part is compared with Zolotarev's integral by mpmath, which shares
nothing with it. 0.04 s a point of one core: 15 minutes for 20 000. Needs python3-gmpy2, python3-mpmath,
numpy and h5py.
"""

import math
import random
import sys

import gmpy2
import mpmath
import stable_law
from gmpy2 import mpfr
from reference_set import ReferenceSet, Source, set_arguments

INPUTS = {
    "alpha": "stability alpha",
    "beta": "skewness beta",
    "x": "place x, in S0, scale 1, location 0",
    "p": "P(X <= x), rounded: the input of the quantile",
    "q": "P(X > x), rounded: the input of the upper quantile",
}
QUANTITIES = {
    "pdf": "density at x",
    "logpdf": "logarithm of the density at x",
    "cdf": "P(X <= x)",
    "sf": "P(X > x)",
    "score_x": "d log pdf / dx",
    "score_alpha": "d log pdf / d alpha",
    "score_beta": "d log pdf / d beta",
    "quantile": "x with P(X <= x) = p",
    "upper_quantile": "x with P(X > x) = q",
}
PLACE = ["x", "alpha", "beta"]
INPUTS_OF = {name: PLACE for name in QUANTITIES}
INPUTS_OF["quantile"] = ["p", "alpha", "beta"]
INPUTS_OF["upper_quantile"] = ["q", "alpha", "beta"]
SHARES = {
    "body": 0.26,
    "tail": 0.14,
    "far tail": 0.04,
    "alpha near 1": 0.12,
    "alpha 1": 0.07,
    "alpha near 2": 0.08,
    "alpha 2": 0.02,
    "small alpha": 0.08,
    "one-sided": 0.1,
    "nearly one-sided": 0.06,
    "near the centre": 0.025,
    "outside the support": 0.005,
}


class Points(Source):
    def point(self, kind):
        uniform, spread, sign = self.uniform, self.spread, self.sign
        alpha, beta = uniform(0.3, 2), uniform(-1, 1)
        if kind == "body":
            return alpha, beta, math.tan(uniform(-1.5, 1.5))
        if kind == "tail":
            return alpha, beta, sign() * spread(10, 1e12)
        if kind == "far tail":
            return alpha, beta, sign() * spread(1e12, 1e100)
        if kind == "alpha near 1":
            return 1 + sign() * spread(1e-12, 0.05), beta, sign() * spread(0.01, 1e4)
        if kind == "alpha 1":
            return 1.0, beta, sign() * spread(0.01, 1e6)
        if kind == "alpha near 2":
            return 2 - spread(1e-12, 0.1), beta, sign() * spread(0.01, 40)
        if kind == "alpha 2":
            return 2.0, 0.0, sign() * spread(0.01, 30)
        if kind == "small alpha":
            return uniform(0.1, 0.3), beta, sign() * spread(1e-3, 1e6)
        if kind == "one-sided":
            near = self.random() < 0.3
            alpha = 1 + sign() * spread(1e-12, 0.05) if near else uniform(0.1, 1.999)
            return alpha, float(sign()), sign() * spread(0.05, 10 if near else 300)
        if kind == "nearly one-sided":
            return alpha, sign() * (1 - spread(1e-12, 0.01)), sign() * spread(0.05, 50)
        if kind == "near the centre":
            return alpha, beta, self.centre(alpha, beta)
        alpha, beta = uniform(0.1, 0.97), float(sign())
        return alpha, beta, -beta * (math.tan(math.pi * alpha / 2) * 1.01 + spread(0.01, 1e6))

    def centre(self, alpha, beta):
        """Near 0, where laws of S0 are centred, or near zeta, where one half of the contours ends."""
        if self.random() < 0.5:
            return self.sign() * self.spread(1e-20, 1e-3)
        zeta = -beta * math.tan(math.pi * alpha / 2)
        return zeta * (1 + self.sign() * self.spread(1e-15, 1e-3))


def beyond_doubles(alpha, beta, x):
    """Whether the density is below e^-5000, in the light tail of a one-sided law."""
    if abs(beta) != 1 or alpha == 2:
        return False
    with gmpy2.local_context(gmpy2.context(), precision=200, emax=1 << 40, emin=-(1 << 40)):
        found = stable_law.saddle(stable_law.Law(alpha, -1.0), mpfr(-x * beta))
        return found is not None and found[1] < -5000


def outside(alpha, beta, x):
    return alpha < 1 and abs(beta) == 1 and (x + beta * math.tan(math.pi * alpha / 2)) * beta <= 0


def relative(point, value, slopes):
    """The condition number of a value with these derivatives."""
    if value == 0:
        return mpfr("inf")
    return sum(abs(mpfr(p) * s) for p, s in zip(point, slopes)) / abs(value)


def values_at(point, found):
    """(inputs, quantities) from the sums at a point (alpha, beta, x)."""
    alpha, beta, x = point
    f, below, above = found["f"], found["h"], found["g"]
    slopes = {n: found[n] / f for n in ("fa", "fb", "fx")}
    scores = {"score_alpha": slopes["fa"], "score_beta": slopes["fb"], "score_x": slopes["fx"]}
    second = {
        "score_alpha": ("faa", "fab", "fxa"),
        "score_beta": ("fab", "fbb", "fxb"),
        "score_x": ("fxa", "fxb", "fxx"),
    }
    firsts = (slopes["fa"], slopes["fb"], slopes["fx"])
    values = {
        "pdf": (f, relative(point, f, (found["fa"], found["fb"], found["fx"]))),
        "logpdf": (gmpy2.log(f), relative(point, gmpy2.log(f), firsts)),
        "cdf": (below, relative(point, below, (-found["ga"], -found["gb"], f))),
        "sf": (above, relative(point, above, (found["ga"], found["gb"], f))),
    }
    for name, score in scores.items():
        if name == "score_beta" and alpha == 2:
            continue  # zero by symmetry
        hessian = [found[n] / f - score * first for n, first in zip(second[name], firsts)]
        values[name] = (score, relative(point, score, hessian))
    p, q = float(below), float(above)
    for name, given, exact, sign in (("quantile", p, below, 1), ("upper_quantile", q, above, -1)):
        made = quantile(found, x, given, exact, sign, alpha, beta)
        if made is not None:
            values[name] = made
    return (alpha, beta, x, p, q), values


def quantile(found, x, given, exact, sign, alpha, beta):
    """The place whose probability is `given`, near x, whose probability is `exact`."""
    f = found["f"]
    if not 1e-300 < given < 0.9:
        return None
    condition = (exact / f + abs(alpha * found["ga"] / f) + abs(beta * found["gb"] / f)) / abs(x)
    step = sign * (mpfr(given) - exact) / f
    step -= found["fx"] * step * step / (2 * f)
    curved = abs(found["fxx"] * step * step / f) + abs(found["fx"] * step / f) ** 2
    if condition > 1e8 or curved * abs(step) > 1e-23 * abs(x):
        return None
    return mpfr(x) + step, condition


def zolotarev(alpha, beta, x):
    """pdf and sf at x > zeta by Zolotarev's integral; alpha is not 1."""
    mp = mpmath.mp
    a, b, y = mp.mpf(alpha), mp.mpf(beta), mp.mpf(x)
    y += b * mp.tan(mp.pi * a / 2)
    if y < 0:
        pdf, sf = zolotarev(alpha, -beta, -x)
        return pdf, 1 - sf
    start = mp.atan(b * mp.tan(mp.pi * a / 2)) / a
    power = a / (a - 1)
    scale = (power * mp.log(y)) + mp.log(mp.cos(a * start)) / (a - 1)

    def exponent(theta):
        inner = mp.log(abs(mp.cos(theta) / mp.sin(a * (start + theta)))) * power
        last = abs(mp.cos(a * start + (a - 1) * theta) / mp.cos(theta))
        return mp.exp(scale + inner + mp.log(last))

    low, high = -start, mp.pi / 2
    places = [low + (high - low) * mp.mpf(k) / 64 for k in range(1, 64)]
    levels = [mp.log(exponent(t)) for t in places]
    cuts = [
        t
        for t, here, there in zip(places[1:], levels, levels[1:])
        if any((here > level) != (there > level) for level in (-9, 0, 4))
    ]
    ends = [low, *cuts, high]

    def total(function):
        return mp.quad(lambda t: function(exponent(t)), ends, maxdegree=9)

    pdf = a / (mp.pi * abs(a - 1) * y) * total(lambda g: g * mp.exp(-g))
    if a > 1:
        return pdf, total(lambda g: mp.exp(-g)) / mp.pi
    return pdf, total(lambda g: -mp.expm1(-g)) / mp.pi


def second_formula(points, checks, seed):
    """The largest relative disagreement with Zolotarev's integral on a random part."""
    mpmath.mp.dps = 34
    chosen = [p for p in points if p[0][0] == "body" and abs(p[1][0] - 1) > 0.1 and p[1][0] < 1.95]
    worst, count = 0.0, 0
    for (_, _), point, found in random.Random(seed).sample(chosen, min(checks, len(chosen))):
        pdf, sf = zolotarev(*point)
        for ours, theirs in ((found["f"], pdf), (found["g"], sf)):
            worst = max(worst, float(abs(mpmath.mpf(str(ours)) / theirs - 1)))
        count += 1
    return worst, count


def main():
    options = set_arguments(
        __doc__, 20000, "points", 60, "points compared with Zolotarev's integral"
    )
    made = ReferenceSet("stable", 1, "stable laws in S0", INPUTS, QUANTITIES, INPUTS_OF)
    source, agreement, digits, kept = Points(options.seed), 0.0, 0, []
    gmpy2.set_context(gmpy2.context(precision=140, emax=1 << 40, emin=-(1 << 40)))
    for kind, share in SHARES.items():
        left = round(share * options.count)
        while left:
            point = source.point(kind)
            if (kind != "outside the support" and outside(*point)) or beyond_doubles(*point):
                continue
            if kind == "outside the support":
                one, zero = (mpfr(1), 0), (mpfr(0), 0)
                below, above = (zero, one) if point[1] > 0 else (one, zero)
                empty = {"pdf": zero, "logpdf": (mpfr("-inf"), 0), "cdf": below, "sf": above}
                made.add(kind, (*point, float(below[0]), float(above[0])), empty)
            else:
                result = stable_law.compute(*point)
                if result is None:
                    print(f"no agreement at {point} ({kind})", file=sys.stderr)
                    continue
                found, used, worst = result
                agreement, digits = max(agreement, worst), max(digits, used)
                inputs, values = values_at(point, found)
                made.add(kind, inputs, values)
                kept.append(((kind, 0), point, found))
            left -= 1
            made.report(options.count)
    worst, checks = second_formula(kept, options.checks, options.seed)
    made.write(
        options,
        agreement,
        worst,
        digits=f"45 to {digits}",
        generator="apps/grade/generate/stable_set.py",
        check=f"two contours at every point; Zolotarev's integral at {checks} points",
    )


if __name__ == "__main__":
    main()
