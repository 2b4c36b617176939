# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Rys quadrature in multiprecision (mpmath).

The polynomials p_k(t), orthogonal on [-1, 1] for the weight e^(-x t^2), obey p_(k+1) = t p_k - b_k
p_(k-1). Those of even order are polynomials in u = t^2, and the zeros of p_(2n) are the Rys roots.
The arrays b of this file begin with an unused b[0].
"""

from mpmath import mp, mpf

import functions


def moments(count, x):
    """F_0(x), ..., F_(count-1)(x)."""
    values = [functions.boys(count - 1, x)]
    exponential = mp.exp(-x)
    for m in range(count - 2, -1, -1):
        values.append((2 * x * values[-1] + exponential) / (2 * m + 1))
    return values[::-1]


def recurrence(last, mass):
    """b_1, ..., b_last, by Chebyshev's algorithm from the moments mass[0..last] of u. It loses up to
    0.78 last digits at x = 0, so that the working precision must have them to spare."""
    previous = {}
    current = {2 * m: value for m, value in enumerate(mass[: last + 1])}
    b = [mpf(0)]
    for k in range(1, last + 1):
        following = {
            l: current[l + 1] - (b[k - 1] * previous[l] if k > 1 else 0)
            for l in range(k, 2 * last - k + 1, 2)
        }
        b.append(following[k] / current[k - 1])
        previous, current = current, following
    return b


def hermite_recurrence(last):
    """x b_k for x -> infinity."""
    return [mpf(k) / 2 for k in range(last + 1)]


def polynomial(n, b, u):
    """p_(2n) at t^2 = u, and its derivative with respect to u."""
    p, r, dp, dr = type(u)(1), type(u)(1), type(u)(0), type(u)(0)  # r = p_(2k+1) / t
    for k in range(1, n + 1):
        p, dp = u * r - b[2 * k - 1] * p, r + u * dr - b[2 * k - 1] * dp
        if k < n:
            r, dr = p - b[2 * k] * r, dp - b[2 * k] * dr
    return p, dp


def roots_below(n, b, u):
    """How many zeros of p_(2n) are below u: the signs that agree in the sequence of p_(2k)."""
    p, r, kept = 1.0, 1.0, n
    for k in range(1, n + 1):
        above = u * r - b[2 * k - 1] * p
        kept -= (above < 0) != (p < 0)
        p = above
        if k < n:
            r = p - b[2 * k] * r
    return kept


def roots(n, b):
    """The zeros of p_(2n), ascending: by bisection and Newton's method in double precision, then by
    Newton's method in the working precision."""
    rough = [float(value) for value in b]
    limit = 4 * max(rough[1 : 2 * n])
    found = []
    for i in range(n):
        low, high = found[-1] if found else 0.0, limit
        while high - low > 1e-3 * high or roots_below(n, rough, high) != i + 1:
            middle = (low + high) / 2
            low, high = (middle, high) if roots_below(n, rough, middle) <= i else (low, middle)
        u = (low + high) / 2
        for _ in range(60):
            p, dp = polynomial(n, rough, u)
            step = p / dp
            if not low <= u - step <= high:
                middle = (low + high) / 2
                low, high = (middle, high) if roots_below(n, rough, middle) <= i else (low, middle)
                step = u - (low + high) / 2
            u -= step
            if abs(step) < 1e-14 * u:
                break
        found.append(u)
    exact = []
    for u in map(mpf, found):
        for _ in range(20):
            p, dp = polynomial(n, b, u)
            u -= p / dp
            if abs(p / dp) < mpf(10) ** (-mp.dps // 2 - 3) * u:
                break
        exact.append(u)
    return exact


def weights(n, b, mass, points):
    """mass / sum over k < n of p_(2k)(u)^2 / (b_1 ... b_(2k)) for each root u."""
    found = []
    for u in points:
        p, r, norm, total = mpf(1), mpf(1), mpf(1), mpf(1)
        for k in range(1, n):
            p = u * r - b[2 * k - 1] * p
            r = p - b[2 * k] * r
            norm *= b[2 * k - 1] * b[2 * k]
            total += p * p / norm
        found.append(mass / total)
    return found


def quadrature(n, x):
    """(roots, weights) of order n at x."""
    mass = moments(2 * n, x)
    b = recurrence(2 * n - 1, mass)
    points = roots(n, b)
    return points, weights(n, b, mass[0], points)


def hermite_quadrature(n):
    """(x roots, sqrt(x) weights) of order n for x -> infinity."""
    b = hermite_recurrence(2 * n - 1)
    points = roots(n, b)
    return points, weights(n, b, mp.sqrt(mp.pi) / 2, points)
