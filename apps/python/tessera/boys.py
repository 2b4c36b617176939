# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Boys functions of molecular integrals and the quadratures that replace them,

    F_n(x) = integral from 0 to 1 of t^(2n) e^(-x t^2) dt,     n = 0 ... 40, x >= 0

Accuracy of F: relative error 1e-14 in double, in single 2e-6 up to order 16 and 4e-6 above.

Source: G. Mazur, M. Makowski, R. Lazarski, J. Math. Chem. 54 (2016) 2022,
doi:10.1007/s10910-016-0668-x.
"""

import numpy as np

from . import _arguments, _frames, _tessera

__all__ = ["boys", "rys"]


def boys(n_max, x, *, out=None, backend=None):
    """All orders F_0(x) ... F_{n_max}(x).

    x: arguments of any shape. Returns an array of shape (n_max + 1, *shape of x), order first;
    float64, or float32 for x of float32. x below -1e-3 and NaN give NaN, infinity 0. out: a NumPy
    array for the result. backend: instead of that of tessera.use(). Raises InputError for an order
    out of range.

    A Series of pandas gives a DataFrame with its index and a column for each order, so that
    boys(n_max, x)[n] is F_n(x) of either.
    """
    found = _tessera.boys(_arguments.whole(n_max, "n_max"), x, out, backend)
    return found if _frames.are_plain((x,), {}) else _by_order(found, x)


def _by_order(found, x):
    """Of a Series a table of all orders."""
    if type(found) is not np.ndarray or np.ndim(x) != 1 or not _frames.tables_in((x,)):
        return found
    return type(x.to_frame())(found.T, index=x.index, columns=range(len(found)))


def rys(n, x, *, rho=1.0, omega=0.0, short_range=True, backend=None):
    """Roots u and weights w of Rys quadrature of order n, 1 to 32: sum_i w_i u_i^m = F_m(x) for m
    below 2n.

    x: arguments of any shape, x >= 0. Returns (u, w), float64 arrays of shape (n, *shape of x),
    with ascending roots. omega > 0: of erfc(omega r) / r with the reduced exponents rho, whose
    integrals run from t = sqrt(s) to 1, s = omega^2 / (omega^2 + rho); with short_range=False of
    erf(omega r) / r, from 0 to sqrt(s). x, rho and omega broadcast. A negative x or omega, a rho
    that is not positive and NaN give NaN.

    Relative error: roots 1e-14, weights 2e-14 for n <= 20 and 5e-14 above, for erfc 3e-16 x s
    besides. Raises InputError for an order out of range. Source: H. F. King, M. Dupuis, J. Comput.
    Phys. 21 (1976) 144.
    """
    both = _tessera.rys(_arguments.whole(n, "n"), x, rho, omega, bool(short_range), backend)
    return both[0], both[1]
