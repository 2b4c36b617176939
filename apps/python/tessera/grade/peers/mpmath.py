# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""mpmath at 53 bits, the precision of doubles."""

from .function import Function

NAME = "mpmath"


def version():
    import mpmath

    return mpmath.__version__


def with_53_bits(compute):
    def call(*point):
        import mpmath

        with mpmath.workprec(53):
            return float(compute(mpmath, *map(mpmath.mpf, point)))

    return call


def boys(mp, n, x):
    return mp.gammainc(n + 0.5, 0, x) / (2 * x ** (n + 0.5)) if x else 1 / (2 * n + 1)


def matern(mp, nu, h):
    return 2 ** (1 - nu) / mp.gamma(nu) * h**nu * mp.besselk(nu, h)


def of(name):
    return with_53_bits(lambda mp, nu, x: getattr(mp, name)(nu, x))


def slope(name):
    return with_53_bits(lambda mp, nu, x: getattr(mp, name)(nu, x, derivative=1))


def bounded(nu, x):
    """mpmath takes minutes or raises elsewhere."""
    return (nu <= 200) & (x <= 1e4)


FUNCTIONS = {
    "bessel-k/k": Function(of("besselk"), "besselk", domain=bounded, each=True),
    "bessel-i/i": Function(of("besseli"), "besseli", domain=bounded, each=True),
    "bessel-i/di_dx": Function(slope("besseli"), "besseli", domain=bounded, each=True),
    "matern/matern": Function(with_53_bits(matern), "besselk", each=True),
    "boys/boys": Function(with_53_bits(boys), "gammainc", domain=lambda n, x: x < 1e4, each=True),
}
