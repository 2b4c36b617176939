# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""JAX in double precision. It has I of orders 0 and 1 alone."""

import numpy as np

from .function import Function

NAME = "JAX"


def version():
    import jax

    jax.config.update("jax_enable_x64", True)
    return f"{jax.__version__} {jax.default_backend()}"


def orders_0_1(first, second):
    def call(nu, x):
        from jax.scipy import special

        values = [np.asarray(getattr(special, name)(x)) for name in (first, second)]
        return np.where(nu == 0, *values)

    return call


def boys(n, x):
    from jax.scipy import special

    order = n + 0.5
    part = np.asarray(special.gammainc(order, x) * np.exp(np.asarray(special.gammaln(order))))
    return np.where(x == 0, 1 / (2 * n + 1), part / (2 * x**order))


def low(nu, _):
    return (nu == 0) | (nu == 1)


FUNCTIONS = {
    "bessel-i/i": Function(orders_0_1("i0", "i1"), "i0, i1", domain=low),
    "bessel-i/i_scaled": Function(orders_0_1("i0e", "i1e"), "i0e, i1e", domain=low),
    "boys/boys": Function(boys, "gammainc"),
}
