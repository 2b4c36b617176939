# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""The Boys function and its parts in multiprecision (mpmath, at the working precision of `mp`)."""

from mpmath import mp, mpf


def boys_scaled(n, x):
    """e^x F_n(x) = sum_k (2x)^k / ((2n+1)(2n+3)...(2n+2k+1)), a series of positive terms for x > 0."""
    b = n + mpf(1) / 2
    term = 1 / (2 * b)
    total = term
    while abs(term) > abs(total) * mp.eps / 16:
        b += 1
        term *= x / b
        total += term
    return total


def boys(n, x):
    """F_n(x) = integral of t^(2n) e^(-x t^2) over [0, 1]."""
    return boys_scaled(n, x) * mp.exp(-x)


def half_gamma(n):
    """Gamma(n + 1/2) / 2, so that F_n(x) -> half_gamma(n) x^(-n-1/2) for large x."""
    return mp.gamma(n + mpf(1) / 2) / 2


def boys_tail(n, x):
    """e^x (half_gamma(n) x^(-n-1/2) - F_n(x)), the part of the integral beyond t = 1, scaled: about 1 / (2x)."""
    return mp.exp(x) * mp.gammainc(n + mpf(1) / 2, x) * x ** (-n - mpf(1) / 2) / 2
