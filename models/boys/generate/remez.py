# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Weighted minimax approximation in multiprecision: Remez's second algorithm on a fixed grid.

Needs mpmath. Polynomials and rational functions are found in the centred variable t = (x - c) / h, |t| <= 1, in which the linear
systems are well conditioned; `shift_to` re-expands a polynomial about the point the code will use.
"""

from mpmath import mp, mpf


def chebyshev_grid(low, high, count):
    """`count` points of [low, high], both ends included, dense towards the ends."""
    middle, half = (low + high) / 2, (high - low) / 2
    return [middle - half * mp.cos(mp.pi * j / (count - 1)) for j in range(count)]


def horner(coefficients, x):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


class Samples:
    """f and the weight w on a grid: the error that counts is w (f - approximation)."""

    def __init__(self, x, f, w):
        self.x, self.f, self.w = x, f, w
        low, high = min(x[0], x[-1]), max(x[0], x[-1])
        self.center, self.half = (low + high) / 2, (high - low) / 2
        self.t = [(u - self.center) / self.half for u in x]

    def spread(self, count):
        """Indices of `count` starting points."""
        return [round((len(self.x) - 1) * j / (count - 1)) for j in range(count)]


def _exchange(error, count):
    """Indices of `count` extrema of alternating sign, the largest error among them; None if the error alternates too little."""
    runs = [[0]]
    for i in range(1, len(error)):
        if (error[i] >= 0) == (error[runs[-1][-1]] >= 0):
            runs[-1].append(i)
        else:
            runs.append([i])
    peaks = [max(run, key=lambda i: abs(error[i])) for run in runs]
    while len(peaks) > count:
        if len(peaks) == count + 1:
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        else:
            pair = min(range(len(peaks) - 1), key=lambda k: max(abs(error[peaks[k]]), abs(error[peaks[k + 1]])))
            del peaks[pair:pair + 2]
    return peaks if len(peaks) == count else None


def minimax_polynomial(samples, degree, sweeps=15):
    """Coefficients in t of the weighted minimax polynomial, and its largest weighted error on the grid."""
    count = degree + 2
    points = samples.spread(count)
    best = None
    for _ in range(sweeps):
        a, b = mp.matrix(count, count), mp.matrix(count, 1)
        for row, i in enumerate(points):
            power = mpf(1)
            for k in range(degree + 1):
                a[row, k] = power
                power *= samples.t[i]
            a[row, degree + 1] = (-1) ** row / samples.w[i]
            b[row] = samples.f[i]
        solution = mp.lu_solve(a, b)
        coefficients, level = [solution[k] for k in range(degree + 1)], abs(solution[degree + 1])
        error = [(f - horner(coefficients, t)) * w for t, f, w in zip(samples.t, samples.f, samples.w)]
        largest = max(abs(e) for e in error)
        if best is None or largest < best[1]:
            best = (coefficients, largest)
        if largest < level * mpf("1.02"):
            break
        points = _exchange(error, count)
        if points is None:
            break
    return best


def minimax_rational(samples, p, q, sweeps=40):
    """(numerator, denominator) in t of the weighted minimax rational function [p/q], denominator(0) = 1, and its largest error.

    The alternation system is bilinear in the level; it is solved by fixed-point iteration on the level.
    """
    count = p + q + 2
    points = samples.spread(count)
    level, best = mpf(0), None
    for _ in range(sweeps):
        for _ in range(6):
            a, b = mp.matrix(count, count), mp.matrix(count, 1)
            for row, i in enumerate(points):
                sign, t, f, w = (-1) ** row, samples.t[i], samples.f[i], samples.w[i]
                for k in range(p + 1):
                    a[row, k] = t ** k
                for k in range(1, q + 1):
                    a[row, p + k] = -(f + sign * level / w) * t ** k
                a[row, count - 1] = -sign / w
                b[row] = f
            solution = mp.lu_solve(a, b)
            previous, level = level, solution[count - 1]
            if abs(level - previous) <= abs(level) * mpf("1e-6"):
                break
        numerator = [solution[k] for k in range(p + 1)]
        denominator = [mpf(1)] + [solution[p + k] for k in range(1, q + 1)]
        values = [horner(denominator, t) for t in samples.t]
        error = [(f - horner(numerator, t) / v) * w for t, f, w, v in zip(samples.t, samples.f, samples.w, values)]
        largest = max(abs(e) for e in error)
        if min(values) > 0:  # no pole inside
            if best is None or largest < best[2]:
                best = (numerator, denominator, largest)
            if largest < abs(level) * mpf("1.02"):
                break
        points = _exchange(error, count)
        if points is None:
            break
    return best


def shift_to(coefficients, samples, origin):
    """The polynomial in t, re-expanded in powers of (x - origin)."""
    offset = (mpf(origin) - samples.center) / samples.half
    result = []
    remaining = list(coefficients)
    while remaining:  # repeated synthetic division gives the Taylor coefficients about the new origin
        for k in range(len(remaining) - 2, -1, -1):
            remaining[k] += offset * remaining[k + 1]
        result.append(remaining.pop(0))
    return [c / samples.half ** k for k, c in enumerate(result)]
